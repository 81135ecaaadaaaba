#include "comm/members.h"

#include <pthread.h>
#include <stdlib.h>

static MPI_Group world;

/* The processes of other worlds. A thread holds the lock only for MPI's group functions, never while it waits for
 * another process. */
static struct {
    pthread_mutex_t lock;
    MPI_Group group; /* valid only if count > 0 */
    int count, first;
    int comms; /* communicators with such processes */
} foreign = {.lock = PTHREAD_MUTEX_INITIALIZER};

void members_start(MPI_Group group, int size) {
    world = group;
    foreign.first = size;
    foreign.count = foreign.comms = 0;
}

static void drop_foreign(void) {
    if (foreign.count > 0)
        pmpi.Group_free(&foreign.group);
    foreign.first += foreign.count;
    foreign.count = 0;
}

void members_stop(void) {
    drop_foreign();
    pmpi.Group_free(&world);
}

void members_forget(void) {
    /* This may run inside an MPI callback, so members_find drops the group later. */
    __atomic_sub_fetch(&foreign.comms, 1, __ATOMIC_ACQ_REL);
}

/* Numbers those processes of a group that are new and not of this world. */
static bool meet(MPI_Group group) {
    MPI_Group others, known;
    if (pmpi.Group_difference(group, world, &others) != MPI_SUCCESS)
        return false;
    if (foreign.count == 0) {
        foreign.group = others;
    } else {
        int error = pmpi.Group_union(foreign.group, others, &known); /* the first group's processes keep their ranks */
        pmpi.Group_free(&others);
        if (error != MPI_SUCCESS)
            return false;
        pmpi.Group_free(&foreign.group);
        foreign.group = known;
    }
    return pmpi.Group_size(foreign.group, &foreign.count) == MPI_SUCCESS;
}

static bool all_known(const int *numbers, int size) {
    for (int i = 0; i < size; i++)
        if (numbers[i] < 0)
            return false;
    return true;
}

/* Fills in numbers that are -1 from the foreign group. ranks: 0, 1, ...; found: scratch of the same length. */
static bool number_foreign(MPI_Group group, int size, const int *ranks, int *found, int *numbers) {
    if (foreign.count == 0)
        return true;
    if (pmpi.Group_translate_ranks(group, size, ranks, foreign.group, found) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < size; i++)
        if (numbers[i] < 0 && found[i] != MPI_UNDEFINED)
            numbers[i] = foreign.first + found[i];
    return true;
}

/* Numbers of a group's first size processes; NULL if one is unknown, or memory or MPI fails. Frees the group. */
static int *numbers_of(MPI_Group group, bool meets, int size, bool *any_foreign) {
    int *numbers = NULL, *ranks = NULL, in_group;
    bool ok = false;
    if (pmpi.Group_size(group, &in_group) != MPI_SUCCESS || size <= 0 || size > in_group)
        goto out;
    numbers = malloc((size_t)size * sizeof *numbers);
    ranks = malloc(2 * (size_t)size * sizeof *ranks);
    if (!numbers || !ranks)
        goto out;
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    if (pmpi.Group_translate_ranks(group, size, ranks, world, numbers) != MPI_SUCCESS)
        goto out;
    for (int i = 0; i < size; i++)
        if (numbers[i] == MPI_UNDEFINED)
            numbers[i] = -1;
    if (!all_known(numbers, size)) {
        *any_foreign = true;
        if (!number_foreign(group, size, ranks, ranks + size, numbers))
            goto out;
        if (!all_known(numbers, size) && meets && meet(group))
            number_foreign(group, size, ranks, ranks + size, numbers);
    }
    ok = all_known(numbers, size);
out:
    if (!ok) {
        free(numbers);
        numbers = NULL;
    }
    free(ranks);
    pmpi.Group_free(&group);
    return numbers;
}

/* The sizes come from the communicator, not its groups: for a Cartesian communicator that leaves out the parent's last
 * processes MPICH 5 returns the parent's group. */
static bool find(struct members *members, MPI_Comm comm, bool inter, bool meets) {
    MPI_Group group;
    if (pmpi.Comm_size(comm, &members->size) == MPI_SUCCESS && pmpi.Comm_group(comm, &group) == MPI_SUCCESS)
        members->local = numbers_of(group, meets, members->size, &members->foreign);
    if (members->local && inter && pmpi.Comm_remote_size(comm, &members->remote_size) == MPI_SUCCESS &&
        pmpi.Comm_remote_group(comm, &group) == MPI_SUCCESS)
        members->remote = numbers_of(group, meets, members->remote_size, &members->foreign);
    return members->local && (!inter || members->remote);
}

bool members_find(struct members *members, MPI_Comm comm, bool inter, bool meets) {
    *members = (struct members){0};
    pthread_mutex_lock(&foreign.lock);
    if (__atomic_load_n(&foreign.comms, __ATOMIC_ACQUIRE) == 0)
        drop_foreign();
    bool ok = find(members, comm, inter, meets);
    if (ok && members->foreign)
        __atomic_add_fetch(&foreign.comms, 1, __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&foreign.lock);
    if (!ok)
        members_free(members);
    return ok;
}

void members_free(struct members *members) {
    free(members->local);
    free(members->remote);
    members->local = members->remote = NULL;
}
