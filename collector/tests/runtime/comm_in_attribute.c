/* Keeps communicators in an attribute of another communicator, as libraries do. The attribute's delete callback frees
 * them. The next communicator may get the same handle, and half of the time it has other members. PMPI_Comm_free stands
 * for a call that no wrapper sees, such as a Fortran call with some MPI libraries. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int unseen;

static int free_cached(MPI_Comm comm, int key, void *cached_comm, void *extra) {
    (void)comm, (void)key, (void)extra;
    int error = unseen ? PMPI_Comm_free(cached_comm) : MPI_Comm_free(cached_comm);
    free(cached_comm);
    return error;
}

int main(int argc, char **argv) {
    int rank, key;
    MPI_Init(&argc, &argv);
    unseen = argc > 1 && strcmp(argv[1], "unseen") == 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_cached, &key, NULL);
    for (int i = 0; i < 20; i++) {
        MPI_Comm holder, *cached_comm = malloc(sizeof *cached_comm);
        int sum = -1;
        MPI_Comm_dup(MPI_COMM_WORLD, &holder);
        MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? rank % 2 : rank / 2, rank, cached_comm);
        MPI_Comm_set_attr(holder, key, cached_comm);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, *cached_comm);
        printf("%d: %d %d\n", rank, i, sum);
        MPI_Comm_free(&holder);
    }
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
