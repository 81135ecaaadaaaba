/* Requests that end in unusual ways, and every kind of send, on two ranks. Each tag is one case. The test knows how
 * many messages, posts, completions and cancellations each must produce. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, other;
static MPI_Comm comm;
static char room[65536];

static void exchange(MPI_Request *receive, int *in, int tag) {
    MPI_Irecv(in, 1, MPI_INT, other, tag, comm, receive);
    MPI_Barrier(comm); /* a ready send requires a posted receive */
}

/* 40 to 45: Rsend, Irsend, Ibsend, and the persistent Bsend, Ssend, Rsend, three starts each. */
static long every_send(void) {
    int out = rank + 1, in = 0;
    long sum = 0;
    MPI_Request receive, send, sends[3];
    exchange(&receive, &in, 40);
    MPI_Rsend(&out, 1, MPI_INT, other, 40, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    sum += in;
    exchange(&receive, &in, 41);
    MPI_Irsend(&out, 1, MPI_INT, other, 41, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    sum += in;
    exchange(&receive, &in, 42);
    MPI_Ibsend(&out, 1, MPI_INT, other, 42, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    sum += in;
    MPI_Bsend_init(&out, 1, MPI_INT, other, 43, comm, &sends[0]);
    MPI_Ssend_init(&out, 1, MPI_INT, other, 44, comm, &sends[1]);
    MPI_Rsend_init(&out, 1, MPI_INT, other, 45, comm, &sends[2]);
    for (int start = 0; start < 3; start++)
        for (int kind = 0; kind < 3; kind++) {
            exchange(&receive, &in, 43 + kind);
            MPI_Start(&sends[kind]);
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
            MPI_Wait(&sends[kind], MPI_STATUS_IGNORE);
            sum += in;
        }
    for (int kind = 0; kind < 3; kind++)
        MPI_Request_free(&sends[kind]);
    return sum;
}

/* 50: eight persistent receives, of which five are started. Every kind of completion also gets the inactive ones. */
static long inactive(void) {
    enum { ALL = 8, STARTED = 5 };
    int in[ALL] = {0}, out = rank + 1, index, flag, done, indices[ALL];
    long sum = 0;
    MPI_Request receives[ALL], send;
    MPI_Status statuses[ALL];
    for (int i = 0; i < ALL; i++)
        MPI_Recv_init(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 50, comm, &receives[i]);
    for (int way = 0; way < 6; way++) {
        MPI_Startall(STARTED, receives);
        for (int i = 0; i < STARTED; i++) {
            MPI_Isend(&out, 1, MPI_INT, other, 50, comm, &send);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        }
        int left = STARTED;
        if (way == 0) {
            MPI_Waitall(ALL, receives, statuses);
            left = 0;
        } else if (way == 1) {
            for (flag = 0; !flag;)
                MPI_Testall(ALL, receives, &flag, MPI_STATUSES_IGNORE);
            left = 0;
        }
        while (left > 0) {
            done = flag = 1;
            if (way == 2)
                MPI_Waitany(ALL, receives, &index, statuses);
            else if (way == 3)
                MPI_Testany(ALL, receives, &index, &flag, MPI_STATUS_IGNORE);
            else if (way == 4)
                MPI_Waitsome(ALL, receives, &done, indices, MPI_STATUSES_IGNORE);
            else
                MPI_Testsome(ALL, receives, &done, indices, statuses);
            left -= flag ? done : 0;
        }
        MPI_Waitany(ALL, receives, &index, MPI_STATUS_IGNORE);
        MPI_Testsome(ALL, receives, &done, indices, MPI_STATUSES_IGNORE);
        sum += (index == MPI_UNDEFINED) + (done == MPI_UNDEFINED);
    }
    for (int i = 0; i < ALL; i++) {
        sum += in[i];
        MPI_Request_free(&receives[i]);
    }
    return sum;
}

/* 60: a send whose request is freed at once. 61: a persistent receive, cancelled once and completed once. 62: to and
 * from MPI_PROC_NULL, in every form. 63: matched probes and receives, also from MPI_PROC_NULL. */
static long odd_ends(void) {
    int out = rank + 1, in = 0, flag = 0;
    long sum = 0;
    MPI_Request request, receive;
    MPI_Status status;
    MPI_Message message;
    MPI_Isend(&out, 1, MPI_INT, other, 60, comm, &request);
    MPI_Request_free(&request);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 60, comm, &status);
    sum += in;
    MPI_Recv_init(&in, 1, MPI_INT, other, 61, comm, &receive);
    MPI_Start(&receive);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
    MPI_Test_cancelled(&status, &flag);
    sum += flag;
    MPI_Barrier(comm); /* the message of a rank that is ahead would complete what shall be cancelled */
    MPI_Start(&receive);
    MPI_Send(&out, 1, MPI_INT, other, 61, comm);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&receive);
    sum += in;
    MPI_Isend(&out, 1, MPI_INT, MPI_PROC_NULL, 62, comm, &request);
    MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 62, comm, &receive);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 62, &in, 1, MPI_INT, MPI_PROC_NULL, 62, comm, MPI_STATUS_IGNORE);
    MPI_Send_init(&out, 1, MPI_INT, MPI_PROC_NULL, 62, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Mprobe(MPI_PROC_NULL, 63, comm, &message, &status);
    MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    sum += status.MPI_SOURCE == MPI_PROC_NULL;
    MPI_Isend(&out, 1, MPI_INT, other, 63, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &receive);
    for (flag = 0; !flag;)
        MPI_Test(&receive, &flag, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum + in + status.MPI_TAG;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    other = 1 - rank;
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
