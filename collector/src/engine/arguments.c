/* Reads the arguments of each operation: which of the two buffers counts on which rank. */
#include "engine/arguments.h"

#include "hopscope/functions.h"

enum operation operation_of(int function) {
    /* One more than the operation, so that functions that are not listed have none. */
    static const unsigned char operations[FUNCTION_COUNT] = {
        [FUNCTION_MPI_Allreduce] = 1 + OPERATION_ALLREDUCE,
        [FUNCTION_MPI_Reduce] = 1 + OPERATION_REDUCE,
        [FUNCTION_MPI_Bcast] = 1 + OPERATION_BCAST,
        [FUNCTION_MPI_Barrier] = 1 + OPERATION_BARRIER,
        [FUNCTION_MPI_Gather] = 1 + OPERATION_GATHER,
        [FUNCTION_MPI_Gatherv] = 1 + OPERATION_GATHERV,
        [FUNCTION_MPI_Scatter] = 1 + OPERATION_SCATTER,
        [FUNCTION_MPI_Scatterv] = 1 + OPERATION_SCATTERV,
        [FUNCTION_MPI_Allgather] = 1 + OPERATION_ALLGATHER,
        [FUNCTION_MPI_Allgatherv] = 1 + OPERATION_ALLGATHERV,
        [FUNCTION_MPI_Alltoall] = 1 + OPERATION_ALLTOALL,
        [FUNCTION_MPI_Alltoallv] = 1 + OPERATION_ALLTOALLV,
        [FUNCTION_MPI_Alltoallw] = 1 + OPERATION_ALLTOALLW,
        [FUNCTION_MPI_Reduce_scatter] = 1 + OPERATION_REDUCE_SCATTER,
        [FUNCTION_MPI_Reduce_scatter_block] = 1 + OPERATION_REDUCE_SCATTER_BLOCK,
        [FUNCTION_MPI_Scan] = 1 + OPERATION_SCAN,
        [FUNCTION_MPI_Exscan] = 1 + OPERATION_EXSCAN,
    };
    return operations[function] ? (enum operation)(operations[function] - 1) : OPERATIONS;
}

int64_t buffer_count(const struct engine_call *call, const struct engine_buffer *buffer, int rank) {
    if (!buffer->counts)
        return buffer->count;
    return call->large ? (int64_t)((const MPI_Count *)buffer->counts)[rank] : ((const int *)buffer->counts)[rank];
}

int64_t buffer_displacement(const struct engine_call *call, const struct engine_buffer *buffer, int rank) {
    if (!buffer->displacements)
        return rank * buffer->count;
    return call->large ? (int64_t)((const MPI_Aint *)buffer->displacements)[rank]
                       : ((const int *)buffer->displacements)[rank];
}

MPI_Datatype buffer_datatype(const struct engine_buffer *buffer, int rank) {
    return buffer->datatypes ? buffer->datatypes[rank] : buffer->datatype;
}

int64_t datatype_bytes(MPI_Datatype datatype) {
    MPI_Count bytes = -1;
    if (datatype == MPI_DATATYPE_NULL || pmpi.Type_size_x(datatype, &bytes) != MPI_SUCCESS || bytes < 0)
        return -1;
    return (int64_t)bytes;
}

/* A buffer with the same count and datatype for everybody. */
static bool is_sound(const struct engine_buffer *buffer, uint64_t *bytes) {
    int64_t unit = datatype_bytes(buffer->datatype);
    *bytes = unit < 0 || buffer->count < 0 ? 0 : (uint64_t)unit * (uint64_t)buffer->count;
    return unit >= 0 && buffer->count >= 0;
}

/* One with counts for each rank, of whom all bytes are counted. */
static bool all_are_sound(const struct engine_call *call, const struct engine_buffer *buffer, uint64_t *bytes) {
    int64_t unit = buffer->datatypes ? 0 : datatype_bytes(buffer->datatype);
    *bytes = 0;
    for (int rank = 0; rank < call->comm->size; rank++) {
        int64_t count = buffer_count(call, buffer, rank);
        /* A block of nothing may have no datatype. */
        if (buffer->datatypes)
            unit = count == 0 ? 0 : datatype_bytes(buffer->datatypes[rank]);
        if (count < 0 || unit < 0)
            return false;
        *bytes += (uint64_t)count * (uint64_t)unit;
    }
    return true;
}

static bool root_is_sound(const struct engine_call *call) {
    return call->root >= 0 && call->root < call->comm->size;
}

bool arguments_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    const struct engine_buffer *send = &call->send, *receive = &call->receive;
    bool at_root = call->comm->rank == call->root, sends_in_place = send->base == MPI_IN_PLACE;
    bool receives_in_place = receive->base == MPI_IN_PLACE;
    uint64_t other = 0;
    *bytes = 0;
    if (operation_has_root(operation) && !root_is_sound(call))
        return false;
    if (operation_reduces(operation) && call->op == MPI_OP_NULL)
        return false;
    switch (operation) {
    case OPERATION_BARRIER:
        return true;
    case OPERATION_REDUCE:
        return (at_root || !sends_in_place) && is_sound(receive, bytes);
    case OPERATION_GATHER:
        if (!at_root)
            return !sends_in_place && is_sound(send, bytes);
        return is_sound(receive, bytes) && (sends_in_place || is_sound(send, &other));
    case OPERATION_GATHERV:
        if (!at_root)
            return !sends_in_place && is_sound(send, &other);
        return all_are_sound(call, receive, &other) && (sends_in_place || is_sound(send, &other));
    case OPERATION_SCATTER:
        if (!at_root)
            return !receives_in_place && is_sound(receive, bytes);
        return is_sound(send, bytes) && (receives_in_place || is_sound(receive, &other));
    case OPERATION_SCATTERV:
        if (!at_root)
            return !receives_in_place && is_sound(receive, &other);
        return all_are_sound(call, send, &other) && (receives_in_place || is_sound(receive, &other));
    case OPERATION_ALLGATHER:
    case OPERATION_ALLTOALL:
        return is_sound(receive, bytes) && (sends_in_place || is_sound(send, &other));
    case OPERATION_ALLGATHERV:
        return all_are_sound(call, receive, bytes) && (sends_in_place || is_sound(send, &other));
    case OPERATION_ALLTOALLV:
    case OPERATION_ALLTOALLW:
        return all_are_sound(call, receive, &other) && (sends_in_place || all_are_sound(call, send, &other));
    case OPERATION_REDUCE_SCATTER:
        return all_are_sound(call, receive, bytes);
    case OPERATION_REDUCE_SCATTER_BLOCK:
        if (!is_sound(receive, bytes))
            return false;
        *bytes *= (uint64_t)call->comm->size;
        return true;
    default:
        return is_sound(receive, bytes);
    }
}
