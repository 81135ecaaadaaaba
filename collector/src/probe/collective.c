#include "probe/collective.h"

#include <stdlib.h>
#include <string.h>

#include "probe/waiting.h"

enum {
    MOST_GROUPS = 64,
    CREATING = 1,
    PINGS = 5,
    MARGIN_NS = 300 * 1000, /* so much after the slowest message to a member, all begin */
};

static const int64_t SYNCHRONISED_FOR_NS = INT64_C(2000000000);

/* Communicators that were made: making one is a collective itself. The leader knows how far the others' clocks are
 * ahead of its own. */
static struct known_group {
    struct probe_group members;
    MPI_Comm comm;
    int64_t ahead_ns[PROBE_MOST_OTHERS], round_trip_ns, synchronised_ns;
} known[MOST_GROUPS];
static int number_known;

struct buffers {
    void *in, *out;
    int count; /* of elements of a whole message */
    MPI_Datatype type;
    MPI_Op operation;
    int ranks;
};

static bool is_same(const struct probe_group *one, const struct probe_group *other) {
    return one->leader == other->leader && one->others == other->others &&
           memcmp(one->other, other->other, (size_t)one->others * sizeof *one->other) == 0;
}

static struct known_group *group_of(const struct probe_group *group) {
    for (int i = 0; i < number_known; i++)
        if (is_same(&known[i].members, group))
            return &known[i];
    if (number_known == MOST_GROUPS)
        pmpi.Abort(MPI_COMM_WORLD, 2);
    int members[1 + PROBE_MOST_OTHERS] = {group->leader};
    memcpy(members + 1, group->other, (size_t)group->others * sizeof *members);
    struct known_group *made = &known[number_known++];
    MPI_Group world, own;
    made->members = *group;
    pmpi.Comm_group(MPI_COMM_WORLD, &world);
    pmpi.Group_incl(world, 1 + group->others, members, &own);
    pmpi.Comm_create_group(MPI_COMM_WORLD, own, CREATING, &made->comm);
    pmpi.Group_free(&own);
    pmpi.Group_free(&world);
    return made;
}

/* How far a member's clock is ahead of the leader's, by the fastest of some round trips. */
static void synchronise_with(struct known_group *group, int member) {
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < PINGS; i++) {
        int64_t there = 0, begin = probe_now_ns();
        probe_send(NULL, 0, group->members.other[member], PROBE_TAG_READY);
        probe_receive(&there, sizeof there, group->members.other[member], PROBE_TAG_READY);
        int64_t round_trip = probe_now_ns() - begin;
        if (round_trip < fastest) {
            fastest = round_trip;
            group->ahead_ns[member] = there - (begin + round_trip / 2);
        }
    }
    if (fastest > group->round_trip_ns)
        group->round_trip_ns = fastest;
}

/* The leader's part: clocks drift, so this is done again after a while. */
static void synchronise(struct known_group *group) {
    bool again = group->synchronised_ns == 0 || probe_now_ns() - group->synchronised_ns > SYNCHRONISED_FOR_NS;
    for (int k = 0; k < group->members.others; k++) {
        probe_send(NULL, 0, group->members.other[k], again ? PROBE_TAG_DATA : PROBE_TAG_STOP);
        if (again)
            synchronise_with(group, k);
    }
    if (again)
        group->synchronised_ns = probe_now_ns();
}

static void answer(int leader) {
    if (probe_receive(NULL, 0, leader, MPI_ANY_TAG) == PROBE_TAG_STOP)
        return;
    for (int i = 0; i < PINGS; i++) {
        probe_receive(NULL, 0, leader, PROBE_TAG_READY);
        int64_t now = probe_now_ns();
        probe_send(&now, sizeof now, leader, PROBE_TAG_READY);
    }
}

static void stay_until(int64_t ns) {
    int64_t left = ns - probe_now_ns();
    if (left > 0)
        probe_stay_away(left);
}

static void run(const char *name, const struct buffers *data, MPI_Comm comm) {
    if (strcmp(name, "barrier") == 0)
        pmpi.Barrier(comm);
    else if (strcmp(name, "bcast") == 0)
        pmpi.Bcast(data->out, data->count, data->type, 0, comm);
    else if (strcmp(name, "reduce") == 0)
        pmpi.Reduce(data->in, data->out, data->count, data->type, data->operation, 0, comm);
    else if (strcmp(name, "allreduce") == 0)
        pmpi.Allreduce(data->in, data->out, data->count, data->type, data->operation, comm);
    else if (strcmp(name, "allgather") == 0)
        pmpi.Allgather(data->in, data->count / data->ranks, data->type, data->out, data->count / data->ranks,
                       data->type, comm);
}

/* Zeros, which no sum makes larger. */
static struct buffers buffers_of(int bytes, int ranks) {
    int element = (int)sizeof(int);
    bool words = bytes % (element * ranks) == 0; /* so that an allgather has whole elements from each rank */
    return (struct buffers){
        .in = probe_memory((size_t)bytes),
        .out = probe_memory((size_t)bytes),
        .count = words ? bytes / element : bytes,
        .type = words ? MPI_INT : MPI_BYTE,
        .operation = words ? MPI_SUM : MPI_BOR,
        .ranks = ranks,
    };
}

/* All begin at one time, and the leader hears when each of the others ended, in the time of its clock. */
static int64_t lead(struct known_group *group, const char *name, const struct buffers *data) {
    int64_t begin = probe_now_ns() + group->round_trip_ns + MARGIN_NS, last;
    for (int k = 0; k < group->members.others; k++) {
        int64_t there = begin + group->ahead_ns[k];
        probe_send(&there, sizeof there, group->members.other[k], PROBE_TAG_DATA);
    }
    stay_until(begin);
    run(name, data, group->comm);
    last = probe_now_ns();
    for (int k = 0; k < group->members.others; k++) {
        int64_t end;
        probe_receive(&end, sizeof end, group->members.other[k], PROBE_TAG_READY);
        end -= group->ahead_ns[k];
        last = end > last ? end : last;
    }
    return last - begin;
}

static void follow(const struct known_group *group, const char *name, const struct buffers *data) {
    int64_t time;
    probe_receive(&time, sizeof time, group->members.leader, PROBE_TAG_DATA);
    stay_until(time);
    run(name, data, group->comm);
    time = probe_now_ns();
    probe_send(&time, sizeof time, group->members.leader, PROBE_TAG_READY);
}

void probe_collective(const struct probe_command *command, const struct probe_group *members, int rank,
                      struct probe_times *times) {
    struct known_group *group = group_of(members);
    struct buffers data = buffers_of(atoi(command->word[1]), 1 + members->others);
    if (rank == members->leader)
        synchronise(group);
    else
        answer(members->leader);
    /* The first makes connections and is not counted. */
    for (int i = -1; i < atoi(command->word[2]); i++) {
        if (rank != members->leader) {
            follow(group, command->word[3], &data);
            continue;
        }
        int64_t ns = lead(group, command->word[3], &data);
        if (i >= 0)
            probe_add(times, ns);
    }
    free(data.in);
    free(data.out);
}
