/* The application's communicators, windows and files as the collector knows them: a stable identity, members, sequence
 * numbers. */
#ifndef HOPSCOPE_COMM_H
#define HOPSCOPE_COMM_H

#include "mpi/mpi_table.h"
#include <stdbool.h>
#include <stdint.h>

struct epochs;      /* the epochs of a window: comm/epochs.h */
struct engine_comm; /* what the engine keeps for a communicator: src/engine */
struct native_part; /* what src/native keeps for a communicator */

/* A communicator, window or file. Windows and files have the members of the communicator from which they were made. */
struct comm {
    uint64_t bits;   /* HANDLE_BITS of the communicator, window or file */
    MPI_Comm handle; /* MPI_COMM_NULL for windows and files */
    uint32_t id;     /* id of this process's definition; 0 while recording is off */
    uint64_t key;    /* unique in this process; if all members are of one world, equal on all of them */
    int size, rank;
    int peers;        /* number of ranks that can be named as a peer: size; on an intercommunicator the other group's */
    int *world_ranks; /* size entries: world rank of each member; NULL if `inter` or `foreign` */
    bool inter;
    bool foreign;          /* the communicator, or one from which it derives, has members of another world: see key */
    bool has_strangers;    /* the communicator itself has such members */
    uint64_t next_seq;     /* needs no lock: MPI forbids one rank to begin two collectives at once on a communicator */
    uint64_t persistent;   /* number of persistent collectives created on the communicator */
    uint64_t checkpoint;   /* the first sequence number at which clocks may be measured again; UINT64_MAX: never */
    struct epochs *epochs; /* the epochs of a window; NULL: unknown, or this is no window */
    struct engine_comm *engine; /* NULL until its first engine collective */
    bool members_looked_up;     /* the engine has looked in the tree file's lists for the members */
    int listed_members;         /* the list that the engine found: see plan/rank_list.h */
    struct native_part *parts;  /* communicators that the MPI library derived from this one for its own messages */
    MPI_Comm local; /* for an intercommunicator: the library's hidden communicator of the local group, if known */
};

/* Finds the communicator of a handle without a lock. Returns NULL for an unknown handle: it is invalid, or the
 * collector did not see the communicator's creation. */
struct comm *comm_look_up(uint64_t bits);

/* The last communicator that this thread found. It is valid until any communicator is removed. */
struct comm_memory {
    uint64_t handle, generation;
    struct comm *comm;
};
extern _Thread_local struct comm_memory comm_memory __attribute__((tls_model("initial-exec")));
extern uint64_t comm_generation; /* counts removals of communicators */

#define HANDLE_BITS(handle) ((uint64_t)(uintptr_t)(handle))

static inline struct comm *comm_find_bits(uint64_t bits) {
    if (__builtin_expect(comm_memory.handle == bits &&
                             comm_memory.generation == __atomic_load_n(&comm_generation, __ATOMIC_ACQUIRE),
                         1))
        return comm_memory.comm;
    return comm_look_up(bits);
}

static inline struct comm *comm_find(MPI_Comm handle) {
    return comm_find_bits(HANDLE_BITS(handle));
}

#endif
