/* Making, on all members or on none, what the engine needs for a communicator. */
#include "engine/engine_comm.h"

#include <stdlib.h>
#include <string.h>

/* MPICH stops at about 2,000 communicators, which belong to the application: beyond this many of our own at once, its
 * other communicators go native. Each member counts its own, so they agree on it when one is made. */
enum { MOST_COMMUNICATORS = 500 };
static int communicators;

/* For members that could not even allocate their part. */
static struct engine_comm without_memory;

static bool allocate(struct engine_comm *e, int size) {
    size_t n = (size_t)size;
    e->members.size = size;
    e->members.host_of_rank = malloc(n * sizeof(int));
    e->members.cluster_of_rank = malloc(n * sizeof(int));
    e->topology_host = malloc(n * sizeof(int));
    e->scratch = malloc(8 * n * sizeof(int));
    e->tables = malloc(4 * n * sizeof(int64_t));
    bool whole = e->members.host_of_rank && e->members.cluster_of_rank && e->topology_host && e->scratch && e->tables;
    for (int i = 0; i < ENGINE_PLACES; i++) {
        e->places[i].place.children = malloc(n * sizeof(int));
        whole = whole && e->places[i].place.children;
    }
    return whole;
}

static bool locate(struct engine_comm *e, const struct comm *comm, const struct topology *topology) {
    for (int rank = 0; rank < comm->size; rank++) {
        int world_rank = comm->world_ranks[rank];
        if (world_rank < 0 || world_rank >= topology->ranks)
            return false;
        int host = topology->host_of_rank[world_rank];
        e->topology_host[rank] = e->members.host_of_rank[rank] = host;
        e->members.cluster_of_rank[rank] = topology->cluster_of_host[host];
    }
    tree_members_number(e->members.host_of_rank, comm->size, e->scratch);
    tree_members_number(e->members.cluster_of_rank, comm->size, e->scratch);
    return true;
}

static void release(struct engine_comm *e) {
    if (e->transport)
        e->transport->kind->close(e->transport);
    for (int i = 0; i < ENGINE_PLACES; i++)
        free(e->places[i].place.children);
    for (int i = 0; i < ENGINE_PREPARED; i++)
        prepared_clear(&e->prepared[i]);
    schedule_clear(&e->schedule);
    free(e->members.host_of_rank);
    free(e->members.cluster_of_rank);
    free(e->topology_host);
    free(e->scratch);
    free(e->tables);
    free(e->queue);
    free(e->slots);
    free(e->memory);
    if (e != &without_memory)
        free(e);
}

enum { AGREE_WANTED = 1, AGREE_MADE = 2, AGREE_SHARED = 4 };

/* Split rather than dup: dup runs the attribute callbacks of the application. An error must neither reach its error
 * handler nor stay with one member. */
static bool make_communicator(struct engine_comm *e, struct comm *comm, bool wanted, struct transport *shared) {
    MPI_Errhandler users = MPI_ERRHANDLER_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    int mine = (wanted ? AGREE_WANTED : 0) | (shared ? AGREE_SHARED : 0), all = 0;
    bool kept = pmpi.Comm_get_errhandler(comm->handle, &users) == MPI_SUCCESS;
    pmpi.Comm_set_errhandler(comm->handle, MPI_ERRORS_RETURN);
    if (pmpi.Comm_split(comm->handle, 0, comm->rank, &made) == MPI_SUCCESS && made != MPI_COMM_NULL)
        mine |= AGREE_MADE;
    if (pmpi.Allreduce(&mine, &all, 1, MPI_INT, MPI_BAND, comm->handle) != MPI_SUCCESS)
        all = 0;
    if (kept) {
        pmpi.Comm_set_errhandler(comm->handle, users);
        pmpi.Errhandler_free(&users);
    }
    if (shared)
        transport_shm_settled(shared);
    if ((all & (AGREE_MADE | AGREE_WANTED)) == AGREE_MADE) /* freeing needs all members: what only some have stays */
        pmpi.Comm_free(&made);
    if (shared && all == (AGREE_WANTED | AGREE_MADE | AGREE_SHARED)) {
        e->transport->kind->close(e->transport);
        e->transport = shared;
    } else if (shared) {
        shared->kind->close(shared);
    }
    if ((all & (AGREE_MADE | AGREE_WANTED)) != (AGREE_WANTED | AGREE_MADE))
        return false;
    pmpi.Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    e->handle = e->transport->comm = made;
    return true;
}

