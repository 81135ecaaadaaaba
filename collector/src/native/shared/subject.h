/* Finds the collective to which a message inside the MPI library belongs. */
#ifndef HOPSCOPE_SUBJECT_H
#define HOPSCOPE_SUBJECT_H

#include "comm/comm.h"

/* Translates the ranks of a message's communicator to ranks of the application's communicator: comm_ranks[rank]. NULL:
 * the ranks are the same. */
struct subject_ranks {
    const int *comm_ranks;
    int count;
    uint32_t group; /* SPOOL_OWN_GROUP if they are ranks of the own group of an intercommunicator; else 0 */
};

struct subject {
    uint32_t comm; /* id of the application's communicator */
    uint32_t key;  /* equal at both ends of a message; messages with different keys may overtake one another */
    uint64_t seq;  /* sequence number of the collective on that communicator */
    struct subject_ranks ranks;
};

/* Finds the collective of a message. False if the message belongs to no collective, or to one that is not recorded.
 * Counts such messages. */
bool subject_find(MPI_Comm comm, int tag, struct subject *subject);

/* True if this thread is in a blocking collective whose messages are recorded. */
bool subject_is_open(void);

/* The position of a thread: outside all functions that the collector wraps, in one that starts persistent requests, or
 * in another one. */
enum subject_scope { SUBJECT_OUTSIDE_CALLS, SUBJECT_IN_START, SUBJECT_IN_CALL };
typedef enum subject_scope subject_scope_of_thread(void);

/* Selects every nth collective of each communicator for recording. scope: a function that returns the calling thread's
 * scope. */
void subject_start(unsigned nth, subject_scope_of_thread *scope);
/* True if this collective is not selected. */
bool subject_is_thinned(const struct comm *comm, uint64_t seq);

/* Call it before this thread begins a nonblocking or persistent collective on comm. tag: the tag of its messages. */
void subject_expect(const struct comm *comm, int tag, uint64_t seq);
/* Undoes subject_expect: no collective has this tag. */
void subject_expect_no_more(const struct comm *comm, int tag);

/* Finds the members of those hidden communicators that this thread's last collective was the first to use. Call it
 * after the collective if answers_inside is false, because the library could not be asked inside the collective. The
 * messages over these communicators in that collective count as unknown. */
void subject_learn_hidden(void);

/* Sets comm->local, the hidden communicator of an intercommunicator's own group. Call it before comm is used. */
void subject_learn_local(struct comm *comm);

/* Call it when the library frees a communicator, which may be a hidden one. */
void subject_forget_hidden(void);
/* Frees the parts of a communicator that the application frees. */
void subject_free(struct comm *comm);

/* Numbers of messages since the start that were not recorded. unseen: the collector did not see the collective's call.
 * internal: they belong to calls that create communicators, windows and files. thinned: their collective was not
 * selected. unknown: their collective is unknown. */
struct subject_counts {
    uint64_t unseen, internal, thinned, unknown;
};
struct subject_counts subject_counts(void);

#endif
