/* Does every rank of this job carry the collector? Found out through files in the trace directory, without a message:
 * a collector's message to a rank without one would change the application's results. */
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
    const char *job;       /* a token that all ranks of this job share and other jobs do not (job.h) */
    const char *host;
    int rank, size;
    double timeout_seconds;
};

/* All ranks of the job get the same answer of COMPLETE or INCOMPLETE, however late or slow some are: the first verdict
 * that is published binds everybody, and it can only be COMPLETE when every rank has left its file. FOREIGN and NOWHERE
 * exclude COMPLETE on every other rank. Anything but COMPLETE is explained by one line on stderr. Waits at most for the
 * timeout. */
enum presence presence_prove(const struct presence_question *question);

/* Takes back what this run has put into the directory, which it owns: a job that ends before it began leaves room for
 * the next try. For one rank, when no other writes any more. */
void presence_withdraw(const char *directory);

#endif
