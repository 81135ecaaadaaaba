/* The program of `hopscope probe`. Rank 0 reads commands (measure.h) from its standard input and prints the times to
 * its standard output; the other ranks sleep until they get a command. The job ends at the line `end` or at the end of
 * the input. The line is needed because the launcher of Open MPI 5 does not pass on the end of the input.
 *
 *   hopscope-probe-<flavour>-<release> [MPI-LIBRARY]     the library's file, if the loader would find another by name
 *
 * At the start rank 0 prints `ready RANKS`, `library TEXT`, for each rank `rank NUMBER MEMORY HOST`, and `end`. For
 * each command it prints `times RANK NS ...` for each rank that measured, then `end`; or `wrong REASON`.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/library_names.h"
#include "probe/measure.h"
#include "probe/waiting.h"

#define NAME_BYTES 320

static bool load_library(const char *path) {
    static const char *const files[] = {LIBRARY_FILES};
    if (path)
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL) != NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (dlopen(files[i], RTLD_NOW | RTLD_GLOBAL))
            return true;
    return false;
}

/* Makes the probe call MPI_* instead of PMPI_*, as every program does. So its calls reach a preloaded collector, whose
 * engine may then run the collectives. */
static void call_as_programs_do(void) {
#define PMPI_FUNCTION(name)                                                                                            \
    {                                                                                                                  \
        void *function = dlsym(RTLD_DEFAULT, "MPI_" #name);                                                            \
        pmpi.name = function ? (__typeof__(pmpi.name))function : pmpi.name;                                            \
    }
    PMPI_ALL_FUNCTIONS
#undef PMPI_FUNCTION
}

static void print_times(int rank, const struct probe_times *times) {
    printf("times %d", rank);
    for (size_t i = 0; i < times->count; i++)
        printf(" %" PRId64, times->ns[i]);
    putchar('\n');
}

/* Runs a command, and prints the times of the ranks that measured, in rank order. */
static void lead(char *line, int ranks) {
    size_t bytes = strlen(line) + 1;
    char *copy = strdup(line);
    struct probe_command command = probe_command_of(line);
    struct probe_times times = {0};
    const char *fault = copy ? probe_check(&command, ranks) : "there is no memory";
    if (fault) {
        printf("wrong %s\n", fault);
        free(copy);
        return;
    }
    for (int rank = 1; rank < ranks; rank++)
        if (probe_takes_part(&command, rank))
            probe_send(copy, (int)bytes, rank, PROBE_TAG_COMMAND);
    probe_measure(&command, 0, &times);
    for (int rank = 0; rank < ranks; rank++) {
        if (!probe_measures(&command, rank))
            continue;
        if (rank > 0) {
            int size = probe_sleep_until_message(rank, PROBE_TAG_TIMES);
            times.count = times.capacity = size / sizeof *times.ns;
            times.ns = realloc(times.ns, (size_t)size + 1);
            if (!times.ns)
                pmpi.Abort(MPI_COMM_WORLD, 2);
            probe_receive(times.ns, size, rank, PROBE_TAG_TIMES);
        }
        print_times(rank, &times);
    }
    puts("end");
    free(times.ns);
    free(copy);
}

static void follow(int rank) {
    for (;;) {
        int bytes = probe_sleep_until_message(0, PROBE_TAG_COMMAND);
        char *line = malloc((size_t)bytes + 1);
        if (!line)
            pmpi.Abort(MPI_COMM_WORLD, 2);
        probe_receive(line, bytes, 0, PROBE_TAG_COMMAND);
        if (bytes == 0) {
            free(line);
            return;
        }
        struct probe_command command = probe_command_of(line);
        struct probe_times times = {0};
        probe_measure(&command, rank, &times);
        if (probe_measures(&command, rank))
            probe_send(times.ns, (int)(times.count * sizeof *times.ns), 0, PROBE_TAG_TIMES);
        free(times.ns);
        free(line);
    }
}

static void introduce(int rank, int ranks) {
    char name[NAME_BYTES], host[256] = "";
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "%s", host);
    if (rank > 0) {
        probe_send(name, sizeof name, 0, PROBE_TAG_NAME);
        return;
    }
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    pmpi.Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    printf("ready %d\nlibrary %s\n", ranks, library);
    for (int source_rank = 0; source_rank < ranks; source_rank++) {
        if (source_rank > 0)
            probe_receive(name, sizeof name, source_rank, PROBE_TAG_NAME);
        printf("rank %d %s\n", source_rank, name);
    }
    puts("end");
}

int main(int argc, char **argv) {
    char message[256];
    if (!load_library(argc > 1 ? argv[1] : NULL)) {
        fprintf(stderr, "hopscope-probe: cannot load the MPI library: %s\n", dlerror());
        return 2;
    }
    if (!mpi_table_resolve(message, sizeof message)) {
        fprintf(stderr, "hopscope-probe: %s\n", message);
        return 2;
    }
    call_as_programs_do();
    int rank = 0, ranks = 0;
    pmpi.Init(NULL, NULL);
    pmpi.Comm_rank(MPI_COMM_WORLD, &rank);
    pmpi.Comm_size(MPI_COMM_WORLD, &ranks);
    setvbuf(stdout, NULL, _IOLBF, 0);
    introduce(rank, ranks);
    if (rank > 0) {
        follow(rank);
    } else {
        char *line = NULL;
        size_t capacity = 0;
        while (getline(&line, &capacity, stdin) > 0 && strcmp(line, "end\n") != 0)
            lead(line, ranks);
        free(line);
        for (int receiver = 1; receiver < ranks; receiver++)
            probe_send(NULL, 0, receiver, PROBE_TAG_COMMAND);
    }
    pmpi.Finalize();
    return 0;
}
