/* Proves that every rank of this job has the collector. It uses files in the trace directory and sends no message: a
 * message from the collector to a rank without the collector would change the application's results. */
#ifndef HOPSCOPE_PRESENCE_H
#define HOPSCOPE_PRESENCE_H

#include <limits.h>
#include <stdbool.h>

enum presence {
    PRESENCE_COMPLETE,   /* every rank has the collector, and all ranks know this: the collector may send messages */
    PRESENCE_INCOMPLETE, /* not proven: record locally, send nothing */
    PRESENCE_FOREIGN,    /* the directory holds another run: leave it unchanged, record nothing */
    PRESENCE_NOWHERE,    /* the directory cannot be written: send nothing, record nothing */
};

struct presence_question {
    const char *directory; /* created if it does not exist */
    const char *job;       /* shared by all ranks of this job and by no other job (job.h) */
    const char *host;
    int rank, size;
    double timeout_seconds;
};

/* Finds out if every rank has the collector. Waits at most for the timeout. All ranks of the job agree on COMPLETE or
 * INCOMPLETE, however slow some ranks are: the first published verdict counts for all, and it is COMPLETE only if every
 * rank has published its file before. If one rank gets FOREIGN or NOWHERE, no other rank gets COMPLETE. For every
 * result but COMPLETE, prints one line on stderr. */
enum presence presence_prove(const struct presence_question *question);

/* Removes this run's files from the directory, so that the next attempt can use it. It serves a job that ends during
 * start-up. The directory must belong to this run. Call it on one rank, when all other ranks have stopped writing. */
void presence_withdraw(const char *directory);

#endif
