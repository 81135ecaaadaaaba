/* The epochs of a window: the ranks for which MPI_Win_start and MPI_Win_post opened them, until MPI_Win_complete and
 * MPI_Win_wait close them. All memory is allocated when the window is made, so the calls themselves allocate nothing.
 */
#ifndef HOPSCOPE_EPOCHS_H
#define HOPSCOPE_EPOCHS_H

#include "mpi/mpi_table.h"

/* A window may have one open epoch of each kind at a time. ACCESS: the peers are the targets. EXPOSURE: the peers are
 * the origins. */
enum epoch_kind { EPOCH_ACCESS, EPOCH_EXPOSURE, EPOCH_KINDS };

struct epoch {
    int count;  /* 0: not open */
    int *peers; /* ranks of the window */
};

struct epochs {
    MPI_Group members;
    int size;
    int *ranks; /* the numbers 0, 1, ... size - 1, for MPI_Group_translate_ranks */
    struct epoch of_kind[EPOCH_KINDS];
};

/* Makes the epochs of a window that was made from this communicator of `size` processes. NULL: memory or MPI fails. */
struct epochs *epochs_make(MPI_Comm comm, int size);
/* Frees the epochs; calls MPI to do so. NULL: does nothing. */
void epochs_free(struct epochs *epochs);
/* Opens an epoch for the processes of a group. */
const struct epoch *epoch_open(struct epochs *epochs, enum epoch_kind kind, MPI_Group group);

#endif
