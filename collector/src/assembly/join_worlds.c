/* Joins what the processes of different worlds recorded about one another.
 *
 * Each process numbers the processes of other worlds by itself (comm/members.h of the collector). Its
 * intercommunicators tell who they are: meet_leaders.c pairs the two sides of each, and from then on each process's
 * numbers for the other side translate to ranks. Communicators made from those are then identified by their members, as
 * in a single world: origin, parent, members, and how many equal ones there were before, which all members count alike.
 */
#include <stdlib.h>
#include <string.h>

#include "assembly/meet_leaders.h"
#include "hopscope/hash.h"

/* One side of an intercommunicator: merges the definitions of all its members. */
struct side {
    uint64_t key;
    int *ranks, size; /* of its members */
    uint32_t partner; /* index; NO_ID: not known yet */
};

struct joining {
    struct run *run;
    struct numbers {
        int *ranks; /* trace-wide ranks by (number - world_size); -1 unknown */
        int count;
        struct id_table keys; /* a process's own key -> index of its definition */
    } *of;                    /* by rank; empty for processes without foreign communicators */
    struct side *sides;
    size_t side_count;
    struct id_table side_ids;
    struct leaders leaders;
    bool ok;
};

/* Makes keys that are unique in one world unique across worlds; those of the first world stay. */
static uint64_t key_in_world(uint64_t key, uint32_t world) {
    return world && key ? hash_mix(key, world) : key;
}

/* -1 if unknown or no process. */
static int rank_of(const struct joining *j, const struct process *process, int number) {
    if (number < 0)
        return -1;
    const struct world *world = &j->run->worlds[process->world];
    if (number < process->world_size)
        return number < world->size ? world->first + number : -1;
    const struct numbers *numbers = &j->of[process->rank];
    int64_t foreign = number - process->world_size;
    return foreign >= 0 && foreign < numbers->count ? numbers->ranks[foreign] : -1;
}

static bool translate(const struct joining *j, const struct process *process, int *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (rank_of(j, process, numbers[i]) < 0)
            return false;
    for (int i = 0; i < count; i++)
        numbers[i] = rank_of(j, process, numbers[i]);
    return true;
}

static void settle(struct comm_definition *definition, uint64_t key, uint64_t parent) {
    definition->common_key = key ? key : 1;
    definition->common_parent = parent;
    definition->joined = true;
}

/* Members become trace-wide ranks; -1 for a number outside the world. */
static void settle_in_world(const struct run *run, const struct process *process, struct comm_definition *definition) {
    const struct world *world = &run->worlds[process->world];
    int *lists[] = {definition->members, definition->remote};
    int counts[] = {definition->member_count, definition->remote_count};
    for (int l = 0; l < 2; l++)
        for (int i = 0; lists[l] && i < counts[l]; i++)
            lists[l][i] = lists[l][i] >= 0 && lists[l][i] < world->size ? world->first + lists[l][i] : -1;
    settle(definition, key_in_world(definition->key, process->world),
           key_in_world(definition->parent_key, process->world));
}

