/* Reads a command of rank 0's standard input: the name of a measurement, its parameters, and the groups of ranks that
 * take part, such as `A:B,C`. A is the leader of its group and measures. This file needs no MPI. */
#ifndef HOPSCOPE_PROBE_COMMAND_H
#define HOPSCOPE_PROBE_COMMAND_H

#include <stdbool.h>

#define PROBE_MOST_WORDS 4096
#define PROBE_MOST_MEMBERS 256

/* The words of a command line. */
struct probe_command {
    int words;
    char *word[PROBE_MOST_WORDS];
};

/* A group of ranks. members: without the leader. */
struct probe_group {
    int leader, member_count, members[PROBE_MOST_MEMBERS];
};

/* Splits a line into words. The command points into the line. */
struct probe_command probe_command_of(char *line);
/* The index of the first group among a command's words; -1 if no measurement has the command's name. */
int probe_first_group(const struct probe_command *command);
/* Reads a group. False if the word is not a group. */
bool probe_group_read(const char *word, struct probe_group *group);
/* Finds the first group that contains a rank; false if there is none. */
bool probe_group_of(const struct probe_command *command, int rank, struct probe_group *group);
/* Checks a command for a job of this many ranks. Returns the fault, a static text; NULL if the command is right. */
const char *probe_check(const struct probe_command *command, int ranks);
/* probe_measures: true if a rank leads a group and so reports times. probe_takes_part: true if a rank is in a group. */
bool probe_measures(const struct probe_command *command, int rank);
bool probe_takes_part(const struct probe_command *command, int rank);

#endif
