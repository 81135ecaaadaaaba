/* Runs every algorithm for every operation that it supports, on 2 to 20 ranks, and checks the results that MPI
 * prescribes. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "plan/algorithm.h"
#include "plan/leaders.h"
#include "simulation.h"

enum { MAX_RANKS = SIMULATION_RANKS, MAX_UNITS = 60 };

/* One collective, with the input and output of all ranks. */
struct scene {
    const struct algorithm *algorithm;
    enum operation operation;
    int size, root;
    bool in_place, ordered;
    int64_t units;                       /* length of the whole message, if the operation has one */
    int64_t count[MAX_RANKS][MAX_RANKS]; /* [sender][receiver]: units of the block from one rank for another */
    int64_t input_positions[MAX_RANKS][MAX_RANKS], output_positions[MAX_RANKS][MAX_RANKS],
        input_lengths[MAX_RANKS][MAX_RANKS], output_lengths[MAX_RANKS][MAX_RANKS];
    int64_t input_units[MAX_RANKS], output_units[MAX_RANKS];
    uint64_t *input[MAX_RANKS], *previous_output[MAX_RANKS];
    struct tree_position up[MAX_RANKS], down[MAX_RANKS];
    int children[2][MAX_RANKS][MAX_RANKS];
};

static uint64_t draw(void) {
    return (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();
}

static bool is_among(enum operation operation, uint32_t operations) {
    return operations & operation_bit(operation);
}

#define BIT(name) (UINT32_C(1) << OPERATION_##name)
static uint32_t block_operations, reduce_scatters, even_operations;

static void sort_operations(void) {
    for (int i = 0; i < OPERATIONS; i++) {
        enum operation operation = (enum operation)i;
        if (!operation_has_blocks(operation))
            continue;
        *(operation_reduces(operation) ? &reduce_scatters : &block_operations) |= operation_bit(operation);
        even_operations |= operation_is_even(operation) ? operation_bit(operation) : 0;
    }
}

/* Draws the length of each rank's block for each other rank, and the position of each rank's blocks: one after
 * another, or with gaps if a message holds only one block. */
static void draw_blocks(struct scene *s) {
    int64_t equal_length = 1 + rand() % 9;
    bool has_gaps = !(s->algorithm->properties & RANGES) && !is_among(s->operation, even_operations);
    for (int sender = 0; sender < s->size; sender++)
        for (int receiver = 0; receiver < s->size; receiver++) {
            int64_t length = is_among(s->operation, even_operations) ? equal_length : rand() % 6;
            bool is_uniform = !is_among(s->operation, BIT(ALLTOALLV) | BIT(ALLTOALLW));
            /* In an allgather or gather, all blocks of one sender have the same size; in a scatter or reduce-scatter,
             * all blocks for one receiver. */
            if (is_uniform && is_among(s->operation, BIT(SCATTERV) | BIT(REDUCE_SCATTER)) && sender > 0)
                length = s->count[0][receiver];
            else if (is_uniform && !is_among(s->operation, BIT(SCATTERV) | BIT(REDUCE_SCATTER)) && receiver > 0)
                length = s->count[sender][0];
            s->count[sender][receiver] = length;
        }
    for (int rank = 0; rank < s->size; rank++) {
        s->input_units[rank] = s->output_units[rank] = 0;
        for (int i = 0; i < s->size; i++) {
            int64_t gap = has_gaps ? rand() % 3 : 0;
            s->input_lengths[rank][i] = s->count[rank][i];
            s->output_lengths[rank][i] = s->count[i][rank];
            s->input_positions[rank][i] = s->input_units[rank] + gap;
            s->output_positions[rank][i] = s->output_units[rank] + gap;
            s->input_units[rank] += s->input_lengths[rank][i] + gap;
            s->output_units[rank] += s->output_lengths[rank][i] + gap;
        }
        bool has_single_input = is_among(s->operation, BIT(GATHER) | BIT(GATHERV) | BIT(ALLGATHER) | BIT(ALLGATHERV));
        bool has_single_output = is_among(s->operation, BIT(SCATTER) | BIT(SCATTERV) | reduce_scatters);
        if (has_single_input)
            s->input_positions[rank][rank] = 0;
        if (has_single_output)
            s->output_positions[rank][rank] = 0;
    }
}

/* Fills a rank's input and clears its output. If the scene is in_place, both are the same buffer. */
static void fill(struct scene *s, int rank) {
    struct actor *a = &actors[rank];
    if (is_among(s->operation, block_operations | reduce_scatters) == 0)
        s->input_units[rank] = s->output_units[rank] = s->units;
    bool is_shared = s->in_place && !is_among(s->operation, BIT(GATHER) | BIT(GATHERV) | BIT(SCATTER) | BIT(SCATTERV));
    int64_t max_units = s->input_units[rank] > s->output_units[rank] ? s->input_units[rank] : s->output_units[rank];
    a->slots[SLOT_INPUT] = calloc((size_t)max_units + 1, sizeof(uint64_t));
    a->slots[SLOT_OUTPUT] = is_shared ? a->slots[SLOT_INPUT] : calloc((size_t)max_units + 1, sizeof(uint64_t));
    for (int64_t i = 0; i < max_units; i++) {
        a->slots[SLOT_OUTPUT][i] = draw();
        a->slots[SLOT_INPUT][i] = draw();
    }
    s->input[rank] = calloc((size_t)max_units + 1, sizeof(uint64_t));
    memcpy(s->input[rank], a->slots[SLOT_INPUT], (size_t)max_units * sizeof(uint64_t));
    if (s->in_place && is_among(s->operation, BIT(ALLGATHER) | BIT(ALLGATHERV) | BIT(GATHER) | BIT(GATHERV)) &&
        (rank == s->root || is_among(s->operation, BIT(ALLGATHER) | BIT(ALLGATHERV))))
        memcpy(s->input[rank], a->slots[SLOT_OUTPUT] + s->output_positions[rank][rank],
               (size_t)s->output_lengths[rank][rank] * sizeof(uint64_t));
    s->previous_output[rank] = calloc((size_t)max_units + 1, sizeof(uint64_t));
    memcpy(s->previous_output[rank], a->slots[SLOT_OUTPUT], (size_t)max_units * sizeof(uint64_t));
}

static uint64_t combined(const struct scene *s, int first, int end, int block, int64_t unit) {
    uint64_t result = 0;
    for (int rank = first; rank < end; rank++) {
        int64_t position = block < 0 ? unit : s->input_positions[rank][block] + unit;
        uint64_t operand = s->input[rank][position];
        result = rank == first ? operand : s->ordered ? simulation_compose(result, operand) : result + operand;
    }
    return result;
}

/* Checks a rank's output against the values that MPI prescribes. */
static void expect_output(struct scene *s, int rank, const char *label) {
    const uint64_t *output = actors[rank].slots[SLOT_OUTPUT];
    uint64_t *expected_output = s->previous_output[rank];
    bool at_root = rank == s->root;
    switch (s->operation) {
    case OPERATION_BCAST:
        memcpy(expected_output, s->input[s->root], (size_t)s->units * sizeof *expected_output);
        break;
    case OPERATION_REDUCE:
    case OPERATION_ALLREDUCE:
        for (int64_t i = 0; i < s->units && (at_root || s->operation == OPERATION_ALLREDUCE); i++)
            expected_output[i] = combined(s, 0, s->size, -1, i);
        break;
    case OPERATION_SCAN:
    case OPERATION_EXSCAN:
        for (int64_t i = 0; i < s->units && (rank > 0 || s->operation == OPERATION_SCAN); i++)
            expected_output[i] = combined(s, 0, rank + (s->operation == OPERATION_SCAN), -1, i);
        break;
    case OPERATION_BARRIER:
    case OPERATIONS:
        break;
    default:
        for (int64_t i = 0; is_among(s->operation, reduce_scatters) && i < s->output_lengths[rank][rank]; i++)
            expected_output[i] = combined(s, 0, s->size, rank, i);
        for (int sender = 0; is_among(s->operation, block_operations) && sender < s->size; sender++) {
            bool gathers = is_among(s->operation, BIT(GATHER) | BIT(GATHERV));
            bool scatters = is_among(s->operation, BIT(SCATTER) | BIT(SCATTERV));
            if ((gathers && !at_root) || (scatters && sender != s->root) || (scatters && at_root && s->in_place))
                continue;
            int64_t position = s->output_positions[rank][scatters ? rank : sender];
            const uint64_t *data = s->input[sender];
            if (scatters || is_among(s->operation, BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW)))
                data += s->input_positions[sender][rank];
            memcpy(expected_output + position, data, (size_t)s->count[sender][rank] * sizeof *expected_output);
        }
    }
    int64_t units = s->input_units[rank] > s->output_units[rank] ? s->input_units[rank] : s->output_units[rank];
    for (int64_t i = 0; i < units; i++)
        if (output[i] != expected_output[i] && !(s->in_place && is_among(s->operation, reduce_scatters) &&
                                                 i >= s->output_lengths[rank][rank])) { /* MPI leaves this undefined */
            EXPECT(output[i] == expected_output[i], "%s: rank %d, unit %lld", label, rank, (long long)i);
            return;
        }
}

