/* Runs every algorithm for every operation that it serves, on 2 to 20 ranks, and checks the results that MPI
 * prescribes. */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "plan/algorithm.h"
#include "plan/leaders.h"
#include "simulation.h"

enum { MOST = SIMULATION_RANKS, MOST_UNITS = 60 };

/* One collective and all ranks' buffers: input and output as the operation defines them. */
struct scene {
    const struct algorithm *algorithm;
    enum operation operation;
    int size, root;
    bool in_place, ordered;
    int64_t units;             /* of the whole message, where there is one */
    int64_t count[MOST][MOST]; /* units from a rank for a rank (Gather: for the root, and so on) */
    int64_t in_at[MOST][MOST], out_at[MOST][MOST], in_length[MOST][MOST], out_length[MOST][MOST];
    int64_t in_units[MOST], out_units[MOST];
    uint64_t *input[MOST], *before[MOST]; /* before: the output's previous contents */
    struct tree_position up[MOST], down[MOST];
    int children[2][MOST][MOST];
};

static uint64_t draw(void) {
    return (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();
}

static bool is_any(enum operation operation, uint32_t operations) {
    return operations & operation_bit(operation);
}

#define BIT(name) (UINT32_C(1) << OPERATION_##name)
static uint32_t of_blocks, reduce_scatters, even;

static void sort_operations(void) {
    for (int i = 0; i < OPERATIONS; i++) {
        enum operation operation = (enum operation)i;
        if (!operation_has_blocks(operation))
            continue;
        *(operation_reduces(operation) ? &reduce_scatters : &of_blocks) |= operation_bit(operation);
        even |= operation_is_even(operation) ? operation_bit(operation) : 0;
    }
}

/* How much each rank sends to each other one, and where each rank keeps its blocks: one after another, or apart if a
 * message holds only one block. */
static void draw_blocks(struct scene *s) {
    int64_t one = 1 + rand() % 9;
    bool apart = !(s->algorithm->properties & RANGES) && !is_any(s->operation, even);
    for (int from = 0; from < s->size; from++)
        for (int to = 0; to < s->size; to++) {
            int64_t drawn = is_any(s->operation, even) ? one : rand() % 6;
            bool once = !is_any(s->operation, BIT(ALLTOALLV) | BIT(ALLTOALLW));
            /* The sender determines the size in an allgather or a gather, the receiver in a scatter or a
             * reduce-scatter. */
            if (once && is_any(s->operation, BIT(SCATTERV) | BIT(REDUCE_SCATTER)) && from > 0)
                drawn = s->count[0][to];
            else if (once && !is_any(s->operation, BIT(SCATTERV) | BIT(REDUCE_SCATTER)) && to > 0)
                drawn = s->count[from][0];
            s->count[from][to] = drawn;
        }
    for (int rank = 0; rank < s->size; rank++) {
        s->in_units[rank] = s->out_units[rank] = 0;
        for (int i = 0; i < s->size; i++) {
            int64_t gap = apart ? rand() % 3 : 0;
            s->in_length[rank][i] = s->count[rank][i];
            s->out_length[rank][i] = s->count[i][rank];
            s->in_at[rank][i] = s->in_units[rank] + gap;
            s->out_at[rank][i] = s->out_units[rank] + gap;
            s->in_units[rank] += s->in_length[rank][i] + gap;
            s->out_units[rank] += s->out_length[rank][i] + gap;
        }
        bool one_in = is_any(s->operation, BIT(GATHER) | BIT(GATHERV) | BIT(ALLGATHER) | BIT(ALLGATHERV));
        bool one_out = is_any(s->operation, BIT(SCATTER) | BIT(SCATTERV) | reduce_scatters);
        if (one_in)
            s->in_at[rank][rank] = 0;
        if (one_out)
            s->out_at[rank][rank] = 0;
    }
}

/* A rank's buffers. With in_place they are the same. */
static void fill(struct scene *s, int rank) {
    struct actor *a = &actors[rank];
    if (is_any(s->operation, of_blocks | reduce_scatters) == 0)
        s->in_units[rank] = s->out_units[rank] = s->units;
    bool shared = s->in_place && !is_any(s->operation, BIT(GATHER) | BIT(GATHERV) | BIT(SCATTER) | BIT(SCATTERV));
    int64_t most = s->in_units[rank] > s->out_units[rank] ? s->in_units[rank] : s->out_units[rank];
    a->slots[SLOT_INPUT] = calloc((size_t)most + 1, sizeof(uint64_t));
    a->slots[SLOT_OUTPUT] = shared ? a->slots[SLOT_INPUT] : calloc((size_t)most + 1, sizeof(uint64_t));
    for (int64_t i = 0; i < most; i++) {
        a->slots[SLOT_OUTPUT][i] = draw();
        a->slots[SLOT_INPUT][i] = draw();
    }
    s->input[rank] = calloc((size_t)most + 1, sizeof(uint64_t));
    memcpy(s->input[rank], a->slots[SLOT_INPUT], (size_t)most * sizeof(uint64_t));
    if (s->in_place && is_any(s->operation, BIT(ALLGATHER) | BIT(ALLGATHERV) | BIT(GATHER) | BIT(GATHERV)) &&
        (rank == s->root || is_any(s->operation, BIT(ALLGATHER) | BIT(ALLGATHERV))))
        memcpy(s->input[rank], a->slots[SLOT_OUTPUT] + s->out_at[rank][rank],
               (size_t)s->out_length[rank][rank] * sizeof(uint64_t));
    s->before[rank] = calloc((size_t)most + 1, sizeof(uint64_t));
    memcpy(s->before[rank], a->slots[SLOT_OUTPUT], (size_t)most * sizeof(uint64_t));
}

static uint64_t combined(const struct scene *s, int first, int end, int block, int64_t unit) {
    uint64_t result = 0;
    for (int rank = first; rank < end; rank++) {
        int64_t at = block < 0 ? unit : s->in_at[rank][block] + unit;
        uint64_t here = s->input[rank][at];
        result = rank == first ? here : s->ordered ? simulation_compose(result, here) : result + here;
    }
    return result;
}

/* What a rank's output must contain at a position. */
static void expect_output(struct scene *s, int rank, const char *what) {
    const uint64_t *out = actors[rank].slots[SLOT_OUTPUT];
    uint64_t *wanted = s->before[rank];
    bool at_root = rank == s->root;
    switch (s->operation) {
    case OPERATION_BCAST:
        memcpy(wanted, s->input[s->root], (size_t)s->units * sizeof *wanted);
        break;
    case OPERATION_REDUCE:
    case OPERATION_ALLREDUCE:
        for (int64_t i = 0; i < s->units && (at_root || s->operation == OPERATION_ALLREDUCE); i++)
            wanted[i] = combined(s, 0, s->size, -1, i);
        break;
    case OPERATION_SCAN:
    case OPERATION_EXSCAN:
        for (int64_t i = 0; i < s->units && (rank > 0 || s->operation == OPERATION_SCAN); i++)
            wanted[i] = combined(s, 0, rank + (s->operation == OPERATION_SCAN), -1, i);
        break;
    case OPERATION_BARRIER:
    case OPERATIONS:
        break;
    default:
        for (int64_t i = 0; is_any(s->operation, reduce_scatters) && i < s->out_length[rank][rank]; i++)
            wanted[i] = combined(s, 0, s->size, rank, i);
        for (int from = 0; is_any(s->operation, of_blocks) && from < s->size; from++) {
            bool gathers = is_any(s->operation, BIT(GATHER) | BIT(GATHERV));
            bool scatters = is_any(s->operation, BIT(SCATTER) | BIT(SCATTERV));
            if ((gathers && !at_root) || (scatters && from != s->root) || (scatters && at_root && s->in_place))
                continue;
            int64_t to = s->out_at[rank][scatters ? rank : from];
            const uint64_t *data = s->input[from];
            if (scatters || is_any(s->operation, BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW)))
                data += s->in_at[from][rank];
            memcpy(wanted + to, data, (size_t)s->count[from][rank] * sizeof *wanted);
        }
    }
    int64_t units = s->in_units[rank] > s->out_units[rank] ? s->in_units[rank] : s->out_units[rank];
    for (int64_t i = 0; i < units; i++)
        if (out[i] != wanted[i] && !(s->in_place && is_any(s->operation, reduce_scatters) &&
                                     i >= s->out_length[rank][rank])) { /* MPI leaves this undefined */
            EXPECT(out[i] == wanted[i], "%s: rank %d, unit %lld", what, rank, (long long)i);
            return;
        }
}

