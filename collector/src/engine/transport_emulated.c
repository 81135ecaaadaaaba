/* MPI messages that become visible at their due time, as if they had come over the topology's links.
 *
 * With each message travels a stamp, an MPI message of its own. It has the time at which the emulated message reaches
 * its receiver's host. A receive is done when message and stamp have arrived and the message is due. A send is done
 * when MPI has completed it and the emulated rank would have handled it.
 *
 * Interfaces and ranks serve messages in the order in which these would arrive. So a message enters an interface's
 * queue when it is due there, not when its stamp arrives: a message that is 20 ms away does not delay one that is 1 ms
 * away.
 */
#include <stdlib.h>

#include "engine/links.h"
#include "engine/sink.h"
#include "engine/transport.h"
#include "record/clock.h"
#include "topology/own_memory.h"

struct stamp {
    struct passage arrival; /* times of arrival at the receiver's host, on the sender's clock */
    uint64_t sent_ns;       /* when the message reached the sender's interface */
    uint64_t machine;       /* the sender's machine, as own_machine() numbers it */
};

/* A message's stage. A message to receive passes through all stages; a message to send begins at AT_THE_RANK. */
enum stage { UNSTAMPED, ON_THE_WIRE, AT_THE_RANK, SERVED };

struct flight {
    bool used, receiving;
    enum stage stage;
    int step, peer, tag, error;
    int open_requests; /* number of its two MPI requests (stamp and message) that are under way */
    int64_t bytes;
    uint64_t posted_ns;
    uint64_t due_ns; /* the time at which its stage ends; in the last stage, at which it is done */
    struct stamp stamp;
};

struct transport_emulated {
    struct transport transport; /* must be the first member: pointers to it are cast to the whole struct */
    struct links *links;
    const int *host_of_rank;
    int rank;
    uint64_t machine;
    int capacity;     /* number of flights in the array */
    int flights_used; /* all flights from here on are free */
    int active_flights;
    struct flight *flights;
    int request_count; /* requests under way, at most two per flight */
    MPI_Request *requests;
    int *owners; /* 2 * flight for the stamp, + 1 for the message itself */
    int *indices;
    MPI_Status *statuses;
    struct completion *completions;
    uint64_t *completion_ns;
};

static void release(struct transport_emulated *t) {
    free(t->flights);
    free(t->requests);
    free(t->owners);
    free(t->indices);
    free(t->statuses);
    free(t->completions);
    free(t->completion_ns);
}

static bool reserve(struct transport *transport, int capacity) {
    struct transport_emulated *t = (struct transport_emulated *)transport, larger = *t;
    if (capacity <= t->capacity)
        return true;
    size_t count = (size_t)capacity;
    larger.capacity = capacity;
    larger.flights = calloc(count, sizeof *larger.flights);
    larger.requests = malloc(2 * count * sizeof *larger.requests);
    larger.owners = malloc(2 * count * sizeof *larger.owners);
    larger.indices = malloc(2 * count * sizeof *larger.indices);
    larger.statuses = malloc(2 * count * sizeof *larger.statuses);
    larger.completions = malloc(count * sizeof *larger.completions);
    larger.completion_ns = malloc(count * sizeof *larger.completion_ns);
    if (!larger.flights || !larger.requests || !larger.owners || !larger.indices || !larger.statuses ||
        !larger.completions || !larger.completion_ns) {
        release(&larger);
        return false;
    }
    release(t); /* no message is under way now, so nothing need be copied */
    *t = larger;
    return true;
}

static struct flight *take(struct transport_emulated *t, int step, int peer, bool receiving) {
    int i = 0;
    while (t->flights[i].used)
        i++;
    if (i >= t->flights_used)
        t->flights_used = i + 1;
    t->active_flights++;
    t->flights[i] = (struct flight){.used = true, .receiving = receiving, .step = step, .peer = peer, .bytes = -1};
    return &t->flights[i];
}