struct engine_comm *engine_comm_of(struct comm *comm, const struct engine_surroundings *around) {
    if (comm->engine)
        return comm->engine;
    struct engine_comm *e = calloc(1, sizeof *e);
    bool good = e && allocate(e, comm->size) && locate(e, comm, around->topology);
    if (good) {
        e->transport =
            around->links ? transport_emulated_open(around->links, e->topology_host, comm->rank) : transport_mpi_open();
        good = e->transport && e->transport->kind->reserve(e->transport, 4);
    }
    bool room = __atomic_fetch_add(&communicators, 1, __ATOMIC_RELAXED) < MOST_COMMUNICATORS;
    /* Its own fallback: where one member has no shared memory, all keep to messages of MPI. */
    struct transport *shared = NULL;
    if (good && room && around->neighbors && !around->links)
        shared = transport_shm_open(comm, around->neighbors);
    if (shared && !shared->kind->reserve(shared, 4)) {
        shared->kind->close(shared);
        shared = NULL;
    }
    if (make_communicator(e, comm, good && room, shared)) {
        e->usable = true;
    } else if (e) {
        release(e);
        e = NULL;
    }
    if (!e)
        __atomic_fetch_sub(&communicators, 1, __ATOMIC_RELAXED);
    comm->engine = e ? e : &without_memory;
    return comm->engine;
}

const struct tree_place *engine_comm_place(struct engine_comm *e, int rank, const struct tree_spec *spec, int root,
                                           enum tree_direction direction) {
    struct engine_place *oldest = &e->places[0];
    for (int i = 0; i < ENGINE_PLACES; i++) {
        struct engine_place *p = &e->places[i];
        if (p->spec == spec && p->root == root && p->direction == direction) {
            p->used_at = ++e->uses;
            return &p->place;
        }
        if (p->used_at < oldest->used_at)
            oldest = p;
    }
    oldest->spec = spec;
    oldest->root = root;
    oldest->direction = direction;
    oldest->used_at = ++e->uses;
    tree_place_of(spec, &e->members, rank, root, direction, e->scratch, &oldest->place);
    return &oldest->place;
}

char *engine_comm_memory(struct engine_comm *e, size_t bytes) {
    if (bytes <= e->memory_bytes)
        return e->memory;
    void *memory;
    if (posix_memalign(&memory, 64, bytes) != 0)
        return NULL;
    free(e->memory);
    e->memory = memory;
    e->memory_bytes = bytes;
    return e->memory;
}

bool engine_comm_make_room(struct engine_comm *e) {
    if (e->schedule.step_count > e->queue_capacity) {
        int *queue = malloc((size_t)e->schedule.step_capacity * sizeof *queue);
        if (!queue)
            return false;
        free(e->queue);
        e->queue = queue;
        e->queue_capacity = e->schedule.step_capacity;
    }
    if (e->schedule.slot_count > e->slot_capacity) {
        struct slot_memory *slots = malloc((size_t)e->schedule.slot_count * sizeof *slots);
        if (!slots)
            return false;
        free(e->slots);
        e->slots = slots;
        e->slot_capacity = e->schedule.slot_count;
    }
    return e->transport->kind->reserve(e->transport, e->schedule.most_messages);
}

void engine_comm_close(struct engine_comm *e) {
    if (e == &without_memory)
        return;
    if (e->usable)
        pmpi.Comm_free(&e->handle);
    __atomic_fetch_sub(&communicators, 1, __ATOMIC_RELAXED);
    release(e);
}
