/* Plain MPI messages. */
#include <stdlib.h>

#include "engine/sink.h"
#include "engine/transport.h"

struct transport_mpi {
    struct transport transport;  /* must be the first member: pointers to it are cast to the whole struct */
    int request_count, capacity; /* requests under way */
    MPI_Request *requests;
    int *steps; /* the step of each request; for a send, -1 - step */
    int *indices;
    MPI_Status *statuses;
    struct completion *completions;
    int failed_count; /* number of messages that could not start; they are the first in `completions` */
};

static bool reserve(struct transport *transport, int capacity) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    if (capacity <= t->capacity)
        return true;
    size_t count = (size_t)capacity;
    /* Nothing is under way now, so there is nothing to copy. */
    MPI_Request *requests = malloc(count * sizeof *requests);
    int *steps = malloc(count * sizeof *steps), *indices = malloc(count * sizeof *indices);
    MPI_Status *statuses = malloc(count * sizeof *statuses);
    struct completion *completions = malloc(count * sizeof *completions);
    bool is_complete = requests && steps && indices && statuses && completions;
    if (is_complete) {
        free(t->requests), t->requests = requests;
        free(t->steps), t->steps = steps;
        free(t->indices), t->indices = indices;
        free(t->statuses), t->statuses = statuses;
        free(t->completions), t->completions = completions;
        t->capacity = capacity;
    } else {
        free(requests);
        free(steps);
        free(indices);
        free(statuses);
        free(completions);
    }
    return is_complete;
}

static void track_request(struct transport_mpi *t, int step, bool sending, int error) {
    if (error == MPI_SUCCESS)
        t->steps[t->request_count++] = sending ? -1 - step : step;
    else
        t->completions[t->failed_count++] = (struct completion){step, error, sending ? -1 : 0};
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    track_request(
        t, m->step, true,
        pmpi.Isend(m->data, m->count, m->datatype, m->peer, m->tag, transport->comm, &t->requests[t->request_count]));
    return false;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    struct sink target = m->discard ? sink_for(m->bytes) : (struct sink){m->data, m->datatype, m->count};
    track_request(t, m->step, false,
                  pmpi.Irecv(target.buffer, target.count, target.datatype, m->peer, m->tag, transport->comm,
                             &t->requests[t->request_count]));
    return false;
}

static int poll_once(struct transport *transport, const struct completion **completions) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    int count = t->failed_count, finished_count = 0;
    t->failed_count = 0;
    *completions = t->completions;
    if (t->request_count == 0)
        return count;
    int error = pmpi.Testsome(t->request_count, t->requests, &finished_count, t->indices, t->statuses);
    if (finished_count == MPI_UNDEFINED || finished_count <= 0)
        return count;
    for (int i = 0; i < finished_count; i++) {
        int index = t->indices[i], step = t->steps[index], bytes = -1;
        if (step >= 0)
            pmpi.Get_count(&t->statuses[i], MPI_BYTE, &bytes);
        t->completions[count++] = (struct completion){
            step >= 0 ? step : -1 - step, error == MPI_ERR_IN_STATUS ? t->statuses[i].MPI_ERROR : MPI_SUCCESS, bytes};
        t->steps[index] = INT32_MIN;
    }
    int open_count = 0;
    for (int i = 0; i < t->request_count; i++) {
        if (t->steps[i] == INT32_MIN)
            continue;
        t->steps[open_count] = t->steps[i];
        t->requests[open_count++] = t->requests[i];
    }
    t->request_count = open_count;
    return count;
}

static void close_mpi(struct transport *transport) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    free(t->requests);
    free(t->steps);
    free(t->indices);
    free(t->statuses);
    free(t->completions);
    free(t);
}

struct transport *transport_mpi_open(void) {
    static const struct transport_kind kind = {reserve, send, receive, poll_once, close_mpi};
    struct transport_mpi *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->transport.kind = &kind;
    t->transport.early_polls = TRANSPORT_EARLY_MPI_POLLS;
    return &t->transport;
}
