/* Programs that never end, each in its own way, after a few collectives that end well:
 *
 *   hangs absent      rank 2 never enters the Allreduce that the others are in
 *   hangs operations  rank 1 calls Barrier where the others call Allreduce
 *   hangs receive     rank 0 receives from rank 1, which sends nothing and is in the next Barrier with the others
 *   hangs comms       the even ranks are in a collective on one communicator, the odd ones on another
 *   hangs started     rank 2 never starts the Iallreduce that the others wait for
 *   hangs roots       rank 0 broadcasts from rank 1, the others from rank 0
 *   hangs lock        ranks 2 and 3 want the lock on rank 0's window that rank 1 keeps
 *   hangs access      rank 0 starts an epoch for rank 2, which does not post
 *   hangs exposure    rank 0 waits for the end of rank 2's epoch, which does not begin
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
    int rank, ranks, value = 1, sum, *cell, second_rank = 2;
    MPI_Comm first, second;
    MPI_Group world, partner;
    MPI_Win window;
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
    if (strcmp(kind, "lock") == 0 || strcmp(kind, "access") == 0 || strcmp(kind, "exposure") == 0) {
        MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &window);
        MPI_Win_set_name(window, "board");
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 1, &second_rank, &partner);
    }
    if (strcmp(kind, "lock") == 0 && rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Send(&value, 1, MPI_INT, 2, 9, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 3, 9, MPI_COMM_WORLD);
        compute();
    }
    if (strcmp(kind, "lock") == 0 && rank >= 2) {
        MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    if ((strcmp(kind, "access") == 0 || strcmp(kind, "exposure") == 0) && rank == 2)
        compute();
    if (strcmp(kind, "access") == 0 && rank == 0) {
        MPI_Win_start(partner, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    }
    if (strcmp(kind, "exposure") == 0 && rank == 0) {
        MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
    }
    if (strcmp(kind, "circle") == 0) {
        MPI_Irecv(big, BYTES, MPI_CHAR, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    compute();
    return 0;
}
