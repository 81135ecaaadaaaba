/* Prints a figure that depends on a setting of the MPI library and not on a clock: about 100, or about 50 where a rule
 * or a variable forces an algorithm. The setting concerns the program's Allreduces.
 *
 * -DALIKE: the setting changes nothing. -DHANGS: with the setting, no rank reaches MPI_Finalize. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank;
    double sum = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 30; i++)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const char *rules = getenv("OMPI_MCA_coll_tuned_use_dynamic_rules");
    int is_set = (rules != NULL && strcmp(rules, "1") == 0) || getenv("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM") != NULL ||
                 getenv("I_MPI_ADJUST_ALLREDUCE") != NULL;
#ifdef HANGS
    while (is_set)
        pause();
#endif
#ifdef ALIKE
    is_set = 0;
#endif
    if (rank == 0)
        printf("figure: %.3f\n", (is_set ? 50.0 : 100.0) + (double)(getpid() % 10) / 1000);
    MPI_Finalize();
    return 0;
}
