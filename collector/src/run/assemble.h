/* Assembles the spools of a finished run. The assembly is loaded only now, so that the archive library stays out of the
 * application's process until the end. */
#ifndef HOPSCOPE_ASSEMBLE_CALL_H
#define HOPSCOPE_ASSEMBLE_CALL_H

#include <stdbool.h>

/* Assembles. If that fails, returns false after one line on stderr that names the next step. */
bool assemble(const char *directory);

#endif
