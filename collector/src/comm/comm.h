/* The communicators of the application as the collector knows them: a stable identity, members, sequence numbers. */
#ifndef HOPSCOPE_COMM_H
#define HOPSCOPE_COMM_H

#include "mpi/mpi_table.h"
#include <stdbool.h>
#include <stdint.h>

struct engine_comm; /* what the engine keeps per communicator; src/engine */

struct comm {
    MPI_Comm handle;
    uint32_t id;  /* of this process's definition; 0 while recording is off */
    uint64_t key; /* unique in this process; equal on all members if they are of one world */
    int size, rank;
    int peers;        /* whom one exchanges with: size; of an intercommunicator the size of the other group */
    int *world_ranks; /* size entries: world rank of each member; NULL for an intercommunicator and a foreign one */
    bool inter;
    bool foreign;               /* some members are of another world, or some of what it was made from: see key */
    bool has_strangers;         /* some members are */
    uint64_t next_seq;          /* collectives on one communicator never begin at once on one rank: no lock */
    uint64_t persistent;        /* persistent collectives made on it */
    uint64_t checkpoint;        /* the sequence number from which on clocks are to be looked after; UINT64_MAX: never */
    struct engine_comm *engine; /* NULL until its first engine collective */
};

/* The communicator of a handle: lock-free lookup; NULL if the handle is unknown (invalid, or of an origin that
 * the collector has not seen made). */
struct comm *comm_look_up(MPI_Comm handle);

/* The last one that this thread has found; what was found before a removal is not trusted. */
struct comm_memory {
    uint64_t handle, generation;
    struct comm *comm;
};
extern _Thread_local struct comm_memory comm_memory __attribute__((tls_model("initial-exec")));
extern uint64_t comm_generation; /* of the set of communicators */

static inline struct comm *comm_find(MPI_Comm handle) {
    if (__builtin_expect(comm_memory.handle == (uint64_t)(uintptr_t)handle &&
                             comm_memory.generation == __atomic_load_n(&comm_generation, __ATOMIC_ACQUIRE),
                         1))
        return comm_memory.comm;
    return comm_look_up(handle);
}

#endif
