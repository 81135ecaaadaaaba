/* Hands a finished run's spools to the assembly, which is loaded only now: the archive library is no part of the
 * application's process before. */
#ifndef HOPSCOPE_ASSEMBLE_CALL_H
#define HOPSCOPE_ASSEMBLE_CALL_H

#include <stdbool.h>

/* False with one line on stderr that says what is left to do. */
bool assemble(const char *directory);

#endif
