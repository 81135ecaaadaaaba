/* Messages of MPI that become visible at their due time, as if they had come over the topology's links.
 *
 * Before each message goes a stamp with the time at which it reaches its receiver's host. A receive is done when both
 * are here and the time has come. Sends are done when MPI says so.
 */
#include <stdlib.h>

#include "engine/links.h"
#include "engine/sink.h"
#include "engine/transport.h"
#include "record/clock.h"

struct stamp {
    uint64_t at_ns;    /* on the sender's clock */
    uint64_t delay_ns; /* the same, from the sending on: for a receiver with another clock */
    uint64_t machine;  /* of the sender */
};

struct flight {
    bool used, receiving, timed;
    int step, peer, error;
    int open; /* of its two requests, those under way */
    int64_t bytes;
    uint64_t due_ns;
    struct stamp stamp;
};

struct transport_emulated {
    struct transport transport; /* first: the two share their address */
    struct links *links;
    const int *host_of_rank;
    int rank;
    uint64_t machine;
    int capacity;     /* flights */
    int flights_used; /* all flights beyond are free */
    int under_way;
    struct flight *flights;
    int count; /* requests under way, at most two a flight */
    MPI_Request *requests;
    int *owners; /* 2 * flight, + 1 for the message itself */
    int *indices;
    MPI_Status *statuses;
    struct completion *done;
    uint64_t *done_at;
};

static void release(struct transport_emulated *t) {
    free(t->flights);
    free(t->requests);
    free(t->owners);
    free(t->indices);
    free(t->statuses);
    free(t->done);
    free(t->done_at);
}

static bool reserve(struct transport *transport, int most) {
    struct transport_emulated *t = (struct transport_emulated *)transport, larger = *t;
    if (most <= t->capacity)
        return true;
    size_t n = (size_t)most;
    larger.capacity = most;
    larger.flights = calloc(n, sizeof *larger.flights);
    larger.requests = malloc(2 * n * sizeof *larger.requests);
    larger.owners = malloc(2 * n * sizeof *larger.owners);
    larger.indices = malloc(2 * n * sizeof *larger.indices);
    larger.statuses = malloc(2 * n * sizeof *larger.statuses);
    larger.done = malloc(n * sizeof *larger.done);
    larger.done_at = malloc(n * sizeof *larger.done_at);
    if (!larger.flights || !larger.requests || !larger.owners || !larger.indices || !larger.statuses || !larger.done ||
        !larger.done_at) {
        release(&larger);
        return false;
    }
    release(t); /* nothing is under way now */
    *t = larger;
    return true;
}

static struct flight *take(struct transport_emulated *t, int step, int peer, bool receiving) {
    int i = 0;
    while (t->flights[i].used)
        i++;
    if (i >= t->flights_used)
        t->flights_used = i + 1;
    t->under_way++;
    t->flights[i] = (struct flight){.used = true, .receiving = receiving, .step = step, .peer = peer, .bytes = -1};
    return &t->flights[i];
}

static void started(struct transport_emulated *t, struct flight *flight, int which, int error) {
    if (error != MPI_SUCCESS) {
        flight->error = error;
        return;
    }
    t->owners[t->count++] = 2 * (int)(flight - t->flights) + which;
    flight->open++;
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    struct flight *flight = take(t, m->step, m->peer, false);
    uint64_t now = clock_monotonic_ns();
    int64_t bytes = m->count > 0 ? m->bytes : 0;
    uint64_t at = links_send(t->links, t->host_of_rank[t->rank], t->host_of_rank[m->peer], bytes, now);
    flight->stamp = (struct stamp){at, at - now, t->machine};
    started(t, flight, 0,
            pmpi.Isend(&flight->stamp, (int)sizeof flight->stamp, MPI_BYTE, m->peer, m->tag | TRANSPORT_TAG_BIT,
                       transport->comm, &t->requests[t->count]));
    started(t, flight, 1,
            pmpi.Isend(m->data, m->count, m->datatype, m->peer, m->tag, transport->comm, &t->requests[t->count]));
    return false;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    struct flight *flight = take(t, m->step, m->peer, true);
    struct sink to = m->discard ? sink_for(m->bytes) : (struct sink){m->data, m->datatype, m->count};
    started(t, flight, 0,
            pmpi.Irecv(&flight->stamp, (int)sizeof flight->stamp, MPI_BYTE, m->peer, m->tag | TRANSPORT_TAG_BIT,
                       transport->comm, &t->requests[t->count]));
    started(t, flight, 1,
            pmpi.Irecv(to.buffer, to.count, to.datatype, m->peer, m->tag, transport->comm, &t->requests[t->count]));
    return false;
}

