/* Tells the user about other tools that wrap MPI functions too. */
#ifndef HOPSCOPE_BESIDE_TOOLS_H
#define HOPSCOPE_BESIDE_TOOLS_H

#include "config/config.h"

/* Prints a line on stderr for each tool, which says what the tool and the collector see. */
void beside_tools_tell(const struct config *config);

/* Call it for a program that used MPI but never called the collector's MPI_Init. Returns true if it reported another
 * tool as the reason. */
bool beside_tools_tell_unbegun(void);

/* The path of the object whose MPI_Finalize precedes ours, so that ours may never be called. NULL if there is none. */
const char *beside_tools_ending(void);

#endif
