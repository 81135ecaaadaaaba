/* Creates the engine's state of a communicator on all members or on none. */
#include "engine/engine_comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The most communicators that the engine has at once. Collectives on further communicators go native: MPICH has room
 * for only about 2,000 communicators, and the application needs them. Members may have different counts, so all members
 * agree before they create one. */
enum { MOST_COMMUNICATORS = 100 };
static int communicators;

/* The states of communicators that the application freed, the latest first. A new communicator of the same members uses
 * such a state again. If a program splits a communicator in every step, this saves creating a communicator and shared
 * memory each time. */
enum { MOST_IDLE = 8 };
static struct engine_comm *idle;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;

/* FIRST_TAG: clock_exchange.c uses the tags below it on the same communicator. MIN_MAX_TAG: the greatest tag that every
 * MPI library must support. */
enum { FIRST_TAG = 16, MIN_MAX_TAG = 32767 };

/* Stands for the state of a communicator whose struct could not be allocated. */
static struct engine_comm unusable_engine;

static bool allocate(struct engine_comm *e, int size) {
    size_t count = (size_t)size;
    e->members.size = size;
    e->members.host_of_rank = malloc(count * sizeof(int));
    e->members.cluster_of_rank = malloc(count * sizeof(int));
    e->topology_host = malloc(count * sizeof(int));
    e->world_ranks = malloc(count * sizeof(int));
    e->scratch = malloc(SCHEDULE_SCRATCH * count * sizeof(int));
    e->tables = malloc(4 * count * sizeof(int64_t));
    bool is_complete = e->members.host_of_rank && e->members.cluster_of_rank && e->topology_host && e->world_ranks &&
                       e->scratch && e->tables;
    for (int i = 0; i < ENGINE_POSITIONS; i++) {
        e->positions[i].position.children = malloc(count * sizeof(int));
        is_complete = is_complete && e->positions[i].position.children;
    }
    return is_complete;
}

static bool locate(struct engine_comm *e, const struct comm *comm, const struct topology *topology) {
    for (int rank = 0; rank < comm->size; rank++) {
        int world_rank = comm->world_ranks[rank];
        if (world_rank < 0 || world_rank >= topology->ranks)
            return false;
        int host = topology->host_of_rank[world_rank];
        e->world_ranks[rank] = world_rank;
        e->topology_host[rank] = e->members.host_of_rank[rank] = host;
        e->members.cluster_of_rank[rank] = topology->cluster_of_host[host];
    }
    tree_members_number(e->members.host_of_rank, comm->size, e->scratch);
    tree_members_number(e->members.cluster_of_rank, comm->size, e->scratch);
    return true;
}

void prepared_free(struct prepared *p) {
    schedule_clear(&p->schedule);
    free(p->homes);
    *p = (struct prepared){0};
}

