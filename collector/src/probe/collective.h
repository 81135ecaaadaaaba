/* Measures collectives of the MPI library: the command `collective` of measure.h. */
#ifndef HOPSCOPE_PROBE_COLLECTIVE_H
#define HOPSCOPE_PROBE_COLLECTIVE_H

#include "probe/command.h"
#include "probe/times.h"

/* Runs this rank's part of the measurement. The leader adds the times. */
void probe_collective(const struct probe_command *command, const struct probe_group *group, int rank,
                      struct probe_times *times);

#endif
