/* Reads one process's .defs file. */
#ifndef HOPSCOPE_READ_DEFINITIONS_H
#define HOPSCOPE_READ_DEFINITIONS_H

#include "assembly/run.h"

/* Fills process from the file. An unfinished last line is dropped silently; other unreadable lines are dropped and
 * reported in missing. False if the file cannot be read, or does not describe its process. process_free frees the
 * process. */
bool read_definitions(struct process *process, const char *path, struct sentences *missing);
void process_free(struct process *process);

#endif
