#include "run/clock_watch.h"

#include "record/clock.h"
#include "run/clock_exchange.h"

enum { FIRST_CHECKPOINT = 4, COST_FACTOR = 200 };

/* Used by rank 0 only. */
static struct {
    double interval_ns;
    uint64_t measured_ns;       /* time of the last measurement */
    uint64_t number, number_ns; /* sequence number and time of the last checkpoint */
} watch;

/* The message that rank 0 broadcasts. */
struct watch_decision {
    uint64_t measure, next;
};

uint64_t clock_watch_start(MPI_Comm comm, int rank, const struct machines *machines, double seconds) {
    uint64_t first = UINT64_MAX;
    for (int rank_of_machine = 1; rank_of_machine < machines->ranks && first == UINT64_MAX; rank_of_machine++)
        if (machines->clock_leader[rank_of_machine] == rank_of_machine)
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

static struct watch_decision decide(uint64_t number) {
    uint64_t now_ns = clock_monotonic_ns();
    double elapsed_since_measurement_ns = (double)(now_ns - watch.measured_ns),
           remaining_ns = watch.interval_ns - elapsed_since_measurement_ns;
    struct watch_decision decision = {.measure = remaining_ns < watch.interval_ns / 10};
    if (decision.measure)
        remaining_ns = watch.interval_ns;
    double elapsed_ns = (double)(now_ns - watch.number_ns);
    double rate = elapsed_ns > 0 ? (double)(number - watch.number) / elapsed_ns : 0;
    /* Set the next checkpoint at half of the predicted distance, because the program may slow down. */
    double step = rate * remaining_ns / 2, max_step = (double)number;
    decision.next = number + (step < 1 ? 1 : (uint64_t)(step < max_step ? step : max_step));
    watch.number = number;
    watch.number_ns = now_ns;
    return decision;
}

uint64_t clock_watch_check(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t number) {
    struct watch_decision decision = {0, UINT64_MAX};
    if (rank == 0)
        decision = decide(number);
    if (pmpi.Bcast(&decision, sizeof decision, MPI_BYTE, 0, comm) != MPI_SUCCESS)
        return UINT64_MAX;
    if (decision.measure) {
        uint64_t begin = clock_monotonic_ns();
        clock_exchange_briefly(comm, rank, size, machines);
        watch.measured_ns = clock_monotonic_ns();
        double cost = (double)(watch.measured_ns - begin) * COST_FACTOR;
        watch.interval_ns = watch.interval_ns < cost ? cost : watch.interval_ns;
    }
    return decision.next;
}
