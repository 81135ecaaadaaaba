#include "engine/inquiry.h"

#include <pthread.h>

#include "mpi/type_bytes.h"

static MPI_Comm self_comm;
static bool is_open;
#ifdef OPEN_MPI
static bool checks_arguments; /* false: a setting has turned off the library's argument checks */
#endif
/* Lets only one inquiry run at a time: each is a collective on self_comm, and MPI forbids two at once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool inquiry_open(void) {
    is_open = pmpi.Comm_dup(MPI_COMM_SELF, &self_comm) == MPI_SUCCESS;
    if (!is_open || pmpi.Comm_set_errhandler(self_comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
        return false;
#ifdef OPEN_MPI
    checks_arguments = pmpi.Bcast(NULL, -1, MPI_BYTE, 0, self_comm) != MPI_SUCCESS;
#endif
    return true;
}

void inquiry_close(void) {
    if (is_open)
        pmpi.Comm_free(&self_comm);
    is_open = false;
}

bool inquiry_accepts_datatype(MPI_Datatype datatype) {
    char buffer[1] = {0};
    int position = 0;
    if (type_is_remembered(datatype))
        return true;
    return pmpi.Pack(buffer, 0, datatype, buffer, 0, &position, self_comm) == MPI_SUCCESS;
}

bool inquiry_accepts_address(const void *base, MPI_Datatype datatype) {
    if (base) /* libraries can check only if the address is NULL */
        return true;
    pthread_mutex_lock(&lock);
    int error = pmpi.Bcast(NULL, 1, datatype, 0, self_comm);
    pthread_mutex_unlock(&lock);
    return error == MPI_SUCCESS;
}

bool inquiry_accepts_operation(MPI_Op op, MPI_Datatype datatype) {
    char input[1] = {0}, output[1] = {0};
    pthread_mutex_lock(&lock);
    int error = pmpi.Allreduce(input, output, 0, datatype, op, self_comm);
    pthread_mutex_unlock(&lock);
    return error == MPI_SUCCESS;
}

/* The address of this rank's own block, which libraries compare with that in the other buffer to detect aliasing. Like
 * MPICH, multiplies displacements by the size of the datatype without its gaps. */
static char *own_block(const struct engine_call *call, const struct engine_buffer *buffer) {
    int64_t displacement = buffer_displacement(call, buffer, call->comm->rank);
    return (char *)(uintptr_t)buffer->base + displacement * (int64_t)type_bytes(buffer->datatype);
}

#ifndef OPEN_MPI
/* Calls the operation on self_comm with one element, to see if the library accepts the addresses. Both are equal, so
 * the data does not change. */
