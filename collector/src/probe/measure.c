#include "probe/measure.h"

#include <stdlib.h>
#include <string.h>

#include "probe/collective.h"
#include "probe/waiting.h"

enum {
    MOST_IN_FLIGHT = 32,
    IN_FLIGHT_BYTES = 64 * 1024 * 1024,
    PHASES = 2, /* of a gap: some messages, and LONGER times as many */
    LONGER = 3,
};

static int64_t number(const struct probe_command *command, int place) {
    return strtoll(command->word[place], NULL, 10);
}

static void pingpong(const struct probe_command *command, const struct probe_group *group, int rank,
                     struct probe_times *times) {
    int bytes = (int)number(command, 1);
    int64_t count = number(command, 2), limit = number(command, 3);
    int other = group->leader == rank ? group->other[0] : group->leader;
    char *out = probe_memory(bytes), *in = probe_memory(bytes);
    if (rank != group->leader) {
        while (probe_receive(in, bytes, other, MPI_ANY_TAG) == PROBE_TAG_DATA)
            probe_send(out, bytes, other, PROBE_TAG_DATA);
    } else {
        int64_t begin = 0, until = 0;
        /* The first makes connections and is not counted. */
        for (int64_t i = -1; i < count && (i < 2 || begin < until); i++) {
            begin = probe_now_ns();
            probe_send(out, bytes, other, PROBE_TAG_DATA);
            probe_receive(in, bytes, other, PROBE_TAG_DATA);
            if (i < 0)
                until = probe_now_ns() + limit;
            else
                probe_add(times, probe_now_ns() - begin);
        }
        probe_send(out, 0, other, PROBE_TAG_STOP);
    }
    free(out);
    free(in);
}

static int in_flight(int bytes) {
    int most = bytes > 0 ? IN_FLIGHT_BYTES / bytes : MOST_IN_FLIGHT;
    return most < 2 ? 2 : most < MOST_IN_FLIGHT ? most : MOST_IN_FLIGHT;
}

static void send_all(char *out, int bytes, int64_t messages, const struct probe_group *group) {
    MPI_Request request[MOST_IN_FLIGHT];
    int slots = in_flight(bytes);
    for (int64_t i = 0; i < messages; i++) {
        if (i >= slots)
            probe_wait(&request[i % slots]);
        pmpi.Isend(out, bytes, MPI_BYTE, group->other[i % group->others], PROBE_TAG_DATA, MPI_COMM_WORLD,
                   &request[i % slots]);
    }
    for (int64_t i = messages > slots ? messages - slots : 0; i < messages; i++)
        probe_wait(&request[i % slots]);
}

static void receive_all(char *in, int bytes, int64_t messages, int from) {
    MPI_Request request[MOST_IN_FLIGHT];
    int slots = in_flight(bytes);
    int64_t posted = 0;
    for (int64_t i = 0; i < messages; i++) {
        for (; posted < messages && posted < i + slots; posted++)
            pmpi.Irecv(in + (size_t)bytes * (posted % slots), bytes, MPI_BYTE, from, PROBE_TAG_DATA, MPI_COMM_WORLD,
                       &request[posted % slots]);
        probe_wait(&request[i % slots]);
    }
}

/* All senders begin together: the first one hears from the others, and lets them go. Until then receivers told their
 * sender that they are ready. */
static void meet(const struct probe_command *command, const struct probe_group *own, int rank) {
    for (int k = 0; k < own->others; k++)
        probe_receive(NULL, 0, own->other[k], PROBE_TAG_READY);
    int first = probe_first_group(command);
    struct probe_group group;
    probe_group_read(command->word[first], &group);
    if (group.leader != rank) {
        probe_send(NULL, 0, group.leader, PROBE_TAG_READY);
        probe_receive(NULL, 0, group.leader, PROBE_TAG_READY);
        return;
    }
    for (int answer = 0; answer < 2; answer++)
        for (int i = first + 1; i < command->words; i++) {
            probe_group_read(command->word[i], &group);
            if (answer)
                probe_send(NULL, 0, group.leader, PROBE_TAG_READY);
            else
                probe_receive(NULL, 0, group.leader, PROBE_TAG_READY);
        }
}

