/* The writer's side of the communicators: members, keys, definitions. */
#include "comm/registry.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "comm/table.h"
#include "mpi/mpi_table.h"
#include "record/definitions.h"
#include "record/record.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Group world_group;
static int world_rank;
static uint32_t last_id;
static void (*tell_of_lost)(struct comm *comm);

/* How often this rank has made a communicator of one origin, parent, members and salt: base hash -> count. */
struct count {
    uint64_t base;
    uint32_t made;
};
static struct count *counts;
static size_t counts_capacity, counts_used;

/* Combines two words into one; the finaliser of SplitMix64 (Steele, Lea, Flood 2014) spreads every bit. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    uint64_t x = (hash ^ word) + 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static uint64_t mix_ranks(uint64_t hash, const int *ranks, int size) {
    hash = mix(hash, (uint64_t)size);
    for (int i = 0; i < size; i++)
        hash = mix(hash, (uint64_t)ranks[i]);
    return hash;
}

static struct count *place_of(struct count *in, size_t capacity, uint64_t base) {
    size_t i = base & (capacity - 1);
    while (in[i].made && in[i].base != base)
        i = (i + 1) & (capacity - 1);
    return &in[i];
}

static bool grow_counts(void) {
    size_t capacity = counts_capacity ? counts_capacity * 2 : 256;
    struct count *larger = calloc(capacity, sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < counts_capacity; i++)
        if (counts[i].made)
            *place_of(larger, capacity, counts[i].base) = counts[i];
    free(counts);
    counts = larger;
    counts_capacity = capacity;
    return true;
}

/* The key of the next communicator of this base; 0 if memory fails. */
static uint64_t next_key(uint64_t base) {
    if (counts_used * 2 >= counts_capacity && !grow_counts())
        return 0;
    struct count *count = place_of(counts, counts_capacity, base);
    counts_used += !count->made;
    count->base = base;
    return mix(base, ++count->made);
}

/* World ranks of a group's members; NULL if one is not of MPI_COMM_WORLD or memory fails. Frees the group. */
static int *world_ranks_of(MPI_Group group, int *size) {
    int *ranks = NULL, *numbers = NULL;
    if (pmpi.Group_size(group, size) != MPI_SUCCESS || *size <= 0)
        goto out;
    ranks = malloc((size_t)*size * sizeof *ranks);
    numbers = malloc((size_t)*size * sizeof *numbers);
    if (!ranks || !numbers)
        goto fail;
    for (int i = 0; i < *size; i++)
        numbers[i] = i;
    if (pmpi.Group_translate_ranks(group, *size, numbers, world_group, ranks) != MPI_SUCCESS)
        goto fail;
    for (int i = 0; i < *size; i++)
        if (ranks[i] == MPI_UNDEFINED)
            goto fail;
    goto out;
fail:
    free(ranks);
    ranks = NULL;
out:
    free(numbers);
    pmpi.Group_free(&group);
    return ranks;
}

static int *local_members(MPI_Comm comm, int *size) {
    MPI_Group group;
    return pmpi.Comm_group(comm, &group) == MPI_SUCCESS ? world_ranks_of(group, size) : NULL;
}

static int *remote_members(MPI_Comm comm, int *size) {
    MPI_Group group;
    return pmpi.Comm_remote_group(comm, &group) == MPI_SUCCESS ? world_ranks_of(group, size) : NULL;
}

/* World ranks of the members; remote only of an intercommunicator. */
struct members {
    int *local, *remote;
    int remote_size;
};

static void define(struct comm *comm, uint64_t parent_key, const struct members *members) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (pmpi.Comm_get_name(comm->handle, name, &length) != MPI_SUCCESS)
        name[0] = '\0';
    bool writes = comm->rank == 0; /* of each side of an intercommunicator */
    struct line line;
    line_begin(&line, "comm");
    line_unsigned(&line, "id", comm->id);
    line_key(&line, "key", comm->key);
    line_key(&line, "parent", parent_key);
    line_text(&line, "name", name);
    line_number(&line, "size", comm->size);
    line_number(&line, "rank", comm->rank);
    line_ranks(&line, "members", writes ? members->local : NULL, comm->size);
    if (comm->inter)
        line_ranks(&line, "remote", writes ? members->remote : NULL, members->remote_size);
    line_boolean(&line, "inter", comm->inter);
    line_end(&line);
}

/* Fills size, rank and inter of a new communicator and finds its members. */
static bool describe(struct comm *comm, struct members *members) {
    int inter = 0;
    if (pmpi.Comm_test_inter(comm->handle, &inter) != MPI_SUCCESS ||
        pmpi.Comm_rank(comm->handle, &comm->rank) != MPI_SUCCESS)
        return false;
    comm->inter = inter != 0;
    members->local = local_members(comm->handle, &comm->size);
    if (comm->inter && members->local)
        members->remote = remote_members(comm->handle, &members->remote_size);
    comm->peers = comm->inter ? members->remote_size : comm->size;
    return members->local && (!comm->inter || members->remote);
}