static const struct shape *draw_simple_shape(void) {
    const struct shape *shape = NULL;
    int count = 0;
    for (const struct shape *row = shapes; row->name; row++)
        if (row->kind == SHAPE_SIMPLE && rand() % ++count == 0)
            shape = row;
    return shape;
}

/* Draws the host and the cluster of each rank. Either consecutive ranks share a host, or ranks are dealt to the hosts
 * in turn. */
static void draw_placement(int size, int *hosts, int *clusters) {
    int count = 1 + rand() % 6, hosts_per_cluster = 1 + rand() % 3, is_dealt = rand() % 2;
    for (int rank = 0; rank < size; rank++) {
        hosts[rank] = is_dealt ? rand() % count : rank * count / size;
        clusters[rank] = hosts[rank] / hosts_per_cluster;
    }
    int scratch[MAX_RANKS];
    tree_members_number(hosts, size, scratch);
    tree_members_number(clusters, size, scratch);
}

static void rehearse(const struct algorithm *algorithm, enum operation operation, int size, int turn) {
    static struct scene s;
    struct tree_spec tree = {.shape = draw_simple_shape(), .fan_out = 1 + rand() % 3}, broadcast_tree = tree;
    int scratch[SCHEDULE_SCRATCH * MAX_RANKS], hosts[MAX_RANKS], clusters[MAX_RANKS];
    struct tree_members members = {size, hosts, clusters};
    struct groups_spec groups = {(enum groups_level)(rand() % GROUPS_LEVELS),
                                 (enum groups_exchange)(rand() % GROUPS_EXCHANGES), rand() % 3 ? &tree : NULL};
    draw_placement(size, hosts, clusters);
    if (!is_among(operation, BIT(SCATTER)))
        broadcast_tree.shape = draw_simple_shape();
    s.algorithm = algorithm;
    s.operation = operation;
    s.size = size;
    s.root = algorithm->properties & IN_GROUPS && rand() % 2 ? 0 : rand() % size;
    s.units = operation == OPERATION_BARRIER ? 0 : 1 + rand() % MAX_UNITS;
    const struct schedule_request order_request = {.operation = operation,
                                                   .size = size,
                                                   .root = s.root,
                                                   .groups = &groups,
                                                   .members = &members,
                                                   .scratch = scratch};
    s.ordered = algorithm->properties & KEEPS_ORDER ||
                (algorithm->properties & IN_GROUPS && leaders_keep_order(&order_request));
    s.in_place = rand() % 2 && !is_among(operation, BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW) | BIT(BARRIER));
    s.in_place = s.in_place || operation == OPERATION_BCAST;
    uint64_t segment_bytes = algorithm->properties & CUTS && rand() % 2 ? 8u * (1u + (unsigned)rand() % 20u) : 0;
    int64_t most_units = rand() % 3 ? INT64_MAX : 1 + rand() % 7;
    struct segmentation cut = segmentation_of(s.units, 8, segment_bytes);
    char label[200];
    snprintf(label, sizeof label, "turn %d: %s by %s (%s, %s) on %d ranks, root %d, %lld units in %d segments%s%s",
             turn, operation_name(operation), algorithm->name, groups_level_names[groups.level],
             groups_exchange_names[groups.exchange], size, s.root, (long long)s.units, cut.segments,
             s.in_place ? ", in place" : "", most_units < 100 ? ", in short messages" : "");
    if (is_among(operation, block_operations | reduce_scatters))
        draw_blocks(&s);
    for (int rank = 0; rank < size; rank++) {
        fill(&s, rank);
        s.up[rank].children = s.children[0][rank];
        s.down[rank].children = s.children[1][rank];
        tree_position_of(&tree, &members, rank, s.root, TREE_REDUCE, scratch, &s.up[rank]);
        tree_position_of(&broadcast_tree, &members, rank, s.root, TREE_BROADCAST, scratch, &s.down[rank]);
        bool rooted = is_among(operation, BIT(GATHER) | BIT(GATHERV) | BIT(SCATTER) | BIT(SCATTERV) | BIT(REDUCE));
        struct schedule_request r = {.operation = operation,
                                     .rank = rank,
                                     .size = size,
                                     .root = s.root,
                                     .in_place = s.in_place && (!rooted || rank == s.root),
                                     .empty = operation == OPERATION_BARRIER,
                                     .most_units = most_units,
                                     .cut = cut,
                                     .arrival_order = rand() % 2,
                                     .up = is_among(operation, BIT(BCAST) | BIT(SCATTER)) ? NULL : &s.up[rank],
                                     .down = is_among(operation, BIT(REDUCE) | BIT(GATHER)) ? NULL : &s.down[rank],
                                     .tree = &tree,
                                     .groups = &groups,
                                     .members = &members,
                                     .scratch = scratch,
                                     .input = {s.input_positions[rank], s.input_lengths[rank]},
                                     .output = {s.output_positions[rank], s.output_lengths[rank]}};
        if (operation == OPERATION_REDUCE && s.in_place && rank == s.root)
            memcpy(s.input[rank], actors[rank].slots[SLOT_OUTPUT], (size_t)s.units * sizeof(uint64_t));
        EXPECT(algorithm_schedule(algorithm, &actors[rank].schedule, &r), "%s", label);
        simulation_allocate(&actors[rank]);
    }
    expect_failures += simulation_run(size, s.ordered ? simulation_compose : simulation_sum, label);
    for (int rank = 0; rank < size; rank++)
        expect_output(&s, rank, label);
    for (int rank = 0; rank < size; rank++) {
        free(s.input[rank]);
        free(s.previous_output[rank]);
        if (actors[rank].slots[SLOT_INPUT] != actors[rank].slots[SLOT_OUTPUT])
            free(actors[rank].slots[SLOT_INPUT]);
        free(actors[rank].slots[SLOT_OUTPUT]);
    }
}

