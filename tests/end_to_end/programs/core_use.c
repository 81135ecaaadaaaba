/* 20 rounds of 10 ms of processor time and a barrier. The argument selects the difference on rank 1.
 *   more    it has 30 ms of work
 *   sleep   it sleeps 60 ms more
 *   shared  another process keeps its core busy until it ends */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void work(double seconds) {
    volatile double x = 1;
    for (double end = processor_seconds() + seconds; processor_seconds() < end;)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0001 + 1e-9;
}

static void share_core(void) {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    int core = 0;
    while (!CPU_ISSET(core, &allowed))
        core++;
    CPU_ZERO(&allowed);
    CPU_SET(core, &allowed);
    sched_setaffinity(0, sizeof allowed, &allowed);
    if (fork() == 0) {
        unsetenv("LD_PRELOAD");
        /* The launcher waits until no process has the rank's files open. */
        int null = open("/dev/null", O_RDWR);
        for (int file = 0; file < 256; file++)
            if (file > 2)
                close(file);
            else
                dup2(null, file);
        execl("/bin/sh", "sh", "-c", "while kill -0 $PPID; do :; done 2>/dev/null", (char *)NULL);
        _exit(1);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *what = argv[argc - 1];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && !strcmp(what, "shared"))
        share_core();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 20; round++) {
        work(rank == 1 && !strcmp(what, "more") ? 0.03 : 0.01);
        if (rank == 1 && !strcmp(what, "sleep"))
            usleep(60000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
