/* For programs with several worlds. For each communicator of which it is a member, a process prints <name>: <pids of
 * the members in order>[ | <pids of the other group; the group that comes first is printed first>]. It also makes some
 * collectives and messages on the communicator, and checks the results. */
#ifndef TOLD_H
#define TOLD_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSES = 64 };

static int pid;

static void check(int fine, const char *check_name) {
    if (fine)
        return;
    fprintf(stderr, "wrong result: %s\n", check_name);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void list(char *text, const int *pids, int count) {
    for (int i = 0; i < count; i++)
        sprintf(text + strlen(text), " %d", pids[i]);
}

/* Uses an intracommunicator: its members by an Allgather; a sum; a ring of messages. */
static void use_one_group(MPI_Comm comm, char *text) {
    int rank, size, sum = 0, sender_pid = -1, pids[MOST_PROCESSES];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum == size * (size - 1) / 2, "Allreduce");
    MPI_Sendrecv(&pid, 1, MPI_INT, (rank + 1) % size, 7, &sender_pid, 1, MPI_INT, (rank + size - 1) % size, 7, comm,
                 MPI_STATUS_IGNORE);
    check(sender_pid == pids[(rank + size - 1) % size], "Sendrecv");
    list(text, pids, size);
}

/* Uses an intercommunicator: the other group by an Allgather; Bcast from one group's last rank to the other group;
 * Alltoall. */
static void use_two_groups(MPI_Comm comm, int first, char *text) {
    int rank, size, remote, received_pid = -1, pids[MOST_PROCESSES], merged_pids[MOST_PROCESSES],
                            output[MOST_PROCESSES], input[MOST_PROCESSES];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_remote_size(comm, &remote);
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, comm);
    for (int i = 0; i < remote; i++)
        output[i] = rank * MOST_PROCESSES + i;
    MPI_Alltoall(output, 1, MPI_INT, input, 1, MPI_INT, comm);
    for (int i = 0; i < remote; i++)
        check(input[i] == i * MOST_PROCESSES + rank, "Alltoall");
    if (first) {
        MPI_Bcast(&pid, 1, MPI_INT, rank == size - 1 ? MPI_ROOT : MPI_PROC_NULL, comm);
    } else {
        MPI_Bcast(&received_pid, 1, MPI_INT, remote - 1, comm);
        check(received_pid == pids[remote - 1], "Bcast");
    }
    /* From the first rank of each group to the last rank of the other one. */
    MPI_Request sent;
    if (rank == 0)
        MPI_Isend(&pid, 1, MPI_INT, remote - 1, 8, comm, &sent);
    if (rank == size - 1) {
        MPI_Recv(&received_pid, 1, MPI_INT, 0, 8, comm, MPI_STATUS_IGNORE);
        check(received_pid == pids[0], "Recv");
    }
    if (rank == 0)
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    /* The own group, by an Allgather over the merged communicator. */
    MPI_Comm local;
    MPI_Intercomm_merge(comm, !first, &local);
    MPI_Allgather(&pid, 1, MPI_INT, merged_pids, 1, MPI_INT, local);
    MPI_Comm_free(&local);
    list(text, first ? merged_pids : pids, first ? size : remote);
    strcat(text, " |");
    list(text, first ? pids : merged_pids + remote, first ? remote : size);
}

/* first: for an intercommunicator, true if the own group is printed first. */
static void use(MPI_Comm comm, int first, const char *format, ...) {
    char name[64], text[2048] = "";
    int inter;
    if (comm == MPI_COMM_NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    MPI_Comm_set_name(comm, name);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        use_two_groups(comm, first, text);
    else
        use_one_group(comm, text);
    printf("%s:%s\n", name, text);
    fflush(stdout);
}

static void drop(MPI_Comm comm) {
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

/* Makes and uses communicators on both sides of an intercommunicator between worlds. */
static void use_all(MPI_Comm inter, int parents, const char *name) {
    MPI_Comm merged, comm, duplicate;
    MPI_Group group;
    MPI_Request request;
    int rank, size, ends[2];
    use(inter, parents, "%s", name);
    MPI_Comm_dup(inter, &comm);
    use(comm, parents, "%s.dup", name);
    drop(comm);
    MPI_Intercomm_merge(inter, !parents, &merged);
    use(merged, 0, "%s.merged", name);
    MPI_Comm_rank(merged, &rank);
    MPI_Comm_size(merged, &size);
    MPI_Comm_dup(merged, &comm);
    use(comm, 0, "%s.merged.dup", name);
    MPI_Comm_idup(comm, &duplicate, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(duplicate, 0, "%s.merged.dup.idup", name);
    drop(duplicate);
    drop(comm);
    MPI_Comm_split(merged, rank % 2, -rank, &comm);
    use(comm, 0, "%s.merged.%d", name, rank % 2);
    drop(comm);
    ends[0] = size - 1;
    ends[1] = 0;
    MPI_Comm_group(merged, &group);
    MPI_Group merged_group = group;
    MPI_Group_incl(merged_group, 2, ends, &group);
    MPI_Comm_create(merged, group, &comm);
    use(comm, 0, "%s.merged.ends", name);
    drop(comm);
    if (rank == 0 || rank == size - 1) {
        MPI_Comm_create_group(merged, group, 3, &comm);
        use(comm, 0, "%s.merged.ends again", name);
        drop(comm);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&merged_group);
    drop(merged);
}

#endif
