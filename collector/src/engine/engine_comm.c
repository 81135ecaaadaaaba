/* Creates, on all members or on none, what the engine needs for a communicator. */
#include "engine/engine_comm.h"

#include <stdlib.h>
#include <string.h>

/* MPICH has only about 2,000 communicators, and they belong to the application. Beyond this many of ours, further
 * communicators go native. Members count separately but agree when one is created. */
enum { MOST_COMMUNICATORS = 500 };
static int communicators;

/* clock_exchange.c uses tags of the collector's own communicator below the first. Every MPI library has tags up to the
 * second. */
enum { FIRST_TAG = 16, LEAST_MOST_TAG = 32767 };

/* Stands in where even the struct could not be allocated. */
static struct engine_comm without_memory;

static bool allocate(struct engine_comm *e, int size) {
    size_t n = (size_t)size;
    e->members.size = size;
    e->members.host_of_rank = malloc(n * sizeof(int));
    e->members.cluster_of_rank = malloc(n * sizeof(int));
    e->topology_host = malloc(n * sizeof(int));
    e->scratch = malloc(SCHEDULE_SCRATCH * n * sizeof(int));
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

void engine_comm_forget(struct prepared *p) {
    schedule_clear(&p->schedule);
    free(p->homes);
    *p = (struct prepared){0};
}

void engine_comm_release(struct engine_comm *e) {
    if (e == &without_memory)
        return;
    __atomic_fetch_sub(&communicators, 1, __ATOMIC_RELAXED);
    if (e->transport)
        e->transport->kind->close(e->transport);
    for (int i = 0; i < ENGINE_PLACES; i++)
        free(e->places[i].place.children);
    for (int i = 0; i < ENGINE_PREPARED; i++)
        engine_comm_forget(&e->prepared[i]);
    schedule_clear(&e->schedule);
    free(e->members.host_of_rank);
    free(e->members.cluster_of_rank);
    free(e->topology_host);
    free(e->scratch);
    free(e->tables);
    free(e->queue);
    free(e->slots);
    free(e->memory);
    free(e);
}

bool engine_surroundings_open(struct engine_surroundings *around, MPI_Comm world) {
    int *most = NULL, there = 0;
    around->world = world;
    if (pmpi.Comm_group(world, &around->processes) != MPI_SUCCESS)
        return false;
    around->most_tag = LEAST_MOST_TAG;
    if (pmpi.Comm_get_attr(world, MPI_TAG_UB, (void *)&most, &there) == MPI_SUCCESS && there)
        around->most_tag = *most;
    return true;
}

void engine_surroundings_close(struct engine_surroundings *around) {
    if (around->most_tag > 0)
        pmpi.Group_free(&around->processes);
}

/* True if `mine` is true on all members. It asks on the application's communicator: the call itself would have met the
 * same error, which belongs to that communicator's handler. */
static bool all_agree(const struct comm *comm, bool mine) {
    int here = mine, all = 0;
    return pmpi.Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, comm->handle) == MPI_SUCCESS && all;
}

/* Makes it from the collector's own communicator, so that failing does not reach the error handler of the application's
 * communicator, and no attribute callback runs. The tag separates it from those that other threads make at the same
 * time. */
static MPI_Comm make_communicator(const struct comm *comm, const struct engine_surroundings *around) {
    MPI_Group members;
    MPI_Comm made = MPI_COMM_NULL;
    int tag = FIRST_TAG + (int)(comm->key % (uint64_t)(around->most_tag - FIRST_TAG));
    if (pmpi.Group_incl(around->processes, comm->size, comm->world_ranks, &members) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (pmpi.Comm_create_group(around->world, members, tag, &made) != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    pmpi.Group_free(&members);
    if (made != MPI_COMM_NULL)
        pmpi.Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

static struct transport *open_transport(const struct engine_comm *e, int rank,
                                        const struct engine_surroundings *around) {
    if (around->links)
        return transport_emulated_open(around->links, e->topology_host, rank);
    switch (around->transport) {
    case TRANSPORT_shm: /* starts with the fallback; see share_memory */
    case TRANSPORT_mpi:
        break;
    }
    return transport_mpi_open();
}

/* If any member lacks shared memory, all keep to MPI messages. */
static void share_memory(struct engine_comm *e, const struct comm *comm, const struct engine_surroundings *around) {
    if (!around->neighbors || around->links)
        return;
    struct transport *shared = transport_shm_open(comm, around->neighbors);
    bool all = all_agree(comm, shared && shared->kind->reserve(shared, 4));
    if (shared)
        transport_shm_settled(shared);
    if (all) {
        e->transport->kind->close(e->transport);
        e->transport = shared;
    } else if (shared) {
        shared->kind->close(shared);
    }
}

struct engine_comm *engine_comm_of(struct comm *comm, const struct engine_surroundings *around) {
    if (comm->engine)
        return comm->engine;
    struct engine_comm *e = calloc(1, sizeof *e);
    bool good = e && allocate(e, comm->size) && locate(e, comm, around->topology);
    if (good) {
        e->transport = open_transport(e, comm->rank, around);
        good = e->transport && e->transport->kind->reserve(e->transport, 4);
    }
    bool room = __atomic_fetch_add(&communicators, 1, __ATOMIC_RELAXED) < MOST_COMMUNICATORS;
    if (all_agree(comm, good && room)) {
        e->handle = make_communicator(comm, around);
        e->usable = all_agree(comm, e->handle != MPI_COMM_NULL);
        if (e->usable)
            share_memory(e, comm, around);
        /* Freeing needs all members, so a communicator that only some have stays. */
    }
    if (e && e->usable) {
        e->transport->comm = e->handle;
        comm->engine = e;
        return e;
    }
    if (e)
        engine_comm_release(e);
    else
        __atomic_fetch_sub(&communicators, 1, __ATOMIC_RELAXED);
    comm->engine = &without_memory;
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
    if (e->usable)
        pmpi.Comm_free(&e->handle);
    engine_comm_release(e);
}
