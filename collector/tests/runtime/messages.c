/* Runs all forms of point-to-point communication between neighbours in a ring, and prints a checksum for each. Every
 * message is received; one receive is cancelled. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 100 };

static int rank, size, left, right;
static MPI_Comm comm;

static void print(const char *test, long value) {
    printf("%d %s %ld\n", rank, test, value);
}

static void blocking(void) {
    int sent = rank, received[3] = {-1, -1, -1};
    static char room[4096];
    MPI_Status status;
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(&sent, 1, MPI_INT, right, 1, comm);
    MPI_Recv(received, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    print("recv", received[0] * 100 + status.MPI_SOURCE * 10 + status.MPI_TAG);
    if (rank % 2) {
        MPI_Ssend(&sent, 1, MPI_INT, right, 2, comm);
        MPI_Recv(received, 3, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(received, 3, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE);
        MPI_Send(&sent, 1, MPI_INT, right, 2, comm);
    }
    MPI_Sendrecv(&sent, 1, MPI_INT, left, 3, received, 3, MPI_INT, right, 3, comm, &status);
    int count;
    MPI_Get_count(&status, MPI_INT, &count);
    print("sendrecv", received[0] * 10 + count);
    MPI_Sendrecv_replace(&sent, 1, MPI_INT, left, 4, right, 4, comm, MPI_STATUS_IGNORE);
    print("replace", sent);
    MPI_Send(&sent, 1, MPI_INT, MPI_PROC_NULL, 5, comm);
    MPI_Recv(&sent, 1, MPI_INT, MPI_PROC_NULL, 5, comm, &status);
    print("null", status.MPI_SOURCE == MPI_PROC_NULL);
    int unused;
    void *detached;
    MPI_Buffer_detach(&detached, &unused);
}

/* Posts MESSAGES receives and sends; requests[2 i] is a receive, requests[2 i + 1] a send. */
static void post(int received[], int sent[], MPI_Request requests[], int tag) {
    for (int i = 0; i < MESSAGES; i++) {
        sent[i] = rank * 1000 + i;
        MPI_Irecv(&received[i], 1, MPI_INT, left, tag, comm, &requests[2 * i]);
        if (i % 3)
            MPI_Isend(&sent[i], 1, MPI_INT, right, tag, comm, &requests[2 * i + 1]);
        else
            MPI_Issend(&sent[i], 1, MPI_INT, right, tag, comm, &requests[2 * i + 1]);
    }
}

static long sum(const int received[]) {
    long total = 0;
    for (int i = 0; i < MESSAGES; i++)
        total += received[i];
    return total;
}

static void completions(void) {
    static int received[MESSAGES], sent[MESSAGES], indices[2 * MESSAGES];
    static MPI_Request requests[2 * MESSAGES + 1];
    static MPI_Status statuses[2 * MESSAGES + 1];
    int flag = 0, index, done, left_over = 2 * MESSAGES;

    post(received, sent, requests, 10);
    requests[2 * MESSAGES] = MPI_REQUEST_NULL;
    MPI_Waitall(2 * MESSAGES + 1, requests, MPI_STATUSES_IGNORE);
    print("waitall", sum(received));
    post(received, sent, requests, 11);
    MPI_Waitall(2 * MESSAGES, requests, statuses);
    print("waitall statuses", sum(received) + statuses[0].MPI_SOURCE + statuses[0].MPI_TAG);
    post(received, sent, requests, 12);
    for (int i = 0; i < 2 * MESSAGES; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    print("wait", sum(received));
    post(received, sent, requests, 13);
    for (MPI_Waitany(2 * MESSAGES, requests, &index, MPI_STATUS_IGNORE); index != MPI_UNDEFINED;)
        MPI_Waitany(2 * MESSAGES, requests, &index, &statuses[0]);
    print("waitany", sum(received));
    post(received, sent, requests, 14);
    for (; left_over > 0; left_over -= done)
        MPI_Waitsome(2 * MESSAGES, requests, &done, indices, MPI_STATUSES_IGNORE);
    print("waitsome", sum(received));
    post(received, sent, requests, 15);
    for (int i = 0; i < 2 * MESSAGES; i++)
        for (flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    print("test", sum(received));
    post(received, sent, requests, 16);
    for (flag = 0; !flag;)
        MPI_Testall(2 * MESSAGES, requests, &flag, statuses);
    print("testall", sum(received));
    post(received, sent, requests, 17);
    for (index = 0, flag = 0; !flag || index != MPI_UNDEFINED;)
        MPI_Testany(2 * MESSAGES, requests, &index, &flag, MPI_STATUS_IGNORE);
    print("testany", sum(received));
    post(received, sent, requests, 18);
    for (left_over = 2 * MESSAGES; left_over > 0; left_over -= done)
        MPI_Testsome(2 * MESSAGES, requests, &done, indices, statuses);
    print("testsome", sum(received));
}

static void probes(void) {
    int sent = rank + 7, received = -1, flag = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Isend(&sent, 1, MPI_INT, right, 20, comm, &request);
    MPI_Probe(left, 20, comm, &status);
    MPI_Recv(&received, 1, MPI_INT, left, 20, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&sent, 1, MPI_INT, right, 21, comm, &request);
    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 21, comm, &flag, &status);
    MPI_Recv(&received, 1, MPI_INT, status.MPI_SOURCE, 21, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&sent, 1, MPI_INT, right, 22, comm, &request);
    MPI_Mprobe(left, 22, comm, &message, &status);
    MPI_Mrecv(&received, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&sent, 1, MPI_INT, right, 23, comm, &request);
    for (flag = 0; !flag;)
        MPI_Improbe(left, 23, comm, &flag, &message, &status);
    MPI_Request receive;
    MPI_Imrecv(&received, 1, MPI_INT, &message, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    print("probes", received);
}

static void persistent(void) {
    int sent = 0, received = -1;
    long total = 0;
    MPI_Request requests[2], cancelled_request;
    MPI_Status status;
    MPI_Recv_init(&received, 1, MPI_INT, left, 30, comm, &requests[0]);
    MPI_Send_init(&sent, 1, MPI_INT, right, 30, comm, &requests[1]);
    for (int i = 0; i < 10; i++) {
        sent = rank * 10 + i;
        if (i % 2) {
            MPI_Startall(2, requests);
        } else {
            MPI_Start(&requests[0]);
            MPI_Start(&requests[1]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        total += received;
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* returns at once, because the requests are inactive */
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Irecv(&received, 1, MPI_INT, left, 31, comm, &cancelled_request);
    MPI_Cancel(&cancelled_request);
    MPI_Wait(&cancelled_request, &status);
    int cancelled;
    MPI_Test_cancelled(&status, &cancelled);
    print("persistent", total * 10 + cancelled);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    blocking();
    completions();
    probes();
    persistent();
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