static void gap(const struct probe_command *command, const struct probe_group *group, int rank,
                struct probe_times *times) {
    int bytes = (int)number(command, 1), place = 0;
    int64_t messages = number(command, 2), count = number(command, 3);
    bool sends = group->leader == rank;
    for (int k = 0; k < group->others; k++)
        place = group->other[k] == rank ? k : place;
    char *buffer = probe_memory(sends ? (size_t)bytes : (size_t)bytes * in_flight(bytes));
    for (int64_t i = -1; i < count; i++) { /* the first one makes connections and is not counted */
        int64_t took[PHASES] = {0};
        for (int phase = 0; phase < PHASES; phase++) {
            int64_t all = phase ? LONGER * messages : messages;
            if (!sends) {
                probe_send(NULL, 0, group->leader, PROBE_TAG_READY);
                receive_all(buffer, bytes, all / group->others + (place < all % group->others), group->leader);
                probe_send(NULL, 0, group->leader, PROBE_TAG_STOP);
                continue;
            }
            meet(command, group, rank);
            int64_t begin = probe_now_ns();
            send_all(buffer, bytes, all, group);
            for (int k = 0; k < group->others; k++)
                probe_receive(NULL, 0, group->other[k], PROBE_TAG_STOP);
            took[phase] = probe_now_ns() - begin;
        }
        if (sends && i >= 0)
            probe_add(times, took[1] - took[0]);
    }
    free(buffer);
}

static void overhead(const struct probe_command *command, const struct probe_group *group, int rank,
                     struct probe_times *times) {
    int bytes = (int)number(command, 1), other = group->leader == rank ? group->other[0] : group->leader;
    int64_t count = number(command, 2), delay = number(command, 3);
    char *out = probe_memory(bytes), *in = probe_memory(bytes);
    for (int64_t i = -1; i < count; i++) {
        if (rank != group->leader) {
            probe_receive(in, bytes, other, PROBE_TAG_DATA);
            probe_receive(NULL, 0, other, PROBE_TAG_READY);
            probe_send(out, bytes, other, PROBE_TAG_DATA);
            continue;
        }
        MPI_Request request;
        int64_t begin = probe_now_ns();
        pmpi.Isend(out, bytes, MPI_BYTE, other, PROBE_TAG_DATA, MPI_COMM_WORLD, &request);
        int64_t sending = probe_now_ns() - begin;
        probe_stay_away(delay);
        begin = probe_now_ns();
        probe_wait(&request);
        sending += probe_now_ns() - begin;
        probe_send(NULL, 0, other, PROBE_TAG_READY);
        probe_stay_away(delay);
        begin = probe_now_ns();
        probe_receive(in, bytes, other, PROBE_TAG_DATA);
        int64_t receiving = probe_now_ns() - begin;
        if (i >= 0) {
            probe_add(times, sending);
            probe_add(times, receiving);
        }
    }
    free(out);
    free(in);
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
    /* Zeros: no operation makes them larger. */
    char *in = probe_memory(bytes), *out = probe_memory(bytes);
    for (int64_t i = -1; i < number(command, 2); i++) {
        int64_t begin = probe_now_ns();
        pmpi.Reduce_local(in, out, bytes / size, type, operation);
        if (i >= 0)
            probe_add(times, probe_now_ns() - begin);
    }
    free(in);
    free(out);
}

void probe_measure(const struct probe_command *command, int rank, struct probe_times *times) {
    struct probe_group group;
    const char *name = command->word[0];
    if (!probe_group_of(command, rank, &group))
        return;
    if (strcmp(name, "combine") == 0)
        combine(command, times);
    else if (group.others == 0)
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
