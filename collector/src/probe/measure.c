#include "probe/measure.h"

#include <stdlib.h>
#include <string.h>

#include "probe/collective.h"
#include "probe/waiting.h"

enum {
    MOST_IN_FLIGHT = 32,
    IN_FLIGHT_BYTES = 64 * 1024 * 1024,
    PHASES = 2, /* a gap is measured twice: with some messages, and with LONGER times as many */
    LONGER = 3,
};

static int64_t number(const struct probe_command *command, int position) {
    return strtoll(command->word[position], NULL, 10);
}

static void pingpong(const struct probe_command *command, const struct probe_group *group, int rank,
                     struct probe_times *times) {
    int bytes = (int)number(command, 1);
    int64_t count = number(command, 2), limit_ns = number(command, 3);
    int peer = group->leader == rank ? group->members[0] : group->leader;
    char *output = probe_memory(bytes), *input = probe_memory(bytes);
    if (rank != group->leader) {
        while (probe_receive(input, bytes, peer, MPI_ANY_TAG) == PROBE_TAG_DATA)
            probe_send(output, bytes, peer, PROBE_TAG_DATA);
    } else {
        int64_t begin = 0, deadline_ns = 0;
        /* The first round trip establishes connections and is not counted. */
        for (int64_t i = -1; i < count && (i < 2 || begin < deadline_ns); i++) {
            begin = probe_now_ns();
            probe_send(output, bytes, peer, PROBE_TAG_DATA);
            probe_receive(input, bytes, peer, PROBE_TAG_DATA);
            if (i < 0)
                deadline_ns = probe_now_ns() + limit_ns;
            else
                probe_add(times, probe_now_ns() - begin);
        }
        probe_send(output, 0, peer, PROBE_TAG_STOP);
    }
    free(output);
    free(input);
}

static int in_flight(int bytes) {
    int message_limit = bytes > 0 ? IN_FLIGHT_BYTES / bytes : MOST_IN_FLIGHT;
    return message_limit < 2 ? 2 : message_limit < MOST_IN_FLIGHT ? message_limit : MOST_IN_FLIGHT;
}

static void send_all(char *buffer, int bytes, int64_t messages, const struct probe_group *group) {
    MPI_Request request[MOST_IN_FLIGHT];
    int slots = in_flight(bytes);
    for (int64_t i = 0; i < messages; i++) {
        if (i >= slots)
            probe_wait(&request[i % slots]);
        pmpi.Isend(buffer, bytes, MPI_BYTE, group->members[i % group->member_count], PROBE_TAG_DATA, MPI_COMM_WORLD,
                   &request[i % slots]);
    }
    for (int64_t i = messages > slots ? messages - slots : 0; i < messages; i++)
        probe_wait(&request[i % slots]);
}

static void receive_all(char *buffer, int bytes, int64_t messages, int sender) {
    MPI_Request request[MOST_IN_FLIGHT];
    int slots = in_flight(bytes);
    int64_t posted = 0;
    for (int64_t i = 0; i < messages; i++) {
        for (; posted < messages && posted < i + slots; posted++)
            pmpi.Irecv(buffer + (size_t)bytes * (posted % slots), bytes, MPI_BYTE, sender, PROBE_TAG_DATA,
                       MPI_COMM_WORLD, &request[posted % slots]);
        probe_wait(&request[i % slots]);
    }
}

/* Starts all senders together. Each sender waits until its receivers are ready, and then tells the first sender. When
 * the first sender has heard from all others, it releases them. */
static void synchronise_senders(const struct probe_command *command, const struct probe_group *own_group, int rank) {
    for (int k = 0; k < own_group->member_count; k++)
        probe_receive(NULL, 0, own_group->members[k], PROBE_TAG_READY);
    int first = probe_first_group(command);
    struct probe_group group;
    probe_group_read(command->word[first], &group);
    if (group.leader != rank) {
        probe_send(NULL, 0, group.leader, PROBE_TAG_READY);
        probe_receive(NULL, 0, group.leader, PROBE_TAG_READY);
        return;
    }
    for (int is_release = 0; is_release < 2; is_release++)
        for (int i = first + 1; i < command->words; i++) {
            probe_group_read(command->word[i], &group);
            if (is_release)
                probe_send(NULL, 0, group.leader, PROBE_TAG_READY);
            else
                probe_receive(NULL, 0, group.leader, PROBE_TAG_READY);
        }
}

