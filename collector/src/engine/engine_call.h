/* The arguments of a collective call. */
#ifndef HOPSCOPE_ENGINE_CALL_H
#define HOPSCOPE_ENGINE_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"

/* One of a call's two buffers. If both have the same count and datatype, `receive` holds these. MPI_Bcast has only one
 * buffer, `receive`. */
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

/* The number of elements for (or from) a rank, and their position in the buffer: in extents of the datatype, or in
 * bytes with `datatypes`. The buffer must have one block per rank. */
int64_t buffer_count(const struct engine_call *call, const struct engine_buffer *buffer, int rank);
int64_t buffer_displacement(const struct engine_call *call, const struct engine_buffer *buffer, int rank);
MPI_Datatype buffer_datatype(const struct engine_buffer *buffer, int rank);

#endif
