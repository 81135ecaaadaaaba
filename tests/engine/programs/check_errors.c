/* Errors: their class and the handler that is called are the library's own. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

static int handled, handled_elsewhere;
static MPI_Comm handled_on;

static void handler(MPI_Comm *comm, int *code, ...) {
    (void)code;
    if (*comm == handled_on)
        handled++;
    else
        handled_elsewhere++;
}

static struct answer {
    int error, own_calls, other_calls;
} answer_of(int error) {
    struct answer answer = {-1, handled, handled_elsewhere};
    PMPI_Error_class(error, &answer.error);
    handled = handled_elsewhere = 0;
    return answer;
}

static void same_error(const char *call_text, struct answer engine, struct answer library) {
    CHECK(engine.error == library.error, "%s: class %d, not %d", call_text, engine.error, library.error);
    CHECK(engine.own_calls == library.own_calls && engine.other_calls == library.other_calls,
          "%s: the handler was called %d times, not %d, and another's %d times, not %d", call_text, engine.own_calls,
          library.own_calls, engine.other_calls, library.other_calls);
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        struct answer engine = answer_of(MPI_##call);                                                                  \
        struct answer library = answer_of(PMPI_##call);                                                                \
        same_error(#call, engine, library);                                                                            \
    } while (0)

static void try_unready_arguments(MPI_Comm comm, double *x, double *y) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    TRY(Bcast(x, 1, pair, 0, comm)); /* the datatype is not committed */
    TRY(Allgather(x, 1, pair, y, 1, pair, comm));
    TRY(Alltoall(x, 1, pair, y, 1, pair, comm));
    MPI_Type_free(&pair);
#ifndef OPEN_MPI /* it crashes */
    TRY(Bcast(NULL, 1, MPI_DOUBLE, 0, comm));
    TRY(Allreduce(NULL, y, 1, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Allreduce(x, NULL, 1, MPI_DOUBLE, MPI_SUM, comm));
#endif
}

