#include "run/clock_watch.h"

#include "record/clock.h"
#include "run/clock_exchange.h"

enum { FIRST_CHECKPOINT = 4, COST_FACTOR = 200 };

/* Used by rank 0 only. */
static struct {
    double interval_ns;
    uint64_t measured_ns;       /* time of the last measurement */
    uint64_t number, number_ns; /* of the last checkpoint */
} watch;

/* What rank 0 broadcasts. */
struct call_out {
    uint64_t measure, next;
};

uint64_t clock_watch_start(MPI_Comm comm, int rank, const struct machines *machines, double seconds) {
    uint64_t first = UINT64_MAX;
    for (int other = 1; other < machines->ranks && first == UINT64_MAX; other++)
        if (machines->clock_leader[other] == other)
            first = FIRST_CHECKPOINT;
    if (first == UINT64_MAX)
        return first;
    if (rank == 0) {
        watch.interval_ns = seconds * 1e9;
        watch.number = 0;
        watch.measured_ns = watch.number_ns = clock_monotonic_ns();
        first = seconds > 0 ? first : UINT64_MAX;
    }
    if (pmpi.Bcast(&first, 1, MPI_UINT64_T, 0, comm) != MPI_SUCCESS)
        return UINT64_MAX;
    return first;
}

static struct call_out decide(uint64_t number) {
    uint64_t now = clock_monotonic_ns();
    double since = (double)(now - watch.measured_ns), left = watch.interval_ns - since;
    struct call_out out = {.measure = left < watch.interval_ns / 10};
    if (out.measure)
        left = watch.interval_ns;
    double elapsed = (double)(now - watch.number_ns);
    double rate = elapsed > 0 ? (double)(number - watch.number) / elapsed : 0;
    /* Aim at half the distance: the program may slow down. */
    double step = rate * left / 2, most = (double)number;
    out.next = number + (step < 1 ? 1 : (uint64_t)(step < most ? step : most));
    watch.number = number;
    watch.number_ns = now;
    return out;
}

uint64_t clock_watch_check(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t number) {
    struct call_out out = {0, UINT64_MAX};
    if (rank == 0)
        out = decide(number);
    if (pmpi.Bcast(&out, sizeof out, MPI_BYTE, 0, comm) != MPI_SUCCESS)
        return UINT64_MAX;
    if (out.measure) {
        uint64_t begin = clock_monotonic_ns();
        clock_exchange_briefly(comm, rank, size, machines);
        watch.measured_ns = clock_monotonic_ns();
        double cost = (double)(watch.measured_ns - begin) * COST_FACTOR;
        watch.interval_ns = watch.interval_ns < cost ? cost : watch.interval_ns;
    }
    return out.next;
}