/* The steps of a rank that has no memory for a schedule. It runs them one by one, in the order in which they were
 * added. The collective must not hang then either. */
struct recorded_steps {
    struct step steps[4096];
    int count;
};

static void record_step(void *context, const struct step *step) {
    struct recorded_steps *w = context;
    if ((step->kind == STEP_SEND || step->kind == STEP_RECEIVE) && w->count < 4096)
        w->steps[w->count++] = *step;
}

static void the_order_of_writing_is_one_that_can_be_run(const struct algorithm *algorithm, enum operation operation,
                                                        int size) {
    static struct recorded_steps recordings[MAX_RANKS];
    static int pending[MAX_RANKS][MAX_RANKS], cursors[MAX_RANKS];
    int64_t positions[MAX_RANKS], lengths[MAX_RANKS];
    int scratch[SCHEDULE_SCRATCH * MAX_RANKS], children[2][MAX_RANKS], hosts[MAX_RANKS], clusters[MAX_RANKS],
        remaining = 0;
    struct tree_spec tree = {.shape = shape_named("binomial-mpich")};
    struct tree_members members = {size, hosts, clusters};
    struct groups_spec groups = {GROUPS_CLUSTER, (enum groups_exchange)(size % GROUPS_EXCHANGES), &tree};
    draw_placement(size, hosts, clusters);
    memset(pending, 0, sizeof pending);
    for (int rank = 0; rank < size; rank++) {
        struct tree_position up = {.children = children[0]}, down = {.children = children[1]};
        tree_position_of(&tree, &members, rank, 0, TREE_REDUCE, scratch, &up);
        tree_position_of(&tree, &members, rank, 0, TREE_BROADCAST, scratch, &down);
        for (int i = 0; i < size; i++) {
            positions[i] = 3 * i;
            lengths[i] = 3;
        }
        struct schedule s = {.on_step = record_step, .on_step_context = &recordings[rank]};
        struct schedule_request r = {.operation = operation,
                                     .rank = rank,
                                     .size = size,
                                     .cut = segmentation_of(60, 8, algorithm->properties & CUTS ? 80 : 0),
                                     .up = is_among(operation, BIT(BCAST) | BIT(SCATTER)) ? NULL : &up,
                                     .down = is_among(operation, BIT(REDUCE) | BIT(GATHER)) ? NULL : &down,
                                     .tree = &tree,
                                     .groups = &groups,
                                     .members = &members,
                                     .scratch = scratch,
                                     .input = {positions, lengths},
                                     .output = {positions, lengths}};
        recordings[rank].count = cursors[rank] = 0;
        EXPECT(algorithm_schedule(algorithm, &s, &r) && !s.steps && !s.edges && !s.ready, "memory was used");
        remaining += recordings[rank].count;
    }
    for (bool has_progress = true; has_progress && remaining > 0;) {
        has_progress = false;
        for (int rank = 0; rank < size; rank++)
            for (; cursors[rank] < recordings[rank].count; cursors[rank]++, remaining--, has_progress = true) {
                const struct step *step = &recordings[rank].steps[cursors[rank]];
                if (step->kind == STEP_SEND)
                    pending[rank][step->peer]++;
                else if (pending[step->peer][rank] == 0)
                    break;
                else
                    pending[step->peer][rank]--;
            }
    }
    EXPECT(remaining == 0, "%s by %s on %d ranks hangs if run step by step", operation_name(operation), algorithm->name,
           size);
}

int main(void) {
    sort_operations();
    srand(5);
    for (const struct algorithm *row = algorithms; row->name; row++)
        for (int i = 0; i < OPERATIONS; i++) {
            enum operation operation = (enum operation)i;
            if (!is_among(operation, row->operations))
                continue;
            for (int size = 2; size <= MAX_RANKS; size++) {
                the_order_of_writing_is_one_that_can_be_run(row, operation, size);
                for (int turn = 0; turn < (row->properties & IN_GROUPS ? 40 : 4); turn++)
                    rehearse(row, operation, size, turn);
            }
        }
    for (int rank = 0; rank < MAX_RANKS; rank++)
        schedule_clear(&actors[rank].schedule);
    return expect_failures != 0;
}
