/* Assembles the spools of a finished run. Loads the assembly for this only at the end, so that the archive library
 * (libotf2) is not in the process while the application runs. */
#ifndef HOPSCOPE_ASSEMBLE_CALL_H
#define HOPSCOPE_ASSEMBLE_CALL_H

#include <stdbool.h>

/* Makes the archive of a trace directory. If that fails, prints one line on stderr with the next step and returns
 * false. */
bool assemble(const char *directory);

#endif
