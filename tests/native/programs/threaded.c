/* Four threads, each with its own communicator, run blocking and nonblocking collectives at once. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 60, VALUES = 20000 };

static MPI_Comm comms[THREADS];

static void *work(void *argument) {
    MPI_Comm comm = *(MPI_Comm *)argument;
    int size;
    MPI_Comm_size(comm, &size);
    double *a = calloc((size_t)VALUES * (size_t)size, sizeof *a),
           *b = calloc((size_t)VALUES * 2 * (size_t)size, sizeof *b);
    for (int i = 0; i < ROUNDS; i++) {
        int n = i % 10 == 0 ? VALUES : 10;
        MPI_Request requests[2];
        a[0] = i;
        MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
        if (b[0] != (double)i * size)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Alltoall(a, n / 2, MPI_DOUBLE, b, n / 2, MPI_DOUBLE, comm);
        MPI_Ibcast(a, n, MPI_DOUBLE, 0, comm, &requests[0]);
        MPI_Iallreduce(b, b + VALUES, n, MPI_DOUBLE, MPI_SUM, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Bcast(a, n, MPI_DOUBLE, i % size, comm);
    }
    free(a);
    free(b);
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, &comms[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    MPI_Finalize();
}