/* Both sides of an intercommunicator must hash alike, so the group with the smaller first rank comes first. */
static uint64_t mix_members(uint64_t hash, const struct comm *comm, const struct members *m) {
    if (!comm->inter)
        return mix_ranks(hash, m->local, comm->size);
    bool local_first = m->local[0] < m->remote[0];
    hash = mix_ranks(hash, local_first ? m->local : m->remote, local_first ? comm->size : m->remote_size);
    return mix_ranks(hash, local_first ? m->remote : m->local, local_first ? m->remote_size : comm->size);
}

static void free_comm(struct comm *comm) {
    if (!comm)
        return;
    free(comm->world_ranks);
    free(comm);
}

static uint64_t key_of(MPI_Comm handle) {
    struct comm *comm = handle == MPI_COMM_NULL ? NULL : comm_find(handle);
    return comm ? comm->key : 0;
}

/* key 0: work it out. */
static struct comm *take_in(MPI_Comm made, enum comm_origin origin, MPI_Comm parent, uint64_t salt, uint64_t key) {
    if (made == MPI_COMM_NULL)
        return NULL;
    /* A new handle that is known belonged to a communicator whose freeing did not pass through here (from Fortran, or
     * from inside the MPI library). */
    struct comm *stale = comm_find(made);
    if (stale && tell_of_lost)
        tell_of_lost(stale);
    if (stale)
        comm_forget(made);
    int kept = errno;
    uint64_t parent_key = key_of(parent);
    uint64_t hash = mix(mix(mix(0, (uint64_t)origin), parent_key), salt);
    struct comm *comm = calloc(1, sizeof *comm);
    struct members members = {0};
    bool known = false;
    if (comm) {
        comm->handle = made;
        comm->checkpoint = UINT64_MAX;
        known = describe(comm, &members);
    }
    if (known) {
        hash = mix_members(hash, comm, &members);
        comm->world_ranks = comm->inter ? NULL : members.local;
        pthread_mutex_lock(&lock);
        comm->key = key ? key : next_key(hash);
        known = comm->key != 0 && comm_table_add(comm);
        if (known && record_is_on())
            comm->id = ++last_id;
        pthread_mutex_unlock(&lock);
    }
    if (known && comm->id)
        define(comm, parent_key, &members);
    if (!comm || comm->world_ranks != members.local)
        free(members.local);
    free(members.remote);
    if (!known) {
        free_comm(comm);
        comm = NULL;
    }
    errno = kept;
    return comm;
}

struct comm *comm_register(MPI_Comm made, enum comm_origin origin, MPI_Comm parent, uint64_t salt) {
    return take_in(made, origin, parent, salt, 0);
}

uint64_t comm_reserve_key(MPI_Comm parent) {
    struct comm *known = comm_find(parent);
    if (!known)
        return 0;
    pthread_mutex_lock(&lock);
    /* The members are the parent's: its key stands for them. Another base than a plain duplicate's, alike on all. */
    uint64_t key = next_key(mix(mix(1, COMM_ORIGIN_DUP), known->key));
    pthread_mutex_unlock(&lock);
    return key;
}

struct comm *comm_register_reserved(MPI_Comm made, MPI_Comm parent, uint64_t key) {
    return key ? take_in(made, COMM_ORIGIN_DUP, parent, 0, key) : NULL;
}

void comm_forget(MPI_Comm handle) {
    pthread_mutex_lock(&lock);
    struct comm *comm = comm_table_remove(handle);
    pthread_mutex_unlock(&lock);
    free_comm(comm);
}

void comm_define_name(const struct comm *comm, const char *name) {
    if (!comm->id)
        return;
    struct line line;
    line_begin(&line, "comm_name");
    line_unsigned(&line, "id", comm->id);
    line_text(&line, "name", name);
    line_end(&line);
}

static bool register_world(void) {
    return comm_register(MPI_COMM_WORLD, COMM_ORIGIN_WORLD, MPI_COMM_NULL, 0) &&
           comm_register(MPI_COMM_SELF, COMM_ORIGIN_SELF, MPI_COMM_NULL, (uint64_t)world_rank);
}

bool comm_registry_start(void) {
    if (pmpi.Comm_group(MPI_COMM_WORLD, &world_group) != MPI_SUCCESS ||
        pmpi.Comm_rank(MPI_COMM_WORLD, &world_rank) != MPI_SUCCESS)
        return false;
    return register_world();
}

bool comm_registry_start_from(MPI_Group world) {
    world_group = world;
    return pmpi.Group_rank(world, &world_rank) == MPI_SUCCESS;
}

void comm_registry_add_world(void) {
    register_world();
}

static void define_late(struct comm *comm) {
    if (!comm->id) {
        comm->id = ++last_id;
        define(comm, 0, &(struct members){.local = comm->world_ranks});
    }
}

void comm_registry_define_all(void) {
    /* Inside MPI_Init: no other thread makes communicators yet. */
    comm_table_each(define_late);
}

void comm_registry_tell_of_lost(void (*tell)(struct comm *comm)) {
    tell_of_lost = tell;
}

void comm_registry_each(void (*visit)(struct comm *comm)) {
    comm_table_each(visit);
}

void comm_registry_stop(void) {
    pthread_mutex_lock(&lock);
    comm_table_each(free_comm);
    comm_table_clear();
    pmpi.Group_free(&world_group);
    free(counts);
    counts = NULL;
    counts_capacity = counts_used = 0;
    pthread_mutex_unlock(&lock);
}
