/* Reads the arguments of each operation: which of the two buffers counts on which rank. */
#include "engine/arguments.h"

#include "engine/inquiry.h"
#include "engine/operators.h"
#include "hopscope/functions.h"
#include "mpi/type_bytes.h"

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

/* An address that is looked at, if there is anything to be found there. */
static bool address_is_sound(const void *base, MPI_Datatype datatype, uint64_t bytes) {
    return bytes == 0 || base == MPI_IN_PLACE || inquiry_takes_address(base, datatype);
}

/* A buffer with the same count and datatype for everybody. */
static bool shape_is_sound(const struct engine_buffer *buffer, uint64_t *bytes) {
    if (buffer->count < 0 || !inquiry_takes_datatype(buffer->datatype))
        return false;
    *bytes = buffer->count > 0 ? type_bytes(buffer->datatype) * (uint64_t)buffer->count : 0;
    return true;
}

static bool is_sound(const struct engine_buffer *buffer, uint64_t *bytes) {
    return shape_is_sound(buffer, bytes) && address_is_sound(buffer->base, buffer->datatype, *bytes);
}

/* One with counts for each rank, of whom all bytes are counted. */
static bool all_are_sound(const struct engine_call *call, const struct engine_buffer *buffer, uint64_t *bytes) {
    *bytes = 0;
    if (!buffer->datatypes && !inquiry_takes_datatype(buffer->datatype))
        return false;
    for (int rank = 0; rank < call->comm->size; rank++) {
        int64_t count = buffer_count(call, buffer, rank);
        MPI_Datatype datatype = buffer_datatype(buffer, rank);
        if (count < 0)
            return false;
        if (count == 0) /* then it may have no datatype */
            continue;
        if (buffer->datatypes && !inquiry_takes_datatype(datatype))
            return false;
        uint64_t block = (uint64_t)count * type_bytes(datatype);
        if (!address_is_sound(buffer->base, datatype, block))
            return false;
        *bytes += block;
    }
    return true;
}

/* Both buffers of a reduction have the shape of the second; it is written to where the result is wanted. */
static bool reduction_is_sound(const struct engine_call *call, uint64_t bytes, bool has_result) {
    MPI_Datatype datatype = call->receive.datatype;
    return operator_fits(call->op, datatype) && address_is_sound(call->send.base, datatype, bytes) &&
           (!has_result || address_is_sound(call->receive.base, datatype, bytes));
}

static bool root_is_sound(const struct engine_call *call) {
    return call->root >= 0 && call->root < call->comm->size;
}

/* Of two buffers with equal blocks: the bytes of the first, unless that has none here. In a wrong program the two
 * differ, and the first is the one that the other members have too: they decide by it. */
static bool blocks_are_sound(const struct engine_buffer *first, const struct engine_buffer *second, uint64_t *bytes) {
    uint64_t other = 0;
    if (first->base == MPI_IN_PLACE)
        return is_sound(second, bytes);
    if (second->base == MPI_IN_PLACE)
        return is_sound(first, bytes);
    if (!is_sound(first, bytes) || !is_sound(second, &other))
        return false;
    if (*bytes == 0)
        *bytes = other;
    return true;
}

static bool shapes_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    const struct engine_buffer *send = &call->send, *receive = &call->receive;
    bool at_root = call->comm->rank == call->root, sends_in_place = send->base == MPI_IN_PLACE;
    bool receives_in_place = receive->base == MPI_IN_PLACE;
    uint64_t other = 0;
    switch (operation) {
    case OPERATION_BARRIER:
        return true;
    case OPERATION_REDUCE:
        return (at_root || !sends_in_place) && shape_is_sound(receive, bytes) &&
               reduction_is_sound(call, *bytes, at_root);
    case OPERATION_GATHER:
        return at_root ? blocks_are_sound(send, receive, bytes) : !sends_in_place && is_sound(send, bytes);
    case OPERATION_GATHERV:
        if (!at_root)
            return !sends_in_place && is_sound(send, &other);
        return all_are_sound(call, receive, &other) && (sends_in_place || is_sound(send, &other));
    case OPERATION_SCATTER:
        return at_root ? blocks_are_sound(receive, send, bytes) : !receives_in_place && is_sound(receive, bytes);
    case OPERATION_SCATTERV:
        if (!at_root)
            return !receives_in_place && is_sound(receive, &other);
        return all_are_sound(call, send, &other) && (receives_in_place || is_sound(receive, &other));
    case OPERATION_ALLGATHER:
    case OPERATION_ALLTOALL:
        return blocks_are_sound(receive, send, bytes);
    case OPERATION_ALLGATHERV:
        return all_are_sound(call, receive, bytes) && (sends_in_place || is_sound(send, &other));
    case OPERATION_ALLTOALLV:
    case OPERATION_ALLTOALLW:
        return all_are_sound(call, receive, &other) && (sends_in_place || all_are_sound(call, send, &other));
    case OPERATION_REDUCE_SCATTER:
        return all_are_sound(call, receive, bytes) && reduction_is_sound(call, *bytes, true);
    case OPERATION_REDUCE_SCATTER_BLOCK:
        if (!shape_is_sound(receive, bytes) || !reduction_is_sound(call, *bytes, true))
            return false;
        *bytes *= (uint64_t)call->comm->size;
        return true;
    case OPERATION_BCAST:
        return is_sound(receive, bytes);
    default:
        return shape_is_sound(receive, bytes) && reduction_is_sound(call, *bytes, true);
    }
}

bool arguments_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    *bytes = 0;
    return (!operation_has_root(operation) || root_is_sound(call)) && shapes_are_sound(call, operation, bytes) &&
           inquiry_takes_both(call, operation);
}
