/* In each of 25 rounds, rank 0 waits for rank 1, which is busy for 20 ms and then answers. Arguments: the method of
 * waiting of rank 0, its sleep between two polls in microseconds (negative: it yields), and the task of rank 1: work or
 * sleep.
 */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int nap_us;

static void work(void) {
    volatile double x = 1;
    for (double end = MPI_Wtime() + 0.02; MPI_Wtime() < end;)
        for (int i = 0; i < 1000; i++)
            x = x * 1.0001 + 1e-9;
}

static void nap(void) {
    if (nap_us > 0)
        usleep((useconds_t)nap_us);
    else if (nap_us < 0)
        sched_yield();
}

static void poll_request(MPI_Request request) {
    for (int flag = 0; !flag;) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            nap();
    }
}

static void poll_probe(void) {
    for (int flag = 0; !flag;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            nap();
    }
}

static void await(const char *method) {
    int value;
    MPI_Request request;
    MPI_Message message;
    if (!strcmp(method, "test")) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        poll_request(request);
        return;
    }
    if (!strcmp(method, "mprobe")) {
        MPI_Mprobe(1, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        return;
    }
    if (!strcmp(method, "probe"))
        MPI_Probe(1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        poll_probe();
    MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *method = argv[argc - 3];
    int rank, value = 1;
    nap_us = atoi(argv[argc - 2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 25; round++) {
        if (rank == 1) {
            if (strcmp(argv[argc - 1], "sleep"))
                work();
            else
                usleep(20000);
        }
        if (!strcmp(method, "collective")) {
            MPI_Request request;
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
            if (rank == 0)
                poll_request(request);
            else
                MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            await(method);
            MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
