/* Executes one collective on buffers of its own and hashes them. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { MOST_RANKS = 64 };

/* The side of a call that one rank sends from or receives into: a block for each member. */
struct side {
    int counts[MOST_RANKS], places[MOST_RANKS], bytes_to[MOST_RANKS];
    int elements; /* from the first to the last, gaps included */
    struct buffer buffer;
};

/* Elements that rank `from` has for rank `to`. In place, what goes and what comes must be as long. */
static int block(const struct collective *call, bool varying, int from, int to) {
    if (!varying)
        return call->count;
    int a = from, b = to;
    if (call->in_place && a > b)
        a = to, b = from;
    return call->count * ((a * 7 + b * 3 + (int)call->seed) % 4) / 2;
}

static void lay_out(struct side *side, const struct collective *call, bool varying, int blocks, int factor) {
    bool apart = varying && call->seed & 1, backwards = varying && call->seed & 2;
    side->elements = 0;
    for (int i = 0; i < blocks; i++) {
        int place = backwards ? blocks - 1 - i : i;
        side->places[place] = side->elements;
        side->elements += side->counts[place] + (apart ? factor : 0);
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
    int which = 0, rank, size;
    while (which < UNKNOWN && strcmp(names[which], call->name) != 0)
        which++;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (which == UNKNOWN || size > MOST_RANKS)
        return false;
    int root = call->root % size;
    bool odd = call->mixed && !call->op && rank % 2 == 1 && call->type->integers;
    const struct type *type = odd ? type_named("int") : call->type;
    int factor = odd ? call->type->parts : 1;
    bool varying = which == REDUCE_SCATTER || which == GATHERV || which == SCATTERV || which == ALLGATHERV ||
                   which == ALLTOALLV || which == ALLTOALLW;
    bool rooted = which == REDUCE || which == GATHER || which == GATHERV || which == SCATTER || which == SCATTERV;
    bool in_place = call->in_place && which != BARRIER && which != BCAST && (!rooted || rank == root);
    static _Thread_local struct side to, from;
    MPI_Datatype handles[MOST_RANKS], h = type->handle;
    int sends = which == SCATTER || which == SCATTERV || which >= ALLTOALL || which == REDUCE_SCATTER ||
                        which == REDUCE_SCATTER_BLOCK
                    ? size
                    : 1;
    int receives = which == GATHER || which == GATHERV || which >= ALLGATHER ? size : 1;
    bool scatters = which == SCATTER || which == SCATTERV || which == REDUCE_SCATTER || which == REDUCE_SCATTER_BLOCK;
    for (int i = 0; i < size; i++) {
        handles[i] = h;
        to.counts[i] = factor * (which >= ALLTOALL ? block(call, varying, rank, i)
                                 : scatters        ? block(call, varying, 0, i)
                                                   : block(call, varying, rank, 0));
        from.counts[i] = factor * (which >= ALLTOALL ? block(call, varying, i, rank)
                                   : scatters        ? block(call, varying, 0, rank)
                                   : receives > 1    ? block(call, varying, i, 0)
                                                     : block(call, varying, rank, 0));
    }
    /* Reductions want their parts one behind the other. */
    lay_out(&to, call, varying && which != REDUCE_SCATTER, sends, factor);
    lay_out(&from, call, varying && which != REDUCE_SCATTER, receives, factor);
    for (int i = 0; i < size; i++) {
        to.bytes_to[i] = (int)(to.places[i] * type->extent);
        from.bytes_to[i] = (int)(from.places[i] * type->extent);
    }
    uint64_t seed = mixed(call->seed) + (uint64_t)rank * 1000003;
    /* In place, the whole of the input lies in the receive buffer, where it may be longer than what comes. */
    bool input_longer = in_place && to.elements > from.elements && which != SCATTER && which != SCATTERV;
    to.buffer = buffer_of(type, to.elements);
    from.buffer = buffer_of(type, input_longer ? to.elements : from.elements);
    buffer_fill(&to.buffer, type, call->op, to.elements, seed);
    if (in_place || which == BCAST)
        buffer_fill(&from.buffer, type, call->op, input_longer ? to.elements : from.elements, seed + 7);
    const void *s = in_place ? MPI_IN_PLACE : to.buffer.base;
    void *r = from.buffer.base;
    int n = call->count * factor, *sc = to.counts, *sp = to.places, *rc = from.counts, *rp = from.places;
    MPI_Op op = call->op ? call->op->handle : MPI_OP_NULL;
    /* A scatter in place leaves the root's part where it is: there the place to receive is the one to name. */
    bool stays = in_place && (which == SCATTER || which == SCATTERV);
    if (stays)
        s = to.buffer.base, r = MPI_IN_PLACE;
    int error = MPI_SUCCESS;
    switch (which) {
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
        error = MPI_Alltoallw(s, sc, to.bytes_to, handles, r, rc, from.bytes_to, handles, comm);
        break;
    }
    *hash = hash_of(*hash, &error, sizeof error);
    *hash = hash_of(*hash, to.buffer.memory, to.buffer.bytes);
    /* Nobody says what MPI_Exscan leaves on the first rank, nor what a reduce-scatter in place leaves behind its
     * result. */
    if (input_longer)
        for (int64_t k = 0; k < from.elements; k++)
            for (int i = 0; i < type->parts; i++)
                *hash = hash_of(*hash, from.buffer.base + k * type->extent + type->part[i].offset, 1);
    else if (which != EXSCAN || rank > 0)
        *hash = hash_of(*hash, from.buffer.memory, from.buffer.bytes);
    free(to.buffer.memory);
    free(from.buffer.memory);
    return true;
}
