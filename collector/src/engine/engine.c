/* Decides whether the engine runs a collective, from values that MPI makes equal on every member, and runs it. */
#include "engine/engine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/arguments.h"
#include "engine/collectives.h"
#include "engine/engine_comm.h"
#include "engine/inquiry.h"
#include "engine/links.h"
#include "engine/neighbors.h"
#include "engine/operators.h"
#include "engine/prepared.h"
#include "engine/shared_file.h"
#include "engine/sink.h"
#include "hopscope/functions.h"
#include "plan/leaders.h"
#include "plan/tree_file.h"
#include "record/record.h"
#include "topology/topology.h"

enum reason {
    REASON_INTERCOMMUNICATOR,
    REASON_NO_DATA,
    REASON_TOO_LONG,
    REASON_ORDER,
    REASON_NO_COMMUNICATOR,
    REASON_TURN,
    REASON_FAULTS,
    REASONS
};

static const char *const reason_texts[REASONS] = {"intercommunicator",
                                                  "message of no bytes",
                                                  "message of 2 GiB or more",
                                                  "operation does not commute",
                                                  "no communicator left for the engine",
                                                  "turn of the MPI library",
                                                  "job with fault tolerance"};

enum { MOST_ALGORITHMS = 64 }; /* the table of algorithms must not have more rows */

/* The engine's state. Only engine_start and engine_stop write it; but any thread may define the ids. */
static struct {
    struct tree_plan *plan;
    bool spawned;          /* this world was spawned, so the plan lists no members of it */
    bool tolerates_faults; /* the job wants errors for dead ranks, so the engine, which would wait for them, is off */
    struct engine_surroundings surroundings;
    struct neighbors neighbors;
    int idle_polls;
    uint32_t reason_ids[REASONS];
    uint32_t *size_reason_ids; /* one id per tree */
    uint32_t *tree_ids;        /* one id per pair of trees (reduce, broadcast) */
    uint32_t algorithm_ids[MOST_ALGORITHMS];
    uint32_t leaders_ids[GROUPS_EXCHANGES];
} engine;

bool engine_served[FUNCTION_COUNT];

/* The number of polls after which a waiting rank yields, if every rank has its own processor. Otherwise it yields at
 * once, because the rank for which it waits may need the processor. */
enum { POLLS_BEFORE_YIELDING = 4000 };

/* True if the job asked for user-level failure mitigation (ULFM). Rank 0's answer counts for all ranks. */
static bool tolerates_faults(MPI_Comm world) {
    int answer = 0;
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
    int *value = NULL, has_value = 0;
    if (pmpi.Comm_get_attr(MPI_COMM_WORLD, MPI_FT, &value, &has_value) == MPI_SUCCESS && has_value)
        answer = *value;
#endif
    pmpi.Bcast(&answer, 1, MPI_INT, 0, world);
    return answer;
}

bool engine_start(const char *tree_text, size_t length, const struct topology *topology, enum transport_name transport,
                  bool spawned, MPI_Comm world, char *message, size_t capacity) {
    if (!tree_text)
        return true;
    struct tree_plan *plan = tree_plan_parse(tree_text, length, spawned ? 0 : topology->ranks, message, capacity);
    if (!plan)
        return false;
    size_t trees = (size_t)plan->tree_count;
    engine.plan = plan;
    engine.spawned = spawned;
    engine.tolerates_faults = tolerates_faults(world);
    shared_files_remove_orphans();
    bool has_neighbors = neighbors_find(&engine.neighbors, topology);
    engine.idle_polls = engine.neighbors.crowded ? 0 : POLLS_BEFORE_YIELDING;
    engine.size_reason_ids = calloc(trees + 1, sizeof *engine.size_reason_ids);
    engine.tree_ids = calloc(trees * trees + 1, sizeof *engine.tree_ids);
    engine.surroundings.topology = topology;
    engine.surroundings.links = topology->emulates ? links_open(topology) : NULL;
    engine.surroundings.transport = transport;
    engine.surroundings.neighbors = has_neighbors && transport == TRANSPORT_shm ? &engine.neighbors : NULL;
    if (!engine.size_reason_ids || !engine.tree_ids || !sink_open() || !inquiry_open() ||
        !engine_surroundings_open(&engine.surroundings, world) || (topology->emulates && !engine.surroundings.links)) {
        snprintf(message, capacity, "1:1: out of memory for the engine; start fewer ranks on this machine");
        engine_stop();
        return false;
    }
    for (int function = 0; function < FUNCTION_COUNT; function++)
        for (int i = 0; i < plan->rule_count; i++)
            if (operation_of(function) != OPERATIONS && plan->rules[i].operations[operation_of(function)])
                engine_served[function] = true;
    return true;
}

