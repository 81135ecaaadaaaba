/* Executes a program (program.h) and writes, for each rank, the hash of every step's results: interpret PROGRAM FOLDER.
 *
 * Two runs of one program must write the same files, with the engine or without.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { MOST_LANES = 4, MOST_STEPS = 200, MOST_COMMS = 64, LINE = 160, FIRST_HASH = 17 };

struct lane {
    char lines[MOST_STEPS][LINE];
    int steps, next;
    MPI_Comm comms[MOST_COMMS];
    int comm_count;
    uint64_t hashes[MOST_STEPS];
    /* Messages under way while the next step runs. */
    MPI_Request requests[2];
    char *sent, *received;
    size_t bytes;
    int noise_step; /* -1: no messages are under way */
};

static struct lane lanes[MOST_LANES];
static int lane_count = 1;

static _Noreturn void fail(const char *reason, const char *line) {
    int running;
    fprintf(stderr, "interpret: %s: %s\n", reason, line);
    MPI_Initialized(&running);
    if (running)
        MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static void read_program(const char *path) {
    FILE *file = fopen(path, "r");
    char line[LINE];
    if (!file)
        fail("cannot read", path);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "lane", 4) == 0 && lanes[0].steps > 0)
            lane_count++;
        else if (strncmp(line, "lane", 4) != 0 && lane_count <= MOST_LANES) {
            struct lane *lane = &lanes[lane_count - 1];
            if (lane->steps == MOST_STEPS)
                fail("too many steps", path);
            memcpy(lane->lines[lane->steps++], line, LINE);
        }
    }
    fclose(file);
    if (lane_count > MOST_LANES)
        fail("too many lanes", path);
}

static void finish_noise(struct lane *lane) {
    if (lane->noise_step < 0)
        return;
    MPI_Status statuses[2];
    MPI_Waitall(2, lane->requests, statuses);
    lane->hashes[lane->noise_step] = hash_of(FIRST_HASH, lane->received, lane->bytes);
    free(lane->sent);
    free(lane->received);
    lane->noise_step = -1;
}

static void make_noise(struct lane *lane, int step, MPI_Comm comm, int shift, int bytes) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    lane->sent = malloc((size_t)bytes + 1);
    lane->received = calloc((size_t)bytes + 1, 1);
    lane->bytes = (size_t)bytes;
    lane->noise_step = step;
    memset(lane->sent, rank * 31 + step, (size_t)bytes + 1);
    MPI_Irecv(lane->received, bytes, MPI_BYTE, MPI_ANY_SOURCE, step, comm, &lane->requests[0]);
    MPI_Isend(lane->sent, bytes, MPI_BYTE, (rank + shift) % size, step, comm, &lane->requests[1]);
}

static MPI_Comm make_comm(const char *word, MPI_Comm parent, int modulus, int second, int third) {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank, size;
    if (parent == MPI_COMM_NULL)
        return comm;
    MPI_Comm_rank(parent, &rank);
    MPI_Comm_size(parent, &size);
    if (strcmp(word, "dup") == 0)
        MPI_Comm_dup(parent, &comm);
    else if (strcmp(word, "split") == 0)
        MPI_Comm_split(parent, second && rank % modulus == modulus - 1 && rank > 0 ? MPI_UNDEFINED : rank % modulus,
                       third ? -rank : rank, &comm);
    else {
        int members[64], count = 0;
        MPI_Group parent_group, group;
        for (int i = 0; i < size && i < 64; i++)
            if (i == 0 || i % modulus != modulus - 1)
                members[count++] = i;
        for (int i = 0; second && i < count / 2; i++) {
            int member = members[i];
            members[i] = members[count - 1 - i];
            members[count - 1 - i] = member;
        }
        MPI_Comm_group(parent, &parent_group);
        MPI_Group_incl(parent_group, count, members, &group);
        MPI_Comm_create(parent, group, &comm);
        MPI_Group_free(&parent_group);
        MPI_Group_free(&group);
    }
    return comm;
}

