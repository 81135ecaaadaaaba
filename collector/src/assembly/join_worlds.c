/* Joins communicators whose members are in different worlds.
 *
 * Each process has its own numbers for the processes of other worlds (comm/members.h of the collector).
 * Intercommunicators show which ranks these numbers mean: meet_leaders.c pairs the two sides of each, so a process's
 * numbers for the other side can be translated to ranks. Communicators that derive from these intercommunicators are
 * then identified as within one world: by origin, parent, members, and a count of earlier communicators with the same
 * three. */
#include <stdlib.h>
#include <string.h>

#include "assembly/meet_leaders.h"
#include "hopscope/hash.h"

/* One side of an intercommunicator, merged from the definitions of all its members. */
struct side {
    uint64_t key;
    int *ranks, size; /* its members, as trace-wide ranks */
    uint32_t partner; /* index of the other side; NO_ID: not found yet */
};

struct joining {
    struct run *run;
    struct numbers {
        int *ranks; /* trace-wide ranks by (number - world_size); -1 unknown */
        int count;
        struct id_table keys; /* the process's own key of a communicator -> index of its definition */
    } *by_rank;               /* the index is the rank; empty for processes without foreign communicators */
    struct side *sides;
    size_t side_count;
    struct id_table side_ids;
    struct leaders leaders;
    bool ok;
};

/* Makes a key that is unique in its world unique across worlds. Leaves the keys of the first world unchanged. */
static uint64_t key_in_world(uint64_t key, uint32_t world) {
    return world && key ? hash_mix(key, world) : key;
}

