/* Defines the programs and libraries that call MPI, with their files and build ids. So after the run, call sites are
 * looked up in exactly the build that ran. */
#ifndef HOPSCOPE_MODULE_H
#define HOPSCOPE_MODULE_H

#include <stdint.h>

/* Writes the definition of the module around an address, once per module. name: the module's name in call sites.
 */
void module_define(uintptr_t address, uintptr_t base, const char *name);

#endif
