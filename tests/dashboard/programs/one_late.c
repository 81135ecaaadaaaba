/* Four ranks that compute and reduce, step after step. In one step one rank refines its part of the grid, and the
 * others have to wait for it. Arguments: the milliseconds that refining takes, and the name of a file that exists once
 * it has begun. Before that, no other rank goes on, however late the refining rank gets its core. */
#define _POSIX_C_SOURCE 200809L
#include <hopscope/region.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The last rank. A rank that passes on the broadcast might keep it from the next rank until it has refined. */
enum { STEPS = 20, REFINED_STEP = 12, REFINING_RANK = 3 };

static void work(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void refine(long milliseconds, const char *marker) {
    hopscope_region_begin("refine");
    fclose(fopen(marker, "w"));
    work(milliseconds);
    hopscope_region_end("refine");
}

static void share_limit(double *limit) {
    MPI_Bcast(limit, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* the call before the late one */
}

static void norm(double *error) {
    MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* the slowest */
}

int main(int argc, char **argv) {
    int rank;
    double limit = 1, error = 1;
    MPI_Init(&argc, &argv);
    if (argc != 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        share_limit(&limit);
        work(1);
        if (step == REFINED_STEP && rank == REFINING_RANK)
            refine(atol(argv[1]), argv[2]);
        while (step == REFINED_STEP && access(argv[2], F_OK) != 0)
            work(1);
        norm(&error);
    }
    MPI_Finalize();
    return 0;
}
