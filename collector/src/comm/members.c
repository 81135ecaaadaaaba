#include "comm/members.h"

#include <pthread.h>
#include <stdlib.h>

static MPI_Group world;

/* The known processes of other worlds. A thread holds the lock only while it calls MPI's group functions, never while
 * it waits for another process. */
static struct {
    pthread_mutex_t lock;
    MPI_Group group; /* valid only if count > 0 */
    int count, first;
    int comms; /* number of communicators with such processes */
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
    /* This may run inside an MPI callback, where MPI must not be called. So the next members_find frees the group. */
    __atomic_sub_fetch(&foreign.comms, 1, __ATOMIC_ACQ_REL);
}

/* Numbers the group's processes of other worlds that have no number yet. False if MPI fails. */
static bool add_strangers(MPI_Group group) {
    MPI_Group strangers, unions;
    if (pmpi.Group_difference(group, world, &strangers) != MPI_SUCCESS)
        return false;
    if (foreign.count == 0) {
        foreign.group = strangers;
    } else {
        int error =
            pmpi.Group_union(foreign.group, strangers, &unions); /* the first group's processes keep their ranks */
        pmpi.Group_free(&strangers);
        if (error != MPI_SUCCESS)
            return false;
        pmpi.Group_free(&foreign.group);
        foreign.group = unions;
    }
    return pmpi.Group_size(foreign.group, &foreign.count) == MPI_SUCCESS;
}

static bool is_complete(const int *numbers, int size) {
    for (int i = 0; i < size; i++)
        if (numbers[i] < 0)
            return false;
    return true;
}

/* Replaces each -1 in `numbers` by the number of the process if it is a known process of another world. ranks: 0, 1,
 * ..., size - 1; positions: scratch of the same length. */
static bool number_foreign(MPI_Group group, int size, const int *ranks, int *positions, int *numbers) {
    if (foreign.count == 0)
        return true;
    if (pmpi.Group_translate_ranks(group, size, ranks, foreign.group, positions) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < size; i++)
        if (numbers[i] < 0 && positions[i] != MPI_UNDEFINED)
            numbers[i] = foreign.first + positions[i];
    return true;
}

/* Returns the numbers of the group's first `size` processes. NULL if a process is unknown, or memory or MPI fails.
 * Frees the group; the caller frees the numbers. */
static int *numbers_of(MPI_Group group, bool admits_strangers, int size, bool *any_foreign) {
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
    if (!is_complete(numbers, size)) {
        *any_foreign = true;
        if (!number_foreign(group, size, ranks, ranks + size, numbers))
            goto out;
        if (!is_complete(numbers, size) && admits_strangers && add_strangers(group))
            number_foreign(group, size, ranks, ranks + size, numbers);
    }
    ok = is_complete(numbers, size);
out:
    if (!ok) {
        free(numbers);
        numbers = NULL;
    }
    free(ranks);
    pmpi.Group_free(&group);
    return numbers;
}

/* Finds the members of both groups. Takes the sizes from the communicator, not from its groups: for a Cartesian
 * communicator that leaves out the parent's last processes, MPICH 5 returns the parent's group. */
static bool find_groups(struct members *members, MPI_Comm comm, bool inter, bool admits_strangers) {
    MPI_Group group;
    if (pmpi.Comm_size(comm, &members->size) == MPI_SUCCESS && pmpi.Comm_group(comm, &group) == MPI_SUCCESS)
        members->local = numbers_of(group, admits_strangers, members->size, &members->foreign);
    if (members->local && inter && pmpi.Comm_remote_size(comm, &members->remote_size) == MPI_SUCCESS &&
        pmpi.Comm_remote_group(comm, &group) == MPI_SUCCESS)
        members->remote = numbers_of(group, admits_strangers, members->remote_size, &members->foreign);
    return members->local && (!inter || members->remote);
}

bool members_find(struct members *members, MPI_Comm comm, bool inter, bool admits_strangers) {
    *members = (struct members){0};
    pthread_mutex_lock(&foreign.lock);
    if (__atomic_load_n(&foreign.comms, __ATOMIC_ACQUIRE) == 0)
        drop_foreign();
    bool ok = find_groups(members, comm, inter, admits_strangers);
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
