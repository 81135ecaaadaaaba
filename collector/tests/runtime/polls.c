/* Alternates an unsuccessful poll with a growing number of barriers. For one of these numbers, the last barrier's
 * record lies exactly in the slot in which the poll's record was before the chunk changed. Argument: the largest number
 * of barriers between two polls. Prints the number of polls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int max_barriers = atoi(argv[1]), polls = 0;
    for (int barriers = max_barriers - 20; barriers <= max_barriers; barriers++)
        for (int i = 0; i < 20; i++, polls++) {
            int flag;
            MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
            for (int b = 0; b < barriers; b++)
                MPI_Barrier(MPI_COMM_SELF);
        }
    printf("%d\n", polls);
    MPI_Finalize();
    return 0;
}
