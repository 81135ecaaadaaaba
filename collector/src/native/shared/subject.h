/* To which collective a message inside the MPI library belongs. */
#ifndef HOPSCOPE_SUBJECT_H
#define HOPSCOPE_SUBJECT_H

#include "comm/comm.h"

/* The ranks of a message's communicator as ranks of the application's; NULL: they are the same. */
struct subject_ranks {
    const int *of;
    int count;
    uint32_t group; /* SPOOL_OWN_GROUP: they are those of the own group of an intercommunicator; else 0 */
};

struct subject {
    uint32_t comm; /* id of the application's communicator */
    uint32_t key;  /* both ends of a message have the same; messages with different keys may overtake one another */
    uint64_t seq;  /* of the collective on it */
    struct subject_ranks ranks;
};

/* False: the message belongs to no collective, or to one that is not recorded; counts which. */
bool subject_find(MPI_Comm comm, int tag, struct subject *subject);

/* Whether this thread is in a blocking collective whose messages are recorded. */
bool subject_is_open(void);

/* Only every n-th collective of a communicator is looked at. */
void subject_start(unsigned every);
/* Whether this one is left out for that. */
bool subject_is_thinned(const struct comm *comm, uint64_t seq);

/* The nonblocking or persistent collective that this thread is about to begin on comm will have this tag. */
void subject_expect(const struct comm *comm, int tag, uint64_t seq);
/* None has it. */
void subject_expect_no_more(const struct comm *comm, int tag);

/* Learns the hidden communicators that this thread's last collective was the first to use, where they could not be
 * asked for at once; what they carried in it is counted as unknown. */
void subject_learn_seen(void);

/* Before comm is used. */
void subject_learn_local(struct comm *comm);

/* The library frees a communicator, perhaps one that the application has never seen. */
void subject_forget_hidden(void);
/* The application frees this one. */
void subject_free(struct comm *comm);

/* Messages since the start: of what makes communicators, windows and files; of collectives between the n-th ones; and
 * those whose collective is not known. */
struct subject_counts {
    uint64_t internal, thinned, unknown;
};
struct subject_counts subject_counts(void);

#endif
