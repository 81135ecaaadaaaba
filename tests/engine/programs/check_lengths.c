/* Lengths that do not fit one another. Such a program is wrong, but does no harm: every call returns on every rank,
 * with an error where one is expected, the handler is called once, and no memory outside a buffer is read or written.
 * */
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

enum operation {
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    ALLREDUCE,
    REDUCE,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    BCAST,
    OPERATIONS
};

enum { FINE = 1, TRUNCATED = 2, OTHER_ERROR = 4, WRONG = TRUNCATED | OTHER_ERROR, ANYHOW = FINE | WRONG };
enum { MOST_RANKS = 16 };
#define BIT(operation) (1u << (operation))

/* Wrong calls: send and receive counts of the root, of one odd member and of the rest, and the permitted ends of the
 * call on each. A reduction and MPI_Bcast use only the second count of each pair. */
static const struct wrong {
    const char *description;
    unsigned operations;
    int root[2], odd[2], rest[2];
    int root_ends, odd_ends, rest_ends;
    bool data; /* true if the data that fit arrive */
} wrongs[] = {
    {"the root expects less", BIT(GATHER) | BIT(GATHERV), {4, 2}, {4, 4}, {4, 4}, TRUNCATED, FINE, FINE, false},
    {"the root expects nothing", BIT(GATHER), {4, 0}, {4, 4}, {4, 4}, TRUNCATED, FINE, FINE, false},
    {"the root expects more", BIT(GATHER) | BIT(GATHERV), {4, 8}, {4, 4}, {4, 4}, OTHER_ERROR, FINE, FINE, false},
    {"the root's own is longer", BIT(GATHER) | BIT(GATHERV), {8, 4}, {4, 4}, {4, 4}, TRUNCATED, FINE, FINE, true},
    {"the root's own is shorter", BIT(GATHER) | BIT(GATHERV), {2, 4}, {4, 4}, {4, 4}, FINE, FINE, FINE, true},
    {"a member sends more", BIT(GATHER), {4, 4}, {8, 4}, {4, 4}, WRONG, ANYHOW, ANYHOW, false},
    {"a member sends less", BIT(GATHER), {4, 4}, {2, 4}, {4, 4}, WRONG, ANYHOW, ANYHOW, false},
    {"a member sends more", BIT(GATHERV), {4, 4}, {8, 4}, {4, 4}, TRUNCATED, FINE, FINE, false},
    {"a member sends less", BIT(GATHERV), {4, 4}, {2, 4}, {4, 4}, OTHER_ERROR, FINE, FINE, false},

    {"the root sends less",
     BIT(SCATTER) | BIT(SCATTERV),
     {2, 4},
     {4, 4},
     {4, 4},
     FINE,
     OTHER_ERROR,
     OTHER_ERROR,
     false},
    {"the root sends nothing", BIT(SCATTER), {0, 4}, {4, 4}, {4, 4}, FINE, OTHER_ERROR, OTHER_ERROR, false},
    {"the root sends more", BIT(SCATTER) | BIT(SCATTERV), {8, 4}, {4, 4}, {4, 4}, TRUNCATED, WRONG, WRONG, false},
    {"the root's place is shorter", BIT(SCATTER) | BIT(SCATTERV), {4, 2}, {4, 4}, {4, 4}, TRUNCATED, FINE, FINE, true},
    {"the root's place is longer", BIT(SCATTER) | BIT(SCATTERV), {4, 8}, {4, 4}, {4, 4}, FINE, FINE, FINE, true},
    {"a member expects less", BIT(SCATTER) | BIT(SCATTERV), {4, 4}, {4, 2}, {4, 4}, FINE, TRUNCATED, ANYHOW, false},
    {"a member expects more", BIT(SCATTER) | BIT(SCATTERV), {4, 4}, {4, 8}, {4, 4}, FINE, OTHER_ERROR, ANYHOW, false},

    {"all send more", BIT(ALLGATHER) | BIT(ALLGATHERV), {8, 4}, {8, 4}, {8, 4}, TRUNCATED, TRUNCATED, TRUNCATED, false},
    {"all send less",
     BIT(ALLGATHER) | BIT(ALLGATHERV),
     {2, 4},
     {2, 4},
     {2, 4},
     FINE | OTHER_ERROR,
     FINE | OTHER_ERROR,
     FINE | OTHER_ERROR,
     false},
    {"one sends more", BIT(ALLGATHER) | BIT(ALLGATHERV), {4, 4}, {8, 4}, {4, 4}, WRONG, TRUNCATED, WRONG, false},
    {"one expects nothing", BIT(ALLGATHER), {4, 4}, {4, 0}, {4, 4}, WRONG, TRUNCATED, WRONG, false},

    {"all send more",
     BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW),
     {8, 4},
     {8, 4},
     {8, 4},
     TRUNCATED,
     TRUNCATED,
     TRUNCATED,
     false},
    {"all send less",
     BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW),
     {2, 4},
     {2, 4},
     {2, 4},
     OTHER_ERROR,
     OTHER_ERROR,
     OTHER_ERROR,
     false},
    {"one sends more",
     BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW),
     {4, 4},
     {8, 4},
     {4, 4},
     WRONG,
     TRUNCATED,
     WRONG,
     false},
    {"one sends less",
     BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW),
     {4, 4},
     {2, 4},
     {4, 4},
     WRONG,
     ANYHOW,
     WRONG,
     false},
    {"one expects nothing", BIT(ALLTOALL), {4, 4}, {4, 0}, {4, 4}, ANYHOW, TRUNCATED, ANYHOW, false},
    {"one has less", BIT(ALLGATHER) | BIT(ALLTOALL), {4, 4}, {2, 2}, {4, 4}, ANYHOW, WRONG, ANYHOW, false},
    {"one has more", BIT(ALLGATHER) | BIT(ALLTOALL), {4, 4}, {8, 8}, {4, 4}, ANYHOW, WRONG, ANYHOW, false},

    {"the root has more", BIT(BCAST), {8, 8}, {4, 4}, {4, 4}, FINE, WRONG, WRONG, false},
    {"the root has less", BIT(BCAST), {2, 2}, {4, 4}, {4, 4}, FINE, WRONG, WRONG, false},
    {"a member has less", BIT(BCAST), {4, 4}, {2, 2}, {4, 4}, FINE, TRUNCATED, ANYHOW, false},
    {"a member has more", BIT(BCAST), {4, 4}, {8, 8}, {4, 4}, FINE, OTHER_ERROR, ANYHOW, false},
    {"a member has less", BIT(REDUCE) | BIT(ALLREDUCE), {4, 4}, {2, 2}, {4, 4}, WRONG, ANYHOW, ANYHOW, false},
    {"a member has more", BIT(REDUCE) | BIT(ALLREDUCE), {4, 4}, {8, 8}, {4, 4}, WRONG, ANYHOW, ANYHOW, false},
    {"a member has less",
     BIT(SCAN) | BIT(EXSCAN) | BIT(REDUCE_SCATTER) | BIT(REDUCE_SCATTER_BLOCK),
     {4, 4},
     {2, 2},
     {4, 4},
     ANYHOW,
     ANYHOW,
     ANYHOW,
     false},
    {"a member has more",
     BIT(SCAN) | BIT(EXSCAN) | BIT(REDUCE_SCATTER) | BIT(REDUCE_SCATTER_BLOCK),
     {4, 4},
     {8, 8},
     {4, 4},
     ANYHOW,
     ANYHOW,
     ANYHOW,
     false},
};

