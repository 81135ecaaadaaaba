/* The arguments of a collective call. */
#ifndef HOPSCOPE_ENGINE_CALL_H
#define HOPSCOPE_ENGINE_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"

/* One of a call's two buffers. If the call has only one count and datatype for both, they are in `receive`. The buffer
 * of MPI_Bcast is `receive`. */
struct engine_buffer {
    const void *base; /* may be MPI_IN_PLACE */
    int64_t count;    /* elements per block */
    MPI_Datatype datatype;
    const void *counts, *displacements; /* v-forms: one per rank; int, or MPI_Count and MPI_Aint in large calls */
    const MPI_Datatype *datatypes;      /* MPI_Alltoallw: one per rank; displacements are then in bytes */
};

struct engine_call {
    struct engine_buffer send, receive;
    MPI_Op op;
    int root; /* 0 if the operation has none */
    bool large;
    /* Set by collective_by_engine: */
    int function; /* enum mpi_function */
    struct comm *comm;
    uint64_t seq;
};

/* The count, displacement and datatype of the block for (or from) a rank, in a buffer with one block per rank. The
 * displacement is in extents of the datatype, or in bytes if the buffer has `datatypes`. */
int64_t buffer_count(const struct engine_call *call, const struct engine_buffer *buffer, int rank);
int64_t buffer_displacement(const struct engine_call *call, const struct engine_buffer *buffer, int rank);
MPI_Datatype buffer_datatype(const struct engine_buffer *buffer, int rank);

#endif