/* MPICH reports equal buffers as an error, Open MPI does not. */
static void try_equal_buffers(MPI_Comm comm, double *x) {
    int counts[64], displacements[64];
    for (int i = 0; i < check_size; i++) {
        counts[i] = 2;
        displacements[i] = 2 * i;
    }
    double *block = x + 2 * check_rank;
    TRY(Allreduce(x, x, 4, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Reduce_scatter(x, x, counts, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Reduce_scatter_block(x, x, 2, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Scan(x, x, 4, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Exscan(x, x, 4, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Allgather(block, 2, MPI_DOUBLE, x, 2, MPI_DOUBLE, comm));
    TRY(Allgatherv(block, 2, MPI_DOUBLE, x, counts, displacements, MPI_DOUBLE, comm));
    TRY(Alltoall(x, 2, MPI_DOUBLE, x, 2, MPI_DOUBLE, comm));
    TRY(Alltoallv(x, counts, displacements, MPI_DOUBLE, x, counts, displacements, MPI_DOUBLE, comm));
}

/* Operations that have two buffers only at the root. First come those for which the library refuses equal buffers. */
#ifdef OPEN_MPI
enum { REFUSED = 1, AT_ROOT = 5 };
#else
enum { REFUSED = 5, AT_ROOT = 5 };
#endif

/* Calls an operation with one buffer for both at the root, or with the root's own block in its final position. */
static int equal_at_root(int operation, bool on_engine, double *x, int root, MPI_Comm comm) {
#define RETURN_CALL(call) return on_engine ? MPI_##call : PMPI_##call
    int counts[64], displacements[64];
    for (int i = 0; i < check_size; i++) {
        counts[i] = 2;
        displacements[i] = 2 * i;
    }
    double *block = x + 2 * check_rank;
    switch (operation) {
    case 0:
        RETURN_CALL(Reduce(x, x, 4, MPI_DOUBLE, MPI_SUM, root, comm));
    case 1:
        RETURN_CALL(Gather(block, 2, MPI_DOUBLE, x, 2, MPI_DOUBLE, root, comm));
    case 2:
        RETURN_CALL(Gatherv(block, 2, MPI_DOUBLE, x, counts, displacements, MPI_DOUBLE, root, comm));
    case 3:
        RETURN_CALL(Scatter(x, 2, MPI_DOUBLE, block, 2, MPI_DOUBLE, root, comm));
    default:
        RETURN_CALL(Scatterv(x, counts, displacements, MPI_DOUBLE, block, 2, MPI_DOUBLE, root, comm));
    }
#undef EITHER
}

/* If the library refuses the call, only the root makes it, because the others would wait for it forever. */
static void try_equal_at_root(int operation, int root) {
    struct answer answers[2] = {{0, 0, 0}, {0, 0, 0}};
    double x[2][128];
    for (int on_engine = 0; on_engine < 2; on_engine++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        handled_on = comm;
        for (int i = 0; i < 128; i++)
            x[on_engine][i] = 1000 * check_rank + i;
        if (operation >= REFUSED || check_rank == root)
            answers[on_engine] = answer_of(equal_at_root(operation, on_engine, x[on_engine], root, comm));
        MPI_Comm_free(&comm);
    }
    same_error("equal buffers at the root", answers[1], answers[0]);
    /* The error code does not tell: MPICH 5 calls the handler and returns MPI_SUCCESS. */
    CHECK(answers[0].own_calls == (operation < REFUSED && check_rank == root),
          "equal buffers at root %d, operation %d: the handler was called %d times", root, operation,
          answers[0].own_calls);
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0, "equal buffers at root %d, operation %d: other results", root,
          operation);
}

/* All members make each wrong call, so that no rank hangs. */
void check_errors(void) {
    MPI_Errhandler errhandler;
    MPI_Comm comm;
    double x[128] = {0}, y[128];
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    handled_on = comm;
    MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, comm); /* makes the engine's part of comm */
    CHECK(handled == 0, "handled %d", handled);
#ifdef OPEN_MPI /* MPICH 5 crashes */
    TRY(Allreduce(x, y, 4, MPI_DATATYPE_NULL, MPI_SUM, comm));
    TRY(Allreduce(x, y, -1, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Bcast(x, -1, MPI_DOUBLE, 0, comm));
#endif
    TRY(Allreduce(x, y, 4, MPI_DOUBLE, MPI_BAND, comm));
    TRY(Allreduce(x, y, 4, MPI_DOUBLE, MPI_OP_NULL, comm));
    TRY(Bcast(x, 4, MPI_DATATYPE_NULL, 0, comm));
    TRY(Allreduce(x, MPI_IN_PLACE, 4, MPI_DOUBLE, MPI_SUM, comm));
    TRY(Reduce(x, y, 4, MPI_DOUBLE, MPI_SUM, check_size, comm));
    TRY(Reduce(x, y, 4, MPI_DOUBLE, MPI_SUM, -1, comm));
    TRY(Bcast(x, 4, MPI_DOUBLE, check_size, comm));
    try_unready_arguments(comm, x, y);
    try_equal_buffers(comm, x);
    for (int i = 0; i < AT_ROOT * check_size; i++)
        try_equal_at_root(i % AT_ROOT, i / AT_ROOT);
    /* the communicator still works */
    int value = 1, sum = 0;
    CHECK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == check_size, "sum %d", sum);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&errhandler);
}

/* The root's message is longer than the others' buffers. Each case has its own communicator, because it is unusable
 * afterwards. It needs two ranks: with three Open MPI hangs, because one rank waits for data that another did not pass
 * on. */
void check_truncation(void) {
    static const int lengths[] = {1, 50}; /* numbers of MPI_DOUBLE of the ranks with too little room */
    MPI_Errhandler errhandler;
    MPI_Comm_create_errhandler(handler, &errhandler);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double x[4096] = {0};
        int classes[2], calls[2], n = check_rank == 0 ? 2 * lengths[i] : lengths[i];
        for (int on_engine = 0; on_engine < 2; on_engine++) {
            MPI_Comm comm;
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            MPI_Comm_set_errhandler(comm, errhandler);
            handled_on = comm;
            handled = 0;
            int error = on_engine ? MPI_Bcast(x, n, MPI_DOUBLE, 0, comm) : PMPI_Bcast(x, n, MPI_DOUBLE, 0, comm);
            PMPI_Error_class(error, &classes[on_engine]);
            calls[on_engine] = handled;
            CHECK(x[n] == 0, "%d elements: written behind the buffer", n);
        }
        CHECK(classes[0] == classes[1] && calls[0] == calls[1], "%d elements: class %d, not %d; %d calls, not %d", n,
              classes[1], classes[0], calls[1], calls[0]);
    }
    MPI_Errhandler_free(&errhandler);
}

static atomic_bool watching;
static _Atomic(int) changes;

struct watched {
    MPI_Comm comms[3];
    MPI_Errhandler users;
};

static void *watch(void *argument) {
    struct watched *watched = argument;
    for (; atomic_load(&watching); sched_yield())
        for (int i = 0; i < 3; i++) {
            MPI_Errhandler current;
            PMPI_Comm_get_errhandler(watched->comms[i], &current);
            changes += current != watched->users;
            PMPI_Errhandler_free(&current);
        }
    return NULL;
}

/* While the engine works, errors of another thread must find the application's handler in place. */
void check_handlers(int turns) {
    const MPI_Datatype datatypes[] = {MPI_INT, MPI_LONG, MPI_UNSIGNED, MPI_SHORT, MPI_BYTE};
    struct watched watched = {{MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL}, MPI_ERRHANDLER_NULL};
    MPI_Comm_create_errhandler(handler, &watched.users);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, watched.users);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, watched.users);
    for (int turn = 0; turn < turns; turn++) {
        unsigned long x = 1, y = 0;
        pthread_t watcher;
        MPI_Comm_dup(MPI_COMM_WORLD, &watched.comms[2]);
        atomic_store(&watching, true);
        pthread_create(&watcher, NULL, watch, &watched);
        MPI_Allreduce(&x, &y, 1, datatypes[turn % 5], MPI_BOR, watched.comms[2]);
        atomic_store(&watching, false);
        pthread_join(watcher, NULL);
        MPI_Comm_free(&watched.comms[2]);
    }
    CHECK(changes == 0, "the application's handlers were %d times others", changes);
    MPI_Errhandler_free(&watched.users);
}
