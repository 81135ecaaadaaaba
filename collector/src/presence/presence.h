/* Proves that every rank of this job has the collector. It uses files in the trace directory and no message: a message
 * from the collector to a rank without it would change the application's results. */
#ifndef HOPSCOPE_PRESENCE_H
#define HOPSCOPE_PRESENCE_H

#include <limits.h>
#include <stdbool.h>

enum presence {
    PRESENCE_COMPLETE,   /* every rank has the collector, and every rank knows it: messages may flow */
    PRESENCE_INCOMPLETE, /* not proven: record locally, send nothing */
    PRESENCE_FOREIGN,    /* the directory holds another run: leave it alone, record nothing */
    PRESENCE_NOWHERE,    /* the directory cannot be written: send nothing, record nothing */
};

struct presence_question {
    const char *directory; /* created if it does not exist */
    const char *job;       /* shared by all ranks of this job and by no other job (job.h) */
    const char *host;
    int rank, size;
    double timeout_seconds;
};

/* All ranks of the job agree on COMPLETE or INCOMPLETE, however slow some are. The first published verdict binds all
 * ranks, and it can be COMPLETE only after every rank has published its file. FOREIGN and NOWHERE on one rank exclude
 * COMPLETE on all others. Every result other than COMPLETE comes with one line on stderr. Waits at most for the
 * timeout. */
enum presence presence_prove(const struct presence_question *question);

/* Removes this run's files from the directory, which the run owns, so that a job that ends during start-up leaves room
 * for the next attempt. Call it on one rank, when no other rank writes any more. */
void presence_withdraw(const char *directory);

#endif