static void test_requests(struct transport_emulated *t) {
    int finished = 0, kept = 0;
    if (t->count == 0) {
        /* Only due times are waited for, but the neighbours' messages need our progress. */
        int flag;
        pmpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->transport.comm, &flag, MPI_STATUS_IGNORE);
        return;
    }
    int error = pmpi.Testsome(t->count, t->requests, &finished, t->indices, t->statuses);
    if (finished == MPI_UNDEFINED || finished <= 0)
        return;
    for (int i = 0; i < finished; i++) {
        int owner = t->owners[t->indices[i]], bytes = -1;
        struct flight *flight = &t->flights[owner / 2];
        flight->open--;
        if (error == MPI_ERR_IN_STATUS && t->statuses[i].MPI_ERROR != MPI_SUCCESS)
            flight->error = t->statuses[i].MPI_ERROR;
        if (flight->receiving && owner % 2 == 1) {
            pmpi.Get_count(&t->statuses[i], MPI_BYTE, &bytes);
            flight->bytes = bytes;
        }
        t->owners[t->indices[i]] = -1;
    }
    for (int i = 0; i < t->count; i++) {
        if (t->owners[i] < 0)
            continue;
        t->owners[kept] = t->owners[i];
        t->requests[kept++] = t->requests[i];
    }
    t->count = kept;
}

/* Once, when stamp and message are here. */
static void set_due(struct transport_emulated *t, struct flight *flight, uint64_t now) {
    int from = t->host_of_rank[flight->peer], to = t->host_of_rank[t->rank];
    bool one_clock = flight->stamp.machine == t->machine;
    uint64_t at = one_clock ? flight->stamp.at_ns : now + flight->stamp.delay_ns;
    flight->timed = true;
    flight->due_ns = flight->error == MPI_SUCCESS ? links_receive(t->links, from, to, flight->bytes, at) : now;
}

static int poll_once(struct transport *transport, const struct completion **done) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    int found = 0;
    if (t->under_way > 0)
        test_requests(t);
    uint64_t now = clock_monotonic_ns();
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (!flight->used || flight->open > 0)
            continue;
        if (flight->receiving && !flight->timed)
            set_due(t, flight, now);
        if (flight->receiving && flight->due_ns > now)
            continue;
        int place = found++;
        uint64_t at = flight->receiving ? flight->due_ns : now;
        for (; place > 0 && t->done_at[place - 1] > at; place--) {
            t->done[place] = t->done[place - 1];
            t->done_at[place] = t->done_at[place - 1];
        }
        t->done[place] = (struct completion){flight->step, flight->error, flight->bytes};
        t->done_at[place] = at;
        flight->used = false;
        t->under_way--;
    }
    while (t->flights_used > 0 && !t->flights[t->flights_used - 1].used)
        t->flights_used--;
    *done = t->done;
    return found;
}

static void close_emulated(struct transport *transport) {
    release((struct transport_emulated *)transport);
    free(transport);
}

struct transport *transport_emulated_open(struct links *links, const int *host_of_rank, int rank) {
    static const struct transport_kind kind = {reserve, send, receive, poll_once, close_emulated};
    struct transport_emulated *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->transport.kind = &kind;
    t->transport.early_looks = TRANSPORT_LOOKS_AT_MPI;
    t->links = links;
    t->host_of_rank = host_of_rank;
    t->rank = rank;
    t->machine = links_machine();
    return &t->transport;
}
