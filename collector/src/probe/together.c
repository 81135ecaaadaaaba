#include "probe/together.h"

#include <stdlib.h>

#include "probe/waiting.h"

enum { NONE = -1 };

/* A message of this rank's: one that it sends, and then hears that it is there, or one that it receives, and then says
 * so. */
struct message {
    bool sends;
    int peer;
    void *bytes;
    MPI_Request data, word;
    bool is_there;
};

struct part {
    int messages;
    struct message *message;
};

/* The ranks of one word, `A:B`. */
static struct probe_group pair_of(const struct probe_command *command, int place) {
    struct probe_group pair;
    probe_group_read(command->word[place], &pair);
    return pair;
}

static struct part part_of(const struct probe_command *command, int rank, int bytes) {
    int first = probe_first_group(command);
    struct part part = {.message = probe_memory(2 * (size_t)command->words * sizeof *part.message)};
    for (int i = first; i < command->words; i++) {
        struct probe_group pair = pair_of(command, i);
        for (int sends = 0; sends < 2; sends++)
            if ((sends ? pair.leader : pair.other[0]) == rank)
                part.message[part.messages++] = (struct message){
                    .sends = sends,
                    .peer = sends ? pair.other[0] : pair.leader,
                    .bytes = probe_memory((size_t)bytes),
                };
    }
    return part;
}

/* Whether a rank was named before this word, or before the receiver in it. */
static bool was_named(const struct probe_command *command, int rank, int place, bool is_receiver) {
    for (int i = probe_first_group(command); i < place; i++) {
        struct probe_group pair = pair_of(command, i);
        if (pair.leader == rank || pair.other[0] == rank)
            return true;
    }
    return is_receiver && pair_of(command, place).leader == rank;
}

/* The leader of the first pair hears from every other rank that it is ready, and then lets them go. */
static void meet(const struct probe_command *command, int rank) {
    int first = probe_first_group(command), leader = pair_of(command, first).leader;
    if (rank != leader) {
        probe_send(NULL, 0, leader, PROBE_TAG_READY);
        probe_receive(NULL, 0, leader, PROBE_TAG_READY);
        return;
    }
    for (int answers = 0; answers < 2; answers++)
        for (int i = first; i < command->words; i++)
            for (int is_receiver = 0; is_receiver < 2; is_receiver++) {
                struct probe_group pair = pair_of(command, i);
                int one = is_receiver ? pair.other[0] : pair.leader;
                if (one == leader || was_named(command, one, i, is_receiver))
                    continue;
                if (answers)
                    probe_send(NULL, 0, one, PROBE_TAG_READY);
                else
                    probe_receive(NULL, 0, one, PROBE_TAG_READY);
            }
}

/* Whether a request is complete; looks at it once. */
static bool is_complete(MPI_Request *request) {
    int done = 0;
    pmpi.Test(request, &done, MPI_STATUS_IGNORE);
    return done;
}

static void post(struct part *part, int bytes) {
    for (int i = 0; i < part->messages; i++) {
        struct message *own = &part->message[i];
        own->is_there = false;
        if (own->sends)
            pmpi.Irecv(NULL, 0, MPI_BYTE, own->peer, PROBE_TAG_STOP, MPI_COMM_WORLD, &own->word);
        else
            pmpi.Irecv(own->bytes, bytes, MPI_BYTE, own->peer, PROBE_TAG_DATA, MPI_COMM_WORLD, &own->data);
    }
}

/* Sends this rank's, and tells the senders of the others when they are there. Returns when its own are, in ns. */
static int64_t exchange(struct part *part, int bytes) {
    int left = part->messages, sent = 0;
    int64_t until = 0;
    for (int i = 0; i < part->messages; i++) {
        struct message *own = &part->message[i];
        sent += own->sends;
        if (own->sends)
            pmpi.Isend(own->bytes, bytes, MPI_BYTE, own->peer, PROBE_TAG_DATA, MPI_COMM_WORLD, &own->data);
    }
    for (int polls = 0; left > 0; polls++) {
        for (int i = 0; i < part->messages; i++) {
            struct message *own = &part->message[i];
            if (own->is_there || !is_complete(own->sends ? &own->word : &own->data))
                continue;
            own->is_there = true;
            left--;
            if (!own->sends)
                pmpi.Isend(NULL, 0, MPI_BYTE, own->peer, PROBE_TAG_STOP, MPI_COMM_WORLD, &own->word);
            else if (--sent == 0)
                until = probe_now_ns();
        }
        probe_pause(polls);
    }
    for (int i = 0; i < part->messages; i++)
        probe_wait(part->message[i].sends ? &part->message[i].data : &part->message[i].word);
    return until;
}

void probe_together(const struct probe_command *command, int rank, struct probe_times *times) {
    int bytes = (int)strtol(command->word[1], NULL, 10);
    int64_t count = strtoll(command->word[2], NULL, 10), delay = strtoll(command->word[3], NULL, 10);
    bool is_first = pair_of(command, probe_first_group(command)).leader == rank;
    struct part part = part_of(command, rank, bytes);
    for (int64_t i = NONE; i < count; i++) { /* the first makes connections and is not counted */
        post(&part, bytes);
        meet(command, rank);
        if (is_first)
            probe_stay_away(delay);
        int64_t begin = probe_now_ns(), end = exchange(&part, bytes);
        if (end && i > NONE)
            probe_add(times, end - begin);
    }
    for (int i = 0; i < part.messages; i++)
        free(part.message[i].bytes);
    free(part.message);
}
