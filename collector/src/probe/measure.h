/* What the ranks of a probe measure. Each measurement is one line of text that rank 0 reads on its standard input and
 * hands to the ranks that take part; all others sleep. So the choice of what to measure, and how often, is the
 * caller's (analysis/hopscope/probe).
 *
 *   pingpong BYTES COUNT LIMIT A:B ...
 *       A sends to B, and B answers with as many bytes: the time of each round trip, at most COUNT of them, and none
 *       begun after LIMIT ns. Several pairs do so at once; no rank is in two.
 *   gap BYTES MESSAGES COUNT A:B,C ...
 *       A sends MESSAGES messages to B, C and so on in turn, as fast as it can, and waits until they all have said
 *       that theirs are there; then the same with three times as many. The difference of both times, COUNT times.
 *       Several senders begin together; no rank is named twice.
 *   overhead BYTES COUNT DELAY A:B
 *       The delayed reply: what A spends in MPI to send a message, and to receive one that has been on its way for
 *       DELAY ns. COUNT times both, in turn.
 *   combine BYTES COUNT OPERATION TYPE A
 *       MPI_Reduce_local of so many bytes.
 */
#ifndef HOPSCOPE_PROBE_MEASURE_H
#define HOPSCOPE_PROBE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_MOST_WORDS 4096

enum probe_tag {
    PROBE_TAG_COMMAND = 1,
    PROBE_TAG_TIMES,
    PROBE_TAG_DATA,
    PROBE_TAG_STOP,
    PROBE_TAG_READY,
    PROBE_TAG_NAME
};

/* A command, cut at its spaces. */
struct probe_command {
    int words;
    char *word[PROBE_MOST_WORDS];
};

/* The times that a rank measured, in ns. */
struct probe_times {
    size_t count, capacity;
    int64_t *ns;
};

int64_t probe_now_ns(void);
/* Where the groups `A:B,C` begin among a command's words. */
int probe_first_group(const struct probe_command *command);
/* What is wrong with a command for so many ranks; NULL if nothing is. */
const char *probe_check(const struct probe_command *command, int ranks);
/* Whether a rank measures (leads a group, and reports), and whether it takes part. */
bool probe_measures(const struct probe_command *command, int rank);
bool probe_takes_part(const struct probe_command *command, int rank);
/* This rank's part. Times are added where it measures. */
void probe_measure(const struct probe_command *command, int rank, struct probe_times *times);

#endif
