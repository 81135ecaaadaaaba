/* Finds the collective to which a message inside the MPI library belongs. */
#ifndef HOPSCOPE_SUBJECT_H
#define HOPSCOPE_SUBJECT_H

#include "comm/comm.h"

/* The ranks of a message's communicator as ranks of the application's communicator. comm_ranks NULL: they are equal. */
struct subject_ranks {
    const int *comm_ranks;
    int count;
    uint32_t group; /* SPOOL_OWN_GROUP if the ranks are those of the own group of an intercommunicator; else 0 */
};

struct subject {
    uint32_t comm; /* id of the application's communicator */
    uint32_t key;  /* equal at both ends of a message; messages with different keys may overtake one another */
    uint64_t seq;  /* of the collective on that communicator */
    struct subject_ranks ranks;
};

/* Finds the collective of a message. False: the message belongs to no collective, or to one that is not recorded; it is
 * then counted. */
bool subject_find(MPI_Comm comm, int tag, struct subject *subject);

/* True if this thread is in a blocking collective whose messages are recorded. */
bool subject_is_open(void);

/* Where a thread is: outside the functions that the collector wraps, in one that starts persistent requests, or in
 * another one. */
enum subject_scope { SUBJECT_OUTSIDE_CALLS, SUBJECT_IN_START, SUBJECT_IN_CALL };
typedef enum subject_scope subject_scope_of_thread(void);

/* Selects every nth collective of each communicator for recording. scope: of the calling thread. */
void subject_start(unsigned nth, subject_scope_of_thread *scope);
/* True if this collective is not selected. */
bool subject_is_thinned(const struct comm *comm, uint64_t seq);

/* Announces the tag of the nonblocking or persistent collective that this thread is about to begin on comm. */
void subject_expect(const struct comm *comm, int tag, uint64_t seq);
/* Takes the announcement back: no collective has this tag. */
void subject_expect_no_more(const struct comm *comm, int tag);

/* Finds the members of the library's own (hidden) communicators that this thread's last collective was the first to
 * use. Call it after the collective, if the library cannot be asked inside one. The messages over these communicators
 * in that collective count as unknown. */
void subject_learn_hidden(void);

/* Finds comm's local communicator. Call it before comm is used. */
void subject_learn_local(struct comm *comm);

/* Call it when the library frees a communicator, which may be a hidden one. */
void subject_forget_hidden(void);
/* Frees the parts of a communicator that the application frees. */
void subject_free(struct comm *comm);

/* Numbers of messages since the start. unseen: of collectives whose call the collector did not see. internal: of calls
 * that create communicators, windows and files. thinned: of collectives that are not selected. unknown: of an unknown
 * collective. */
struct subject_counts {
    uint64_t unseen, internal, thinned, unknown;
};
struct subject_counts subject_counts(void);

#endif
