/* Messages of MPI-4 that MPI 3.1 lacks, if the library has them: partitioned messages, sends and receives by one
 * request, and queries of requests. Runs on two ranks. Prints the received values. */
#include <mpi.h>
#include <stdio.h>

enum { PARTS = 4, PART_VALUES = 2, STARTS = 3, TAG = 7 };

/* MPICH does not report the data that came to such a request. */
#ifdef OMPI_MAJOR_VERSION
#define SOURCE(rank) MPI_ANY_SOURCE
#define TAGGED(tag) MPI_ANY_TAG
#else
#define SOURCE(rank) (rank)
#define TAGGED(tag) (tag)
#endif

int main(int argc, char **argv) {
    int rank, flag, sum = 0, input[PARTS * PART_VALUES] = {0}, output[PARTS * PART_VALUES], list[] = {3, 1};
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < PARTS * PART_VALUES; i++)
        output[i] = 10 * rank + i;
    if (rank == 0)
        MPI_Psend_init(output, PARTS, PART_VALUES, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    else
        MPI_Precv_init(input, PARTS, PART_VALUES, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    for (int start = 0; start < STARTS; start++) {
        MPI_Start(&requests[0]);
        if (rank == 0) {
            MPI_Pready(0, requests[0]);
            MPI_Pready_list(2, list, requests[0]);
            /* An ordinary message with the same tag begins before the partitioned one is complete. */
            MPI_Send(&start, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
            MPI_Pready_range(2, 2, requests[0]);
        } else {
            int value;
            MPI_Recv(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
            for (flag = 0; !flag;)
                MPI_Parrived(requests[0], 1, &flag);
        }
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        for (int i = 0; i < PARTS * PART_VALUES; i++)
            sum += input[i];
    }
    MPI_Request_free(&requests[0]);

    MPI_Isendrecv(output, 3, MPI_INT, 1 - rank, 8, input, 5, MPI_INT, SOURCE(1 - rank), 8, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Isendrecv_replace(output + 4, 4, MPI_INT, 1 - rank, 9, 1 - rank, TAGGED(9), MPI_COMM_WORLD, &requests[1]);
    for (flag = 0; !flag;)
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    int done, indices[2];
    for (flag = 0; !flag;)
        MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Request_get_status_any(2, requests, &done, &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status_some(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    sum += flag + (done == 2) - 2;
#endif
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#if !defined MPICH_NUMVERSION || MPICH_NUMVERSION >= 50000000 /* MPICH 4.0 itself crashes on it */
    MPI_Isendrecv(output, 1, MPI_INT, MPI_PROC_NULL, 8, input, 1, MPI_INT, MPI_PROC_NULL, 8, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
#endif
    printf("rank %d: %d %d %d\n", rank, sum, input[2], output[7]);
    MPI_Finalize();
    return 0;
}