static const struct shape *any_simple_shape(void) {
    const struct shape *drawn = NULL;
    int seen = 0;
    for (const struct shape *row = shapes; row->name; row++)
        if (row->kind == SHAPE_SIMPLE && rand() % ++seen == 0)
            drawn = row;
    return drawn;
}

/* Where ranks run: clusters of hosts, in runs of ranks or dealt like cards. */
static void draw_places(int size, int *hosts, int *clusters) {
    int count = 1 + rand() % 6, in_cluster = 1 + rand() % 3, dealt = rand() % 2;
    for (int rank = 0; rank < size; rank++) {
        hosts[rank] = dealt ? rand() % count : rank * count / size;
        clusters[rank] = hosts[rank] / in_cluster;
    }
    int scratch[MOST];
    tree_members_number(hosts, size, scratch);
    tree_members_number(clusters, size, scratch);
}

static void rehearse(const struct algorithm *algorithm, enum operation operation, int size, int turn) {
    static struct scene s;
    struct tree_spec tree = {.shape = any_simple_shape(), .fan_out = 1 + rand() % 3}, other = tree;
    int scratch[SCHEDULE_SCRATCH * MOST], hosts[MOST], clusters[MOST];
    struct tree_members members = {size, hosts, clusters};
    struct groups_spec groups = {(enum groups_level)(rand() % GROUPS_LEVELS),
                                 (enum groups_exchange)(rand() % GROUPS_EXCHANGES), rand() % 3 ? &tree : NULL};
    draw_places(size, hosts, clusters);
    if (!is_any(operation, BIT(SCATTER)))
        other.shape = any_simple_shape();
    s.algorithm = algorithm;
    s.operation = operation;
    s.size = size;
    s.root = algorithm->properties & IN_GROUPS && rand() % 2 ? 0 : rand() % size;
    s.units = operation == OPERATION_BARRIER ? 0 : 1 + rand() % MOST_UNITS;
    const struct schedule_request order = {.operation = operation,
                                           .size = size,
                                           .root = s.root,
                                           .groups = &groups,
                                           .members = &members,
                                           .scratch = scratch};
    s.ordered =
        algorithm->properties & KEEPS_ORDER || (algorithm->properties & IN_GROUPS && leaders_keep_order(&order));
    s.in_place = rand() % 2 && !is_any(operation, BIT(ALLTOALL) | BIT(ALLTOALLV) | BIT(ALLTOALLW) | BIT(BARRIER));
    s.in_place = s.in_place || operation == OPERATION_BCAST;
    uint64_t segment_bytes = algorithm->properties & CUTS && rand() % 2 ? 8u * (1u + (unsigned)rand() % 20u) : 0;
    int64_t most_units = rand() % 3 ? INT64_MAX : 1 + rand() % 7;
    struct segmentation cut = segmentation_of(s.units, 8, segment_bytes);
    char what[200];
    snprintf(what, sizeof what, "turn %d: %s by %s (%s, %s) on %d ranks, root %d, %lld units in %d segments%s%s", turn,
             operation_name(operation), algorithm->name, groups_level_names[groups.level],
             groups_exchange_names[groups.exchange], size, s.root, (long long)s.units, cut.segments,
             s.in_place ? ", in place" : "", most_units < 100 ? ", in short messages" : "");
    if (is_any(operation, of_blocks | reduce_scatters))
        draw_blocks(&s);
    for (int rank = 0; rank < size; rank++) {
        fill(&s, rank);
        s.up[rank].children = s.children[0][rank];
        s.down[rank].children = s.children[1][rank];
        tree_position_of(&tree, &members, rank, s.root, TREE_REDUCE, scratch, &s.up[rank]);
        tree_position_of(&other, &members, rank, s.root, TREE_BROADCAST, scratch, &s.down[rank]);
        bool rooted = is_any(operation, BIT(GATHER) | BIT(GATHERV) | BIT(SCATTER) | BIT(SCATTERV) | BIT(REDUCE));
        struct schedule_request r = {.operation = operation,
                                     .rank = rank,
                                     .size = size,
                                     .root = s.root,
                                     .in_place = s.in_place && (!rooted || rank == s.root),
                                     .empty = operation == OPERATION_BARRIER,
                                     .most_units = most_units,
                                     .cut = cut,
                                     .arrival_order = rand() % 2,
                                     .up = is_any(operation, BIT(BCAST) | BIT(SCATTER)) ? NULL : &s.up[rank],
                                     .down = is_any(operation, BIT(REDUCE) | BIT(GATHER)) ? NULL : &s.down[rank],
                                     .tree = &tree,
                                     .groups = &groups,
                                     .members = &members,
                                     .scratch = scratch,
                                     .input = {s.in_at[rank], s.in_length[rank]},
                                     .output = {s.out_at[rank], s.out_length[rank]}};
        if (operation == OPERATION_REDUCE && s.in_place && rank == s.root)
            memcpy(s.input[rank], actors[rank].slots[SLOT_OUTPUT], (size_t)s.units * sizeof(uint64_t));
        EXPECT(algorithm_schedule(algorithm, &actors[rank].schedule, &r), "%s", what);
        simulation_place(&actors[rank]);
    }
    expect_failures += simulation_run(size, s.ordered ? simulation_compose : simulation_sum, what);
    for (int rank = 0; rank < size; rank++)
        expect_output(&s, rank, what);
    for (int rank = 0; rank < size; rank++) {
        free(s.input[rank]);
        free(s.before[rank]);
        if (actors[rank].slots[SLOT_INPUT] != actors[rank].slots[SLOT_OUTPUT])
            free(actors[rank].slots[SLOT_INPUT]);
        free(actors[rank].slots[SLOT_OUTPUT]);
    }
}

