/* A command, as rank 0 reads it: a measurement, its numbers, and the groups of ranks that take part, `A:B,C`. A leads
 * its group, and measures. Pure: no MPI. */
#ifndef HOPSCOPE_PROBE_COMMAND_H
#define HOPSCOPE_PROBE_COMMAND_H

#include <stdbool.h>

#define PROBE_MOST_WORDS 4096
#define PROBE_MOST_OTHERS 256

/* Cut at its spaces. */
struct probe_command {
    int words;
    char *word[PROBE_MOST_WORDS];
};

struct probe_group {
    int leader, others, other[PROBE_MOST_OTHERS];
};

/* Cuts a line up. */
struct probe_command probe_command_of(char *line);
/* Where the groups begin among a command's words; -1 if there is no such measurement. */
int probe_first_group(const struct probe_command *command);
/* False if the word is none. */
bool probe_group_read(const char *word, struct probe_group *group);
/* The first group that a rank is in; false if none. */
bool probe_group_of(const struct probe_command *command, int rank, struct probe_group *group);
/* What is wrong with a command for so many ranks; NULL if nothing is. */
const char *probe_check(const struct probe_command *command, int ranks);
/* Whether a rank leads a group, and reports, and whether it takes part. */
bool probe_measures(const struct probe_command *command, int rank);
bool probe_takes_part(const struct probe_command *command, int rank);

#endif
