/* A tool that wraps MPI_Allreduce and MPI_Send, and makes its own calls in MPI_Init and MPI_Finalize. */
#include <mpi.h>

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return PMPI_Allreduce(send, receive, count, datatype, op, comm);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int receiver, int tag, MPI_Comm comm) {
    return PMPI_Send(buffer, count, datatype, receiver, tag, comm);
}

int MPI_Recv(void *buffer, int count, MPI_Datatype datatype, int sender, int tag, MPI_Comm comm, MPI_Status *status) {
    return PMPI_Recv(buffer, count, datatype, sender, tag, comm, status);
}

/* Each rank sends its number to the first rank, and all ranks add them up. */
static void gather(void) {
    int rank, size, number = 0, sum;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0)
        PMPI_Send(&rank, 1, MPI_INT, 0, 99, MPI_COMM_WORLD);
    for (int sender = 1; rank == 0 && sender < size; sender++)
        PMPI_Recv(&number, 1, MPI_INT, sender, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int MPI_Init(int *argc, char ***argv) {
    int error = PMPI_Init(argc, argv);
    gather();
    return error;
}

int MPI_Finalize(void) {
    gather();
    return PMPI_Finalize();
}
