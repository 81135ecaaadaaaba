/* Messages through shared memory within a machine, and MPI messages to other machines. */
#include <stdlib.h>

#include "engine/shm_messages.h"

/* Number of polls between two looks at MPI, whose other messages need our progress while we wait here. */
enum { POLLS_PER_PROGRESS = 16 };

static bool reserve(struct transport *transport, int most) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (most <= t->capacity)
        return true;
    size_t n = (size_t)most;
    struct coming *coming = malloc(n * sizeof *coming);
    struct going *going = malloc(n * sizeof *going);
    struct completion *done = malloc(n * sizeof *done);
    if (!coming || !going || !done || !t->mpi->kind->reserve(t->mpi, most)) {
        free(coming);
        free(going);
        free(done);
        return false;
    }
    free(t->coming), t->coming = coming; /* nothing is in flight now */
    free(t->going), t->going = going;
    free(t->done), t->done = done;
    t->capacity = most;
    return true;
}

static void count_mpi(struct transport_shm *t, int change) {
    t->by_mpi += change;
    t->transport.early_looks = t->by_mpi ? TRANSPORT_LOOKS_AT_MPI : 1;
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (t->window.member_of_rank[m->peer] >= 0)
        return shm_send(t, m);
    t->mpi->comm = t->transport.comm;
    count_mpi(t, 1);
    if (!t->mpi->kind->send(t->mpi, m))
        return false;
    count_mpi(t, -1);
    return true;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (t->window.member_of_rank[m->peer] >= 0) {
        struct coming *c = &t->coming[t->coming_count++];
        c->m = *m;
        c->number = 0;
        return true;
    }
    t->mpi->comm = t->transport.comm;
    count_mpi(t, 1);
    return t->mpi->kind->receive(t->mpi, m);
}

static int look_at_mpi(struct transport_shm *t, int found) {
    const struct completion *done;
    int flag, here;
    if (t->by_mpi == 0) {
        if (t->polls % POLLS_PER_PROGRESS == 0)
            pmpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->transport.comm, &flag, MPI_STATUS_IGNORE);
        return found;
    }
    here = t->mpi->kind->poll(t->mpi, &done);
    for (int i = 0; i < here; i++)
        t->done[found++] = done[i];
    count_mpi(t, -here);
    return found;
}

static int poll_once(struct transport *transport, const struct completion **done) {
    struct transport_shm *t = (struct transport_shm *)transport;
    int found = t->failed, kept = 0;
    t->failed = 0;
    t->polls++;
    *done = t->done;
    for (int i = 0; i < t->coming_count; i++) {
        struct coming *c = &t->coming[i];
        if (shm_advance_coming(t, c))
            t->done[found++] = (struct completion){c->m.step, c->error, c->bytes};
        else if (kept++ != i)
            t->coming[kept - 1] = *c;
    }
    t->coming_count = kept;
    kept = 0;
    for (int i = 0; i < t->going_count; i++) {
        struct going *g = &t->going[i];
        if (shm_advance_going(t, g))
            t->done[found++] = (struct completion){g->m.step, g->error, -1};
        else if (kept++ != i)
            t->going[kept - 1] = *g;
    }
    t->going_count = kept;
    return look_at_mpi(t, found);
}

static void close_shm(struct transport *transport) {
    struct transport_shm *t = (struct transport_shm *)transport;
    for (int i = 0; t->peers && i < t->ranks; i++)
        shm_forget_held(&t->peers[i]);
    if (t->mpi)
        t->mpi->kind->close(t->mpi);
    shm_window_close(&t->window);
    free(t->peers);
    free(t->coming);
    free(t->going);
    free(t->done);
    free(t);
}

void transport_shm_settled(struct transport *transport) {
    shared_file_settled(&((struct transport_shm *)transport)->window.file);
}

struct transport *transport_shm_open(const struct comm *comm, const struct neighbors *neighbors) {
    static const struct transport_kind kind = {reserve, send, receive, poll_once, close_shm};
    struct transport_shm *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->transport.kind = &kind;
    t->transport.early_looks = 1;
    t->mpi = transport_mpi_open();
    t->ranks = comm->size;
    t->peers = calloc((size_t)comm->size, sizeof *t->peers);
    if (!t->mpi || !t->peers || !shm_window_open(&t->window, comm, neighbors)) {
        close_shm(&t->transport);
        return NULL;
    }
    for (int rank = 0; rank < comm->size; rank++) {
        int there = t->window.member_of_rank[rank];
        if (there < 0)
            continue;
        t->peers[rank].out = window_channel(&t->window, t->window.own, there);
        t->peers[rank].in = window_channel(&t->window, there, t->window.own);
        t->peers[rank].stuck_at = UINT64_MAX;
    }
    return &t->transport;
}
