/* Plain MPI messages. */
#include <stdlib.h>

#include "engine/sink.h"
#include "engine/transport.h"

struct transport_mpi {
    struct transport transport; /* first: the two share their address */
    int count, capacity;        /* in flight */
    MPI_Request *requests;
    int *steps; /* of each request; -1 - step for a send */
    int *indices;
    MPI_Status *statuses;
    struct completion *done;
    int failed; /* as many at the start of done failed to start */
};

static bool reserve(struct transport *transport, int most) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    if (most <= t->capacity)
        return true;
    size_t n = (size_t)most;
    /* Nothing is in flight now, so nothing has to be moved. */
    MPI_Request *requests = malloc(n * sizeof *requests);
    int *steps = malloc(n * sizeof *steps), *indices = malloc(n * sizeof *indices);
    MPI_Status *statuses = malloc(n * sizeof *statuses);
    struct completion *done = malloc(n * sizeof *done);
    bool whole = requests && steps && indices && statuses && done;
    if (whole) {
        free(t->requests), t->requests = requests;
        free(t->steps), t->steps = steps;
        free(t->indices), t->indices = indices;
        free(t->statuses), t->statuses = statuses;
        free(t->done), t->done = done;
        t->capacity = most;
    } else {
        free(requests);
        free(steps);
        free(indices);
        free(statuses);
        free(done);
    }
    return whole;
}

static void started(struct transport_mpi *t, int step, bool sending, int error) {
    if (error == MPI_SUCCESS)
        t->steps[t->count++] = sending ? -1 - step : step;
    else
        t->done[t->failed++] = (struct completion){step, error, sending ? -1 : 0};
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    started(t, m->step, true,
            pmpi.Isend(m->data, m->count, m->datatype, m->peer, m->tag, transport->comm, &t->requests[t->count]));
    return false;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    struct sink to = m->discard ? sink_for(m->bytes) : (struct sink){m->data, m->datatype, m->count};
    started(t, m->step, false,
            pmpi.Irecv(to.buffer, to.count, to.datatype, m->peer, m->tag, transport->comm, &t->requests[t->count]));
    return false;
}

static int poll_once(struct transport *transport, const struct completion **done) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    int found = t->failed, finished = 0;
    t->failed = 0;
    *done = t->done;
    if (t->count == 0)
        return found;
    int error = pmpi.Testsome(t->count, t->requests, &finished, t->indices, t->statuses);
    if (finished == MPI_UNDEFINED || finished <= 0)
        return found;
    for (int i = 0; i < finished; i++) {
        int index = t->indices[i], step = t->steps[index], bytes = -1;
        if (step >= 0)
            pmpi.Get_count(&t->statuses[i], MPI_BYTE, &bytes);
        t->done[found++] = (struct completion){
            step >= 0 ? step : -1 - step, error == MPI_ERR_IN_STATUS ? t->statuses[i].MPI_ERROR : MPI_SUCCESS, bytes};
        t->steps[index] = INT32_MIN;
    }
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        if (t->steps[i] == INT32_MIN)
            continue;
        t->steps[kept] = t->steps[i];
        t->requests[kept++] = t->requests[i];
    }
    t->count = kept;
    return found;
}

static void close_mpi(struct transport *transport) {
    struct transport_mpi *t = (struct transport_mpi *)transport;
    free(t->requests);
    free(t->steps);
    free(t->indices);
    free(t->statuses);
    free(t->done);
    free(t);
}

struct transport *transport_mpi_open(void) {
    static const struct transport_kind kind = {reserve, send, receive, poll_once, close_mpi};
    struct transport_mpi *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->transport.kind = &kind;
    t->transport.early_looks = TRANSPORT_LOOKS_AT_MPI;
    return &t->transport;
}
