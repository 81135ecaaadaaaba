/* Makes every kind of call in a loop, and logs each call when it is done, for comparison with the trace of a killed
 * run.
 *
 *   logged_calls LOGS ROUNDS PAUSE_US [HOW RANK ROUND]
 *
 * LOGS/<rank>.log is a mapped file, so it survives any end of this process. With HOW, this rank ends itself in this
 * round: exit, segfault, abort, mpi-abort, exec (`true` replaces the program) or fork (a child that does not exec ends,
 * and the rank goes on).
 */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hopscope/functions.h"

enum { ROOM = 1 << 18 };

struct log {
    uint32_t pid, wrong;
    uint64_t count;
    uint16_t calls[ROOM]; /* enum mpi_function, in order */
};

static struct log *entries;

static void done(enum mpi_function function) {
    if (entries->count < ROOM) {
        entries->calls[entries->count] = (uint16_t)function;
        __atomic_store_n(&entries->count, entries->count + 1, __ATOMIC_RELEASE);
    }
}

static void open_log(const char *logs, int rank) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.log", logs, rank);
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, sizeof *entries) != 0)
        exit(3);
    entries = mmap(NULL, sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (entries == MAP_FAILED)
        exit(3);
    close(file);
    entries->pid = (uint32_t)getpid();
}

static void end(const char *kind) {
    volatile int *null_pointer = NULL;
    if (strcmp(kind, "exit") == 0)
        exit(0);
    if (strcmp(kind, "segfault") == 0)
        *null_pointer = 1;
    if (strcmp(kind, "abort") == 0)
        abort();
    if (strcmp(kind, "mpi-abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 5);
        for (;;)
            pause(); /* MPICH 5's MPI_Abort returns, and the process is killed soon after */
    }
    if (strcmp(kind, "exec") == 0)
        execlp("true", "true", (char *)NULL);
    pid_t child = fork();
    if (child == 0)
        exit(0); /* with the parent's exit handlers, as some programs do by mistake */
    waitpid(child, NULL, 0);
}

/* Exchanges messages with the other rank of a pair. A rank without partner uses itself. */
static void exchange(int rank, int ranks, int round) {
    int partner = (rank ^ 1) < ranks ? rank ^ 1 : rank, output = round, input = -1, is_complete = 0;
    MPI_Request request;
    MPI_Sendrecv(&output, 1, MPI_INT, partner, 1, &input, 1, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    done(FUNCTION_MPI_Sendrecv);
    entries->wrong += input != round;
    MPI_Irecv(&input, 1, MPI_INT, partner, 2, MPI_COMM_WORLD, &request);
    done(FUNCTION_MPI_Irecv);
    MPI_Send(&output, 1, MPI_INT, partner, 2, MPI_COMM_WORLD);
    done(FUNCTION_MPI_Send);
    while (!is_complete)
        MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    done(FUNCTION_MPI_Test);
    entries->wrong += input != round;
}

int main(int argc, char **argv) {
    int rank, ranks, rounds = atoi(argv[2]), pause = atoi(argv[3]);
    const char *number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    open_log(argv[1], number ? atoi(number) : 0);
    MPI_Init(&argc, &argv);
    done(FUNCTION_MPI_Init);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < rounds; round++) {
        int value = rank + round, sum = -1, message = rank == round % ranks ? round : -1;
        if (argc > 6 && rank == atoi(argv[5]) && round == atoi(argv[6]))
            end(argv[4]);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        done(FUNCTION_MPI_Allreduce);
        entries->wrong += sum != ranks * (ranks - 1) / 2 + ranks * round;
        MPI_Bcast(&message, 1, MPI_INT, round % ranks, MPI_COMM_WORLD);
        done(FUNCTION_MPI_Bcast);
        entries->wrong += message != round;
        exchange(rank, ranks, round);
        MPI_Barrier(MPI_COMM_WORLD);
        done(FUNCTION_MPI_Barrier);
        if (pause)
            usleep((useconds_t)pause);
    }
    MPI_Finalize();
    done(FUNCTION_MPI_Finalize);
    return entries->wrong != 0;
}