void engine_stop(void) {
    memset(engine_served, 0, sizeof engine_served);
    engine_comms_release();
    tree_plan_free(engine.plan);
    links_close(engine.surroundings.links);
    neighbors_free(&engine.neighbors);
    engine_surroundings_close(&engine.surroundings);
    inquiry_close();
    sink_close();
    free(engine.size_reason_ids);
    free(engine.tree_ids);
    memset(&engine, 0, sizeof engine);
}

void engine_comm_free(struct comm *comm) {
    if (comm->engine)
        engine_comm_close(comm->engine);
    comm->engine = NULL;
}

void engine_comm_abandon(struct comm *comm) {
    if (comm->engine)
        engine_comm_release(comm->engine);
    comm->engine = NULL;
}

static bool leave_to_library(enum reason reason, uint32_t *id) {
    *id = record_define_once(&engine.reason_ids[reason], record_define_reason, reason_texts[reason]);
    return false;
}

static bool leave_to_library_for_size(int tree, uint32_t *id) {
    const struct tree_spec *spec = &engine.plan->trees[tree];
    char text[120];
    snprintf(text, sizeof text, "tree %s is for %d ranks", spec->name, spec->size);
    *id = record_define_once(&engine.size_reason_ids[tree], record_define_reason, text);
    return false;
}

/* The id of the name under which the hops are recorded. The name is the algorithm (for leaders: algorithm:exchange), or
 * the tree if one tree serves both directions, or both trees as reduce/broadcast. */
static uint16_t tree_id(const struct tree_rule *rule, const struct algorithm *algorithm, int up, int down) {
    const struct tree_plan *plan = engine.plan;
    char name[100];
    if (algorithm->properties & IN_GROUPS) {
        snprintf(name, sizeof name, "%s:%s", algorithm->name, groups_exchange_names[rule->groups.exchange]);
        return (uint16_t)record_define_once(&engine.leaders_ids[rule->groups.exchange], record_define_tree, name);
    }
    if (up < 0)
        return (uint16_t)record_define_once(&engine.algorithm_ids[algorithm - algorithms], record_define_tree,
                                            algorithm->name);
    if (up == down)
        snprintf(name, sizeof name, "%s", plan->trees[up].name);
    else
        snprintf(name, sizeof name, "%s/%s", plan->trees[up].name, plan->trees[down].name);
    return (uint16_t)record_define_once(&engine.tree_ids[up * plan->tree_count + down], record_define_tree, name);
}

/* True if the algorithm combines operands in rank order on this communicator. All members agree, because groups are
 * equal on every member. */
static bool keeps_order(const struct tree_rule *rule, const struct algorithm *algorithm, enum operation operation,
                        const struct comm *comm, int root) {
    struct schedule_request request = {.operation = operation,
                                       .rank = comm->rank,
                                       .size = comm->size,
                                       .root = root,
                                       .groups = &rule->groups,
                                       .members = &comm->engine->members,
                                       .scratch = comm->engine->scratch};
    return algorithm->properties & IN_GROUPS && leaders_keep_order(&request);
}

/* The member list of a communicator. It is looked up once, in the communicator's first call. All members agree, because
 * world ranks are equal on every member. */
static int members_of(struct comm *comm) {
    if (!comm->members_looked_up) {
        comm->members_looked_up = true;
        comm->listed_members =
            engine.spawned ? OTHER_MEMBERS : rank_lists_find(&engine.plan->members, comm->world_ranks, comm->size);
    }
    return comm->listed_members;
}

