#include "run/clock_exchange.h"

#include <math.h>
#include <stdlib.h>

#include "record/clock.h"
#include "record/definitions.h"
#include "record/record.h"

enum {
    TAG = 1,
    MOST_ROUNDS = 50,
    LEAST_ROUNDS = 5,
    LONGEST_NS = 500 * 1000000,      /* per machine, beyond LEAST_ROUNDS: a slow link must not hold up the start */
    LONGEST_BRIEFLY_NS = 5 * 1000000 /* nor the application during the run */
};

struct round_trip {
    uint64_t ref_send, here_recv, here_send, ref_recv;
};

/* What rank 0 announces: go on, or this round was the fastest. */
struct call_out {
    uint64_t more;
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

/* Twice the offset in ticks, up to a constant: (here_recv - ref_send) + (here_send - ref_recv), relative to the first
 * round. Rates differ by at most parts per million, which is negligible within half a second. */
static double spread_ns(const struct round_trip *trips, int count) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; i++) {
        int64_t here = (int64_t)(trips[i].here_recv - trips[0].here_recv + trips[i].here_send - trips[0].here_recv);
        int64_t ref = (int64_t)(trips[i].ref_send - trips[0].ref_send + trips[i].ref_recv - trips[0].ref_send);
        double offset = (double)(here - ref) / 2;
        least = offset < least ? offset : least;
        most = offset > most ? offset : most;
    }
    return (most - least) / ((double)clock_ticks_of_ns(1000000000) / 1e9);
}

static void ask(MPI_Comm comm, int leader, uint64_t longest_ns) {
    struct round_trip trips[MOST_ROUNDS];
    struct call_out out = {.more = 1};
    int rounds = 0;
    uint64_t begin = clock_monotonic_ns();
    while (rounds < MOST_ROUNDS && (rounds < LEAST_ROUNDS || clock_monotonic_ns() - begin < longest_ns)) {
        uint64_t answer[2];
        struct round_trip *t = &trips[rounds++];
        t->ref_send = clock_now();
        pmpi.Send(&out, sizeof out, MPI_BYTE, leader, TAG, comm);
        pmpi.Recv(answer, sizeof answer, MPI_BYTE, leader, TAG, comm, MPI_STATUS_IGNORE);
        t->ref_recv = clock_now();
        t->here_recv = answer[0];
        t->here_send = answer[1];
    }
    qsort(trips, (size_t)rounds, sizeof trips[0], by_duration);
    /* The very fastest rounds share the asymmetry of route and scheduler and agree too well; a quarter of them is more
     * telling. */
    int fastest = rounds / 4 < LEAST_ROUNDS ? LEAST_ROUNDS : rounds / 4;
    out = (struct call_out){0, trips[0], spread_ns(trips, fastest)};
    pmpi.Send(&out, sizeof out, MPI_BYTE, leader, TAG, comm);
}

static void answer_until_done(MPI_Comm comm, const struct machines *machines) {
    struct call_out in;
    for (;;) {
        if (pmpi.Recv(&in, sizeof in, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return;
        uint64_t answer[2] = {clock_now(), 0};
        if (!in.more)
            break;
        answer[1] = clock_now();
        pmpi.Send(answer, sizeof answer, MPI_BYTE, 0, TAG, comm);
    }
    if (!record_is_on())
        return;
    struct line line;
    line_begin(&line, "round_trip");
    line_unsigned(&line, "ref_send", in.fastest.ref_send);
    line_unsigned(&line, "here_recv", in.fastest.here_recv);
    line_unsigned(&line, "here_send", in.fastest.here_send);
    line_unsigned(&line, "ref_recv", in.fastest.ref_recv);
    line_text(&line, "ref_host", machines_clock_host(machines, 0));
    line_real(&line, "spread_ns", in.spread_ns);
    line_end(&line);
}

static void exchange(MPI_Comm comm, int rank, int size, const struct machines *machines, uint64_t longest_ns) {
    if (rank == 0) {
        for (int other = 1; other < size; other++)
            if (machines->clock_leader[other] == other)
                ask(comm, other, longest_ns);
    } else if (machines->clock_leader[rank] == rank) {
        answer_until_done(comm, machines);
    }
}

void clock_exchange(MPI_Comm comm, int rank, int size, const struct machines *machines) {
    exchange(comm, rank, size, machines, LONGEST_NS);
}

void clock_exchange_briefly(MPI_Comm comm, int rank, int size, const struct machines *machines) {
    exchange(comm, rank, size, machines, LONGEST_BRIEFLY_NS);
}
