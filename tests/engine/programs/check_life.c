/* Communicators, threads, large messages and lack of memory. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

void check_lifetimes(int turns) {
    for (int turn = 0; turn < turns; turn++) {
        MPI_Comm comm;
        int summand = 1, sum = 0, size;
        MPI_Comm_split(MPI_COMM_WORLD, check_rank % (1 + turn % 3), turn % 2 ? check_rank : -check_rank, &comm);
        MPI_Comm_size(comm, &size);
        MPI_Allreduce(&summand, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == size, "turn %d: %d of %d", turn, sum, size);
        MPI_Comm_free(&comm);
    }
    if (check_size < 2)
        return;
    MPI_Comm half, intercomm;
    int odd = check_rank % 2, value = check_rank, sum = -1;
    MPI_Comm_split(MPI_COMM_WORLD, odd, check_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 3, &intercomm);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, intercomm);
    int expected = 0;
    for (int rank = !odd; rank < check_size; rank += 2)
        expected += rank;
    CHECK(sum == expected, "across: %d, not %d", sum, expected);
    MPI_Barrier(intercomm);
    MPI_Comm_free(&intercomm);
    MPI_Comm_free(&half);
}

void check_many(int turns) {
    MPI_Comm *comms = malloc(sizeof *comms * (size_t)turns);
    for (int pass = 0; pass < 2; pass++)
        for (int turn = 0; turn < turns; turn++) {
            int value = 1, sum = 0;
            if (pass == 0)
                MPI_Comm_dup(MPI_COMM_WORLD, &comms[turn]);
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comms[turn]);
            CHECK(sum == check_size, "pass %d, communicator %d: %d", pass, turn, sum);
        }
    for (int turn = 0; turn < turns; turn++)
        MPI_Comm_free(&comms[turn]);
    free(comms);
}

/* The root comes when all others have left, so their messages are there before it looks. The ranks report their leave
 * in shared memory, so that this needs neither MPI messages nor times. In the first turn all ranks set up the engine,
 * so no rank waits. */
void check_late(int turns) {
    atomic_int *left; /* turns that each rank has left */
    MPI_Win window;
    MPI_Aint bytes = check_rank == 0 ? (MPI_Aint)sizeof *left * check_size : 0;
    int unit;
    PMPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &left, &window);
    PMPI_Win_shared_query(window, 0, &bytes, &unit, &left);
    atomic_store(&left[check_rank], 0);
    for (int turn = 0; turn < turns; turn++) {
        int value = 1, sum = 0;
        for (int rank = 1; turn > 0 && check_rank == 0 && rank < check_size; rank++)
            while (atomic_load(&left[rank]) <= turn)
                usleep(100);
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        atomic_store(&left[check_rank], turn + 1);
        CHECK(check_rank > 0 || sum == check_size, "turn %d: %d", turn, sum);
    }
    PMPI_Win_free(&window);
}

struct work {
    MPI_Comm comm;
    int turns, salt;
};

static void *collect(void *argument) {
    struct work *work = argument;
    long data[200], sum[200];
    for (int turn = 0; turn < work->turns; turn++) {
        for (int i = 0; i < 200; i++)
            data[i] = check_rank * 1000L + i + work->salt + turn;
        MPI_Allreduce(data, sum, 1 + turn % 200, MPI_LONG, MPI_SUM, work->comm);
        for (int i = 0; i < 1 + turn % 200; i++)
            CHECK(sum[i] == check_size * (i + work->salt + turn) + 1000L * check_size * (check_size - 1) / 2,
                  "thread %d, turn %d, element %d: %ld", work->salt, turn, i, sum[i]);
        int root = turn % check_size, word = check_rank == root ? work->salt + turn : -1;
        MPI_Bcast(&word, 1, MPI_INT, root, work->comm);
        CHECK(word == work->salt + turn, "thread %d, turn %d: word %d", work->salt, turn, word);
    }
    return NULL;
}

void check_threads(int turns) {
    struct work work[2] = {{MPI_COMM_WORLD, turns, 5}, {MPI_COMM_NULL, turns, 70000}};
    pthread_t thread;
    MPI_Comm_dup(MPI_COMM_WORLD, &work[1].comm);
    pthread_create(&thread, NULL, collect, &work[1]);
    collect(&work[0]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&work[1].comm);
}

