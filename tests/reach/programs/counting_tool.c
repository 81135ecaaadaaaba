/* A PMPI tool as small as possible: counts two functions and prints the counts at the end. With TAKES_INIT it also has
 * an MPI_Init, as most tools have. With WRAPS_PMPI it counts sums in a PMPI function of its own, as Darshan does. */
#include <mpi.h>
#include <stdio.h>

static long reduces, sends;

#ifdef WRAPS_PMPI
#include <dlfcn.h>

int PMPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    __typeof__(PMPI_Allreduce) *next = (__typeof__(PMPI_Allreduce) *)dlsym(RTLD_NEXT, "PMPI_Allreduce");
    reduces++;
    return next(send, receive, count, datatype, op, comm);
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    return PMPI_Allreduce(send, receive, count, datatype, op, comm);
}
#else
int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    reduces++;
    return PMPI_Allreduce(send, receive, count, datatype, op, comm);
}
#endif

int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int receiver, int tag, MPI_Comm comm) {
    sends++;
    return PMPI_Send(buffer, count, datatype, receiver, tag, comm);
}

#ifdef TAKES_INIT
int MPI_Init(int *argc, char ***argv) {
    return PMPI_Init(argc, argv);
}
#endif

int MPI_Finalize(void) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "tool: rank %d %ld reduces %ld sends\n", rank, reduces, sends);
    return PMPI_Finalize();
}