static void execute_collective(struct lane *lane, int step) {
    char type[32], op[32];
    struct collective call;
    int comm, in_place, other_words;
    const char *line = lane->lines[step];
    if (sscanf(line, "collective %31s %d %d %d %31s %31s %d %d %u", call.name, &comm, &call.root, &call.count, type, op,
               &in_place, &other_words, &call.seed) != 9 ||
        comm < 0 || comm >= lane->comm_count)
        fail("no collective", line);
    call.in_place = in_place != 0;
    call.mixed = other_words != 0;
    call.type = type_named(type);
    call.op = op_named(op);
    if (!call.type || (!call.op && strcmp(op, "-") != 0))
        fail("unknown type or operation", line);
    if (lane->comms[comm] != MPI_COMM_NULL && !collective_execute(&call, lane->comms[comm], &lane->hashes[step]))
        fail("unknown collective", line);
}

static bool makes_a_communicator(const char *line) {
    return strncmp(line, "dup", 3) == 0 || strncmp(line, "split", 5) == 0 || strncmp(line, "create", 6) == 0;
}

static void execute(struct lane *lane, int step) {
    const char *line = lane->lines[step];
    char word[32] = "";
    int comm = 0, a = 1, b = 0, c = 0;
    int noise_before = lane->noise_step;
    lane->hashes[step] = FIRST_HASH;
    sscanf(line, "%31s", word);
    if (strcmp(word, "collective") == 0)
        execute_collective(lane, step);
    else if (sscanf(line, "%31s %d %d %d %d", word, &comm, &a, &b, &c) < 2 || comm < 0 || comm >= lane->comm_count)
        fail("no step", line);
    else if (strcmp(word, "noise") == 0) {
        finish_noise(lane);
        if (lane->comms[comm] != MPI_COMM_NULL)
            make_noise(lane, step, lane->comms[comm], a, b);
        if (c == 0)
            finish_noise(lane);
    } else if (strcmp(word, "free") == 0) {
        finish_noise(lane);
        if (lane->comms[comm] != MPI_COMM_NULL)
            MPI_Comm_free(&lane->comms[comm]);
    } else if (lane->comm_count < MOST_COMMS) {
        MPI_Comm parent = lane->comms[comm];
        lane->comms[lane->comm_count++] = make_comm(word, parent, a, b, c);
    }
    if (noise_before >= 0 && lane->noise_step == noise_before)
        finish_noise(lane);
}

static void *run_lane(void *argument) {
    struct lane *lane = argument;
    while (lane->next < lane->steps)
        execute(lane, lane->next++);
    finish_noise(lane);
    return NULL;
}

static void write_hashes(const char *folder, int rank) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder, rank);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("cannot write", path);
    for (int i = 0; i < lane_count; i++)
        for (int step = 0; step < lanes[i].steps; step++)
            fprintf(file, "%016" PRIx64 " %s", lanes[i].hashes[step], lanes[i].lines[step]);
    fclose(file);
}

int main(int count, char **words) {
    int rank, provided;
    pthread_t threads[MOST_LANES];
    if (count != 3)
        return 2;
    read_program(words[1]);
    int level = lane_count > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < level)
        fail("threads are not to be had", words[1]);
    types_make();
    for (int i = 0; i < lane_count; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &lanes[i].comms[0]);
        lanes[i].comm_count = 1;
        lanes[i].noise_step = -1;
    }

    /* Open MPI 4 hangs when two threads make communicators at once. */
    for (int i = 0; i < lane_count; i++)
        while (lanes[i].next < lanes[i].steps && makes_a_communicator(lanes[i].lines[lanes[i].next]))
            execute(&lanes[i], lanes[i].next++);
    for (int i = 1; i < lane_count; i++)
        if (pthread_create(&threads[i], NULL, run_lane, &lanes[i]) != 0)
            fail("no thread", words[1]);
    run_lane(&lanes[0]);
    for (int i = 1; i < lane_count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < lane_count; i++)
        for (int k = 0; k < lanes[i].comm_count; k++)
            if (lanes[i].comms[k] != MPI_COMM_NULL)
                MPI_Comm_free(&lanes[i].comms[k]);
    write_hashes(words[2], rank);
    types_free();
    MPI_Finalize();
    return 0;
}
