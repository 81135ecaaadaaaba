#include "run/clock_exchange.h"

#include <math.h>
#include <stdlib.h>

#include "record/clock.h"
#include "record/definitions.h"
#include "record/record.h"

enum {
    TAG = 1,
    MAX_ROUNDS = 50,
    MIN_ROUNDS = 5,
    MAX_NS = 500 * 1000000,    /* limit per machine for rounds beyond MIN_ROUNDS: slow links must not delay the start */
    MAX_BRIEF_NS = 5 * 1000000 /* that limit for an exchange during the run */
};

struct round_trip {
    uint64_t ref_send, here_recv, here_send, ref_recv;
};

/* A message of rank 0 to the other rank: either another round follows, or the rounds are over and this is the result.
 */
struct announcement {
    uint64_t is_open;
    struct round_trip fastest;
    double spread_ns;
};

static uint64_t duration(const struct round_trip *t) {
    return (t->ref_recv - t->ref_send) - (t->here_send - t->here_recv);
}

static int by_duration(const void *a, const void *b) {
    uint64_t x = duration(a), y = duration(b);
    return (x > y) - (x < y);
}

/* Returns the difference between the largest and the smallest clock offset of these round trips, in ns. In each, the
 * sum (here_recv - ref_send) + (here_send - ref_recv) is twice the offset in ticks, plus a constant; it is taken
 * relative to the first round. The clocks' rates differ by parts per million, which is negligible within half a second.
 */
static double spread_ns(const struct round_trip *trips, int count) {
    double smallest = INFINITY, largest = -INFINITY;
    for (int i = 0; i < count; i++) {
        int64_t here_sum = (int64_t)(trips[i].here_recv - trips[0].here_recv + trips[i].here_send - trips[0].here_recv);
        int64_t ref_sum = (int64_t)(trips[i].ref_send - trips[0].ref_send + trips[i].ref_recv - trips[0].ref_send);
        double offset = (double)(here_sum - ref_sum) / 2;
        smallest = offset < smallest ? offset : smallest;
        largest = offset > largest ? offset : largest;
    }
    return (largest - smallest) / ((double)clock_ticks_of_ns(1000000000) / 1e9);
}

static void measure_leader(MPI_Comm comm, int leader, uint64_t max_ns) {
    struct round_trip trips[MAX_ROUNDS];
    struct announcement message = {.is_open = 1};
    int rounds = 0;
    uint64_t begin = clock_monotonic_ns();
    while (rounds < MAX_ROUNDS && (rounds < MIN_ROUNDS || clock_monotonic_ns() - begin < max_ns)) {
        uint64_t reply[2];
        struct round_trip *t = &trips[rounds++];
        t->ref_send = clock_now();
        pmpi.Send(&message, sizeof message, MPI_BYTE, leader, TAG, comm);
        pmpi.Recv(reply, sizeof reply, MPI_BYTE, leader, TAG, comm, MPI_STATUS_IGNORE);
        t->ref_recv = clock_now();
        t->here_recv = reply[0];
        t->here_send = reply[1];
    }
    qsort(trips, (size_t)rounds, sizeof trips[0], by_duration);
    /* Take the spread over the fastest quarter of the rounds. The spread over fewer would be too small, because the
     * very fastest rounds all have the same asymmetry of route and scheduler. */
    int fastest = rounds / 4 < MIN_ROUNDS ? MIN_ROUNDS : rounds / 4;
    message = (struct announcement){0, trips[0], spread_ns(trips, fastest)};
    pmpi.Send(&message, sizeof message, MPI_BYTE, leader, TAG, comm);
}

static void reply_until_done(MPI_Comm comm, const struct machines *machines) {
    struct announcement message;
    for (;;) {
        if (pmpi.Recv(&message, sizeof message, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        uint64_t reply[2] = {clock_now(), 0};
        if (!message.is_open)
            break;
        reply[1] = clock_now();
        pmpi.Send(reply, sizeof reply, MPI_BYTE, 0, TAG, comm);
    }
    if (!record_is_on())
        return;
    struct line line;
    line_begin(&line, "round_trip");
    line_unsigned(&line, "ref_send", message.fastest.ref_send);
    line_unsigned(&line, "here_recv", message.fastest.here_recv);
    line_unsigned(&line, "here_send", message.fastest.here_send);
    line_unsigned(&line, "ref_recv", message.fastest.ref_recv);
    line_text(&line, "ref_host", machines_clock_host(machines, 0));
    line_real(&line, "spread_ns", message.spread_ns);
    line_end(&line);
}

static void exchange(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t max_ns) {
    if (rank == 0) {
        for (int leader = 1; leader < size; leader++)
            if (machines->clock_leader[leader] == leader)
                measure_leader(comm, leader, max_ns);
    } else if (machines->clock_leader[rank] == rank) {
        reply_until_done(comm, machines);
    }
}

void clock_exchange(MPI_Comm comm, int rank, int size, const struct machines *machines) {
    exchange(comm, rank, size, machines, MAX_NS);
}

void clock_exchange_briefly(MPI_Comm comm, int rank, int size, const struct machines *machines) {
    exchange(comm, rank, size, machines, MAX_BRIEF_NS);
}