void engine_comm_release(struct engine_comm *e) {
    if (e == &unusable_engine)
        return;
    __atomic_fetch_sub(&communicators, 1, __ATOMIC_RELAXED);
    if (e->transport)
        e->transport->kind->close(e->transport);
    for (int i = 0; i < ENGINE_POSITIONS; i++)
        free(e->positions[i].position.children);
    for (int i = 0; i < ENGINE_PREPARED; i++)
        prepared_free(&e->prepared[i]);
    schedule_clear(&e->schedule);
    free(e->world_ranks);
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

bool engine_surroundings_open(struct engine_surroundings *surroundings, MPI_Comm world) {
    int *max_tag = NULL, is_set = 0;
    surroundings->world = world;
    if (pmpi.Comm_group(world, &surroundings->processes) != MPI_SUCCESS)
        return false;
    surroundings->max_tag = MIN_MAX_TAG;
    if (pmpi.Comm_get_attr(world, MPI_TAG_UB, (void *)&max_tag, &is_set) == MPI_SUCCESS && is_set)
        surroundings->max_tag = *max_tag;
    return true;
}

void engine_surroundings_close(struct engine_surroundings *surroundings) {
    if (surroundings->max_tag > 0)
        pmpi.Group_free(&surroundings->processes);
}

static void free_with_communicator(struct engine_comm *e) {
    pmpi.Comm_free(&e->handle);
    engine_comm_release(e);
}

/* Removes from the list the idle state of the same members (if there are several, the one with the smallest id) and
 * returns it. NULL if there is none. */
static struct engine_comm *take_idle(const struct comm *comm) {
    struct engine_comm **smallest = NULL, *state = NULL;
    pthread_mutex_lock(&idle_lock);
    for (struct engine_comm **at = &idle; *at; at = &(*at)->next_idle)
        if ((*at)->members.size == comm->size &&
            memcmp((*at)->world_ranks, comm->world_ranks, (size_t)comm->size * sizeof(int)) == 0 &&
            (!smallest || (*at)->id < (*smallest)->id))
            smallest = at;
    if (smallest) {
        state = *smallest;
        *smallest = state->next_idle;
    }
    pthread_mutex_unlock(&idle_lock);
    return state;
}

/* An idle state that every member has. NULL if any member has none, or one with a different id: members may have kept
 * different states. Collective over comm. */
static struct engine_comm *agreed_idle(const struct comm *comm) {
    struct engine_comm *e = take_idle(comm);
    uint64_t vote[2] = {e ? e->id : 0, e ? ~e->id : 0}, least[2] = {0};
    bool is_agreed = pmpi.Allreduce(vote, least, 2, MPI_UINT64_T, MPI_MIN, comm->handle) == MPI_SUCCESS && e &&
                     least[0] == e->id && least[1] == ~e->id;
    if (e && !is_agreed)
        free_with_communicator(e);
    return is_agreed ? e : NULL;
}

/* True if `agreement` is true on all members. It communicates on the application's communicator. If that fails, the
 * application's call would have failed too, so the application's error handler is right to get the error. */
static bool all_agree(const struct comm *comm, bool agreement) {
    int vote = agreement, unanimous = 0;
    return pmpi.Allreduce(&vote, &unanimous, 1, MPI_INT, MPI_MIN, comm->handle) == MPI_SUCCESS && unanimous;
}

/* Creates the engine's communicator, from the collector's own one instead of the application's. So no failure reaches
 * the application's error handler, and none of its attribute callbacks runs. The tag keeps the call apart from those by
 * which other threads create communicators at the same time. */
static MPI_Comm make_communicator(const struct comm *comm, const struct engine_surroundings *surroundings) {
    MPI_Group members;
    MPI_Comm communicator = MPI_COMM_NULL;
    int tag = FIRST_TAG + (int)(comm->key % (uint64_t)(surroundings->max_tag - FIRST_TAG));
    if (pmpi.Group_incl(surroundings->processes, comm->size, comm->world_ranks, &members) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (pmpi.Comm_create_group(surroundings->world, members, tag, &communicator) != MPI_SUCCESS)
        communicator = MPI_COMM_NULL;
    pmpi.Group_free(&members);
    if (communicator != MPI_COMM_NULL)
        pmpi.Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
    return communicator;
}

static struct transport *open_transport(const struct engine_comm *e, int rank,
                                        const struct engine_surroundings *surroundings) {
    if (surroundings->links)
        return transport_emulated_open(surroundings->links, e->topology_host, rank);
    switch (surroundings->transport) {
    case TRANSPORT_shm: /* begins with MPI messages; share_memory replaces them if all members share memory */
    case TRANSPORT_mpi:
        break;
    }
    return transport_mpi_open();
}

/* If any member lacks shared memory, all members stay with MPI messages. */
static void share_memory(struct engine_comm *e, const struct comm *comm,
                         const struct engine_surroundings *surroundings) {
    if (!surroundings->neighbors || surroundings->links)
        return;
    struct transport *shared = transport_shm_open(comm, surroundings->neighbors);
    bool is_shared = all_agree(comm, shared && shared->kind->reserve(shared, 4));
    if (shared)
        transport_shm_remove_name(shared);
    if (is_shared) {
        e->transport->kind->close(e->transport);
        e->transport = shared;
    } else if (shared) {
        shared->kind->close(shared);
    }
}

struct engine_comm *engine_comm_of(struct comm *comm, const struct engine_surroundings *surroundings) {
    if (comm->engine)
        return comm->engine;
    struct engine_comm *e = agreed_idle(comm);
    if (e)
        return comm->engine = e;
    e = calloc(1, sizeof *e);
    bool is_ready = e && allocate(e, comm->size) && locate(e, comm, surroundings->topology);
    if (is_ready) {
        e->transport = open_transport(e, comm->rank, surroundings);
        is_ready = e->transport && e->transport->kind->reserve(e->transport, 4);
    }
    bool has_room = __atomic_fetch_add(&communicators, 1, __ATOMIC_RELAXED) < MOST_COMMUNICATORS;
    if (all_agree(comm, is_ready && has_room)) {
        e->handle = make_communicator(comm, surroundings);
        e->usable = all_agree(comm, e->handle != MPI_COMM_NULL);
        if (e->usable)
            share_memory(e, comm, surroundings);
        /* MPI_Comm_free needs all members, so a communicator that only some members have is not freed. */
    }
    if (e && e->usable) {
        e->transport->comm = e->handle;
        e->id = comm->key;
        comm->engine = e;
        return e;
    }
    if (e)
        engine_comm_release(e);
    else
        __atomic_fetch_sub(&communicators, 1, __ATOMIC_RELAXED);
    comm->engine = &unusable_engine;
    return comm->engine;
}

const struct tree_position *engine_comm_position(struct engine_comm *e, int rank, const struct tree_spec *spec,
                                                 int root, enum tree_direction direction) {
    struct cached_position *oldest = &e->positions[0];
    for (int i = 0; i < ENGINE_POSITIONS; i++) {
        struct cached_position *p = &e->positions[i];
        if (p->spec == spec && p->root == root && p->direction == direction) {
            p->last_use = ++e->uses;
            return &p->position;
        }
        if (p->last_use < oldest->last_use)
            oldest = p;
    }
    oldest->spec = spec;
    oldest->root = root;
    oldest->direction = direction;
    oldest->last_use = ++e->uses;
    tree_position_of(spec, &e->members, rank, root, direction, e->scratch, &oldest->position);
    return &oldest->position;
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

bool engine_comm_reserve(struct engine_comm *e) {
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
    if (!e->usable) {
        engine_comm_release(e);
        return;
    }
    if (e->has_failed) {
        free_with_communicator(e);
        return;
    }
    struct engine_comm **last = &idle, *surplus;
    for (int i = 0; i < ENGINE_PREPARED; i++)
        prepared_free(&e->prepared[i]);
    pthread_mutex_lock(&idle_lock);
    e->next_idle = idle;
    idle = e;
    for (int i = 0; i < MOST_IDLE && *last; i++)
        last = &(*last)->next_idle;
    surplus = *last;
    *last = NULL;
    pthread_mutex_unlock(&idle_lock);
    if (surplus)
        free_with_communicator(surplus);
}

void engine_comms_release(void) {
    while (idle) {
        struct engine_comm *e = idle;
        idle = e->next_idle;
        engine_comm_release(e);
    }
}