/* A buffer that ends at the begin of an inaccessible page. */
struct guarded {
    unsigned char *pages, *base;
    size_t bytes, whole, page;
};

enum { FILLING = 0x5A };

static struct guarded guard(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), middle = (bytes + 64 + page - 1) / page * page;
    struct guarded g = {.bytes = bytes, .whole = middle + 2 * page, .page = page};
    g.pages = mmap(NULL, g.whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(g.pages + page, middle, PROT_READ | PROT_WRITE);
    memset(g.pages + page, FILLING, middle);
    g.base = g.pages + page + middle - bytes;
    return g;
}

static void release(struct guarded *g, const char *description) {
    for (const unsigned char *byte = g->pages + g->page; byte < g->base; byte++)
        CHECK(*byte == FILLING, "%s: written before the buffer", description);
    munmap(g->pages, g->whole);
}

static int handled;

static void handler(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    (void)code;
    handled++;
}

struct layout {
    MPI_Datatype datatype;
    size_t extent;
};

static int call(enum operation operation, void *send, int sent, struct layout send_layout, void *receive, int received,
                struct layout receive_layout, int root, MPI_Comm comm) {
    static int sends[MOST_RANKS], receives[MOST_RANKS], sends_at[MOST_RANKS], receives_at[MOST_RANKS];
    MPI_Datatype froms[MOST_RANKS], tos[MOST_RANKS];
    for (int i = 0; i < check_size; i++) {
        int in_bytes = operation == ALLTOALLW;
        sends[i] = sent;
        receives[i] = received;
        sends_at[i] = i * sent * (in_bytes ? (int)send_layout.extent : 1);
        receives_at[i] = i * received * (in_bytes ? (int)receive_layout.extent : 1);
        froms[i] = send_layout.datatype;
        tos[i] = receive_layout.datatype;
    }
    switch (operation) {
    case GATHER:
        return MPI_Gather(send, sent, send_layout.datatype, receive, received, receive_layout.datatype, root, comm);
    case GATHERV:
        return MPI_Gatherv(send, sent, send_layout.datatype, receive, receives, receives_at, receive_layout.datatype,
                           root, comm);
    case SCATTER:
        return MPI_Scatter(send, sent, send_layout.datatype, receive, received, receive_layout.datatype, root, comm);
    case SCATTERV:
        return MPI_Scatterv(send, sends, sends_at, send_layout.datatype, receive, received, receive_layout.datatype,
                            root, comm);
    case ALLGATHER:
        return MPI_Allgather(send, sent, send_layout.datatype, receive, received, receive_layout.datatype, comm);
    case ALLGATHERV:
        return MPI_Allgatherv(send, sent, send_layout.datatype, receive, receives, receives_at, receive_layout.datatype,
                              comm);
    case ALLTOALL:
        return MPI_Alltoall(send, sent, send_layout.datatype, receive, received, receive_layout.datatype, comm);
    case ALLTOALLV:
        return MPI_Alltoallv(send, sends, sends_at, send_layout.datatype, receive, receives, receives_at,
                             receive_layout.datatype, comm);
    case ALLTOALLW:
        return MPI_Alltoallw(send, sends, sends_at, froms, receive, receives, receives_at, tos, comm);
    case ALLREDUCE:
        return MPI_Allreduce(send, receive, received, MPI_INT, MPI_SUM, comm);
    case REDUCE:
        return MPI_Reduce(send, receive, received, MPI_INT, MPI_SUM, root, comm);
    case SCAN:
        return MPI_Scan(send, receive, received, MPI_INT, MPI_SUM, comm);
    case EXSCAN:
        return MPI_Exscan(send, receive, received, MPI_INT, MPI_SUM, comm);
    case REDUCE_SCATTER:
        return MPI_Reduce_scatter(send, receive, receives, MPI_INT, MPI_SUM, comm);
    case REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(send, receive, received, MPI_INT, MPI_SUM, comm);
    default:
        return MPI_Bcast(receive, received, MPI_INT, root, comm);
    }
}

