#include "run/machines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void machines_own(struct machines *machines) {
    *machines = (struct machines){0};
    if (gethostname(machines->own_host, sizeof machines->own_host - 1) != 0 || !machines->own_host[0])
        snprintf(machines->own_host, sizeof machines->own_host, "unknown");
    snprintf(machines->own_boot, sizeof machines->own_boot, "%.39s", machines->own_host);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    char text[BOOT_ID_BYTES];
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length > 0) {
        text[length] = '\0';
        text[strcspn(text, "\n")] = '\0';
        snprintf(machines->own_boot, sizeof machines->own_boot, "%s", text);
    }
}

/* Names the clocks of all machines by the host names of their leaders, in rank order. Appends a number to a name that
 * another machine already has. */
static void name_clocks(struct machines *machines) {
    for (int rank = 0; rank < machines->ranks; rank++) {
        struct machine_name *machine = &machines->of_rank[rank];
        int leader = 0, same_name = 0;
        for (; leader < rank; leader++) {
            if (machines->clock_leader[leader] != leader)
                continue;
            if (strcmp(machines->of_rank[leader].boot, machine->boot) == 0)
                break;
            same_name += strcmp(machines->of_rank[leader].host, machine->host) == 0;
        }
        machines->clock_leader[rank] = leader;
        if (leader < rank)
            continue;
        if (same_name)
            snprintf(machine->clock_host, sizeof machine->clock_host, "%.100s#%d", machine->host, same_name + 1);
        else
            snprintf(machine->clock_host, sizeof machine->clock_host, "%s", machine->host);
    }
}

bool machines_gather(struct machines *machines, MPI_Comm comm, int rank, int size) {
    machines->ranks = size;
    machines->of_rank = calloc((size_t)size, sizeof *machines->of_rank);
    machines->clock_leader = calloc((size_t)size, sizeof *machines->clock_leader);
    if (!machines->of_rank || !machines->clock_leader)
        return false;
    struct machine_name *machine = &machines->of_rank[rank];
    snprintf(machine->host, sizeof machine->host, "%s", machines->own_host);
    snprintf(machine->boot, sizeof machine->boot, "%s", machines->own_boot);
    if (pmpi.Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, machines->of_rank, (int)sizeof *machine, MPI_BYTE, comm) !=
        MPI_SUCCESS)
        return false;
    name_clocks(machines);
    return true;
}

const char *machines_clock_host(const struct machines *machines, int rank) {
    return machines->of_rank[machines->clock_leader[rank]].clock_host;
}

void machines_free(struct machines *machines) {
    free(machines->of_rank);
    free(machines->clock_leader);
    *machines = (struct machines){0};
}
