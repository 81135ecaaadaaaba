/* Registers communicators: finds their members, computes their keys, writes their definitions. All changes take a lock;
 * only look-ups in the table do without. */
#include "comm/registry.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/epochs.h"
#include "comm/members.h"
#include "comm/table.h"
#include "hopscope/hash.h"
#include "mpi/mpi_table.h"
#include "record/definitions.h"
#include "record/record.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int world_rank;
static uint32_t last_id;
static void (*lost_listener)(struct comm *comm);
static void (*new_listener)(struct comm *comm);

/* The number of communicators that this rank has created with one origin, parent, list of members and salt. `base` is a
 * hash of these four. */
struct origin_count {
    uint64_t base;
    uint32_t count;
};
static struct origin_count *counts;
static size_t counts_capacity, counts_used;

static struct origin_count *slot_of(struct origin_count *slots, size_t capacity, uint64_t base) {
    size_t i = base & (capacity - 1);
    while (slots[i].count && slots[i].base != base)
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static bool grow_counts(void) {
    size_t capacity = counts_capacity ? counts_capacity * 2 : 256;
    struct origin_count *larger = calloc(capacity, sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < counts_capacity; i++)
        if (counts[i].count)
            *slot_of(larger, capacity, counts[i].base) = counts[i];
    free(counts);
    counts = larger;
    counts_capacity = capacity;
    return true;
}

/* Counts another communicator with this hash. Returns the new count, or 0 if memory fails. */
static uint32_t next_count(uint64_t base) {
    if (counts_used * 2 >= counts_capacity && !grow_counts())
        return 0;
    struct origin_count *origin_count = slot_of(counts, counts_capacity, base);
    counts_used += !origin_count->count;
    origin_count->base = base;
    return ++origin_count->count;
}

/* The inputs from which a communicator's key is computed. */
struct derivation {
    enum comm_origin origin;
    uint64_t parent_key, salt;
    bool parent_is_foreign;
    struct comm_promise promise; /* key 0: no promise */
    const struct meeting *meeting;
    const char *name; /* the name of a window or file; else NULL */
};

static const char *const origin_names[] = {
    [COMM_ORIGIN_WORLD] = "world",       [COMM_ORIGIN_SELF] = "self",
    [COMM_ORIGIN_DUP] = "dup",           [COMM_ORIGIN_SPLIT] = "split",
    [COMM_ORIGIN_CREATE] = "create",     [COMM_ORIGIN_CREATE_GROUP] = "create_group",
    [COMM_ORIGIN_TOPOLOGY] = "topology", [COMM_ORIGIN_INTERCOMM] = "intercomm",
    [COMM_ORIGIN_MERGE] = "merge",       [COMM_ORIGIN_GROUP] = "group",
    [COMM_ORIGIN_IDUP] = "idup",         [COMM_ORIGIN_SPAWN] = "spawn",
    [COMM_ORIGIN_PARENT] = "parent",     [COMM_ORIGIN_ACCEPT] = "accept",
    [COMM_ORIGIN_CONNECT] = "connect",   [COMM_ORIGIN_JOIN] = "join",
    [COMM_ORIGIN_WINDOW] = "window",     [COMM_ORIGIN_FILE] = "file",
};

static void add_meeting(struct line *line, const struct meeting *meeting) {
    const struct comm *peer = meeting->peer == MPI_COMM_NULL ? NULL : comm_find(meeting->peer);
    line_boolean(line, "leads", meeting->leads);
    if (!meeting->leads)
        return;
    line_unsigned(line, "began", meeting->begin_ticks);
    line_unsigned(line, "ended", meeting->end_ticks);
    line_key(line, "place", meeting->place_hash);
    line_unsigned(line, "peer", peer ? peer->id : 0);
    line_number(line, "peer_rank", meeting->peer_rank);
}

static void define(struct comm *comm, const struct derivation *derivation, uint32_t nth,
                   const struct members *members) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (derivation->name)
        snprintf(name, sizeof name, "%s", derivation->name);
    else if (pmpi.Comm_get_name(comm->handle, name, &length) != MPI_SUCCESS)
        name[0] = '\0';
    /* Rank 0 writes the members; of an intercommunicator, rank 0 of each side. If there are processes of other worlds,
     * every rank writes them, because every process numbers those processes in its own way. */
    bool writes = comm->rank == 0 || comm->foreign;
    struct line line;
    line_begin(&line, "comm");
    line_unsigned(&line, "id", comm->id);
    line_key(&line, "key", comm->key);
    line_key(&line, "parent", derivation->parent_key);
    line_text(&line, "name", name);
    line_number(&line, "size", comm->size);
    line_number(&line, "rank", comm->rank);
    line_ranks(&line, "members", writes ? members->local : NULL, comm->size);
    if (comm->inter)
        line_ranks(&line, "remote", writes ? members->remote : NULL, members->remote_size);
    line_boolean(&line, "inter", comm->inter);
    if (comm->foreign) {
        line_text(&line, "origin", origin_names[derivation->origin]);
        line_key(&line, "salt", derivation->salt);
        line_unsigned(&line, "nth", nth);
        if (derivation->meeting)
            add_meeting(&line, derivation->meeting);
    }
    line_end(&line);
}