static int largest(const int *numbers, int count) {
    int most = -1;
    for (int i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    return most;
}

/* Makes room for a process's numbers and indexes its definitions by key. */
static bool prepare(struct joining *j, struct process *process) {
    struct numbers *numbers = &j->of[process->rank];
    int most = -1;
    for (size_t i = 0; i < process->comm_count; i++) {
        const struct comm_definition *d = &process->comms[i];
        if (!d->foreign)
            continue;
        int here = largest(d->members, d->member_count), there = largest(d->remote, d->remote_count);
        most = here > most ? here : most;
        most = there > most ? there : most;
    }
    enum { MOST_FOREIGN = 1 << 26 }; /* a larger number comes from a damaged file */
    int64_t count = most - process->world_size + 1;
    if (count <= 0 || count > MOST_FOREIGN || process->world_size < 0)
        return true;
    numbers->ranks = malloc((size_t)count * sizeof *numbers->ranks);
    if (!numbers->ranks)
        return false;
    memset(numbers->ranks, 0xFF, (size_t)count * sizeof *numbers->ranks);
    numbers->count = (int)count;
    for (size_t i = 0; i < process->comm_count; i++)
        if (process->comms[i].key && !id_table_add(&numbers->keys, process->comms[i].key, (uint32_t)i))
            return false;
    return true;
}

/* The parent's key, 0 if no parent was recorded. False if it is not known yet. */
static bool parent_of(const struct joining *j, const struct process *process, const struct comm_definition *definition,
                      uint64_t *key) {
    uint32_t parent = id_table_find(&j->of[process->rank].keys, definition->parent_key);
    *key = parent == NO_ID ? 0 : process->comms[parent].common_key;
    return parent == NO_ID || process->comms[parent].joined;
}

static bool find_side(struct joining *j, const struct process *process, struct comm_definition *d) {
    uint64_t parent;
    if (!d->members || !parent_of(j, process, d, &parent) || !translate(j, process, d->members, d->member_count))
        return false;
    uint64_t key =
        hash_mix_ranks(hash_mix(hash_mix(hash_mix(d->origin, parent), d->salt), d->nth), d->members, d->member_count);
    uint32_t id = id_table_find(&j->side_ids, key);
    if (id == NO_ID) {
        struct side *sides = realloc(j->sides, (j->side_count + 1) * sizeof *sides);
        j->ok = sides && id_table_add(&j->side_ids, key, (uint32_t)j->side_count);
        if (sides)
            j->sides = sides;
        if (!j->ok)
            return false;
        id = (uint32_t)j->side_count++;
        sides[id] = (struct side){key, d->members, d->member_count, NO_ID};
    }
    d->side = id;
    return true;
}

/* Once both sides are known, the other side's members resolve this process's numbers for it. */
static bool meet(struct joining *j, struct process *process, struct comm_definition *d) {
    if (d->side == NO_ID || j->sides[d->side].partner == NO_ID)
        return false;
    const struct side *own = &j->sides[d->side], *other = &j->sides[own->partner];
    if (!d->remote || d->remote_count != other->size)
        return false;
    struct numbers *numbers = &j->of[process->rank];
    for (int i = 0; i < d->remote_count; i++) {
        int64_t foreign = d->remote[i] - process->world_size;
        if (foreign >= 0 && foreign < numbers->count)
            numbers->ranks[foreign] = other->ranks[i];
        d->remote[i] = other->ranks[i];
    }
    uint64_t low = own->key < other->key ? own->key : other->key, high = own->key < other->key ? other->key : own->key;
    settle(d, hash_mix(low, high), 0);
    return true;
}

static bool derive(struct joining *j, struct process *process, struct comm_definition *d) {
    uint64_t parent;
    if (!d->members || (d->inter && !d->remote) || !parent_of(j, process, d, &parent))
        return false;
    for (int i = 0; i < d->remote_count; i++)
        if (rank_of(j, process, d->remote[i]) < 0)
            return false;
    if (!translate(j, process, d->members, d->member_count))
        return false;
    translate(j, process, d->remote, d->remote_count);
    uint64_t key = hash_mix(hash_mix(hash_mix(d->origin, parent), d->salt), d->nth);
    bool swap = d->inter && d->remote[0] < d->members[0];
    key = hash_mix_ranks(key, swap ? d->remote : d->members, swap ? d->remote_count : d->member_count);
    if (d->inter)
        key = hash_mix_ranks(key, swap ? d->members : d->remote, swap ? d->member_count : d->remote_count);
    settle(d, key, parent);
    return true;
}

static bool resolve_all(struct joining *j) {
    bool changed = false;
    for (int rank = 0; rank < j->run->rank_count && j->ok; rank++) {
        struct process *process = &j->run->processes[rank];
        for (size_t i = 0; i < process->comm_count && j->ok; i++) {
            struct comm_definition *d = &process->comms[i];
            if (!d->foreign || d->joined)
                continue;
            if (!d->meets)
                changed = derive(j, process, d) || changed;
            else if (d->side == NO_ID)
                changed = find_side(j, process, d) || changed;
            else
                changed = meet(j, process, d) || changed;
        }
    }
    return changed;
}

/* A leader of MPI_Intercomm_create identifies its partner exactly: both leaders, the peer communicator, the tag, and
 * how many such calls came before. (If the peer communicator lies within one world, only its rank 0 recorded the
 * members.) */
static uint64_t meeting_key(const struct leader *leader, bool *known) {
    const struct process *process = leader->process;
    const struct comm_definition *d = leader->definition;
    *known = false;
    if (d->peer < 1 || d->peer > process->comm_count || d->peer_rank < 0)
        return 0;
    const struct comm_definition *peer = &process->comms[d->peer - 1];
    const int *list = peer->inter ? peer->remote : peer->members;
    int count = peer->inter ? peer->remote_count : peer->member_count;
    if (!peer->joined || !list || d->peer_rank >= count)
        return 0;
    int other = list[d->peer_rank], own = process->rank;
    *known = true;
    return hash_mix(hash_mix(hash_mix(hash_mix(peer->common_key, d->salt), (uint64_t)(own < other ? own : other)),
                             (uint64_t)(own < other ? other : own)),
                    (uint64_t)leader->nth_there);
}

static void number_meetings(struct joining *j) {
    for (size_t i = 0; i < j->leaders.count; i++) {
        struct leader *leader = &j->leaders.items[i];
        for (size_t k = 0; k < i; k++) {
            const struct leader *before = &j->leaders.items[k];
            leader->nth_there += before->process == leader->process && leader->definition->meets == MEETS_INTERCOMM &&
                                 before->definition->meets == MEETS_INTERCOMM &&
                                 before->definition->peer == leader->definition->peer &&
                                 before->definition->peer_rank == leader->definition->peer_rank &&
                                 before->definition->salt == leader->definition->salt;
        }
    }
}

static bool join_sides(struct joining *j) {
    bool changed = false;
    for (size_t i = 0; i < j->leaders.count; i++) {
        struct leader *leader = &j->leaders.items[i];
        if (leader->definition->meets != MEETS_INTERCOMM || leader->partner != SIZE_MAX)
            continue;
        bool known, known_too;
        uint64_t key = meeting_key(leader, &known);
        for (size_t k = 0; known && k < i; k++) {
            struct leader *other = &j->leaders.items[k];
            if (other->definition->meets != MEETS_INTERCOMM || other->partner != SIZE_MAX ||
                meeting_key(other, &known_too) != key || !known_too || other->process == leader->process)
                continue;
            leader->partner = k;
            other->partner = i;
            break;
        }
    }
    for (size_t i = 0; i < j->leaders.count; i++) {
        const struct leader *leader = &j->leaders.items[i];
        if (leader->partner == SIZE_MAX)
            continue;
        uint32_t own = leader->definition->side, other = j->leaders.items[leader->partner].definition->side;
        if (own != NO_ID && other != NO_ID && own != other && j->sides[own].partner == NO_ID) {
            j->sides[own].partner = other;
            changed = true;
        }
    }
    return changed;
}

/* Settles communicators within one world whose parent has members that were not found. Processes that made several with
 * the same members made them in the same order. */
static bool settle_the_own(struct joining *j, struct process *process) {
    struct id_table made = {0};
    bool ok = true;
    for (size_t i = 0; i < process->comm_count && ok; i++) {
        struct comm_definition *d = &process->comms[i];
        if (!d->foreign || d->joined || d->meets || d->inter || !d->members ||
            largest(d->members, d->member_count) >= process->world_size ||
            !translate(j, process, d->members, d->member_count))
            continue;
        uint64_t key = hash_mix_ranks(hash_mix(d->origin, process->world), d->members, d->member_count);
        while (id_table_find(&made, key) != NO_ID)
            key = hash_mix(key, 1);
        ok = id_table_add(&made, key, 0);
        settle(d, key, 0);
    }
    id_table_free(&made);
    return ok;
}

static void free_all(struct joining *j) {
    for (int rank = 0; j->of && rank < j->run->rank_count; rank++) {
        free(j->of[rank].ranks);
        id_table_free(&j->of[rank].keys);
    }
    free(j->of);
    free(j->sides);
    id_table_free(&j->side_ids);
    leaders_free(&j->leaders);
}

bool join_worlds(struct run *run) {
    struct joining j = {.run = run, .ok = true};
    bool any = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->comm_count; i++) {
            any = any || process->comms[i].foreign;
            if (!process->comms[i].foreign)
                settle_in_world(run, process, &process->comms[i]);
        }
    }
    if (!any)
        return true;
    j.of = calloc((size_t)run->rank_count, sizeof *j.of);
    j.ok = j.of && leaders_find(&j.leaders, run);
    for (int rank = 0; rank < run->rank_count && j.ok; rank++)
        j.ok = prepare(&j, &run->processes[rank]);
    if (j.ok) {
        number_meetings(&j);
        j.ok = leaders_meet(&j.leaders, run);
    }
    for (bool changed = j.ok; changed && j.ok;) {
        changed = resolve_all(&j);
        changed = join_sides(&j) || changed;
    }
    for (int rank = 0; rank < run->rank_count && j.ok; rank++)
        j.ok = settle_the_own(&j, &run->processes[rank]);
    if (j.ok)
        leaders_say(&j.leaders, run);
    bool ok = j.ok;
    free_all(&j);
    return ok;
}
