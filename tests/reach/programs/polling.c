/* Progress loops in which no message arrives for 0.3 s, then two messages. The argument selects the loop. Prints each
 * rank's seconds in the loop and its turns. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static MPI_Request requests[2], none[2], stopped;

static void probe(void) {
    int flag;
    MPI_Message message;
    MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Improbe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
}

static void test(void) {
    int flag, index, indices[2];
    MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
    MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(2, requests, &index, indices, MPI_STATUSES_IGNORE);
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
}

/* The flag of every test is true. */
static void test_inactive(void) {
    int flag, index, indices[2];
    MPI_Test(none, &flag, MPI_STATUS_IGNORE);
    MPI_Test(&stopped, &flag, MPI_STATUS_IGNORE);
    MPI_Testany(2, none, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(2, none, &index, indices, MPI_STATUSES_IGNORE);
    MPI_Testall(2, none, &flag, MPI_STATUSES_IGNORE);
    MPI_Testall(1, &stopped, &flag, MPI_STATUSES_IGNORE);
    MPI_Request_get_status(none[0], &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *loop = argv[argc - 1];
    int rank, values[2], one = 1, unused;
    long turns = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    none[0] = none[1] = MPI_REQUEST_NULL;
    MPI_Recv_init(&unused, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &stopped);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&values[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    double begin = MPI_Wtime();
    for (; MPI_Wtime() - begin < 0.3; turns++) {
        if (!strcmp(loop, "inactive")) {
            test_inactive();
            continue;
        }
        probe();
        test();
        if (!strcmp(loop, "yielding"))
            sched_yield();
        if (!strcmp(loop, "pausing"))
            usleep(20);
    }
    printf("%d %.3f %ld\n", rank, MPI_Wtime() - begin, turns);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Send(&one, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&stopped);
    MPI_Finalize();
    return 0;
}
