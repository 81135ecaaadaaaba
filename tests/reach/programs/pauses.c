/* Random rounds of messages and collectives, while each rank stops and starts the recording at random. Argument: a
 * seed. Every message has its own size. Each rank prints whether its calls were recorded:
 *
 *   sent RANK TO BYTES RECORDED          recorded: the recording was on when it was sent
 *   received RANK FROM BYTES RECORDED    ... when the receive was posted and when it was found complete
 *   collective RANK NUMBER RECORDED
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 60, MOST_PENDING = 64, ROOM = 4096 };

static int rank, size, recording = 1, waiting;
static unsigned own_seed;
static struct {
    MPI_Request request;
    char room[ROOM];
    int recording, sends;
} pending[MOST_PENDING];

static int chance(unsigned *seed, int range) {
    return (int)(rand_r(seed) / 7 % (unsigned)range);
}

static void print_message(const char *kind, int peer, int bytes, int recorded) {
    printf("%s %d %d %d %d\n", kind, rank, peer, bytes, recorded);
}

static void toggle(void) {
    if (chance(&own_seed, 6) == 0) {
        recording = !recording;
        MPI_Pcontrol(recording);
    }
}

static void received(MPI_Status *status, int posted_recording) {
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    print_message("received", status->MPI_SOURCE, bytes, posted_recording && recording);
}

static void finish(int i) {
    MPI_Status status;
    MPI_Wait(&pending[i].request, &status);
    if (!pending[i].sends)
        received(&status, pending[i].recording);
    pending[i] = pending[--waiting];
}

static void send(int receiver, int tag, int bytes) {
    static char room[ROOM];
    int i = waiting;
    print_message("sent", receiver, bytes, recording);
    if (chance(&own_seed, 2) && i < MOST_PENDING) {
        MPI_Isend(pending[i].room, bytes, MPI_BYTE, receiver, tag, MPI_COMM_WORLD, &pending[i].request);
        pending[i].sends = 1;
        waiting++;
    } else {
        MPI_Send(room, bytes, MPI_BYTE, receiver, tag, MPI_COMM_WORLD);
    }
}

static void receive(int sender, int tag) {
    static char room[ROOM];
    MPI_Status status;
    int i = waiting, is_wildcard = chance(&own_seed, 3) == 0;
    if (chance(&own_seed, 3) && i < MOST_PENDING) {
        pending[i].recording = recording;
        pending[i].sends = 0;
        MPI_Irecv(pending[i].room, ROOM, MPI_BYTE, is_wildcard ? MPI_ANY_SOURCE : sender, tag, MPI_COMM_WORLD,
                  &pending[i].request);
        waiting++;
    } else {
        MPI_Recv(room, ROOM, MPI_BYTE, is_wildcard ? MPI_ANY_SOURCE : sender, tag, MPI_COMM_WORLD, &status);
        received(&status, recording);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned seed = (unsigned)atoi(argc > 1 ? argv[1] : "1");
    own_seed = seed * 1000 + (unsigned)rank;
    for (int round = 0; round < ROUNDS; round++) {
        /* All ranks know the sender and receiver of each message: one ring at a time, with its own tag. So messages
         * with a tag come from one rank, whether the receive names it or not. Messages are small enough to be sent at
         * once. */
        int step = 1 + chance(&seed, size - 1), bytes = 1 + round * size + rank;
        toggle();
        send((rank + step) % size, step, bytes);
        toggle();
        receive((rank + size - step) % size, step);
        toggle();
        while (waiting > 0 && (chance(&own_seed, 2) || waiting > MOST_PENDING / 2))
            finish(chance(&own_seed, waiting));
        if (chance(&seed, 3) == 0) {
            int sum;
            while (waiting > 0)
                finish(0);
            printf("collective %d %d %d\n", rank, round, recording);
            MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (sum != round * size)
                return 1;
        }
    }
    while (waiting > 0)
        finish(0);
    MPI_Finalize();
    return 0;
}
