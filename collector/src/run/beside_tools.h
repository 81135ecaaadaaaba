/* What the user is to know where the collector is not the only one that wraps MPI functions. */
#ifndef HOPSCOPE_BESIDE_TOOLS_H
#define HOPSCOPE_BESIDE_TOOLS_H

#include "config/config.h"

/* One line on stderr for each thing that one of the tools will not see. */
void beside_tools_tell(const struct config *config);

/* Of a program that has used MPI, but never came by the collector's MPI_Init: true if it is told that another tool is
 * why. */
bool beside_tools_tell_unbegun(void);

/* The object that takes MPI_Finalize before it comes to us, so that our end of the run may never come; NULL: none. */
const char *beside_tools_ending(const struct config *config);

#endif