/* Fills in size, rank, inter and foreign of a new communicator and finds its members. */
static bool describe(struct comm *comm, bool admits_strangers, struct members *members) {
    int inter = 0;
    if (pmpi.Comm_test_inter(comm->handle, &inter) != MPI_SUCCESS ||
        pmpi.Comm_rank(comm->handle, &comm->rank) != MPI_SUCCESS ||
        !members_find(members, comm->handle, inter != 0, admits_strangers))
        return false;
    comm->inter = inter != 0;
    comm->has_strangers = members->foreign;
    comm->size = members->size;
    comm->peers = comm->inter ? members->remote_size : members->size;
    return true;
}

/* Adds the members to the hash. Both sides of an intercommunicator must get the same hash, so the group with the
 * smaller first rank comes first. */
static uint64_t mix_members(uint64_t hash, const struct members *m) {
    if (!m->remote)
        return hash_mix_ranks(hash, m->local, m->size);
    bool local_first = m->local[0] < m->remote[0];
    hash = hash_mix_ranks(hash, local_first ? m->local : m->remote, local_first ? m->size : m->remote_size);
    return hash_mix_ranks(hash, local_first ? m->remote : m->local, local_first ? m->remote_size : m->size);
}

static void free_comm(struct comm *comm) {
    if (!comm)
        return;
    if (comm->has_strangers)
        members_forget();
    epochs_free(comm->epochs);
    free(comm->world_ranks);
    free(comm);
}

static struct derivation origin_of(enum comm_origin origin, MPI_Comm parent, uint64_t salt) {
    const struct comm *known_parent = parent == MPI_COMM_NULL ? NULL : comm_find(parent);
    return (struct derivation){.origin = origin,
                               .parent_key = known_parent ? known_parent->key : 0,
                               .salt = salt,
                               .parent_is_foreign = known_parent && known_parent->foreign};
}

static uint64_t base_of(const struct derivation *derivation, const struct members *members) {
    if (derivation->meeting && members->foreign)
        return hash_mix_ranks(
            hash_mix(hash_mix(hash_mix(0, (uint64_t)derivation->origin), derivation->parent_key), derivation->salt),
            members->local, members->size);
    /* Both sides of an intercommunicator must get the same hash although they created it from different communicators.
     */
    uint64_t origin = derivation->meeting ? COMM_ORIGIN_INTERCOMM : derivation->origin;
    uint64_t parent_key = derivation->meeting ? 0 : derivation->parent_key;
    return mix_members(hash_mix(hash_mix(hash_mix(0, origin), parent_key), derivation->salt), members);
}

/* Adds a communicator, window or file. handle: the communicator; for a window or file, the communicator from which it
 * was made. bits: of the handle of the object itself. */
static struct comm *take_in(MPI_Comm handle, uint64_t bits, const struct derivation *derivation) {
    if (handle == MPI_COMM_NULL)
        return NULL;
    /* If a new handle is already known, its old communicator was freed without the collector's knowledge (from Fortran,
     * or inside the MPI library), and the handle was reused. */
    struct comm *stale = comm_find_bits(bits);
    if (stale && stale->handle != MPI_COMM_NULL && lost_listener)
        lost_listener(stale);
    if (stale)
        comm_settle(comm_withdraw(bits), true);
    int saved_errno = errno;
    struct comm *comm = calloc(1, sizeof *comm);
    struct members members = {0};
    uint32_t nth = derivation->promise.nth;
    bool known_parent = false;
    if (comm) {
        comm->bits = bits;
        comm->handle = handle;
        comm->checkpoint = UINT64_MAX;
        known_parent = describe(comm, derivation->meeting != NULL, &members);
        comm->foreign = members.foreign || (derivation->parent_is_foreign && !derivation->meeting);
    }
    if (known_parent && !derivation->name && new_listener)
        new_listener(comm);
    if (known_parent) {
        uint64_t base = base_of(derivation, &members);
        if (!comm->inter && !comm->foreign)
            comm->world_ranks = members.local;
        pthread_mutex_lock(&lock);
        if (!derivation->promise.key && (nth = next_count(base)) > 0)
            comm->key = hash_mix(base, nth);
        else
            comm->key = derivation->promise.key;
        known_parent = comm->key != 0 && comm_table_add(comm);
        if (known_parent && record_is_on())
            comm->id = ++last_id;
        pthread_mutex_unlock(&lock);
    }
    if (known_parent && comm->id)
        define(comm, derivation, nth, &members);
    if (comm && derivation->name)
        comm->handle = MPI_COMM_NULL;
    if (comm && comm->world_ranks)
        members.local = NULL;
    members_free(&members);
    if (!known_parent) {
        free_comm(comm);
        comm = NULL;
    }
    errno = saved_errno;
    return comm;
}

