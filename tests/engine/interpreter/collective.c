/* Executes one collective on its own buffers and hashes them. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { MOST_RANKS = 64 };

/* The send or receive side of one rank's call: a block for each member. */
struct side {
    int counts[MOST_RANKS], places[MOST_RANKS], bytes_to[MOST_RANKS];
    int elements; /* from the first to the last, gaps included */
    struct buffer buffer;
};

/* The number of elements from the sender for the receiver. In place, both directions must have equal lengths. */
static int block(const struct collective *call, bool varying, int sender, int receiver) {
    if (!varying)
        return call->count;
    int a = sender, b = receiver;
    if (call->in_place && a > b)
        a = receiver, b = sender;
    return call->count * ((a * 7 + b * 3 + (int)call->seed) % 4) / 2;
}

static void lay_out(struct side *side, const struct collective *call, bool varying, int blocks, int factor) {
    bool has_gaps = varying && call->seed & 1, backwards = varying && call->seed & 2;
    side->elements = 0;
    for (int i = 0; i < blocks; i++) {
        int place = backwards ? blocks - 1 - i : i;
        side->places[place] = side->elements;
        side->elements += side->counts[place] + (has_gaps ? factor : 0);
    }
}

bool collective_execute(const struct collective *call, MPI_Comm comm, uint64_t *hash) {
    static const char *const names[] = {"barrier",   "bcast",      "reduce",         "allreduce",
                                        "scan",      "exscan",     "reduce_scatter", "reduce_scatter_block",
                                        "gather",    "gatherv",    "scatter",        "scatterv",
                                        "allgather", "allgatherv", "alltoall",       "alltoallv",
                                        "alltoallw"};
    enum { BARRIER, BCAST, REDUCE, ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, GATHER, GATHERV };
    enum { SCATTER = GATHERV + 1, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, UNKNOWN };
    int operation = 0, rank, size;
    while (operation < UNKNOWN && strcmp(names[operation], call->name) != 0)
        operation++;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (operation == UNKNOWN || size > MOST_RANKS)
        return false;
    int root = call->root % size;
    bool odd = call->mixed && !call->op && rank % 2 == 1 && call->type->integers;
    const struct type *type = odd ? type_named("int") : call->type;
    int factor = odd ? call->type->parts : 1;
    bool varying = operation == REDUCE_SCATTER || operation == GATHERV || operation == SCATTERV ||
                   operation == ALLGATHERV || operation == ALLTOALLV || operation == ALLTOALLW;
    bool rooted = operation == REDUCE || operation == GATHER || operation == GATHERV || operation == SCATTER ||
                  operation == SCATTERV;
    bool in_place = call->in_place && operation != BARRIER && operation != BCAST && (!rooted || rank == root);
    static _Thread_local struct side send_side, receive_side;
    MPI_Datatype handles[MOST_RANKS], h = type->handle;
    int sends = operation == SCATTER || operation == SCATTERV || operation >= ALLTOALL || operation == REDUCE_SCATTER ||
                        operation == REDUCE_SCATTER_BLOCK
                    ? size
                    : 1;
    int receives = operation == GATHER || operation == GATHERV || operation >= ALLGATHER ? size : 1;
    bool scatters = operation == SCATTER || operation == SCATTERV || operation == REDUCE_SCATTER ||
                    operation == REDUCE_SCATTER_BLOCK;
    for (int i = 0; i < size; i++) {
        handles[i] = h;
        send_side.counts[i] = factor * (operation >= ALLTOALL ? block(call, varying, rank, i)
                                        : scatters            ? block(call, varying, 0, i)
                                                              : block(call, varying, rank, 0));
        receive_side.counts[i] = factor * (operation >= ALLTOALL ? block(call, varying, i, rank)
                                           : scatters            ? block(call, varying, 0, rank)
                                           : receives > 1        ? block(call, varying, i, 0)
                                                                 : block(call, varying, rank, 0));
    }
    /* The parts of a reduction must be consecutive. */
    lay_out(&send_side, call, varying && operation != REDUCE_SCATTER, sends, factor);
    lay_out(&receive_side, call, varying && operation != REDUCE_SCATTER, receives, factor);
    for (int i = 0; i < size; i++) {
        send_side.bytes_to[i] = (int)(send_side.places[i] * type->extent);
        receive_side.bytes_to[i] = (int)(receive_side.places[i] * type->extent);
    }
    uint64_t seed = mixed(call->seed) + (uint64_t)rank * 1000003;
    /* In place, the receive buffer contains the whole input, which may be longer than the result. */
    bool input_longer =
        in_place && send_side.elements > receive_side.elements && operation != SCATTER && operation != SCATTERV;
    send_side.buffer = buffer_of(type, send_side.elements);
    receive_side.buffer = buffer_of(type, input_longer ? send_side.elements : receive_side.elements);
    buffer_fill(&send_side.buffer, type, call->op, send_side.elements, seed);
    if (in_place || operation == BCAST)
        buffer_fill(&receive_side.buffer, type, call->op, input_longer ? send_side.elements : receive_side.elements,
                    seed + 7);
    const void *s = in_place ? MPI_IN_PLACE : send_side.buffer.base;
    void *r = receive_side.buffer.base;
    int n = call->count * factor, *sc = send_side.counts, *sp = send_side.places, *rc = receive_side.counts,
        *rp = receive_side.places;
    MPI_Op op = call->op ? call->op->handle : MPI_OP_NULL;
    /* A scatter in place leaves the root's part in the send buffer, so the receive buffer is MPI_IN_PLACE. */
    bool stays = in_place && (operation == SCATTER || operation == SCATTERV);
    if (stays)
        s = send_side.buffer.base, r = MPI_IN_PLACE;
    int error = MPI_SUCCESS;
    switch (operation) {
    case BARRIER:
        error = MPI_Barrier(comm);
        break;
    case BCAST:
        error = MPI_Bcast(r, n, h, root, comm);
        break;
    case REDUCE:
        error = MPI_Reduce(s, r, n, h, op, root, comm);
        break;
    case ALLREDUCE:
        error = MPI_Allreduce(s, r, n, h, op, comm);
        break;
    case SCAN:
        error = MPI_Scan(s, r, n, h, op, comm);
        break;
    case EXSCAN:
        error = MPI_Exscan(s, r, n, h, op, comm);
        break;
    case REDUCE_SCATTER:
        error = MPI_Reduce_scatter(s, r, sc, h, op, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        error = MPI_Reduce_scatter_block(s, r, n, h, op, comm);
        break;
    case GATHER:
        error = MPI_Gather(s, n, h, r, n, h, root, comm);
        break;
    case GATHERV:
        error = MPI_Gatherv(s, sc[0], h, r, rc, rp, h, root, comm);
        break;
    case SCATTER:
        error = MPI_Scatter(s, n, h, r, n, h, root, comm);
        break;
    case SCATTERV:
        error = MPI_Scatterv(s, sc, sp, h, r, rc[0], h, root, comm);
        break;
    case ALLGATHER:
        error = MPI_Allgather(s, n, h, r, n, h, comm);
        break;
    case ALLGATHERV:
        error = MPI_Allgatherv(s, sc[0], h, r, rc, rp, h, comm);
        break;
    case ALLTOALL:
        error = MPI_Alltoall(s, n, h, r, n, h, comm);
        break;
    case ALLTOALLV:
        error = MPI_Alltoallv(s, sc, sp, h, r, rc, rp, h, comm);
        break;
    default:
        error = MPI_Alltoallw(s, sc, send_side.bytes_to, handles, r, rc, receive_side.bytes_to, handles, comm);
        break;
    }
    *hash = hash_of(*hash, &error, sizeof error);
    *hash = hash_of(*hash, send_side.buffer.memory, send_side.buffer.bytes);
    /* MPI leaves two things undefined: the result of MPI_Exscan on the first rank, and the rest of the buffer after the
     * result of a reduce-scatter in place. */
    if (input_longer)
        for (int64_t k = 0; k < receive_side.elements; k++)
            for (int i = 0; i < type->parts; i++)
                *hash = hash_of(*hash, receive_side.buffer.base + k * type->extent + type->part[i].offset, 1);
    else if (operation != EXSCAN || rank > 0)
        *hash = hash_of(*hash, receive_side.buffer.memory, receive_side.buffer.bytes);
    free(send_side.buffer.memory);
    free(receive_side.buffer.memory);
    return true;
}
