/* Which programs and libraries call MPI: their files and build ids, so that call sites can be looked up after the run
 * in the very build that ran. */
#ifndef HOPSCOPE_MODULE_H
#define HOPSCOPE_MODULE_H

#include <stdint.h>

/* Writes the definition of the module around an address, once per module. name: what call sites call it. */
void module_define(uintptr_t address, uintptr_t base, const char *name);

#endif
