/* Reads one process's .defs file. */
#ifndef HOPSCOPE_READ_DEFINITIONS_H
#define HOPSCOPE_READ_DEFINITIONS_H

#include "assembly/run.h"

/* Fills in a process from its file. Drops an unfinished last line silently; drops other unreadable lines and reports
 * them in `missing`. False if the file cannot be read, or has no definition of the process itself. process_free frees
 * the process. */
bool read_definitions(struct process *process, const char *path, struct sentences *missing);
void process_free(struct process *process);

#endif
