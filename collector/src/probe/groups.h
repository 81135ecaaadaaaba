/* The groups of ranks that a command names: `A:B,C`. A leads, and measures. */
#ifndef HOPSCOPE_PROBE_GROUPS_H
#define HOPSCOPE_PROBE_GROUPS_H

#include <stdbool.h>

#include "probe/measure.h"

#define PROBE_MOST_OTHERS 256

struct probe_group {
    int leader, others, other[PROBE_MOST_OTHERS];
};

bool probe_group_read(const char *word, struct probe_group *group);
/* The group that a rank is in; false if none. */
bool probe_group_of(const struct probe_command *command, int rank, struct probe_group *group);

#endif