struct comm *comm_register(MPI_Comm handle, enum comm_origin origin, MPI_Comm parent, uint64_t salt) {
    struct derivation derivation = origin_of(origin, parent, salt);
    return take_in(handle, HANDLE_BITS(handle), &derivation);
}

struct comm *comm_register_meeting(MPI_Comm handle, enum comm_origin origin, MPI_Comm local, uint64_t salt,
                                   const struct meeting *meeting) {
    struct derivation derivation = origin_of(origin, local, salt);
    derivation.meeting = meeting;
    return take_in(handle, HANDLE_BITS(handle), &derivation);
}

static struct comm_promise promise(MPI_Comm parent, enum comm_origin origin) {
    struct comm *known_parent = comm_find(parent);
    if (!known_parent)
        return (struct comm_promise){0};
    pthread_mutex_lock(&lock);
    /* The members are the parent's, so the hash takes the parent's key instead of the members. The origin keeps the
     * base different from that of a duplicate by MPI_Comm_dup. */
    uint64_t base = hash_mix(hash_mix(1, origin), known_parent->key);
    uint32_t nth = next_count(base);
    pthread_mutex_unlock(&lock);
    return (struct comm_promise){nth ? hash_mix(base, nth) : 0, known_parent->key, nth, known_parent->foreign};
}

struct comm_promise comm_promise(MPI_Comm parent) {
    return promise(parent, COMM_ORIGIN_IDUP);
}

struct comm *comm_register_promised(MPI_Comm handle, const struct comm_promise *promise) {
    return promise->key ? take_in(handle, HANDLE_BITS(handle),
                                  &(struct derivation){.origin = COMM_ORIGIN_IDUP,
                                                       .parent_key = promise->parent_key,
                                                       .parent_is_foreign = promise->foreign,
                                                       .promise = *promise})
                        : NULL;
}

struct comm *comm_register_object(uint64_t bits, enum comm_origin origin, MPI_Comm parent, const char *name) {
    const struct comm *known_parent = comm_find(parent);
    if (!known_parent || known_parent->size == 1) /* there is nobody to wait for */
        return NULL;
    struct derivation derivation = {.origin = origin, .promise = promise(parent, origin), .name = name};
    derivation.parent_key = derivation.promise.parent_key;
    derivation.parent_is_foreign = derivation.promise.foreign;
    return derivation.promise.key ? take_in(parent, bits, &derivation) : NULL;
}

struct comm *comm_withdraw(uint64_t bits) {
    pthread_mutex_lock(&lock);
    struct comm *comm = comm_table_remove(bits);
    pthread_mutex_unlock(&lock);
    return comm;
}

void comm_settle(struct comm *comm, bool is_freed) {
    pthread_mutex_lock(&lock);
    bool is_kept = comm && !is_freed && comm_table_add(comm);
    pthread_mutex_unlock(&lock);
    if (!is_kept)
        free_comm(comm);
}

void comm_forget(MPI_Comm handle) {
    comm_settle(comm_withdraw(HANDLE_BITS(handle)), true);
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
    MPI_Group world;
    return pmpi.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS && comm_registry_start_from(world) &&
           register_world();
}

bool comm_registry_start_from(MPI_Group world) {
    int size;
    if (pmpi.Group_rank(world, &world_rank) != MPI_SUCCESS || pmpi.Group_size(world, &size) != MPI_SUCCESS)
        return false;
    members_start(world, size);
    return true;
}

void comm_registry_add_world(void) {
    register_world();
}

void comm_registry_add_parent(MPI_Comm parent, uint64_t init_ticks) {
    struct meeting meeting = {
        .leads = world_rank == 0, .begin_ticks = init_ticks, .end_ticks = clock_now(), .peer = MPI_COMM_NULL};
    comm_register_meeting(parent, COMM_ORIGIN_PARENT, MPI_COMM_WORLD, 0, &meeting);
}

static void define_late(struct comm *comm) {
    if (!comm->id) {
        comm->id = ++last_id;
        define(comm, &(struct derivation){0}, 1, &(struct members){.local = comm->world_ranks});
    }
}

void comm_registry_define_all(void) {
    /* Inside MPI_Init, no other thread creates communicators yet. */
    comm_table_each(define_late);
}

void comm_registry_tell_of_lost(void (*listener)(struct comm *comm)) {
    lost_listener = listener;
}

void comm_registry_tell_of_new(void (*listener)(struct comm *comm)) {
    new_listener = listener;
    if (listener)
        comm_table_each(listener);
}

void comm_registry_each(void (*visit)(struct comm *comm)) {
    comm_table_each(visit);
}

const struct comm *comm_registry_of_local(MPI_Comm local) {
    pthread_mutex_lock(&lock);
    const struct comm *comm = comm_table_of_local(local);
    pthread_mutex_unlock(&lock);
    return comm;
}

void comm_registry_stop(void) {
    pthread_mutex_lock(&lock);
    comm_table_each(free_comm);
    comm_table_clear();
    members_stop();
    free(counts);
    counts = NULL;
    counts_capacity = counts_used = 0;
    pthread_mutex_unlock(&lock);
}
