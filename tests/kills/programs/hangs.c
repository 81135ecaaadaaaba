/* Programs that never end, each in its own way, after a few collectives that end well:
 *
 *   hangs absent      rank 2 never enters the Allreduce that the others are in
 *   hangs operations  rank 1 calls Barrier where the others call Allreduce
 *   hangs receive     rank 0 receives from rank 1, which sends nothing and is in the next Barrier with the others
 *   hangs comms       the even ranks are in a collective on one communicator, the odd ones on another
 *   hangs started     rank 2 never starts the Iallreduce that the others wait for
 *   hangs roots       rank 0 broadcasts from rank 1, the others from rank 0
 *   hangs circle      every rank waits for a message from the next before it sends its own
 */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

static char big[BYTES];

static void compute(void) {
    for (;;)
        usleep(1000);
}

int main(int argc, char **argv) {
    int rank, ranks, value = 1, sum;
    MPI_Comm first, second;
    const char *kind = argc > 1 ? argv[1] : "";
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    MPI_Comm_set_name(first, "first");
    MPI_Comm_set_name(second, "second");
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if ((strcmp(kind, "absent") == 0 || strcmp(kind, "started") == 0) && rank == 2)
        compute();
    if (strcmp(kind, "operations") == 0 && rank == 1)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(kind, "receive") == 0 && rank == 0)
        MPI_Recv(big, BYTES, MPI_CHAR, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(kind, "receive") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(kind, "comms") == 0)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, rank % 2 ? second : first);
    if (strcmp(kind, "started") == 0) {
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, first, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (strcmp(kind, "roots") == 0)
        MPI_Bcast(big, BYTES, MPI_CHAR, rank == 0 ? 1 : 0, MPI_COMM_WORLD);
    if (strcmp(kind, "circle") == 0) {
        MPI_Irecv(big, BYTES, MPI_CHAR, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compute();
    return 0;
}