static void *make_and_free(void *argument) {
    struct work *work = argument;
    for (int turn = 0; turn < work->turns; turn++) {
        MPI_Comm comm;
        int value = work->salt + turn, sum = 0;
        MPI_Comm_dup(work->comm, &comm);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == check_size * value, "thread %d, turn %d: %d", work->salt, turn, sum);
        MPI_Comm_free(&comm);
    }
    return NULL;
}

void check_turnover(int turns) {
    struct work work[2] = {{MPI_COMM_NULL, turns, 5}, {MPI_COMM_NULL, turns, 70000}};
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &work[i].comm);
    pthread_create(&thread, NULL, make_and_free, &work[1]);
    make_and_free(&work[0]);
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&work[i].comm);
}

enum { LARGE = 1 << 20 };

void check_large(int elements) {
    double *x = malloc(sizeof *x * (size_t)elements), *y = malloc(sizeof *y * (size_t)elements);
    for (int turn = 0; turn < 3; turn++) {
        int root = turn % check_size, bad = 0;
        for (int i = 0; i < elements; i++)
            x[i] = check_rank + i % 1000;
        /* Meanwhile a large message of the application is under way, which needs our progress. */
        MPI_Request request = MPI_REQUEST_NULL;
        double *letter = malloc(sizeof *letter * (size_t)elements);
        memset(letter, check_rank, sizeof *letter * (size_t)elements);
        if (check_rank == 0)
            MPI_Isend(letter, elements, MPI_DOUBLE, check_size - 1, 9, MPI_COMM_WORLD, &request);
        MPI_Allreduce(x, y, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < elements; i++)
            bad += y[i] != check_size * (i % 1000) + check_size * (check_size - 1) / 2;
        CHECK(bad == 0, "allreduce: %d wrong", bad);
        MPI_Reduce(check_rank == root ? MPI_IN_PLACE : x, x, elements, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
        for (int i = 0; i < elements && check_rank == root; i++)
            bad += x[i] != check_size - 1 + i % 1000;
        MPI_Bcast(x, elements, MPI_DOUBLE, root, MPI_COMM_WORLD);
        for (int i = 0; i < elements; i++)
            bad += x[i] != check_size - 1 + i % 1000;
        CHECK(bad == 0, "reduce and bcast: %d wrong", bad);
        if (check_rank == check_size - 1)
            MPI_Recv(letter, elements, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        free(letter);
    }
    free(x);
    free(y);
}

/* Rank 1 has no memory for the data that it would receive. Every rank returns, and each rank that needed the data
 * returns with an error. */
void check_memory(void) {
    MPI_Comm comm;
    int value = 1, sum = 0;
    double *x = calloc(LARGE, sizeof *x), *y = calloc(LARGE, sizeof *y);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    struct rlimit limit, original;
    getrlimit(RLIMIT_AS, &original);
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    limit = original;
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (2 << 20);
    if (check_rank == 1)
        setrlimit(RLIMIT_AS, &limit);
    int error = MPI_Allreduce(x, y, LARGE, MPI_DOUBLE, MPI_SUM, comm);
    setrlimit(RLIMIT_AS, &original);
    CHECK(error != MPI_SUCCESS, "nobody has missed rank 1's part");
    sum = 0;
    error = MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(error == MPI_SUCCESS && sum == check_size, "afterwards: error %d, sum %d", error, sum);
    MPI_Comm_free(&comm);
    free(x);
    free(y);
}

static int maps_a_window(void) {
    char line[512];
    int window_count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        window_count += strstr(line, "/dev/shm/hopscope-") != NULL;
    if (file)
        fclose(file);
    return window_count;
}

/* mode: 0: no rank has a window. 1: every rank has one, and the next communicator reuses it. 2: no rank has one,
 * because one rank cannot open a file. */
void check_shared(uint64_t mode) {
    MPI_Comm comm;
    int value = 1, sum = 0;
    struct rlimit limit, original;
    getrlimit(RLIMIT_NOFILE, &original);
    limit = original;
    int next = dup(STDERR_FILENO); /* with this limit, no file can be opened */
    close(next);
    limit.rlim_cur = (rlim_t)next;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (mode == 2 && check_rank == 1)
        setrlimit(RLIMIT_NOFILE, &limit);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    setrlimit(RLIMIT_NOFILE, &original);
    CHECK(sum == check_size, "sum %d", sum);
    CHECK(maps_a_window() == (mode == 1), "%d windows", maps_a_window());
    MPI_Comm_free(&comm);
    /* The next communicator of these members reuses the window. */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(maps_a_window() == (mode == 1), "%d windows afterwards", maps_a_window());
    MPI_Comm_free(&comm);
}
