/* Runs every kind of send, and ends requests in unusual ways, on two ranks. Each tag is one case, for which the test
 * expects certain numbers of messages, posts, completions and cancellations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, peer;
static MPI_Comm comm;
static char room[65536];

static void exchange(MPI_Request *receive, int *received, int tag) {
    MPI_Irecv(received, 1, MPI_INT, peer, tag, comm, receive);
    MPI_Barrier(comm); /* a ready send requires a posted receive */
}

/* Tags 40 to 45: Rsend, Irsend, Ibsend, and the persistent Bsend, Ssend, Rsend, with three starts each. */
static long every_send(void) {
    int sent = rank + 1, received = 0;
    long sum = 0;
    MPI_Request receive, send, sends[3];
    exchange(&receive, &received, 40);
    MPI_Rsend(&sent, 1, MPI_INT, peer, 40, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    sum += received;
    exchange(&receive, &received, 41);
    MPI_Irsend(&sent, 1, MPI_INT, peer, 41, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    sum += received;
    exchange(&receive, &received, 42);
    MPI_Ibsend(&sent, 1, MPI_INT, peer, 42, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    sum += received;
    MPI_Bsend_init(&sent, 1, MPI_INT, peer, 43, comm, &sends[0]);
    MPI_Ssend_init(&sent, 1, MPI_INT, peer, 44, comm, &sends[1]);
    MPI_Rsend_init(&sent, 1, MPI_INT, peer, 45, comm, &sends[2]);
    for (int start = 0; start < 3; start++)
        for (int kind = 0; kind < 3; kind++) {
            exchange(&receive, &received, 43 + kind);
            MPI_Start(&sends[kind]);
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
            MPI_Wait(&sends[kind], MPI_STATUS_IGNORE);
            sum += received;
        }
    for (int kind = 0; kind < 3; kind++)
        MPI_Request_free(&sends[kind]);
    return sum;
}

/* Tag 50: eight persistent receives, of which five are started. All eight, also the inactive ones, are passed to every
 * kind of completion call. */
static long inactive(void) {
    enum { REQUESTS = 8, STARTED = 5 };
    int received[REQUESTS] = {0}, sent = rank + 1, index, flag, done, indices[REQUESTS];
    long sum = 0;
    MPI_Request receives[REQUESTS], send;
    MPI_Status statuses[REQUESTS];
    for (int i = 0; i < REQUESTS; i++)
        MPI_Recv_init(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, 50, comm, &receives[i]);
    for (int method = 0; method < 6; method++) {
        MPI_Startall(STARTED, receives);
        for (int i = 0; i < STARTED; i++) {
            MPI_Isend(&sent, 1, MPI_INT, peer, 50, comm, &send);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        }
        int open_count = STARTED;
        if (method == 0) {
            MPI_Waitall(REQUESTS, receives, statuses);
            open_count = 0;
        } else if (method == 1) {
            for (flag = 0; !flag;)
                MPI_Testall(REQUESTS, receives, &flag, MPI_STATUSES_IGNORE);
            open_count = 0;
        }
        while (open_count > 0) {
            done = flag = 1;
            if (method == 2)
                MPI_Waitany(REQUESTS, receives, &index, statuses);
            else if (method == 3)
                MPI_Testany(REQUESTS, receives, &index, &flag, MPI_STATUS_IGNORE);
            else if (method == 4)
                MPI_Waitsome(REQUESTS, receives, &done, indices, MPI_STATUSES_IGNORE);
            else
                MPI_Testsome(REQUESTS, receives, &done, indices, statuses);
            open_count -= flag ? done : 0;
        }
        MPI_Waitany(REQUESTS, receives, &index, MPI_STATUS_IGNORE);
        MPI_Testsome(REQUESTS, receives, &done, indices, MPI_STATUSES_IGNORE);
        sum += (index == MPI_UNDEFINED) + (done == MPI_UNDEFINED);
    }
    for (int i = 0; i < REQUESTS; i++) {
        sum += received[i];
        MPI_Request_free(&receives[i]);
    }
    return sum;
}

/* Tag 60: a send whose request is freed at once. Tag 61: a persistent receive, cancelled once and completed once. Tag
 * 62: messages to and from MPI_PROC_NULL, in every form. Tag 63: matched probes and receives, also from MPI_PROC_NULL.
 */
static long odd_ends(void) {
    int sent = rank + 1, received = 0, flag = 0;
    long sum = 0;
    MPI_Request request, receive;
    MPI_Status status;
    MPI_Message message;
    MPI_Isend(&sent, 1, MPI_INT, peer, 60, comm, &request);
    MPI_Request_free(&request);
    MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 60, comm, &status);
    sum += received;
    MPI_Recv_init(&received, 1, MPI_INT, peer, 61, comm, &receive);
    MPI_Start(&receive);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
    MPI_Test_cancelled(&status, &flag);
    sum += flag;
    MPI_Barrier(comm); /* otherwise a message of the other rank, if it is ahead, could complete the receive to cancel */
    MPI_Start(&receive);
    MPI_Send(&sent, 1, MPI_INT, peer, 61, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&receive);
    sum += received;
    MPI_Isend(&sent, 1, MPI_INT, MPI_PROC_NULL, 62, comm, &request);
    MPI_Irecv(&received, 1, MPI_INT, MPI_PROC_NULL, 62, comm, &receive);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&sent, 1, MPI_INT, MPI_PROC_NULL, 62, &received, 1, MPI_INT, MPI_PROC_NULL, 62, comm,
                 MPI_STATUS_IGNORE);
    MPI_Send_init(&sent, 1, MPI_INT, MPI_PROC_NULL, 62, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Mprobe(MPI_PROC_NULL, 63, comm, &message, &status);
    MPI_Mrecv(&received, 1, MPI_INT, &message, &status);
    sum += status.MPI_SOURCE == MPI_PROC_NULL;
    MPI_Isend(&sent, 1, MPI_INT, peer, 63, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
    MPI_Imrecv(&received, 1, MPI_INT, &message, &receive);
    for (flag = 0; !flag;)
        MPI_Test(&receive, &flag, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum + received + status.MPI_TAG;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    peer = 1 - rank;
    MPI_Buffer_attach(room, sizeof room);
    printf("%d sends %ld\n", rank, every_send());
    printf("%d inactive %ld\n", rank, inactive());
    printf("%d odd ends %ld\n", rank, odd_ends());
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
