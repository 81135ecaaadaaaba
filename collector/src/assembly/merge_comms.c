/* Merges the definitions of different processes that have the same key, because they mean the same communicator. If a
 * program creates its communicators in the same way in two runs, they get the same numbers in both. */
#include <stdlib.h>
#include <string.h>

#include "assembly/run.h"

/* One process's view of a communicator. */
struct view {
    struct comm_definition *definition;
    uint32_t id;
    int rank;
};

/* The key for merging. MPI_COMM_SELF has a different key on each rank, but OTF2 has a single definition for it. */
static uint64_t merge_key(const struct comm_definition *definition) {
    return definition->self ? 0 : definition->common_key;
}

static int by_key(const void *a, const void *b) {
    const struct view *x = a, *y = b;
    uint64_t key_x = merge_key(x->definition), key_y = merge_key(y->definition);
    if (key_x != key_y)
        return key_x < key_y ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Orders communicators: MPI_COMM_WORLD first, then by creation, so that parents precede their children. If several
 * threads create communicators, the order of creation is random, and compare_by_descent is used instead. */
static int compare_by_creation(const void *a, const void *b) {
    const struct comm *x = a, *y = b;
    if (x->world != y->world)
        return x->world ? -1 : 1;
    if (x->first_id != y->first_id)
        return x->first_id < y->first_id ? -1 : 1;
    if (x->members && y->members && x->size && y->size && x->members[0] != y->members[0])
        return x->members[0] < y->members[0] ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Orders communicators: MPI_COMM_WORLD first, then by generation and key. Both depend only on the program's calls, not
 * on their timing. */
static int compare_by_descent(const void *a, const void *b) {
    const struct comm *x = a, *y = b;
    if (x->world || y->world)
        return compare_by_creation(a, b);
    if (x->generation == y->generation)
        return (x->key > y->key) - (x->key < y->key);
    return x->generation < y->generation ? -1 : 1;
}

static void find_generations(struct run *run) {
    /* Parents come before their children in run->comms, except if spools are damaged. */
    for (size_t i = 0; i < run->comm_count; i++) {
        struct comm *comm = &run->comms[i];
        comm->generation = comm->parent == NO_ID || comm->parent >= i ? 1 : run->comms[comm->parent].generation + 1;
    }
}

static bool threads_make(const struct run *run) {
    for (int rank = 0; rank < run->rank_count; rank++)
        if (run->processes[rank].thread_multiple)
            return true;
    return false;
}

static bool ranks_exist(const struct run *run, const int *ranks, int count) {
    for (int i = 0; i < count; i++)
        if (ranks[i] < 0 || ranks[i] >= run->rank_count)
            return false;
    return true;
}

/* A rank of the world whose spools were not found and which is not in `members` yet. -1 if there is none. */
static int unknown_rank(const struct run *run, const struct world *world, const int *members, int size) {
    for (int rank = world->first; rank < world->first + world->size; rank++) {
        bool is_taken = run->processes[rank].present;
        for (int i = 0; i < size && !is_taken; i++)
            is_taken = members[i] == rank;
        if (!is_taken)
            return rank;
    }
    return -1;
}

/* Takes the members from a view that lists all of them. If no view does, each view gives only its own rank. The gaps
 * are then filled with the ranks whose spools were not found. */
static bool find_members(struct run *run, struct comm *comm, const struct view *views, size_t count) {
    /* All members are in the first view's world, or join_worlds has translated them. */
    const struct world *world = &run->worlds[run->processes[views[0].rank].world];
    int size = views[0].definition->size;
    if (size < 1 || size > run->rank_count)
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
            comm->members[views[i].definition->rank] = views[i].rank;
    int guess_count = 0;
    for (int i = 0; i < size; i++) {
        if (comm->members[i] >= 0)
            continue;
        comm->members[i] = size == world->size ? world->first + i : unknown_rank(run, world, comm->members, size);
        guess_count += size != world->size;
        if (comm->members[i] < 0) {
            comm->size = i;
            break;
        }
    }
    if (guess_count)
        sentences_add(&run->missing, "%d member(s) of %s%s (assumed to be the missing ranks, in order)", guess_count,
                      comm->name ? "communicator " : "", comm->name ? comm->name : "an unnamed communicator");
    return true;
}

static bool contains(const int *ranks, int count, int rank) {
    for (int i = 0; i < count; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

/* Finds both groups. The group with the smaller first rank comes first. */
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
    /* The groups are unknown, so all processes that reported the communicator form one group. Messages on it are
     * omitted, because their peers cannot be identified. */
    comm->members = malloc(count * sizeof *comm->members);
    if (!comm->members)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!contains(comm->members, comm->size, views[i].rank))
            comm->members[comm->size++] = views[i].rank;
    return true;
}

static bool make_comm(struct run *run, struct comm *comm, const struct view *views, size_t count) {
    const struct comm_definition *first = views[0].definition;
    *comm = (struct comm){.key = merge_key(first),
                          .parent_key = first->common_parent,
                          .inter = first->inter,
                          .self = first->self,
                          .world = first->world,
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
    uint32_t world = run->processes[views[0].rank].world;
    if (comm->world && world > 0 && strcmp(comm->name, "MPI_COMM_WORLD") == 0) {
        struct text name = {0};
        text_add(&name, "MPI_COMM_WORLD of world %u", world);
        comm->own_name = name.bytes;
        comm->name = name.bytes ? name.bytes : comm->name;
    }
    return comm->inter ? find_groups(run, comm, views, count) : find_members(run, comm, views, count);
}

static struct view *collect(const struct run *run, size_t *count) {
    size_t total = 0;
    for (int rank = 0; rank < run->rank_count; rank++)
        total += run->processes[rank].comm_count;
    struct view *views = malloc((total ? total : 1) * sizeof *views);
    *count = 0;
    for (int rank = 0; views && rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->comm_count; i++)
            if (process->comms[i].joined && (process->comms[i].key || process->comms[i].self))
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
        qsort(run->comms, run->comm_count, sizeof *run->comms, compare_by_creation);
    ok = ok && link_all(run, views, count);
    if (ok && threads_make(run)) {
        find_generations(run);
        qsort(run->comms, run->comm_count, sizeof *run->comms, compare_by_descent);
        ok = link_all(run, views, count);
    }
    free(views);
    return ok;
}
