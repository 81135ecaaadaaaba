/* Translates the groups of a window's epochs to ranks, in memory that epochs_make allocated. */
#include "comm/epochs.h"

#include <errno.h>
#include <stdlib.h>

struct epochs *epochs_make(MPI_Comm comm, int size) {
    int saved_errno = errno;
    struct epochs *epochs = calloc(1, sizeof *epochs);
    int *ranks = malloc((1 + EPOCH_KINDS) * (size_t)size * sizeof *ranks);
    if (!epochs || !ranks || pmpi.Comm_group(comm, &epochs->members) != MPI_SUCCESS) {
        free(epochs);
        free(ranks);
        errno = saved_errno;
        return NULL;
    }
    epochs->size = size;
    epochs->ranks = ranks;
    for (int rank = 0; rank < size; rank++)
        ranks[rank] = rank;
    for (int kind = 0; kind < EPOCH_KINDS; kind++)
        epochs->of_kind[kind].peers = ranks + (size_t)(1 + kind) * (size_t)size;
    errno = saved_errno;
    return epochs;
}

void epochs_free(struct epochs *epochs) {
    if (!epochs)
        return;
    pmpi.Group_free(&epochs->members);
    free(epochs->ranks);
    free(epochs);
}

const struct epoch *epoch_open(struct epochs *epochs, enum epoch_kind kind, MPI_Group group) {
    struct epoch *epoch = &epochs->of_kind[kind];
    int size = 0;
    epoch->count = 0;
    if (pmpi.Group_size(group, &size) == MPI_SUCCESS && size > 0 && size <= epochs->size &&
        pmpi.Group_translate_ranks(group, size, epochs->ranks, epochs->members, epoch->peers) == MPI_SUCCESS)
        epoch->count = size;
    return epoch;
}
