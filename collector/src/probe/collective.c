#include "probe/collective.h"

#include <stdlib.h>
#include <string.h>

#include "probe/waiting.h"

enum {
    MOST_GROUPS = 64,
    CREATING = 1,
    PINGS = 5,
    MARGIN_NS = 300 * 1000, /* time between the latest expected arrival of the command at a member and the begin */
};

static const int64_t SYNCHRONISED_FOR_NS = INT64_C(2000000000);

/* The groups whose collectives are measured, with their communicators. These are kept, because creating a communicator
 * is itself a collective. ahead_ns: by how much each member's clock is ahead of the leader's; only the leader has it.
 */
static struct group_comm {
    struct probe_group ranks;
    MPI_Comm comm;
    int64_t ahead_ns[PROBE_MOST_MEMBERS], round_trip_ns, synchronised_ns;
} groups[MOST_GROUPS];
static int group_count;

struct buffers {
    void *input, *output;
    int count; /* elements of a whole message */
    MPI_Datatype type;
    MPI_Op operation;
    int ranks;
};

static bool groups_are_equal(const struct probe_group *first, const struct probe_group *second) {
    return first->leader == second->leader && first->member_count == second->member_count &&
           memcmp(first->members, second->members, (size_t)first->member_count * sizeof *first->members) == 0;
}

static struct group_comm *group_of(const struct probe_group *group) {
    for (int i = 0; i < group_count; i++)
        if (groups_are_equal(&groups[i].ranks, group))
            return &groups[i];
    if (group_count == MOST_GROUPS)
        pmpi.Abort(MPI_COMM_WORLD, 2);
    int members[1 + PROBE_MOST_MEMBERS] = {group->leader};
    memcpy(members + 1, group->members, (size_t)group->member_count * sizeof *members);
    struct group_comm *entry = &groups[group_count++];
    MPI_Group world, mpi_group;
    entry->ranks = *group;
    pmpi.Comm_group(MPI_COMM_WORLD, &world);
    pmpi.Group_incl(world, 1 + group->member_count, members, &mpi_group);
    pmpi.Comm_create_group(MPI_COMM_WORLD, mpi_group, CREATING, &entry->comm);
    pmpi.Group_free(&mpi_group);
    pmpi.Group_free(&world);
    return entry;
}

/* Measures by how much a member's clock is ahead of the leader's, from the fastest of several round trips. */
static void synchronise_with(struct group_comm *group, int member) {
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < PINGS; i++) {
        int64_t member_ns = 0, begin = probe_now_ns();
        probe_send(NULL, 0, group->ranks.members[member], PROBE_TAG_READY);
        probe_receive(&member_ns, sizeof member_ns, group->ranks.members[member], PROBE_TAG_READY);
        int64_t round_trip = probe_now_ns() - begin;
        if (round_trip < fastest) {
            fastest = round_trip;
            group->ahead_ns[member] = member_ns - (begin + round_trip / 2);
        }
    }
    if (fastest > group->round_trip_ns)
        group->round_trip_ns = fastest;
}

/* Measures the clock offsets of all members. Clocks drift, so the leader repeats this after SYNCHRONISED_FOR_NS. */
static void synchronise(struct group_comm *group) {
    bool is_due = group->synchronised_ns == 0 || probe_now_ns() - group->synchronised_ns > SYNCHRONISED_FOR_NS;
    for (int k = 0; k < group->ranks.member_count; k++) {
        probe_send(NULL, 0, group->ranks.members[k], is_due ? PROBE_TAG_DATA : PROBE_TAG_STOP);
        if (is_due)
            synchronise_with(group, k);
    }
    if (is_due)
        group->synchronised_ns = probe_now_ns();
}

