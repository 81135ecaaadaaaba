/* Proves that every rank of this job has the collector. It uses files in the trace directory and sends no message: a
 * message from the collector to a rank without the collector would change the application's results. */
#ifndef HOPSCOPE_PRESENCE_H
#define HOPSCOPE_PRESENCE_H

#include <limits.h>
#include <stdbool.h>

enum presence {
    PRESENCE_COMPLETE,   /* every rank has the collector and knows it: the collector may send messages */
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

/* All ranks of the job agree on COMPLETE or INCOMPLETE, however slow some ranks are. The first published verdict counts
 * for all ranks, and it can be COMPLETE only after every rank has published its file. FOREIGN and NOWHERE on one rank
 * exclude COMPLETE on all others. Every result other than COMPLETE comes with one line on stderr. Waits at most for the
 * timeout. */
enum presence presence_prove(const struct presence_question *question);

/* Removes this run's files from the directory, which the run owns, so that a job that ends during start-up leaves room
 * for the next attempt. Call it on one rank, when all other ranks have stopped writing. */
void presence_withdraw(const char *directory);

#endif
