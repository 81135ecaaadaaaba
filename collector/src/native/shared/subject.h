/* Finds the collective to which a message inside the MPI library belongs. */
#ifndef HOPSCOPE_SUBJECT_H
#define HOPSCOPE_SUBJECT_H

#include "comm/comm.h"

/* The ranks of a message's communicator as ranks of the application's. NULL: they are equal. */
struct subject_ranks {
    const int *comm_ranks;
    int count;
    uint32_t group; /* SPOOL_OWN_GROUP: ranks of the own group of an intercommunicator; else 0 */
};

struct subject {
    uint32_t comm; /* id of the application's communicator */
    uint32_t key;  /* equal at both ends of a message; messages with different keys may overtake one another */
    uint64_t seq;  /* of the collective on it */
    struct subject_ranks ranks;
};

/* False: the message belongs to no collective, or to one that is not recorded, and is counted as such. */
bool subject_find(MPI_Comm comm, int tag, struct subject *subject);

/* True if this thread is in a blocking collective whose messages are recorded. */
bool subject_is_open(void);

/* Only every nth collective of a communicator is looked at. */
void subject_start(unsigned nth);
/* True if this one is not looked at for that reason. */
bool subject_is_thinned(const struct comm *comm, uint64_t seq);

/* The nonblocking or persistent collective that this thread is about to begin on comm will have this tag. */
void subject_expect(const struct comm *comm, int tag, uint64_t seq);
/* No collective has this tag. */
void subject_expect_no_more(const struct comm *comm, int tag);

/* Describes the hidden communicators that this thread's last collective was the first to use, where the library could
 * not be asked at once. Their messages in it count as unknown. */
void subject_learn_hidden(void);

/* Call it before comm is used. */
void subject_learn_local(struct comm *comm);

/* The library frees a communicator, perhaps a hidden one. */
void subject_forget_hidden(void);
/* The application frees this one. */
void subject_free(struct comm *comm);

/* Messages since the start: of calls that create communicators, windows and files; of collectives between the nth ones;
 * of an unknown collective. */
struct subject_counts {
    uint64_t internal, thinned, unknown;
};
struct subject_counts subject_counts(void);

#endif
