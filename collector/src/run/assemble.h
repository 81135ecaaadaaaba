/* Assembles a finished run's spools. Loads the assembly only now, so that the archive library is not in the
 * application's process before. */
#ifndef HOPSCOPE_ASSEMBLE_CALL_H
#define HOPSCOPE_ASSEMBLE_CALL_H

#include <stdbool.h>

/* False with one line on stderr that says what is left to do. */
bool assemble(const char *directory);

#endif