static bool has_root(enum operation operation) {
    return operation <= SCATTERV || operation == REDUCE || operation == BCAST;
}

static bool has_blocks(enum operation operation, bool sending) {
    if (operation >= REDUCE_SCATTER)
        return sending && operation < BCAST;
    if (operation >= ALLREDUCE)
        return false;
    return operation >= ALLTOALL || (operation >= ALLGATHER && !sending) ||
           (operation >= SCATTER ? operation < ALLGATHER && sending : !sending);
}

static int value_of(int sender, int receiver, int i) {
    return sender * 1000003 + receiver * 1009 + i;
}

/* Checks the blocks from other ranks: `count` elements of each, at distances of `room`. */
static void expect_data(enum operation operation, const struct guarded *received, size_t extent, int count, int room,
                        int root, const char *description) {
    bool gathers = operation == GATHER || operation == GATHERV;
    if ((check_rank == root) != gathers)
        return;
    for (int rank = 0; rank < (gathers ? check_size : 1); rank++)
        for (int i = 0; i < count && (!gathers || rank != root); i++) {
            int element, sender = gathers ? rank : root, receiver = gathers ? 0 : check_rank;
            memcpy(&element, received->base + (size_t)((gathers ? rank * room : 0) + i) * extent, sizeof element);
            CHECK(element == value_of(sender, receiver, i), "%s: element %d of rank %d is %d", description, i, sender,
                  element);
        }
}

