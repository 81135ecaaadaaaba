/* MPI messages that become visible at their due time, as if they had come over the topology's links.
 *
 * Each message is preceded by a stamp: the time at which it reaches its receiver's host. A receive is done when both
 * have arrived and the message is due. Sends are done when MPI says so and the rank would be done with them.
 *
 * Interfaces and ranks serve messages in the order in which these reach them, so a message queues there when it is due
 * there, not when its stamp comes: one that is 20 ms away holds up none that is 1 ms away.
 */
#include <stdlib.h>

#include "engine/links.h"
#include "engine/sink.h"
#include "engine/transport.h"
#include "record/clock.h"
#include "topology/own_memory.h"

struct stamp {
    struct passage at; /* at the receiver's host; on the sender's clock */
    uint64_t sent_ns;  /* when it got to the sender's interface */
    uint64_t machine;  /* of the sender */
};

/* Where a message is: one to receive is in one place after another, one to send begins at the rank. */
enum place { UNSTAMPED, ON_THE_WIRE, AT_THE_RANK, SERVED };

struct flight {
    bool used, receiving;
    enum place place;
    int step, peer, tag, error;
    int open; /* of its two requests, those in flight */
    int64_t bytes;
    uint64_t posted_ns;
    uint64_t due_ns; /* in its place; at last, when it is done */
    struct stamp stamp;
};

struct transport_emulated {
    struct transport transport; /* first: the two share their address */
    struct links *links;
    const int *host_of_rank;
    int rank;
    uint64_t machine;
    int capacity;     /* flights */
    int flights_used; /* all flights from here on are free */
    int under_way;
    struct flight *flights;
    int count; /* requests in flight, at most two per flight */
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
    release(t); /* nothing is in flight now */
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

/* The rank is done with the message: it goes to its host's interface. */
static void stamp(struct transport_emulated *t, struct flight *flight) {
    int from = t->host_of_rank[t->rank], to = t->host_of_rank[flight->peer];
    struct passage at = links_send(t->links, from, to, flight->bytes, flight->due_ns);
    flight->place = SERVED;
    flight->stamp = (struct stamp){at, flight->due_ns, t->machine};
    started(t, flight, 0,
            pmpi.Isend(&flight->stamp, (int)sizeof flight->stamp, MPI_BYTE, flight->peer,
                       flight->tag | TRANSPORT_TAG_BIT, t->transport.comm, &t->requests[t->count]));
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    struct flight *flight = take(t, m->step, m->peer, false);
    uint64_t now = clock_monotonic_ns();
    flight->tag = m->tag;
    flight->bytes = m->count > 0 ? m->bytes : 0;
    flight->place = AT_THE_RANK;
    flight->due_ns = links_rank(t->links, flight->bytes, now);
    if (!links_occupy_ranks(t->links))
        stamp(t, flight); /* else in its turn, see move_on */
    started(t, flight, 1,
            pmpi.Isend(m->data, m->count, m->datatype, m->peer, m->tag, transport->comm, &t->requests[t->count]));
    return false;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    struct flight *flight = take(t, m->step, m->peer, true);
    flight->posted_ns = links_occupy_ranks(t->links) ? clock_monotonic_ns() : 0;
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
        /* We wait only for due times, but our neighbours' messages need our progress. */
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

/* Called once, when stamp and message have arrived. */
static void read_stamp(struct transport_emulated *t, struct flight *flight, uint64_t now) {
    struct stamp *stamp = &flight->stamp;
    uint64_t shift = stamp->machine == t->machine ? 0 : now - stamp->sent_ns; /* another clock */
    stamp->at.first += shift;
    stamp->at.last += shift;
    flight->place = flight->error == MPI_SUCCESS ? ON_THE_WIRE : SERVED;
    flight->due_ns = flight->error == MPI_SUCCESS ? stamp->at.first : now;
}

/* Of the messages to receive, or to send, in that place: the first that is due there by now. */
static struct flight *next_in(struct transport_emulated *t, bool receiving, enum place place, uint64_t now) {
    struct flight *next = NULL;
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (flight->used && flight->receiving == receiving && flight->place == place && flight->due_ns <= now &&
            (!next || flight->due_ns < next->due_ns))
            next = flight;
    }
    return next;
}

/* Moves messages on as far as they have come by now. */
static void move_on(struct transport_emulated *t, uint64_t now) {
    struct flight *flight;
    bool occupies = links_occupy_ranks(t->links);
    while (occupies && (flight = next_in(t, false, AT_THE_RANK, now)))
        stamp(t, flight);
    while ((flight = next_in(t, true, ON_THE_WIRE, now))) {
        int from = t->host_of_rank[flight->peer], to = t->host_of_rank[t->rank];
        flight->due_ns = links_receive(t->links, from, to, flight->bytes, flight->stamp.at);
        flight->place = occupies ? AT_THE_RANK : SERVED;
    }
    /* A rank that is busy may come to send before it takes in what has arrived since. */
    while (occupies && links_rank_is_free(t->links, now) && (flight = next_in(t, true, AT_THE_RANK, now))) {
        uint64_t from = flight->due_ns > flight->posted_ns ? flight->due_ns : flight->posted_ns;
        flight->due_ns = links_rank(t->links, flight->bytes, from);
        flight->place = SERVED;
    }
}

static int poll_once(struct transport *transport, const struct completion **done) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    int found = 0;
    if (t->under_way > 0)
        test_requests(t);
    uint64_t now = clock_monotonic_ns();
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (flight->used && flight->receiving && flight->open == 0 && flight->place == UNSTAMPED)
            read_stamp(t, flight, now);
    }
    move_on(t, now);
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (!flight->used || flight->open > 0 || flight->place != SERVED || flight->due_ns > now)
            continue;
        int place = found++;
        uint64_t at = flight->receiving ? flight->due_ns : now;
        for (; place > 0 && t->done_at[place - 1] > at; place--) {
            t->done[place] = t->done[place - 1];
            t->done_at[place] = t->done_at[place - 1];
        }
        t->done[place] = (struct completion){flight->step, flight->error, flight->receiving ? flight->bytes : -1};
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
    t->machine = own_machine();
    return &t->transport;
}