/* The trace-wide rank of the process that has this number in `process`'s numbering; -1 if it is unknown. */
static int rank_of(const struct joining *j, const struct process *process, int number) {
    if (number < 0)
        return -1;
    const struct world *world = &j->run->worlds[process->world];
    if (number < process->world_size)
        return number < world->size ? world->first + number : -1;
    const struct numbers *numbers = &j->by_rank[process->rank];
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

static void set_common_key(struct comm_definition *definition, uint64_t key, uint64_t parent) {
    definition->common_key = key ? key : 1;
    definition->common_parent = parent;
    definition->joined = true;
}

/* Translates the members of a definition to trace-wide ranks; -1 for a number outside the world. */
static void settle_in_world(const struct run *run, const struct process *process, struct comm_definition *definition) {
    const struct world *world = &run->worlds[process->world];
    int *lists[] = {definition->members, definition->remote};
    int counts[] = {definition->member_count, definition->remote_count};
    for (int l = 0; l < 2; l++)
        for (int i = 0; lists[l] && i < counts[l]; i++)
            lists[l][i] = lists[l][i] >= 0 && lists[l][i] < world->size ? world->first + lists[l][i] : -1;
    set_common_key(definition, key_in_world(definition->key, process->world),
                   key_in_world(definition->parent_key, process->world));
}

static int largest(const int *numbers, int count) {
    int maximum = -1;
    for (int i = 0; i < count; i++)
        maximum = numbers[i] > maximum ? numbers[i] : maximum;
    return maximum;
}

/* Allocates a process's numbers and indexes its definitions by key. */
static bool prepare(struct joining *j, struct process *process) {
    struct numbers *numbers = &j->by_rank[process->rank];
    int maximum = -1;
    for (size_t i = 0; i < process->comm_count; i++) {
        const struct comm_definition *d = &process->comms[i];
        if (!d->foreign)
            continue;
        int largest_member = largest(d->members, d->member_count), largest_remote = largest(d->remote, d->remote_count);
        maximum = largest_member > maximum ? largest_member : maximum;
        maximum = largest_remote > maximum ? largest_remote : maximum;
    }
    enum { MOST_FOREIGN = 1 << 26 }; /* larger numbers occur only in damaged files */
    int64_t count = maximum - process->world_size + 1;
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

/* Sets *key to the parent's common key, or to 0 if no parent was recorded. False if the parent has no common key yet.
 */
static bool parent_of(const struct joining *j, const struct process *process, const struct comm_definition *definition,
                      uint64_t *key) {
    uint32_t parent = id_table_find(&j->by_rank[process->rank].keys, definition->parent_key);
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

/* Finds the ranks that this process's numbers for the members of the other side mean. Needs both sides; without them
 * returns false. */
static bool resolve_partner(struct joining *j, struct process *process, struct comm_definition *d) {
    if (d->side == NO_ID || j->sides[d->side].partner == NO_ID)
        return false;
    const struct side *side = &j->sides[d->side], *partner = &j->sides[side->partner];
    if (!d->remote || d->remote_count != partner->size)
        return false;
    struct numbers *numbers = &j->by_rank[process->rank];
    for (int i = 0; i < d->remote_count; i++) {
        int64_t foreign = d->remote[i] - process->world_size;
        if (foreign >= 0 && foreign < numbers->count)
            numbers->ranks[foreign] = partner->ranks[i];
        d->remote[i] = partner->ranks[i];
    }
    uint64_t low = side->key < partner->key ? side->key : partner->key,
             high = side->key < partner->key ? partner->key : side->key;
    set_common_key(d, hash_mix(low, high), 0);
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
    set_common_key(d, key, parent);
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
                changed = resolve_partner(j, process, d) || changed;
        }
    }
    return changed;
}

/* A key that only the two leaders of one MPI_Intercomm_create have in common. It combines both leaders, the peer
 * communicator, the tag, and the number of earlier calls with the same three. *is_known: false if the key cannot be
 * computed. (That is so on most leaders if the peer communicator lies in one world: only its rank 0 recorded the
 * members.)
 */
static uint64_t meeting_key(const struct leader *leader, bool *is_known) {
    const struct process *process = leader->process;
    const struct comm_definition *d = leader->definition;
    *is_known = false;
    if (d->peer < 1 || d->peer > process->comm_count || d->peer_rank < 0)
        return 0;
    const struct comm_definition *peer = &process->comms[d->peer - 1];
    const int *list = peer->inter ? peer->remote : peer->members;
    int count = peer->inter ? peer->remote_count : peer->member_count;
    if (!peer->joined || !list || d->peer_rank >= count)
        return 0;
    int partner_rank = list[d->peer_rank], own_rank = process->rank;
    *is_known = true;
    return hash_mix(hash_mix(hash_mix(hash_mix(peer->common_key, d->salt),
                                      (uint64_t)(own_rank < partner_rank ? own_rank : partner_rank)),
                             (uint64_t)(own_rank < partner_rank ? partner_rank : own_rank)),
                    (uint64_t)leader->nth_there);
}

static void number_meetings(struct joining *j) {
    for (size_t i = 0; i < j->leaders.count; i++) {
        struct leader *leader = &j->leaders.items[i];
        for (size_t k = 0; k < i; k++) {
            const struct leader *predecessor = &j->leaders.items[k];
            leader->nth_there += predecessor->process == leader->process &&
                                 leader->definition->meets == MEETS_INTERCOMM &&
                                 predecessor->definition->meets == MEETS_INTERCOMM &&
                                 predecessor->definition->peer == leader->definition->peer &&
                                 predecessor->definition->peer_rank == leader->definition->peer_rank &&
                                 predecessor->definition->salt == leader->definition->salt;
        }
    }
}

static bool join_sides(struct joining *j) {
    bool changed = false;
    for (size_t i = 0; i < j->leaders.count; i++) {
        struct leader *leader = &j->leaders.items[i];
        if (leader->definition->meets != MEETS_INTERCOMM || leader->partner != SIZE_MAX)
            continue;
        bool is_known, is_candidate_known;
        uint64_t key = meeting_key(leader, &is_known);
        for (size_t k = 0; is_known && k < i; k++) {
            struct leader *partner_side = &j->leaders.items[k];
            if (partner_side->definition->meets != MEETS_INTERCOMM || partner_side->partner != SIZE_MAX ||
                meeting_key(partner_side, &is_candidate_known) != key || !is_candidate_known ||
                partner_side->process == leader->process)
                continue;
            leader->partner = k;
            partner_side->partner = i;
            break;
        }
    }
    for (size_t i = 0; i < j->leaders.count; i++) {
        const struct leader *leader = &j->leaders.items[i];
        if (leader->partner == SIZE_MAX)
            continue;
        uint32_t side = leader->definition->side, partner_side = j->leaders.items[leader->partner].definition->side;
        if (side != NO_ID && partner_side != NO_ID && side != partner_side && j->sides[side].partner == NO_ID) {
            j->sides[side].partner = partner_side;
            changed = true;
        }
    }
    return changed;
}

/* Gives keys to communicators whose members are all in one world, but whose parent has members that were not found. If
 * there are several with the same origin and members, their order of creation, which is equal on all members, makes
 * their keys differ. */
static bool settle_local(struct joining *j, struct process *process) {
    struct id_table keys = {0};
    bool ok = true;
    for (size_t i = 0; i < process->comm_count && ok; i++) {
        struct comm_definition *d = &process->comms[i];
        if (!d->foreign || d->joined || d->meets || d->inter || !d->members ||
            largest(d->members, d->member_count) >= process->world_size ||
            !translate(j, process, d->members, d->member_count))
            continue;
        uint64_t key = hash_mix_ranks(hash_mix(d->origin, process->world), d->members, d->member_count);
        while (id_table_find(&keys, key) != NO_ID)
            key = hash_mix(key, 1);
        ok = id_table_add(&keys, key, 0);
        set_common_key(d, key, 0);
    }
    id_table_free(&keys);
    return ok;
}

static void free_all(struct joining *j) {
    for (int rank = 0; j->by_rank && rank < j->run->rank_count; rank++) {
        free(j->by_rank[rank].ranks);
        id_table_free(&j->by_rank[rank].keys);
    }
    free(j->by_rank);
    free(j->sides);
    id_table_free(&j->side_ids);
    leaders_free(&j->leaders);
}

bool join_worlds(struct run *run) {
    struct joining j = {.run = run, .ok = true};
    bool has_foreign = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->comm_count; i++) {
            has_foreign = has_foreign || process->comms[i].foreign;
            if (!process->comms[i].foreign)
                settle_in_world(run, process, &process->comms[i]);
        }
    }
    if (!has_foreign)
        return true;
    j.by_rank = calloc((size_t)run->rank_count, sizeof *j.by_rank);
    j.ok = j.by_rank && leaders_find(&j.leaders, run);
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
        j.ok = settle_local(&j, &run->processes[rank]);
    if (j.ok)
        leaders_report(&j.leaders, run);
    bool ok = j.ok;
    free_all(&j);
    return ok;
}
