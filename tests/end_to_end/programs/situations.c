/* A run with one known problem, or with none:
 *
 *     situations KIND ITERATIONS WORK_MS PLANT_MS [SEED]
 *
 * In each iteration every rank works for WORK_MS, exchanges a halo and enters an Allreduce. The plant takes PLANT_MS of
 * an iteration on average; with 0 the run is the same without it. With -PLANT_MS, `sender`, `receiver` and `order` do
 * the same work in the better order. Work is sleep, so that ranks may share cores. KIND:
 *     balanced    no plant
 *     imbalance   rank 1 works longer
 *     gradient    each rank works longer than the one before it, the last one by PLANT_MS
 *     serial      rank 0 works while the others wait for what it broadcasts
 *     rotating    the ranks take turns at working longer
 *     noise       rank 1 works longer in one of 16 iterations
 *     sender      even ranks work, and then send what they could have sent before; odd ranks wait for it, then work
 *     receiver    odd ranks work, and then receive a large message; even ranks wait in its send, then work
 *     order       rank 0 receives from rank 1, which sends late, before the large message of rank 2 that is there
 *     comms       communicators are made; PLANT_MS is their number
 *     small       thousands of small messages; PLANT_MS is their number
 *     large       large messages; PLANT_MS is their size in KiB
 *     start       PLANT_MS pass before the first iteration
 *     host        the upper half of the ranks work longer
 *     overlap     a nonblocking Allreduce is begun before the work and waited for after it, but MPI moves it only in
 *                 the wait; PLANT_MS is its size in KiB
 *     pairs       each rank of the lower half exchanges large messages with one of the upper half; PLANT_MS is their
 *                 size in KiB
 *     algorithm   Allreduces of 1 KiB, whose algorithm the run's settings may force; PLANT_MS is their number
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LARGE = 1 << 20 };

static int rank, ranks;
static char *output, *input;

static void work(double ms) {
    if (ms <= 0)
        return;
    struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
    nanosleep(&time, NULL);
}

static void halo(void) {
    MPI_Request requests[2];
    MPI_Irecv(input, 512, MPI_CHAR, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(output, 512, MPI_CHAR, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void serial(double ms) {
    if (rank == 0)
        work(ms);
    MPI_Bcast(input, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Pairs of ranks. If their number is odd, the last rank has no partner. */
static void sender(double ms, int is_planted) {
    const int partner = rank ^ 1;
    if (partner >= ranks) {
        work(ms);
    } else if (rank % 2 == 0) {
        if (is_planted)
            work(ms);
        MPI_Send(output, 512, MPI_CHAR, partner, 2, MPI_COMM_WORLD);
        if (!is_planted)
            work(ms);
    } else {
        MPI_Recv(input, 512, MPI_CHAR, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(ms);
    }
}

static void receiver(double ms, int is_planted) {
    const int partner = rank ^ 1;
    if (partner >= ranks) {
        work(ms);
    } else if (rank % 2 == 0) {
        MPI_Send(output, LARGE, MPI_CHAR, partner, 3, MPI_COMM_WORLD);
        work(ms);
    } else {
        if (is_planted)
            work(ms);
        MPI_Recv(input, LARGE, MPI_CHAR, partner, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!is_planted)
            work(ms);
    }
}

static void in_order(double ms, int is_planted) {
    if (rank == 0) {
        const int first = is_planted ? 1 : 2;
        MPI_Recv(input, LARGE, MPI_CHAR, first, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(input, LARGE, MPI_CHAR, 3 - first, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        work(ms);
        MPI_Send(output, LARGE, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Send(output, LARGE, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        work(ms);
    } else {
        work(ms);
    }
}

static void make_comms(int comms) {
    for (int i = 0; i < comms; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
}

static void ping_pong(int messages, int bytes) {
    const int partner = rank ^ 1;
    for (int i = 0; i < messages && partner < ranks; i++) {
        if ((rank + i) % 2 == 0)
            MPI_Send(output, bytes, MPI_CHAR, partner, 5, MPI_COMM_WORLD);
        else
            MPI_Recv(input, bytes, MPI_CHAR, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void many_allreduces(int calls) {
    for (int i = 0; i < calls; i++)
        MPI_Allreduce(output, input, 256, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void exchange(int partner, int bytes) {
    MPI_Sendrecv(output, bytes, MPI_CHAR, partner, 6, input, bytes, MPI_CHAR, partner, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5) {
        fprintf(stderr, "usage: situations KIND ITERATIONS WORK_MS PLANT_MS [SEED]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const char *kind = argv[1];
    const int iterations = atoi(argv[2]);
    const double work_ms = atof(argv[3]), plant_ms = atof(argv[4]);
    const int seed = argc > 5 ? atoi(argv[5]) : 1;
    const int is_planted = plant_ms > 0;
    const int is_size = strcmp(kind, "large") == 0 || strcmp(kind, "pairs") == 0 || strcmp(kind, "overlap") == 0;
    const size_t size = is_size ? (size_t)plant_ms * 1024 : LARGE;
    output = calloc(1, size > LARGE ? size : LARGE);
    input = calloc(1, size > LARGE ? size : LARGE);
    double sum = 0, value = 1;
    if (strcmp(kind, "start") == 0)
        work(plant_ms);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        double longer = 0;
        if (strcmp(kind, "imbalance") == 0 && rank == 1)
            longer = plant_ms;
        if (strcmp(kind, "gradient") == 0)
            longer = plant_ms * rank / (ranks - 1);
        if (strcmp(kind, "rotating") == 0 && rank == i % ranks)
            longer = plant_ms;
        if (strcmp(kind, "noise") == 0 && rank == 1 && (i * 7 + i / 16 * 5 + seed * 3) % 16 == 0)
            longer = 16 * plant_ms;
        if (strcmp(kind, "host") == 0 && rank >= ranks / 2)
            longer = plant_ms;
        MPI_Request request = MPI_REQUEST_NULL;
        if (strcmp(kind, "overlap") == 0 && is_planted)
            MPI_Iallreduce(output, input, (int)(size / sizeof(int)), MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        work(work_ms + longer);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        halo();
        if (strcmp(kind, "serial") == 0)
            serial(plant_ms);
        if (strcmp(kind, "sender") == 0)
            sender(fabs(plant_ms), is_planted);
        if (strcmp(kind, "receiver") == 0)
            receiver(fabs(plant_ms), is_planted);
        if (strcmp(kind, "order") == 0 && ranks > 2)
            in_order(fabs(plant_ms), is_planted);
        if (strcmp(kind, "comms") == 0 && is_planted)
            make_comms((int)plant_ms);
        if (strcmp(kind, "small") == 0)
            ping_pong((int)plant_ms, 8);
        if (strcmp(kind, "large") == 0)
            ping_pong(2, (int)size);
        if (strcmp(kind, "pairs") == 0)
            exchange((rank + ranks / 2) % ranks, (int)size);
        if (strcmp(kind, "algorithm") == 0)
            many_allreduces((int)plant_ms);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        fprintf(stderr, "loop_s %.6f\n", MPI_Wtime() - begin);
    free(output);
    free(input);
    MPI_Finalize();
    return 0;
}