/* A rank that is out of memory runs the steps one by one, in the order written. That must not hang either. */
struct written {
    struct step steps[4096];
    int count;
};

static void write_down(void *context, const struct step *step) {
    struct written *w = context;
    if ((step->kind == STEP_SEND || step->kind == STEP_RECEIVE) && w->count < 4096)
        w->steps[w->count++] = *step;
}

static void the_order_of_writing_is_one_that_can_be_run(const struct algorithm *algorithm, enum operation operation,
                                                        int size) {
    static struct written all[MOST];
    static int pending[MOST][MOST], at[MOST];
    int64_t places[MOST], lengths[MOST];
    int scratch[SCHEDULE_SCRATCH * MOST], children[2][MOST], hosts[MOST], clusters[MOST], left = 0;
    struct tree_spec tree = {.shape = shape_named("binomial-mpich")};
    struct tree_members members = {size, hosts, clusters};
    struct groups_spec groups = {GROUPS_CLUSTER, (enum groups_exchange)(size % GROUPS_EXCHANGES), &tree};
    draw_places(size, hosts, clusters);
    memset(pending, 0, sizeof pending);
    for (int rank = 0; rank < size; rank++) {
        struct tree_position up = {.children = children[0]}, down = {.children = children[1]};
        tree_position_of(&tree, &members, rank, 0, TREE_REDUCE, scratch, &up);
        tree_position_of(&tree, &members, rank, 0, TREE_BROADCAST, scratch, &down);
        for (int i = 0; i < size; i++) {
            places[i] = 3 * i;
            lengths[i] = 3;
        }
        struct schedule s = {.on_step = write_down, .on_step_context = &all[rank]};
        struct schedule_request r = {.operation = operation,
                                     .rank = rank,
                                     .size = size,
                                     .cut = segmentation_of(60, 8, algorithm->properties & CUTS ? 80 : 0),
                                     .up = is_any(operation, BIT(BCAST) | BIT(SCATTER)) ? NULL : &up,
                                     .down = is_any(operation, BIT(REDUCE) | BIT(GATHER)) ? NULL : &down,
                                     .tree = &tree,
                                     .groups = &groups,
                                     .members = &members,
                                     .scratch = scratch,
                                     .input = {places, lengths},
                                     .output = {places, lengths}};
        all[rank].count = at[rank] = 0;
        EXPECT(algorithm_schedule(algorithm, &s, &r) && !s.steps && !s.edges && !s.ready, "memory was used");
        left += all[rank].count;
    }
    for (bool moved = true; moved && left > 0;) {
        moved = false;
        for (int rank = 0; rank < size; rank++)
            for (; at[rank] < all[rank].count; at[rank]++, left--, moved = true) {
                const struct step *step = &all[rank].steps[at[rank]];
                if (step->kind == STEP_SEND)
                    pending[rank][step->peer]++;
                else if (pending[step->peer][rank] == 0)
                    break;
                else
                    pending[step->peer][rank]--;
            }
    }
    EXPECT(left == 0, "%s by %s on %d ranks hangs if run step by step", operation_name(operation), algorithm->name,
           size);
}

int main(void) {
    sort_operations();
    srand(5);
    for (const struct algorithm *row = algorithms; row->name; row++)
        for (int i = 0; i < OPERATIONS; i++) {
            enum operation operation = (enum operation)i;
            if (!is_any(operation, row->operations))
                continue;
            for (int size = 2; size <= MOST; size++) {
                the_order_of_writing_is_one_that_can_be_run(row, operation, size);
                for (int turn = 0; turn < (row->properties & IN_GROUPS ? 40 : 4); turn++)
                    rehearse(row, operation, size, turn);
            }
        }
    for (int rank = 0; rank < MOST; rank++)
        schedule_clear(&actors[rank].schedule);
    return expect_failures != 0;
}
