/* Which definitions of different processes are the same communicator: those of one key. Numbers them alike whenever the
 * program makes them alike, and puts their members together. */
#include <stdlib.h>
#include <string.h>

#include "assembly/run.h"

/* One process's view of a communicator. */
struct view {
    struct comm_definition *definition;
    uint32_t id;
    int world_rank;
};

/* MPI_COMM_SELF has a key per rank and is one communicator definition in OTF2. */
static uint64_t merge_key(const struct comm_definition *definition) {
    return definition->self ? 0 : definition->key;
}

static int by_key(const void *a, const void *b) {
    const struct view *x = a, *y = b;
    uint64_t key_x = merge_key(x->definition), key_y = merge_key(y->definition);
    if (key_x != key_y)
        return key_x < key_y ? -1 : 1;
    return (x->world_rank > y->world_rank) - (x->world_rank < y->world_rank);
}

static bool is_world(const struct comm *comm) {
    return comm->name && strcmp(comm->name, "MPI_COMM_WORLD") == 0;
}

/* MPI_COMM_WORLD, then in the order of making: a parent's definition precedes its children's in every process. */
static int in_order_of_making(const void *a, const void *b) {
    const struct comm *x = a, *y = b;
    if (is_world(x) != is_world(y))
        return is_world(x) ? -1 : 1;
    if (x->first_id != y->first_id)
        return x->first_id < y->first_id ? -1 : 1;
    if (x->members && y->members && x->size && y->size && x->members[0] != y->members[0])
        return x->members[0] < y->members[0] ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static bool ranks_exist(const struct run *run, const int *ranks, int count) {
    for (int i = 0; i < count; i++)
        if (ranks[i] < 0 || ranks[i] >= run->world_size)
            return false;
    return true;
}

/* A rank of which nothing is known, and that is no member yet; -1 if there is none. */
static int unknown_rank(const struct run *run, const int *members, int size) {
    for (int rank = 0; rank < run->world_size; rank++) {
        bool taken = run->processes[rank].present;
        for (int i = 0; i < size && !taken; i++)
            taken = members[i] == rank;
        if (!taken)
            return rank;
    }
    return -1;
}

/* From a member that wrote them all; else each from its own report, the silent ones from the ranks that are missing. */
static bool find_members(struct run *run, struct comm *comm, const struct view *views, size_t count) {
    int size = views[0].definition->size;
    if (size < 1 || size > run->world_size)
        size = 1;
    comm->members = malloc((size_t)size * sizeof *comm->members);
    if (!comm->members)
        return false;
    comm->size = size;
    for (size_t i = 0; i < count; i++) {
        const struct comm_definition *definition = views[i].definition;
        if (definition->members && definition->member_count == size && ranks_exist(run, definition->members, size)) {
            memcpy(comm->members, definition->members, (size_t)size * sizeof *comm->members);
            return true;
        }
    }
    for (int i = 0; i < size; i++)
        comm->members[i] = -1;
    for (size_t i = 0; i < count; i++)
        if (views[i].definition->rank >= 0 && views[i].definition->rank < size)
            comm->members[views[i].definition->rank] = views[i].world_rank;
    int guessed = 0;
    for (int i = 0; i < size; i++) {
        if (comm->members[i] >= 0)
            continue;
        comm->members[i] = size == run->world_size ? i : unknown_rank(run, comm->members, size);
        guessed += size != run->world_size;
        if (comm->members[i] < 0) {
            comm->size = i;
            break;
        }
    }
    if (guessed)
        sentences_add(&run->missing, "%d member(s) of communicator %s (taken to be of the missing ranks, in order)",
                      guessed, comm->name ? comm->name : "without a name");
    return true;
}

static bool contains(const int *ranks, int count, int rank) {
    for (int i = 0; i < count; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

/* Both groups, the one with the smaller first rank first. */
static bool find_groups(const struct run *run, struct comm *comm, const struct view *views, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct comm_definition *d = views[i].definition;
        if (!d->members || !d->remote || !ranks_exist(run, d->members, d->member_count) ||
            !ranks_exist(run, d->remote, d->remote_count))
            continue;
        bool swap = d->remote[0] < d->members[0];
        const int *first = swap ? d->remote : d->members, *second = swap ? d->members : d->remote;
        comm->first_group = swap ? d->remote_count : d->member_count;
        comm->size = d->member_count + d->remote_count;
        comm->members = malloc((size_t)comm->size * sizeof *comm->members);
        if (!comm->members)
            return false;
        memcpy(comm->members, first, (size_t)comm->first_group * sizeof *first);
        memcpy(comm->members + comm->first_group, second, (size_t)(comm->size - comm->first_group) * sizeof *second);
        return true;
    }
    /* Unknown: all who reported it, as one group; messages on it cannot be told apart and are left out. */
    comm->members = malloc(count * sizeof *comm->members);
    if (!comm->members)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!contains(comm->members, comm->size, views[i].world_rank))
            comm->members[comm->size++] = views[i].world_rank;
    return true;
}

static bool make_comm(struct run *run, struct comm *comm, const struct view *views, size_t count) {
    const struct comm_definition *first = views[0].definition;
    *comm = (struct comm){.key = merge_key(first),
                          .parent_key = first->parent_key,
                          .inter = first->inter,
                          .self = first->self,
                          .first_id = NO_ID,
                          .parent = NO_ID};
    for (size_t i = 0; i < count; i++) {
        if (!comm->name && views[i].definition->name && *views[i].definition->name)
            comm->name = views[i].definition->name;
        if (views[i].id < comm->first_id)
            comm->first_id = views[i].id;
    }
    if (comm->self)
        return true;
    return comm->inter ? find_groups(run, comm, views, count) : find_members(run, comm, views, count);
}

static struct view *collect(const struct run *run, size_t *count) {
    size_t total = 0;
    for (int rank = 0; rank < run->world_size; rank++)
        total += run->processes[rank].comm_count;
    struct view *views = malloc((total ? total : 1) * sizeof *views);
    *count = 0;
    for (int rank = 0; views && rank < run->world_size; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->comm_count; i++)
            if (process->comms[i].key || process->comms[i].self)
                views[(*count)++] = (struct view){&process->comms[i], (uint32_t)i + 1, rank};
    }
    return views;
}

