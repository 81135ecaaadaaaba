/* Ranks whose work makes the others wait, with one plant in each iteration:
 *
 *     planted KIND ITERATIONS WORK_MS LATE_MS RANK [RANK]...
 *
 * All ranks sleep WORK_MS, and the named ranks LATE_MS longer. KIND is the position of the plant:
 *     late        before an Allreduce
 *     started     before the start of an Iallreduce
 *     overlap     between its start and the wait for it
 *     persistent  between the start and the wait of a persistent Allreduce
 *     message     before a message to the last rank, which then enters an Allreduce last
 *     inner       before a Bcast from rank 0
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double input = 1, output;

static void sleep_ms(double ms) {
    struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
    nanosleep(&time, NULL);
}

static void start(MPI_Request *request, int is_persistent) {
    if (is_persistent)
        MPI_Start(request);
    else
        MPI_Iallreduce(&input, &output, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
}

int main(int argc, char **argv) {
    int rank, ranks, is_planted = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 6) {
        fprintf(stderr, "usage: planted KIND ITERATIONS WORK_MS LATE_MS RANK [RANK]...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const char *kind = argv[1];
    const double work_ms = atof(argv[3]), late_ms = atof(argv[4]);
    for (int i = 5; i < argc; i++)
        is_planted = is_planted || atoi(argv[i]) == rank;
    const int is_persistent = strcmp(kind, "persistent") == 0, overlaps = strcmp(kind, "overlap") == 0 || is_persistent;
    const int sends = strcmp(kind, "message") == 0, last = ranks - 1;
    if (is_persistent) {
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
        MPI_Allreduce_init(&input, &output, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#else
        MPI_Abort(MPI_COMM_WORLD, 4);
#endif
    }
    for (int i = atoi(argv[2]); i > 0; i--) {
        sleep_ms(work_ms + (is_planted && !overlaps ? late_ms : 0));
        if (sends && is_planted)
            MPI_Send(&input, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD);
        if (sends && rank == last) {
            MPI_Recv(&output, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sleep_ms(work_ms / 4);
        }
        if (overlaps || strcmp(kind, "started") == 0) {
            start(&request, is_persistent);
            sleep_ms(work_ms + (is_planted && overlaps ? late_ms : 0));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (strcmp(kind, "inner") == 0)
            MPI_Bcast(&output, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        else
            MPI_Allreduce(&input, &output, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (is_persistent)
        MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