static int ask(enum operation operation, const struct engine_call *call, void *send, void *receive, bool same_counts) {
    int receive_counts[1] = {1}, distinct_counts[1] = {1}, displacements[1] = {0};
    int *send_counts = same_counts ? receive_counts : distinct_counts;
    MPI_Datatype send_type = call->send.datatype, receive_type = call->receive.datatype;
    switch (operation) {
    case OPERATION_ALLREDUCE:
        return pmpi.Allreduce(send, receive, 1, receive_type, call->op, self_comm);
    case OPERATION_REDUCE:
        return pmpi.Reduce(send, receive, 1, receive_type, call->op, 0, self_comm);
    case OPERATION_SCAN:
        return pmpi.Scan(send, receive, 1, receive_type, call->op, self_comm);
    case OPERATION_EXSCAN:
        return pmpi.Exscan(send, receive, 1, receive_type, call->op, self_comm);
    case OPERATION_REDUCE_SCATTER:
        return pmpi.Reduce_scatter(send, receive, receive_counts, receive_type, call->op, self_comm);
    case OPERATION_REDUCE_SCATTER_BLOCK:
        return pmpi.Reduce_scatter_block(send, receive, 1, receive_type, call->op, self_comm);
    case OPERATION_GATHER:
        return pmpi.Gather(send, 1, send_type, receive, 1, receive_type, 0, self_comm);
    case OPERATION_GATHERV:
        return pmpi.Gatherv(send, 1, send_type, receive, receive_counts, displacements, receive_type, 0, self_comm);
    case OPERATION_SCATTER:
        return pmpi.Scatter(send, 1, send_type, receive, 1, receive_type, 0, self_comm);
    case OPERATION_SCATTERV:
        return pmpi.Scatterv(send, receive_counts, displacements, send_type, receive, 1, receive_type, 0, self_comm);
    case OPERATION_ALLGATHER:
        return pmpi.Allgather(send, 1, send_type, receive, 1, receive_type, self_comm);
    case OPERATION_ALLGATHERV:
        return pmpi.Allgatherv(send, 1, send_type, receive, receive_counts, displacements, receive_type, self_comm);
    case OPERATION_ALLTOALL:
        return pmpi.Alltoall(send, 1, send_type, receive, 1, receive_type, self_comm);
    case OPERATION_ALLTOALLV:
        return pmpi.Alltoallv(send, send_counts, displacements, send_type, receive, receive_counts, displacements,
                              receive_type, self_comm);
    case OPERATION_ALLTOALLW:
        send_type = call->send.datatypes ? buffer_datatype(&call->send, call->comm->rank) : MPI_DATATYPE_NULL;
        receive_type = buffer_datatype(&call->receive, call->comm->rank);
        return pmpi.Alltoallw(send, send_counts, displacements, &send_type, receive, receive_counts, displacements,
                              &receive_type, self_comm);
    default:
        return MPI_SUCCESS;
    }
}

#endif

/* True if the library accepts that both buffers have this address. */
static bool accepts_equal_addresses(const struct engine_call *call, enum operation operation, char *address) {
#ifdef OPEN_MPI
    /* Open MPI refuses only the following operations. Do not ask the library itself: for an error, it would call the
     * error handler of MPI_COMM_WORLD. */
    bool refuses = operation == OPERATION_REDUCE ||
                   (operation == OPERATION_ALLREDUCE && call->receive.count > 1 && address != MPI_BOTTOM);
    return !checks_arguments || !refuses;
#else
    pthread_mutex_lock(&lock);
    int error = ask(operation, call, address, address, call->send.counts == call->receive.counts);
    pthread_mutex_unlock(&lock);
    return error == MPI_SUCCESS;
#endif
}

bool inquiry_accepts_buffers(const struct engine_call *call, enum operation operation) {
    const struct engine_buffer *send = &call->send, *receive = &call->receive;
    int rank = call->comm->rank;
    bool at_root = rank == call->root, is_same_shape = true, reduces = operation_reduces(operation);
    bool gathers = operation_input(operation) == CONTENT_OWN;
    bool scatters = operation_output(operation) == CONTENT_OWN && !reduces;
    char *send_address = (char *)(uintptr_t)send->base, *receive_address = (char *)(uintptr_t)receive->base;
    /* Only one buffer matters here. */
    if (operation == OPERATION_BARRIER || operation == OPERATION_BCAST || (operation_has_root(operation) && !at_root))
        return true;
    if (scatters ? receive_address == MPI_IN_PLACE : send_address == MPI_IN_PLACE)
        return true;
    if (scatters ? send_address == MPI_IN_PLACE : receive_address == MPI_IN_PLACE)
        return false;
    if (gathers)
        receive_address = own_block(call, receive);
    if (scatters)
        send_address = own_block(call, send);
    if (!reduces) {
        /* Libraries compare the addresses of two blocks only if the blocks have the same shape. */
        is_same_shape = buffer_datatype(send, rank) == buffer_datatype(receive, rank);
        if (!gathers && !scatters && !operation_is_even(operation))
            is_same_shape = is_same_shape && send->counts == receive->counts;
        else
            is_same_shape = is_same_shape && buffer_count(call, send, send->counts ? rank : 0) ==
                                                 buffer_count(call, receive, receive->counts ? rank : 0);
        is_same_shape = is_same_shape && buffer_count(call, receive, rank) > 0;
    }
    return !is_same_shape || send_address != receive_address || accepts_equal_addresses(call, operation, send_address);
}
