/* A preload that does what a collector must not do: it changes a result, and ends the job in a test. The comparison of
 * mpi4py's tests must notice both. */
#include <mpi.h>
#include <unistd.h>

int MPI_Op_commutative(MPI_Op op, int *commutes) {
    int result = PMPI_Op_commutative(op, commutes);
    *commutes = !*commutes;
    return result;
}

int MPI_Add_error_string(int code, const char *text) {
    (void)code;
    (void)text;
    /* Every rank has begun this test, so no earlier test is blamed. */
    PMPI_Barrier(MPI_COMM_WORLD);
    _exit(9);
}