static void track_request(struct transport_emulated *t, struct flight *flight, int part, int error) {
    if (error != MPI_SUCCESS) {
        flight->error = error;
        return;
    }
    t->owners[t->request_count++] = 2 * (int)(flight - t->flights) + part;
    flight->open_requests++;
}

/* Hands a message to the emulated interface of this rank's host, at its due time, and sends its stamp. */
static void stamp(struct transport_emulated *t, struct flight *flight) {
    int from_host = t->host_of_rank[t->rank], to_host = t->host_of_rank[flight->peer];
    struct passage arrival = links_send(t->links, from_host, to_host, flight->bytes, flight->due_ns);
    flight->stage = SERVED;
    flight->stamp = (struct stamp){arrival, flight->due_ns, t->machine};
    track_request(t, flight, 0,
                  pmpi.Isend(&flight->stamp, (int)sizeof flight->stamp, MPI_BYTE, flight->peer,
                             flight->tag | TRANSPORT_TAG_BIT, t->transport.comm, &t->requests[t->request_count]));
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    struct flight *flight = take(t, m->step, m->peer, false);
    uint64_t now_ns = clock_monotonic_ns();
    flight->tag = m->tag;
    flight->bytes = m->count > 0 ? m->bytes : 0;
    flight->stage = AT_THE_RANK;
    flight->due_ns = links_rank(t->links, flight->bytes, now_ns);
    if (!links_occupy_ranks(t->links))
        stamp(t, flight); /* otherwise advance_flights calls stamp, in order of due times */
    track_request(
        t, flight, 1,
        pmpi.Isend(m->data, m->count, m->datatype, m->peer, m->tag, transport->comm, &t->requests[t->request_count]));
    return false;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    struct flight *flight = take(t, m->step, m->peer, true);
    flight->posted_ns = links_occupy_ranks(t->links) ? clock_monotonic_ns() : 0;
    struct sink target = m->discard ? sink_for(m->bytes) : (struct sink){m->data, m->datatype, m->count};
    track_request(t, flight, 0,
                  pmpi.Irecv(&flight->stamp, (int)sizeof flight->stamp, MPI_BYTE, m->peer, m->tag | TRANSPORT_TAG_BIT,
                             transport->comm, &t->requests[t->request_count]));
    track_request(t, flight, 1,
                  pmpi.Irecv(target.buffer, target.count, target.datatype, m->peer, m->tag, transport->comm,
                             &t->requests[t->request_count]));
    return false;
}

static void test_requests(struct transport_emulated *t) {
    int finished_count = 0, open_count = 0;
    if (t->request_count == 0) {
        /* This rank only waits for due times, but messages between other ranks may need its MPI progress. */
        int flag;
        pmpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->transport.comm, &flag, MPI_STATUS_IGNORE);
        return;
    }
    int error = pmpi.Testsome(t->request_count, t->requests, &finished_count, t->indices, t->statuses);
    if (finished_count == MPI_UNDEFINED || finished_count <= 0)
        return;
    for (int i = 0; i < finished_count; i++) {
        int owner = t->owners[t->indices[i]], bytes = -1;
        struct flight *flight = &t->flights[owner / 2];
        flight->open_requests--;
        if (error == MPI_ERR_IN_STATUS && t->statuses[i].MPI_ERROR != MPI_SUCCESS)
            flight->error = t->statuses[i].MPI_ERROR;
        if (flight->receiving && owner % 2 == 1) {
            pmpi.Get_count(&t->statuses[i], MPI_BYTE, &bytes);
            flight->bytes = bytes;
        }
        t->owners[t->indices[i]] = -1;
    }
    for (int i = 0; i < t->request_count; i++) {
        if (t->owners[i] < 0)
            continue;
        t->owners[open_count] = t->owners[i];
        t->requests[open_count++] = t->requests[i];
    }
    t->request_count = open_count;
}

