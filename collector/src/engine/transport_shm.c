/* Messages through shared memory within a machine, and MPI messages to other machines. */
#include <stdlib.h>

#include "engine/shm_messages.h"

/* The number of polls of shared memory after which MPI is polled once. Messages between other ranks may need this
 * rank's MPI progress while it waits here. */
enum { POLLS_PER_PROGRESS = 16 };

static bool reserve(struct transport *transport, int capacity) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (capacity <= t->capacity)
        return true;
    size_t count = (size_t)capacity;
    struct pending_receive *pending_receive = malloc(count * sizeof *pending_receive);
    struct pending_send *pending_send = malloc(count * sizeof *pending_send);
    struct completion *done = malloc(count * sizeof *done);
    if (!pending_receive || !pending_send || !done || !t->mpi->kind->reserve(t->mpi, capacity)) {
        free(pending_receive);
        free(pending_send);
        free(done);
        return false;
    }
    free(t->receives), t->receives = pending_receive; /* no message is under way now, so nothing need be copied */
    free(t->sends), t->sends = pending_send;
    free(t->completions), t->completions = done;
    t->capacity = capacity;
    return true;
}

static void add_mpi_messages(struct transport_shm *t, int change) {
    t->mpi_message_count += change;
    t->transport.early_polls = t->mpi_message_count ? TRANSPORT_EARLY_MPI_POLLS : 1;
}

static bool send(struct transport *transport, const struct message *m) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (t->window.member_of_rank[m->peer] >= 0)
        return shm_send(t, m);
    t->mpi->comm = t->transport.comm;
    add_mpi_messages(t, 1);
    if (!t->mpi->kind->send(t->mpi, m))
        return false;
    add_mpi_messages(t, -1);
    return true;
}

static bool receive(struct transport *transport, const struct message *m) {
    struct transport_shm *t = (struct transport_shm *)transport;
    if (t->window.member_of_rank[m->peer] >= 0) {
        struct pending_receive *c = &t->receives[t->receive_count++];
        c->message = *m;
        c->number = 0;
        return true;
    }
    t->mpi->comm = t->transport.comm;
    add_mpi_messages(t, 1);
    return t->mpi->kind->receive(t->mpi, m);
}

static int poll_mpi(struct transport_shm *t, int count) {
    const struct completion *mpi_completions;
    int flag, mpi_count;
    if (t->mpi_message_count == 0) {
        if (t->polls % POLLS_PER_PROGRESS == 0)
            pmpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, t->transport.comm, &flag, MPI_STATUS_IGNORE);
        return count;
    }
    mpi_count = t->mpi->kind->poll(t->mpi, &mpi_completions);
    for (int i = 0; i < mpi_count; i++)
        t->completions[count++] = mpi_completions[i];
    add_mpi_messages(t, -mpi_count);
    return count;
}

static int poll_once(struct transport *transport, const struct completion **completions) {
    struct transport_shm *t = (struct transport_shm *)transport;
    int count = t->failed_count, open_count = 0;
    t->failed_count = 0;
    t->polls++;
    *completions = t->completions;
    for (int i = 0; i < t->receive_count; i++) {
        struct pending_receive *c = &t->receives[i];
        if (shm_advance_receive(t, c))
            t->completions[count++] = (struct completion){c->message.step, c->error, c->bytes};
        else if (open_count++ != i)
            t->receives[open_count - 1] = *c;
    }
    t->receive_count = open_count;
    open_count = 0;
    for (int i = 0; i < t->send_count; i++) {
        struct pending_send *g = &t->sends[i];
        if (shm_advance_send(t, g))
            t->completions[count++] = (struct completion){g->message.step, g->error, -1};
        else if (open_count++ != i)
            t->sends[open_count - 1] = *g;
    }
    t->send_count = open_count;
    return poll_mpi(t, count);
}

static void close_shm(struct transport *transport) {
    struct transport_shm *t = (struct transport_shm *)transport;
    for (int i = 0; t->peers && i < t->ranks; i++)
        shm_free_early_messages(&t->peers[i]);
    if (t->mpi)
        t->mpi->kind->close(t->mpi);
    shm_window_close(&t->window);
    free(t->peers);
    free(t->receives);
    free(t->sends);
    free(t->completions);
    free(t);
}

void transport_shm_remove_name(struct transport *transport) {
    shared_file_remove_name(&((struct transport_shm *)transport)->window.file);
}

struct transport *transport_shm_open(const struct comm *comm, const struct neighbors *neighbors) {
    static const struct transport_kind kind = {reserve, send, receive, poll_once, close_shm};
    struct transport_shm *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->transport.kind = &kind;
    t->transport.early_polls = 1;
    t->mpi = transport_mpi_open();
    t->ranks = comm->size;
    t->peers = calloc((size_t)comm->size, sizeof *t->peers);
    if (!t->mpi || !t->peers || !shm_window_open(&t->window, comm, neighbors)) {
        close_shm(&t->transport);
        return NULL;
    }
    for (int rank = 0; rank < comm->size; rank++) {
        int member = t->window.member_of_rank[rank];
        if (member < 0)
            continue;
        t->peers[rank].outgoing = window_channel(&t->window, t->window.own_index, member);
        t->peers[rank].incoming = window_channel(&t->window, member, t->window.own_index);
        t->peers[rank].stuck_poll = UINT64_MAX;
    }
    return &t->transport;
}
