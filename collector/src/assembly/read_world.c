/* Reads the spool directory of one world, to find its recorded and its missing ranks and threads. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/read_definitions.h"
#include "assembly/run.h"

enum { MOST_RANKS = 1 << 24 }; /* files with larger numbers in their names are not the collector's */

/* Reads the numbers in "<rank>.defs" or "<rank>.<thread>.spool"; thread is -1 for the first form. */
static bool parse_name(const char *name, int *rank, int *thread) {
    int used = 0;
    *thread = -1;
    if (sscanf(name, "%9d.defs%n", rank, &used) == 1 && used > 0 && name[used] == '\0')
        return *rank >= 0 && *rank < MOST_RANKS;
    used = 0;
    if (sscanf(name, "%9d.%9d.spool%n", rank, thread, &used) == 2 && used > 0 && name[used] == '\0')
        return *rank >= 0 && *rank < MOST_RANKS && *thread >= 0;
    return false;
}

static int is_spool_name(const struct dirent *entry) {
    int rank, thread;
    return parse_name(entry->d_name, &rank, &thread);
}

/* Sorts files so that a rank's spools are read before its definitions. The rank may still be writing, and it writes
 * each definition before the first record that uses it. So the definitions cover all records that were read before
 * them. */
static int in_reading_order(const struct dirent **a, const struct dirent **b) {
    int rank_a, thread_a, rank_b, thread_b;
    parse_name((*a)->d_name, &rank_a, &thread_a);
    parse_name((*b)->d_name, &rank_b, &thread_b);
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    if (thread_a < 0 || thread_b < 0)
        return (thread_a < 0) - (thread_b < 0);
    return (thread_a > thread_b) - (thread_a < thread_b);
}

static bool make_room(struct world *world, int ranks) {
    if (ranks <= world->size)
        return true;
    struct process *processes = realloc(world->processes, (size_t)ranks * sizeof *processes);
    if (!processes)
        return false;
    world->processes = processes;
    for (int rank = world->size; rank < ranks; rank++)
        processes[rank] = (struct process){.world_rank = rank, .machine = NO_ID, .core = -1, .parent_rank = -1};
    world->size = ranks;
    return true;
}

static bool add_spool(struct process *process, const char *path, int thread, struct sentences *missing) {
    struct spool_file *spools = realloc(process->spools, (process->spool_count + 1) * sizeof *spools);
    if (!spools)
        return false;
    process->spools = spools;
    char reason[160];
    if (spool_file_open(&spools[process->spool_count], path, (uint32_t)process->world_rank, (uint32_t)thread, reason,
                        sizeof reason))
        process->spool_count++;
    else
        sentences_add(missing, "the events of rank %d, thread %d: %s: %s", process->world_rank, thread, path, reason);
    return true;
}

static bool read_files(struct world *world, struct dirent **entries, int count, struct sentences *missing) {
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        int rank, thread;
        parse_name(entries[i]->d_name, &rank, &thread);
        if (!make_room(world, rank + 1))
            return false;
        snprintf(path, sizeof path, "%s/spool/%s", world->directory, entries[i]->d_name);
        struct process *process = &world->processes[rank];
        if (thread >= 0) {
            if (!add_spool(process, path, thread, missing))
                return false;
        } else if (read_definitions(process, path, missing) && process->world_size <= MOST_RANKS) {
            if (!make_room(world, (int)process->world_size))
                return false;
        }
    }
    return true;
}

bool world_read(struct world *world, struct sentences *missing, int *error) {
    char path[PATH_MAX];
    *error = 0;
    if (snprintf(path, sizeof path, "%s/spool", world->directory) >= (int)sizeof path) {
        *error = ENAMETOOLONG;
        return false;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_spool_name, in_reading_order);
    if (count < 0) {
        *error = errno;
        return false;
    }
    bool ok = read_files(world, entries, count, missing);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return ok;
}