static void answer(int leader) {
    if (probe_receive(NULL, 0, leader, MPI_ANY_TAG) == PROBE_TAG_STOP)
        return;
    for (int i = 0; i < PINGS; i++) {
        probe_receive(NULL, 0, leader, PROBE_TAG_READY);
        int64_t now_ns = probe_now_ns();
        probe_send(&now_ns, sizeof now_ns, leader, PROBE_TAG_READY);
    }
}

static void stay_until(int64_t ns) {
    int64_t rest_ns = ns - probe_now_ns();
    if (rest_ns > 0)
        probe_stay_away(rest_ns);
}

static void run(const char *name, const struct buffers *data, MPI_Comm comm) {
    if (strcmp(name, "barrier") == 0)
        pmpi.Barrier(comm);
    else if (strcmp(name, "bcast") == 0)
        pmpi.Bcast(data->output, data->count, data->type, 0, comm);
    else if (strcmp(name, "reduce") == 0)
        pmpi.Reduce(data->input, data->output, data->count, data->type, data->operation, 0, comm);
    else if (strcmp(name, "allreduce") == 0)
        pmpi.Allreduce(data->input, data->output, data->count, data->type, data->operation, comm);
    else if (strcmp(name, "allgather") == 0)
        pmpi.Allgather(data->input, data->count / data->ranks, data->type, data->output, data->count / data->ranks,
                       data->type, comm);
}

/* Allocates buffers and fills them with zeros, so that repeated sums never overflow. */
static struct buffers buffers_of(int bytes, int ranks) {
    int element = (int)sizeof(int);
    bool words = bytes % (element * ranks) == 0; /* so that an allgather has whole elements from each rank */
    return (struct buffers){
        .input = probe_memory((size_t)bytes),
        .output = probe_memory((size_t)bytes),
        .count = words ? bytes / element : bytes,
        .type = words ? MPI_INT : MPI_BYTE,
        .operation = words ? MPI_SUM : MPI_BOR,
        .ranks = ranks,
    };
}

/* Runs the collective once, with all members starting at the same time. Receives from each member the time at which it
 * ended, and converts it to the leader's clock. Returns the ns from the start to the end of the last member. */
static int64_t lead(struct group_comm *group, const char *name, const struct buffers *data) {
    int64_t begin = probe_now_ns() + group->round_trip_ns + MARGIN_NS, last;
    for (int k = 0; k < group->ranks.member_count; k++) {
        int64_t member_begin_ns = begin + group->ahead_ns[k];
        probe_send(&member_begin_ns, sizeof member_begin_ns, group->ranks.members[k], PROBE_TAG_DATA);
    }
    stay_until(begin);
    run(name, data, group->comm);
    last = probe_now_ns();
    for (int k = 0; k < group->ranks.member_count; k++) {
        int64_t end;
        probe_receive(&end, sizeof end, group->ranks.members[k], PROBE_TAG_READY);
        end -= group->ahead_ns[k];
        last = end > last ? end : last;
    }
    return last - begin;
}

static void follow(const struct group_comm *group, const char *name, const struct buffers *data) {
    int64_t time;
    probe_receive(&time, sizeof time, group->ranks.leader, PROBE_TAG_DATA);
    stay_until(time);
    run(name, data, group->comm);
    time = probe_now_ns();
    probe_send(&time, sizeof time, group->ranks.leader, PROBE_TAG_READY);
}

void probe_collective(const struct probe_command *command, const struct probe_group *members, int rank,
                      struct probe_times *times) {
    struct group_comm *group = group_of(members);
    struct buffers data = buffers_of(atoi(command->word[1]), 1 + members->member_count);
    if (rank == members->leader)
        synchronise(group);
    else
        answer(members->leader);
    /* The first run establishes connections and is not counted. */
    for (int i = -1; i < atoi(command->word[2]); i++) {
        if (rank != members->leader) {
            follow(group, command->word[3], &data);
            continue;
        }
        int64_t ns = lead(group, command->word[3], &data);
        if (i >= 0)
            probe_add(times, ns);
    }
    free(data.input);
    free(data.output);
}
