#include "probe/times.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpi/mpi_table.h"

void *probe_memory(size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "hopscope-probe: no memory for %zu bytes\n", bytes);
        pmpi.Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

void probe_add(struct probe_times *times, int64_t ns) {
    if (times->count == times->capacity) {
        times->capacity = times->capacity ? 2 * times->capacity : 64;
        times->ns = realloc(times->ns, times->capacity * sizeof *times->ns);
        if (!times->ns)
            pmpi.Abort(MPI_COMM_WORLD, 2);
    }
    times->ns[times->count++] = ns;
}
