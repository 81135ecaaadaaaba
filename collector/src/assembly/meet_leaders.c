#include <stdlib.h>
#include <string.h>

#include "assembly/machine_clock.h"
#include "assembly/meet_leaders.h"

static struct leader leader_of(const struct run *run, const struct process *process,
                               const struct comm_definition *definition) {
    struct leader leader = {.process = process, .definition = definition, .partner = SIZE_MAX};
    const struct machine *machine = process->machine == NO_ID ? NULL : &run->machines[process->machine];
    if (!machine)
        return leader;
    leader.tied = machine->is_reference || machine->measurement_count > 0;
    leader.begin_ns = (int64_t)machine_clock_corrected(machine, machine_clock_ns(machine, definition->begin_ticks));
    leader.end_ns = (int64_t)machine_clock_corrected(machine, machine_clock_ns(machine, definition->end_ticks));
    for (size_t i = 0; i < machine->measurement_count; i++)
        if (machine->measurements[i].bound_ns > leader.slack_ns)
            leader.slack_ns = machine->measurements[i].bound_ns;
    return leader;
}

bool leaders_find(struct leaders *leaders, const struct run *run) {
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(leaders->items = malloc((count ? count : 1) * sizeof *leaders->items)))
            return false;
        for (int rank = 0; rank < run->rank_count; rank++) {
            const struct process *process = &run->processes[rank];
            for (size_t i = 0; i < process->comm_count; i++) {
                const struct comm_definition *definition = &process->comms[i];
                if (!definition->foreign || !definition->meets || !definition->leads)
                    continue;
                if (pass)
                    leaders->items[leaders->count++] = leader_of(run, process, definition);
                else
                    count++;
            }
        }
    }
    return true;
}

/* The kind of meeting that the other side must have recorded. MEETS_NOT for MPI_Intercomm_create, whose partners
 * join_worlds.c finds. */
static enum meeting opposite(enum meeting meets) {
    switch (meets) {
    case MEETS_SPAWN:
        return MEETS_PARENT;
    case MEETS_PARENT:
        return MEETS_SPAWN;
    case MEETS_ACCEPT:
        return MEETS_CONNECT;
    case MEETS_CONNECT:
        return MEETS_ACCEPT;
    case MEETS_JOIN:
        return MEETS_JOIN;
    default:
        return MEETS_NOT;
    }
}

/* True if b may be a's partner. Call it only if a's partner must be among the leaders unless its world was not
 * recorded: with a in a spawned world and b among the parents, with a client as a and a port's owner as b, or for the
 * two ends of a socket. */
static bool may_meet(const struct run *run, const struct leader *a, const struct leader *b) {
    const struct comm_definition *x = a->definition, *y = b->definition;
    if (a == b || b->partner != SIZE_MAX || opposite(x->meets) != y->meets || x->member_count != y->remote_count ||
        x->remote_count != y->member_count || a->process == b->process)
        return false;
    bool spawned = x->meets == MEETS_PARENT;
    if (spawned && run->worlds[a->process->world].family != run->worlds[b->process->world].family)
        return false;
    if (spawned && a->process->parent_rank >= 0 && a->process->parent_rank != b->process->world_rank)
        return false;
    if (!spawned && (x->place_hash != y->place_hash || !x->place_hash))
        return false;
    bool one_clock = a->process->machine == b->process->machine;
    if (!one_clock && (!a->tied || !b->tied))
        return !spawned;
    int64_t slack = one_clock ? 0 : a->slack_ns + b->slack_ns;
    int64_t last = spawned ? a->begin_ns : a->end_ns;
    return a->begin_ns <= b->end_ns + slack && b->begin_ns <= last + slack;
}

static bool seeks(const struct leader *leader) {
    enum meeting meets = leader->definition->meets;
    return leader->partner == SIZE_MAX && (meets == MEETS_PARENT || meets == MEETS_CONNECT || meets == MEETS_JOIN);
}

/* The only leader that may be this leader's partner. SIZE_MAX if there are none or several. */
static size_t only_candidate(const struct leaders *leaders, const struct run *run, size_t leader_index) {
    size_t candidate = SIZE_MAX;
    for (size_t i = 0; seeks(&leaders->items[leader_index]) && i < leaders->count; i++) {
        if (!may_meet(run, &leaders->items[leader_index], &leaders->items[i]))
            continue;
        if (candidate != SIZE_MAX)
            return SIZE_MAX;
        candidate = i;
    }
    return candidate;
}

/* Makes partners of two leaders if the second is the first's only candidate and no other leader's. only: each leader's
 * only candidate. suitors: for each leader, the number of leaders whose only candidate it is. */
static bool pair_up(struct leaders *leaders, const size_t *only, const uint32_t *suitors) {
    bool changed = false;
    for (size_t i = 0; i < leaders->count; i++) {
        size_t partner = only[i];
        if (partner == SIZE_MAX || suitors[partner] > 1 || leaders->items[i].partner != SIZE_MAX)
            continue;
        if (leaders->items[i].definition->meets == MEETS_JOIN && only[partner] != i)
            continue;
        leaders->items[i].partner = partner;
        leaders->items[partner].partner = i;
        changed = true;
    }
    return changed;
}

bool leaders_meet(struct leaders *leaders, const struct run *run) {
    size_t *only = malloc((leaders->count + 1) * sizeof *only);
    uint32_t *suitors = malloc((leaders->count + 1) * sizeof *suitors);
    bool ok = only && suitors;
    /* Every new pair leaves fewer candidates for the other leaders, so repeat until nothing changes. */
    for (bool changed = ok; changed; changed = pair_up(leaders, only, suitors)) {
        memset(suitors, 0, leaders->count * sizeof *suitors);
        for (size_t i = 0; i < leaders->count; i++) {
            only[i] = only_candidate(leaders, run, i);
            if (only[i] != SIZE_MAX)
                suitors[only[i]]++;
        }
    }
    free(only);
    free(suitors);
    return ok;
}

void leaders_report(const struct leaders *leaders, struct run *run) {
    size_t unpaired[MEETS_INTERCOMM + 1] = {0};
    for (size_t i = 0; i < leaders->count; i++)
        unpaired[leaders->items[i].definition->meets] += leaders->items[i].partner == SIZE_MAX;
    run->spawns_without_world = unpaired[MEETS_SPAWN];
    if (unpaired[MEETS_SPAWN])
        sentences_add(&run->missing,
                      "the processes that %zu call(s) of MPI_Comm_spawn started (they were not recorded, or "
                      "simultaneous spawns cannot be told apart)",
                      unpaired[MEETS_SPAWN]);
    if (unpaired[MEETS_PARENT])
        sentences_add(&run->missing,
                      "the parents of %zu world(s) started by MPI_Comm_spawn (their recordings are not here, or "
                      "simultaneous spawns cannot be told apart)",
                      unpaired[MEETS_PARENT]);
    size_t connection_count =
        unpaired[MEETS_ACCEPT] + unpaired[MEETS_CONNECT] + unpaired[MEETS_JOIN] + unpaired[MEETS_INTERCOMM];
    if (connection_count)
        sentences_add(&run->missing,
                      "the other side of %zu connection(s) between worlds (its recordings are not here; `hopscope "
                      "recover DIR OTHER` joins those of another run)",
                      connection_count);
}

void leaders_free(struct leaders *leaders) {
    free(leaders->items);
    *leaders = (struct leaders){0};
}