/* Reads a stamp and puts its message on the wire. Called once per message, when stamp and message have arrived. */
static void read_stamp(struct transport_emulated *t, struct flight *flight, uint64_t now_ns) {
    struct stamp *stamp = &flight->stamp;
    uint64_t shift = stamp->machine == t->machine ? 0 : now_ns - stamp->sent_ns; /* clocks differ */
    stamp->arrival.first_byte_ns += shift;
    stamp->arrival.last_byte_ns += shift;
    flight->stage = flight->error == MPI_SUCCESS ? ON_THE_WIRE : SERVED;
    flight->due_ns = flight->error == MPI_SUCCESS ? stamp->arrival.first_byte_ns : now_ns;
}

/* Of the messages to receive (or to send) that are in this stage and due, the one with the earliest due time. NULL if
 * there is none. */
static struct flight *earliest_due(struct transport_emulated *t, bool receiving, enum stage stage, uint64_t now_ns) {
    struct flight *earliest = NULL;
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (flight->used && flight->receiving == receiving && flight->stage == stage && flight->due_ns <= now_ns &&
            (!earliest || flight->due_ns < earliest->due_ns))
            earliest = flight;
    }
    return earliest;
}

/* Advances all messages to the stages that they have reached at now_ns. */
static void advance_flights(struct transport_emulated *t, uint64_t now_ns) {
    struct flight *flight;
    bool occupies = links_occupy_ranks(t->links);
    while (occupies && (flight = earliest_due(t, false, AT_THE_RANK, now_ns)))
        stamp(t, flight);
    while ((flight = earliest_due(t, true, ON_THE_WIRE, now_ns))) {
        int from_host = t->host_of_rank[flight->peer], to_host = t->host_of_rank[t->rank];
        flight->due_ns = links_receive(t->links, from_host, to_host, flight->bytes, flight->stamp.arrival);
        flight->stage = occupies ? AT_THE_RANK : SERVED;
    }
    /* A busy rank may begin to send before it handles messages that arrived in the meantime. */
    while (occupies && links_rank_is_free(t->links, now_ns) && (flight = earliest_due(t, true, AT_THE_RANK, now_ns))) {
        uint64_t from_host = flight->due_ns > flight->posted_ns ? flight->due_ns : flight->posted_ns;
        flight->due_ns = links_rank(t->links, flight->bytes, from_host);
        flight->stage = SERVED;
    }
}

static int poll_once(struct transport *transport, const struct completion **completions) {
    struct transport_emulated *t = (struct transport_emulated *)transport;
    int count = 0;
    if (t->active_flights > 0)
        test_requests(t);
    uint64_t now_ns = clock_monotonic_ns();
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (flight->used && flight->receiving && flight->open_requests == 0 && flight->stage == UNSTAMPED)
            read_stamp(t, flight, now_ns);
    }
    advance_flights(t, now_ns);
    for (int i = 0; i < t->flights_used; i++) {
        struct flight *flight = &t->flights[i];
        if (!flight->used || flight->open_requests > 0 || flight->stage != SERVED || flight->due_ns > now_ns)
            continue;
        int position = count++;
        uint64_t time_ns = flight->receiving ? flight->due_ns : now_ns;
        for (; position > 0 && t->completion_ns[position - 1] > time_ns; position--) {
            t->completions[position] = t->completions[position - 1];
            t->completion_ns[position] = t->completion_ns[position - 1];
        }
        t->completions[position] =
            (struct completion){flight->step, flight->error, flight->receiving ? flight->bytes : -1};
        t->completion_ns[position] = time_ns;
        flight->used = false;
        t->active_flights--;
    }
    while (t->flights_used > 0 && !t->flights[t->flights_used - 1].used)
        t->flights_used--;
    *completions = t->completions;
    return count;
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
    t->transport.early_polls = TRANSPORT_EARLY_MPI_POLLS;
    t->links = links;
    t->host_of_rank = host_of_rank;
    t->rank = rank;
    t->machine = own_machine();
    return &t->transport;
}
