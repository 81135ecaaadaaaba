/* The tree engine: executes collectives that the tree file names, over point-to-point of our own communicator. */
#ifndef HOPSCOPE_ENGINE_H
#define HOPSCOPE_ENGINE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"

struct topology; /* src/topology */

/* One of a call's two buffers, as the application describes it. Where the operation has one count and datatype for both
 * (and MPI_Bcast, which has one buffer), they are in `receive`. */
struct engine_buffer {
    const void *base; /* may be MPI_IN_PLACE */
    int64_t count;    /* elements; of each block where there are several */
    MPI_Datatype datatype;
    const void *counts, *displacements; /* v-forms: for each rank; int, or of a large call MPI_Count and MPI_Aint */
    const MPI_Datatype *datatypes;      /* MPI_Alltoallw: for each rank; displacements are bytes then */
};

struct engine_call {
    struct engine_buffer send, receive;
    MPI_Op op;
    int root; /* 0 where the operation has none */
    bool large;
    /* Filled in by collective_by_engine: */
    int function; /* enum mpi_function */
    struct comm *comm;
    uint64_t seq;
};

/* Takes over the tree file's text, already agreed on by all ranks, after every rank's presence is proven.
 * tree_text NULL: no engine. shared_memory: this rank is willing to use it between ranks of one machine. world: a
 * communicator of the collector's own like MPI_COMM_WORLD, with errors returned; it stays until engine_stop. Returns
 * false with a message (file:line:column: what is wrong; what would be right) for a text that cannot serve; the caller
 * aborts the job. Call once, from MPI_Init. */
bool engine_start(const char *tree_text, size_t length, const struct topology *topology, bool shared_memory,
                  MPI_Comm world, char *message, size_t capacity);

/* True if the engine may run this function at all: one load and a branch, for the wrappers' hot path. */
extern bool engine_served[];
static inline bool engine_serves(int function) {
    return engine_served[function];
}

/* Runs the call and returns true with the MPI error code in *error; or returns false, nothing sent, with *reason: the
 * id of a reason definition. Which of the two is decided from what MPI makes equal on every member (DESIGN section 2).
 * The error is what the call shall return after the communicator's error handler was called. */
bool engine_run(const struct engine_call *call, int *error, uint32_t *reason);

/* Frees what the engine keeps for a communicator that the application frees (called on all members). */
void engine_comm_free(struct comm *comm);
/* The same without the others, so without freeing the engine's communicator: at the end, where MPI_Finalize itself
 * does, and of a communicator that was freed unseen. */
void engine_comm_abandon(struct comm *comm);
void engine_stop(void);

#endif
