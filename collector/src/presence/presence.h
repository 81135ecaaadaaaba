/* Does every rank of this job carry the collector? Files in the trace directory tell, without a message: a message from
 * the collector to a rank without it would change the application's results. */
#ifndef HOPSCOPE_PRESENCE_H
#define HOPSCOPE_PRESENCE_H

#include <limits.h>
#include <stdbool.h>

enum presence {
    PRESENCE_COMPLETE,   /* every rank is there, and every rank knows: messages may flow */
    PRESENCE_INCOMPLETE, /* not proven: record what can be seen, send nothing */
    PRESENCE_FOREIGN,    /* the directory holds another run: leave it alone, record nothing */
    PRESENCE_NOWHERE,    /* the directory cannot be written: send nothing, record nothing */
};

struct presence_question {
    const char *directory; /* made if it is not there */
    const char *job;       /* shared by all ranks of this job and by no other job (job.h) */
    const char *host;
    int rank, size;
    double timeout_seconds;
};

/* All ranks of the job agree on COMPLETE or INCOMPLETE, however slow some are. The first published verdict binds
 * everybody, and it can be COMPLETE only after every rank has left its file. FOREIGN and NOWHERE on one rank
 * exclude COMPLETE on all others. Any other answer than COMPLETE comes with one line on stderr. Waits at most for
 * the timeout. */
enum presence presence_prove(const struct presence_question *question);

/* Removes this run's files from the directory, which it owns, so that a job that ends before it began leaves room for
 * the next attempt. Call it on one rank, when no other writes any more. */
void presence_withdraw(const char *directory);

#endif
