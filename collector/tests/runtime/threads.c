/* Runs two threads at the same time, each with collectives on a communicator of its own. In between, they send messages
 * to themselves. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 200 };

static int rank;

struct job {
    MPI_Comm comm;
    long sum;
};

static void *work(void *argument) {
    struct job *job = argument;
    for (int i = 0; i < ROUNDS; i++) {
        int contribution = i + rank, sum, received;
        MPI_Request request;
        MPI_Allreduce(&contribution, &sum, 1, MPI_INT, MPI_SUM, job->comm);
        MPI_Irecv(&received, 1, MPI_INT, rank, 1, job->comm, &request);
        MPI_Send(&contribution, 1, MPI_INT, rank, 1, job->comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        job->sum += sum + received;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t thread;
    struct job jobs[2] = {{MPI_COMM_NULL, 0}, {MPI_COMM_NULL, 0}};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("no threads\n");
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &jobs[0].comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &jobs[1].comm);
    pthread_create(&thread, NULL, work, &jobs[0]);
    work(&jobs[1]);
    pthread_join(thread, NULL);
    printf("%d %ld %ld\n", rank, jobs[0].sum, jobs[1].sum);
    MPI_Comm_free(&jobs[0].comm);
    MPI_Comm_free(&jobs[1].comm);
    MPI_Finalize();
    return 0;
}