static void gap(const struct probe_command *command, const struct probe_group *group, int rank,
                struct probe_times *times) {
    int bytes = (int)number(command, 1), index = 0;
    int64_t messages = number(command, 2), count = number(command, 3);
    bool sends = group->leader == rank;
    for (int k = 0; k < group->member_count; k++)
        index = group->members[k] == rank ? k : index;
    char *buffer = probe_memory(sends ? (size_t)bytes : (size_t)bytes * in_flight(bytes));
    for (int64_t i = -1; i < count; i++) { /* the first run establishes connections and is not counted */
        int64_t duration_ns[PHASES] = {0};
        for (int phase = 0; phase < PHASES; phase++) {
            int64_t message_count = phase ? LONGER * messages : messages;
            if (!sends) {
                probe_send(NULL, 0, group->leader, PROBE_TAG_READY);
                receive_all(buffer, bytes,
                            message_count / group->member_count + (index < message_count % group->member_count),
                            group->leader);
                probe_send(NULL, 0, group->leader, PROBE_TAG_STOP);
                continue;
            }
            synchronise_senders(command, group, rank);
            int64_t begin = probe_now_ns();
            send_all(buffer, bytes, message_count, group);
            for (int k = 0; k < group->member_count; k++)
                probe_receive(NULL, 0, group->members[k], PROBE_TAG_STOP);
            duration_ns[phase] = probe_now_ns() - begin;
        }
        if (sends && i >= 0)
            probe_add(times, duration_ns[1] - duration_ns[0]);
    }
    free(buffer);
}

static void overhead(const struct probe_command *command, const struct probe_group *group, int rank,
                     struct probe_times *times) {
    int bytes = (int)number(command, 1), peer = group->leader == rank ? group->members[0] : group->leader;
    int64_t count = number(command, 2), delay_ns = number(command, 3);
    char *output = probe_memory(bytes), *input = probe_memory(bytes);
    for (int64_t i = -1; i < count; i++) {
        if (rank != group->leader) {
            probe_receive(input, bytes, peer, PROBE_TAG_DATA);
            probe_receive(NULL, 0, peer, PROBE_TAG_READY);
            probe_send(output, bytes, peer, PROBE_TAG_DATA);
            continue;
        }
        MPI_Request request;
        int64_t begin = probe_now_ns();
        pmpi.Isend(output, bytes, MPI_BYTE, peer, PROBE_TAG_DATA, MPI_COMM_WORLD, &request);
        int64_t sending_ns = probe_now_ns() - begin;
        probe_stay_away(delay_ns);
        begin = probe_now_ns();
        probe_wait(&request);
        sending_ns += probe_now_ns() - begin;
        probe_send(NULL, 0, peer, PROBE_TAG_READY);
        probe_stay_away(delay_ns);
        begin = probe_now_ns();
        probe_receive(input, bytes, peer, PROBE_TAG_DATA);
        int64_t receiving_ns = probe_now_ns() - begin;
        if (i >= 0) {
            probe_add(times, sending_ns);
            probe_add(times, receiving_ns);
        }
    }
    free(output);
    free(input);
}

static MPI_Op operation_of(const char *name) {
    return strcmp(name, "MPI_SUM") == 0    ? MPI_SUM
           : strcmp(name, "MPI_PROD") == 0 ? MPI_PROD
           : strcmp(name, "MPI_MIN") == 0  ? MPI_MIN
           : strcmp(name, "MPI_MAX") == 0  ? MPI_MAX
           : strcmp(name, "MPI_BOR") == 0  ? MPI_BOR
                                           : MPI_OP_NULL;
}

static MPI_Datatype type_of(const char *name) {
    return strcmp(name, "MPI_INT") == 0      ? MPI_INT
           : strcmp(name, "MPI_LONG") == 0   ? MPI_LONG
           : strcmp(name, "MPI_FLOAT") == 0  ? MPI_FLOAT
           : strcmp(name, "MPI_DOUBLE") == 0 ? MPI_DOUBLE
                                             : MPI_DATATYPE_NULL;
}

static void combine(const struct probe_command *command, struct probe_times *times) {
    int bytes = (int)number(command, 1), size = 0;
    MPI_Op operation = operation_of(command->word[3]);
    MPI_Datatype type = type_of(command->word[4]);
    if (operation == MPI_OP_NULL || type == MPI_DATATYPE_NULL)
        return;
    pmpi.Type_size(type, &size);
    /* The contents are zeros, so repeated operations never overflow. */
    char *input = probe_memory(bytes), *output = probe_memory(bytes);
    for (int64_t i = -1; i < number(command, 2); i++) {
        int64_t begin = probe_now_ns();
        pmpi.Reduce_local(input, output, bytes / size, type, operation);
        if (i >= 0)
            probe_add(times, probe_now_ns() - begin);
    }
    free(input);
    free(output);
}

void probe_measure(const struct probe_command *command, int rank, struct probe_times *times) {
    struct probe_group group;
    const char *name = command->word[0];
    if (!probe_group_of(command, rank, &group))
        return;
    if (strcmp(name, "combine") == 0)
        combine(command, times);
    else if (group.member_count == 0)
        return;
    else if (strcmp(name, "pingpong") == 0)
        pingpong(command, &group, rank, times);
    else if (strcmp(name, "gap") == 0)
        gap(command, &group, rank, times);
    else if (strcmp(name, "collective") == 0)
        probe_collective(command, &group, rank, times);
    else
        overhead(command, &group, rank, times);
}
