/* The table from instructions to lines in a code object of CPython 3.11 and later (co_linetable). */
#ifndef HOPSCOPE_PYTHON_LOCATION_TABLE_H
#define HOPSCOPE_PYTHON_LOCATION_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The line of the instruction at this byte of the bytecode; -1: it has no line, or the table ends before it. */
int location_table_line(const uint8_t *table, size_t bytes, int first_line, uint32_t instruction);

#endif
