/* Records the MPI library's own messages inside its collectives, as hops of source `native`.
 *
 * If the library is not as expected, no messages are recorded: one line on stderr gives the reason, and the trace has
 * calls only. For an MPI library with unknown internals (library.h), all functions do nothing. */
#ifndef HOPSCOPE_NATIVE_H
#define HOPSCOPE_NATIVE_H

#include "comm/comm.h"
#include "hopscope/functions.h"
#include "native/shared/open_collective.h"
#include "native/shared/subject.h"

/* Begins to record the messages in every interval-th collective of each communicator. Call it after PMPI_Init, once
 * recording has begun. scope: a function that returns the calling thread's scope (subject.h). many_threads: several
 * threads may be in the library at once. */
void native_start(unsigned interval, subject_scope_of_thread *scope, int rank, int processes, bool many_threads);
/* Call it before PMPI_Finalize. */
void native_stop(void);
/* True if messages of nonblocking and persistent collectives are recorded. */
bool native_knows_tags(void);
/* The tag of the messages of the next nonblocking collective on comm, or of the next persistent one that is created. A
 * persistent collective has the same tag at each start. 0: such messages are not recorded. */
int native_next_tag(const struct comm *comm);
/* Call it before a nonblocking or persistent collective begins, so that messages with this tag are recorded as its. */
void native_expect(const struct comm *comm, int tag, uint64_t seq);
/* Call it after native_expect if the collective has begun and did not use the tag, because it sends no messages. The
 * next collective will use the tag. */
void native_expect_no_more(const struct comm *comm, int tag);
/* Call it if native_end() was true for a call on comm. Returns the id of the reason why some recorded messages of the
 * call may not belong to the collective, or why no messages are recorded. 0: no such reason. */
uint32_t native_reason(const struct comm *comm, bool has_payload);
/* Returns the id of the reason why the messages of a nonblocking or persistent collective that has begun are not
 * recorded. 0: they are recorded, or there are none. */
uint32_t native_started_reason(const struct comm *comm, uint64_t seq, bool has_payload);
/* Looks up the id for native_algorithm(). Call native_algorithm() instead. */
uint32_t native_algorithm_called(enum mpi_function function);
/* Call it before the application frees comm. */
void native_comm_free(struct comm *comm);

/* Call it when the library begins a blocking collective. comm may be NULL. */
static inline void native_begin(struct comm *comm, uint64_t seq) {
    native_collective.comm = comm;
    native_collective.seq = seq;
    native_collective.silent = native_looks;
    native_collective.left_out = false;
    native_collective.uses_comm = native_collective.uses_hidden_comm = false;
    native_collective.called = 0;
}

/* Call it when the blocking collective has ended. True if the library set up communicators of its own in it, or if no
 * message of the collective was recorded. */
static inline bool native_end(void) {
    native_collective.comm = NULL;
    return native_collective.set_up || native_collective.silent;
}

/* Call it after native_end(). Returns the id of the definition of the library's algorithm that ran; 0: unknown. It is 0
 * for a hierarchical collective, whose algorithms each ran on a part of the communicator only. */
static inline uint32_t native_algorithm(enum mpi_function function) {
    const struct native_collective *collective = &native_collective;
    return collective->called && collective->uses_comm && !collective->uses_hidden_comm
               ? native_algorithm_called(function)
               : 0;
}

#endif
