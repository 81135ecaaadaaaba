/* Ranks enter barriers at planned times of the clock that all hosts of a network share:
 * meets ROUNDS MILLISECONDS_APART STEP_NS LATE_NS
 *
 * In round i the odd ranks enter (i - ROUNDS / 2) * STEP_NS after the even ones, in every tenth round LATE_NS after
 * them. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static int64_t time_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(int64_t target) {
    int64_t wake_time = target - 1000000; /* the last part by polling the clock, which is more exact */
    struct timespec time = {wake_time / 1000000000, wake_time % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    while (time_ns() < target)
        ;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    if (argc != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int rounds = atoi(argv[1]);
    int64_t period = atoll(argv[2]) * 1000000, step = atoll(argv[3]), delay = atoll(argv[4]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int64_t target = time_ns() + period;
    MPI_Bcast(&target, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++, target += period) {
        int64_t offset = i % 10 == 0 ? delay : (i - rounds / 2) * step;
        wait_until(target + (rank % 2 ? offset : 0));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
