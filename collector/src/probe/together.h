/* Messages that are sent at once (measure.h). */
#ifndef HOPSCOPE_PROBE_TOGETHER_H
#define HOPSCOPE_PROBE_TOGETHER_H

#include "probe/command.h"
#include "probe/times.h"

/* This rank's part: in each of the groups that it is in, it sends the leader's message or receives it. */
void probe_together(const struct probe_command *command, int rank, struct probe_times *times);

#endif