static bool link_all(struct run *run, struct view *views, size_t count) {
    struct id_table ids = {0};
    bool ok = true;
    for (size_t i = 0; i < run->comm_count && ok; i++)
        ok = id_table_add(&ids, run->comms[i].key, (uint32_t)i);
    for (size_t i = 0; i < count; i++)
        views[i].definition->merged = id_table_find(&ids, merge_key(views[i].definition));
    for (size_t i = 0; i < run->comm_count; i++)
        if (run->comms[i].parent_key)
            run->comms[i].parent = id_table_find(&ids, run->comms[i].parent_key);
    id_table_free(&ids);
    return ok;
}

bool merge_comms(struct run *run) {
    size_t count;
    struct view *views = collect(run, &count);
    if (!views)
        return false;
    qsort(views, count, sizeof *views, by_key);
    bool ok = (run->comms = malloc((count ? count : 1) * sizeof *run->comms)) != NULL;
    for (size_t begin = 0, end; ok && begin < count; begin = end) {
        for (end = begin + 1; end < count && merge_key(views[end].definition) == merge_key(views[begin].definition);)
            end++;
        ok = make_comm(run, &run->comms[run->comm_count], views + begin, end - begin);
        if (ok)
            run->comm_count++;
    }
    if (ok)
        qsort(run->comms, run->comm_count, sizeof *run->comms, in_order_of_making);
    ok = ok && link_all(run, views, count);
    free(views);
    return ok;
}