static void run(const struct wrong *w, enum operation operation, int unit, int root, int odd, struct layout send_layout,
                struct layout receive_layout, bool in_place, MPI_Errhandler errhandler) {
    char description[200];
    const int *counts = check_rank == root ? w->root : check_rank == odd ? w->odd : w->rest;
    int expected = check_rank == root ? w->root_ends : check_rank == odd ? w->odd_ends : w->rest_ends;
    int sent = counts[operation >= ALLREDUCE] * unit, received = counts[1] * unit;
    int send_blocks = has_blocks(operation, true) ? check_size : 1,
        receive_blocks = has_blocks(operation, false) ? check_size : 1;
    struct layout plain = {MPI_INT, sizeof(int)};
    if (operation >= ALLREDUCE)
        send_layout = receive_layout = plain;
    snprintf(description, sizeof description, "operation %d, root %d, %d elements, extents %zu and %zu%s: %s",
             (int)operation, root, unit, send_layout.extent, receive_layout.extent, in_place ? ", in place" : "",
             w->description);
    struct guarded output = guard((size_t)(sent * send_blocks) * send_layout.extent);
    struct guarded input = guard((size_t)(received * receive_blocks) * receive_layout.extent);
    for (int rank = 0; rank < send_blocks; rank++)
        for (int i = 0; i < sent; i++) {
            int value = value_of(check_rank, operation == SCATTER || operation == SCATTERV ? rank : 0, i);
            memcpy(output.base + (size_t)(rank * sent + i) * send_layout.extent, &value, sizeof value);
        }
    MPI_Comm comm;
    int class = MPI_SUCCESS;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, errhandler);
    handled = 0;
    bool alone = in_place && check_rank == root;
    bool gathers = operation <= GATHERV;
    if (alone && !gathers)
        expected = FINE; /* the root in place has no receive buffer that could be too short */
    int error = call(operation, alone && gathers ? MPI_IN_PLACE : output.base, sent, send_layout,
                     alone && !gathers ? MPI_IN_PLACE : input.base, received, receive_layout, root, comm);
    PMPI_Error_class(error, &class);
    int end = class == MPI_SUCCESS ? FINE : class == MPI_ERR_TRUNCATE ? TRUNCATED : OTHER_ERROR;
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER, "%s: class %d", description,
          class);
    CHECK(expected & end, "%s: class %d", description, class);
    CHECK(handled == (end != FINE), "%s: the handler was called %d times", description, handled);
    if (w->data && (end == FINE || check_rank == root))
        expect_data(operation, &input, receive_layout.extent, 4 * unit, received, root, description);
    PMPI_Barrier(MPI_COMM_WORLD);
    release(&output, description);
    release(&input, description);
    MPI_Comm_free(&comm);
}

static void run_all(const struct wrong *w, enum operation operation, struct layout plain, struct layout spaced,
                    MPI_Errhandler errhandler) {
    /* One element or more for each of 4 ranks, and messages that wait for their receivers. */
    static const int units[] = {2, 2000};
    bool two_buffers = operation < ALLREDUCE;
    for (int i = 0; i < 2; i++) {
        run(w, operation, units[i], 0, check_size / 2, plain, plain, false, errhandler);
        run(w, operation, units[i], check_size - 1, 0, plain, two_buffers ? spaced : plain, false, errhandler);
        if (two_buffers)
            run(w, operation, units[i], 1, 0, spaced, plain, false, errhandler);
        /* Here the root's own block is not at fault. If all data are in place, no rank can notice. */
        bool counts = w->root[0] > 0 && w->root[1] > 0 && w->root[0] != w->root[1];
        if (two_buffers && has_root(operation) && counts && !w->data)
            run(w, operation, units[i], 0, check_size - 1, plain, plain, true, errhandler);
    }
}

void check_lengths(bool by_mpi) {
    MPI_Errhandler errhandler;
#ifndef OPEN_MPI
    /* If a test for completion finds an error, MPICH calls the handler of MPI_COMM_WORLD, whatever the communicator. */
    if (by_mpi)
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
    (void)by_mpi;
    struct layout plain = {MPI_INT, sizeof(int)}, spaced = {MPI_DATATYPE_NULL, 3 * sizeof(int)};
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &spaced.datatype);
    MPI_Type_commit(&spaced.datatype);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
        for (int operation = 0; operation < OPERATIONS; operation++)
            if (wrongs[i].operations & BIT(operation) & check_served)
                run_all(&wrongs[i], operation, plain, spaced, errhandler);
    MPI_Type_free(&spaced.datatype);
    MPI_Errhandler_free(&errhandler);
}
