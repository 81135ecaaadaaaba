/* Ranks enter barriers at times of the clock that all hosts of a network share:
 * meets ROUNDS MILLISECONDS_APART STEP_NS LATE_NS
 *
 * In round i the odd ranks are (i - ROUNDS / 2) * STEP_NS later than the even ones, in every tenth round LATE_NS. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(int64_t at) {
    int64_t early = at - 1000000; /* the last bit by looking, which is more exact */
    struct timespec time = {early / 1000000000, early % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    while (now() < at)
        ;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int rounds = atoi(argv[1]);
    int64_t apart = atoll(argv[2]) * 1000000, step = atoll(argv[3]), late = atoll(argv[4]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int64_t at = now() + apart;
    MPI_Bcast(&at, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++, at += apart) {
        int64_t later = i % 10 == 0 ? late : (i - rounds / 2) * step;
        wait_until(at + (rank % 2 ? later : 0));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
