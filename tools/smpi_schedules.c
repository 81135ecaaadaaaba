/* Runs schedules under SimGrid's SMPI, step by step, and says when each rank left each collective:
 *
 *     smpi_schedules PROGRAM LEAVES
 *
 * PROGRAM holds 64-bit integers as tools/simgrid.py writes them; LEAVES gets a double for each collective and rank, in
 * simulated seconds. A rank does the steps that are ready in the order of the schedule. It waits only for messages.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { RECEIVE, SEND, WORK };

/* One rank's part of a schedule. Edges and steps are numbered from its first step. `bytes` of WORK are ns. */
struct part {
    int64_t steps, readies;
    const int64_t *kind, *peer, *bytes, *tag, *unmet, *first_edge, *edge, *ready;
};

struct run {
    const struct part *part;
    int64_t *unmet, *queue, *step_of; /* step_of: the step of each request under way */
    MPI_Request *requests;
    int under_way;
    int64_t queued, left;
    char *buffer;
};

/* A part begins with its numbers of steps, ready steps and edges. The arrays of struct part follow, in its order. */
static struct part part_at(const int64_t *words) {
    struct part part = {.steps = words[0], .readies = words[1]};
    const int64_t edges = words[2], *column = words + 3;
    part.kind = column;
    part.peer = part.kind + part.steps;
    part.bytes = part.peer + part.steps;
    part.tag = part.bytes + part.steps;
    part.unmet = part.tag + part.steps;
    part.first_edge = part.unmet + part.steps;
    part.edge = part.first_edge + part.steps + 1;
    part.ready = part.edge + edges;
    return part;
}

static void spend(int64_t ns) {
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    if (ns > 0)
        nanosleep(&time, NULL);
}

static void finish(struct run *run, int64_t step) {
    const struct part *part = run->part;
    run->left--;
    for (int64_t i = part->first_edge[step]; i < part->first_edge[step + 1]; i++)
        if (--run->unmet[part->edge[i]] == 0)
            run->queue[run->queued++] = part->edge[i];
}

/* Waits for one of the messages under way; returns its step. */
static int64_t wait_for_one(struct run *run) {
    int place;
    MPI_Waitany(run->under_way, run->requests, &place, MPI_STATUS_IGNORE);
    const int64_t step = run->step_of[place];
    run->under_way--;
    for (int i = place; i < run->under_way; i++) { /* keep the order of posting */
        run->requests[i] = run->requests[i + 1];
        run->step_of[i] = run->step_of[i + 1];
    }
    return step;
}

static void begin(struct run *run, int64_t step) {
    const struct part *part = run->part;
    const int bytes = (int)part->bytes[step], peer = (int)part->peer[step], tag = (int)part->tag[step];
    if (part->kind[step] == RECEIVE) {
        run->step_of[run->under_way] = step;
        MPI_Irecv(run->buffer, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &run->requests[run->under_way++]);
        return;
    }
    if (part->kind[step] == SEND) {
        MPI_Request request;
        MPI_Isend(run->buffer, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request); /* allowed here, because the simulated library keeps a copy */
    }
    if (part->kind[step] == WORK)
        spend(part->bytes[step]);
    finish(run, step);
}

static void collective(const struct part *part, char *buffer) {
    const size_t steps = (size_t)part->steps + 1;
    struct run run = {.part = part, .left = part->steps, .buffer = buffer};
    run.unmet = malloc(steps * sizeof *run.unmet);
    run.queue = malloc(steps * sizeof *run.queue);
    run.step_of = malloc(steps * sizeof *run.step_of);
    run.requests = malloc(steps * sizeof(MPI_Request));
    for (int64_t i = 0; i < part->steps; i++)
        run.unmet[i] = part->unmet[i];
    for (int64_t i = 0; i < part->readies; i++)
        run.queue[run.queued++] = part->ready[i];
    for (int64_t done = 0; run.left > 0;) {
        while (done < run.queued)
            begin(&run, run.queue[done++]);
        if (run.left > 0)
            finish(&run, wait_for_one(&run));
    }
    free(run.unmet);
    free(run.queue);
    free(run.step_of);
    free(run.requests);
}

/* The program: numbers of ranks, collectives and schedules, bytes of the longest message; the schedule of each
 * collective; each rank's own time before each collective, in ns, rank by rank; the position of each rank's part of
 * each schedule; the parts. */
int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int file = open(argv[1], O_RDONLY), leaves = open(argv[2], O_WRONLY);
    struct stat status;
    if (argc != 3 || file < 0 || leaves < 0 || fstat(file, &status) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int64_t *program = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    const int64_t ranks = program[0], collectives = program[1], schedules = program[2];
    const int64_t *schedule_of = program + 4, *gaps = schedule_of + collectives + rank * collectives;
    const int64_t *begins = schedule_of + collectives + ranks * collectives;
    const int64_t *parts = begins + schedules * ranks;
    char *buffer = malloc((size_t)program[3] + 1);
    for (int64_t i = 0; i < collectives; i++) {
        spend(gaps[i]);
        const struct part part = part_at(parts + begins[schedule_of[i] * ranks + rank]);
        collective(&part, buffer);
        const double leave_s = MPI_Wtime();
        if (pwrite(leaves, &leave_s, sizeof leave_s, (off_t)sizeof leave_s * (i * ranks + rank)) != sizeof leave_s)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