static bool finish(const struct engine_call *call, int *error, int result) {
    *error = result;
    if (result != MPI_SUCCESS) {
        call->comm->engine->has_failed = true;
        pmpi.Comm_call_errhandler(call->comm->handle, result);
    }
    return true;
}

/* True if this call is the MPI library's turn. All members agree, because the sequence number is equal on every
 * member. */
static bool is_turn_of_library(const struct engine_call *call) {
    uint64_t turn = engine.plan ? engine.plan->alternate : 0;
    return __builtin_expect(turn != 0, 0) && call->seq / turn % 2 == 0;
}

bool engine_run(const struct engine_call *call, int *error, uint32_t *reason) {
    struct comm *comm = call->comm;
    bool is_library_turn = is_turn_of_library(call);
    struct prepared *prepared_call = comm->engine && !is_library_turn ? prepared_find(comm->engine, call) : NULL;
    *reason = 0;
    if (__builtin_expect(prepared_call != NULL, 1))
        return finish(call, error, prepared_run(prepared_call, call));
    enum operation operation = operation_of(call->function);
    uint64_t bytes;
    if (operation == OPERATIONS || !engine_served[call->function])
        return false;
    if (comm->inter)
        return leave_to_library(REASON_INTERCOMMUNICATOR, reason);
    if (comm->size == 1 || !arguments_are_sound(call, operation, &bytes))
        return false;
    int rule_index = tree_plan_choose(engine.plan, operation, comm->size, members_of(comm), bytes);
    if (rule_index < 0 || engine.plan->rules[rule_index].native)
        return false;
    if (engine.tolerates_faults)
        return leave_to_library(REASON_FAULTS, reason);
    if (is_library_turn)
        return leave_to_library(REASON_TURN, reason);
    const struct tree_rule *rule = &engine.plan->rules[rule_index];
    const struct algorithm *algorithm = rule->algorithms[operation];
    const struct tree_spec *trees = engine.plan->trees;
    bool only_down = operation_only_down(operation), only_up = operation_only_up(operation);
    int up = only_down ? rule->broadcast_tree : rule->reduce_tree;
    int down = only_up ? rule->reduce_tree : rule->broadcast_tree;
    bool by_tree = up >= 0;
    if (operation != OPERATION_BARRIER && !operation_hides_bytes(operation) && bytes == 0)
        return leave_to_library(REASON_NO_DATA, reason);
    if (bytes > INT_MAX)
        return leave_to_library(REASON_TOO_LONG, reason);
    if (by_tree && trees[up].size && trees[up].size != comm->size)
        return leave_to_library_for_size(up, reason);
    if (by_tree && trees[down].size && trees[down].size != comm->size)
        return leave_to_library_for_size(down, reason);
    bool allows_any_order =
        !operation_reduces(operation) || algorithm->properties & KEEPS_ORDER || operator_commutes(call->op);
    if (!allows_any_order && !(algorithm->properties & IN_GROUPS))
        return leave_to_library(REASON_ORDER, reason);
    struct engine_comm *comm_engine = engine_comm_of(comm, &engine.surroundings);
    if (!comm_engine->usable)
        return leave_to_library(REASON_NO_COMMUNICATOR, reason);
    int root = operation_has_root(operation) ? call->root : by_tree ? tree_own_root(&trees[up], &trees[down]) : 0;
    if (!allows_any_order && !keeps_order(rule, algorithm, operation, comm, root))
        return leave_to_library(REASON_ORDER, reason);
    struct collective_plan plan = {.operation = operation,
                                   .algorithm = algorithm,
                                   .up = by_tree && !only_down ? &trees[up] : NULL,
                                   .down = by_tree && !only_up ? &trees[down] : NULL,
                                   .groups = &rule->groups,
                                   .root = root,
                                   .segment_bytes = rule->segment_bytes,
                                   .arrival_order = rule->arrival_order,
                                   .tree = tree_id(rule, algorithm, up, down),
                                   .idle_polls = engine.idle_polls};
    return finish(call, error, collective_run(call, &plan));
}
