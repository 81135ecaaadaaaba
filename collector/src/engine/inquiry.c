#include "engine/inquiry.h"

#include <pthread.h>

#include "mpi/type_bytes.h"

static MPI_Comm alone;
static bool open;
#ifdef OPEN_MPI
static bool checks; /* a setting can turn off the library's argument checks */
#endif
/* Serialises the inquiries: MPI forbids two collectives at once on one communicator, even without messages. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool inquiry_open(void) {
    open = pmpi.Comm_dup(MPI_COMM_SELF, &alone) == MPI_SUCCESS;
    if (!open || pmpi.Comm_set_errhandler(alone, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return false;
#ifdef OPEN_MPI
    checks = pmpi.Bcast(NULL, -1, MPI_BYTE, 0, alone) != MPI_SUCCESS;
#endif
    return true;
}

void inquiry_close(void) {
    if (open)
        pmpi.Comm_free(&alone);
    open = false;
}

bool inquiry_takes_datatype(MPI_Datatype datatype) {
    char nothing[1] = {0};
    int position = 0;
    if (type_is_remembered(datatype))
        return true;
    return pmpi.Pack(nothing, 0, datatype, nothing, 0, &position, alone) == MPI_SUCCESS;
}

bool inquiry_takes_address(const void *base, MPI_Datatype datatype) {
    if (base) /* no library can check any other address */
        return true;
    pthread_mutex_lock(&lock);
    int error = pmpi.Bcast(NULL, 1, datatype, 0, alone);
    pthread_mutex_unlock(&lock);
    return error == MPI_SUCCESS;
}

bool inquiry_takes_operation(MPI_Op op, MPI_Datatype datatype) {
    char in[1] = {0}, out[1] = {0};
    pthread_mutex_lock(&lock);
    int error = pmpi.Allreduce(in, out, 0, datatype, op, alone);
    pthread_mutex_unlock(&lock);
    return error == MPI_SUCCESS;
}

/* Where this rank's own block is. Libraries compare it to find out whether two buffers are one. Counted in bytes
 * without holes, as MPICH does. */
static char *own_block(const struct engine_call *call, const struct engine_buffer *buffer) {
    int64_t at = buffer_displacement(call, buffer, call->comm->rank);
    return (char *)(uintptr_t)buffer->base + at * (int64_t)type_bytes(buffer->datatype);
}

#ifndef OPEN_MPI
/* One element of this rank, sent to itself. Asked only if both addresses are the same, so the data does not change. */
static int ask(enum operation operation, const struct engine_call *call, void *send, void *receive, bool same_counts) {
    int one[1] = {1}, other[1] = {1}, at[1] = {0}, *ones = same_counts ? one : other;
    MPI_Datatype from = call->send.datatype, to = call->receive.datatype;
    switch (operation) {
    case OPERATION_ALLREDUCE:
        return pmpi.Allreduce(send, receive, 1, to, call->op, alone);
    case OPERATION_REDUCE:
        return pmpi.Reduce(send, receive, 1, to, call->op, 0, alone);
    case OPERATION_SCAN:
        return pmpi.Scan(send, receive, 1, to, call->op, alone);
    case OPERATION_EXSCAN:
        return pmpi.Exscan(send, receive, 1, to, call->op, alone);
    case OPERATION_REDUCE_SCATTER:
        return pmpi.Reduce_scatter(send, receive, one, to, call->op, alone);
    case OPERATION_REDUCE_SCATTER_BLOCK:
        return pmpi.Reduce_scatter_block(send, receive, 1, to, call->op, alone);
    case OPERATION_GATHER:
        return pmpi.Gather(send, 1, from, receive, 1, to, 0, alone);
    case OPERATION_GATHERV:
        return pmpi.Gatherv(send, 1, from, receive, one, at, to, 0, alone);
    case OPERATION_SCATTER:
        return pmpi.Scatter(send, 1, from, receive, 1, to, 0, alone);
    case OPERATION_SCATTERV:
        return pmpi.Scatterv(send, one, at, from, receive, 1, to, 0, alone);
    case OPERATION_ALLGATHER:
        return pmpi.Allgather(send, 1, from, receive, 1, to, alone);
    case OPERATION_ALLGATHERV:
        return pmpi.Allgatherv(send, 1, from, receive, one, at, to, alone);
    case OPERATION_ALLTOALL:
        return pmpi.Alltoall(send, 1, from, receive, 1, to, alone);
    case OPERATION_ALLTOALLV:
        return pmpi.Alltoallv(send, ones, at, from, receive, one, at, to, alone);
    case OPERATION_ALLTOALLW:
        from = call->send.datatypes ? buffer_datatype(&call->send, call->comm->rank) : MPI_DATATYPE_NULL;
        to = buffer_datatype(&call->receive, call->comm->rank);
        return pmpi.Alltoallw(send, ones, at, &from, receive, one, at, &to, alone);
    default:
        return MPI_SUCCESS;
    }
}

#endif

/* Asks about the same address on both sides. */
static bool takes_equal(const struct engine_call *call, enum operation operation, char *both) {
#ifdef OPEN_MPI
    /* Do not ask it: it would call the handler of MPI_COMM_WORLD. It refuses only these. */
    bool refuses = operation == OPERATION_REDUCE ||
                   (operation == OPERATION_ALLREDUCE && call->receive.count > 1 && both != MPI_BOTTOM);
    return !checks || !refuses;
#else
    pthread_mutex_lock(&lock);
    int error = ask(operation, call, both, both, call->send.counts == call->receive.counts);
    pthread_mutex_unlock(&lock);
    return error == MPI_SUCCESS;
#endif
}

bool inquiry_takes_both(const struct engine_call *call, enum operation operation) {
    const struct engine_buffer *send = &call->send, *receive = &call->receive;
    int rank = call->comm->rank;
    bool at_root = rank == call->root, same = true, reduces = operation_reduces(operation);
    bool gathers = operation_input(operation) == CONTENT_OWN;
    bool scatters = operation_output(operation) == CONTENT_OWN && !reduces;
    char *from = (char *)(uintptr_t)send->base, *to = (char *)(uintptr_t)receive->base;
    /* Only one buffer counts here. */
    if (operation == OPERATION_BARRIER || operation == OPERATION_BCAST || (operation_has_root(operation) && !at_root))
        return true;
    if (scatters ? to == MPI_IN_PLACE : from == MPI_IN_PLACE)
        return true;
    if (scatters ? from == MPI_IN_PLACE : to == MPI_IN_PLACE)
        return false;
    if (gathers)
        to = own_block(call, receive);
    if (scatters)
        from = own_block(call, send);
    if (!reduces) {
        /* Blocks of different shapes are not compared. */
        same = buffer_datatype(send, rank) == buffer_datatype(receive, rank);
        if (!gathers && !scatters && !operation_is_even(operation))
            same = same && send->counts == receive->counts;
        else
            same = same && buffer_count(call, send, send->counts ? rank : 0) ==
                               buffer_count(call, receive, receive->counts ? rank : 0);
        same = same && buffer_count(call, receive, rank) > 0;
    }
    return !same || from != to || takes_equal(call, operation, from);
}
