/* Reads the spool directory: which ranks and threads there are, and which should be there. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/read_definitions.h"
#include "assembly/run.h"

enum { MOST_RANKS = 1 << 24 }; /* a file name with a larger number is none of the collector's */

struct names {
    char **items;
    int count;
};

/* "<rank>.defs" or "<rank>.<thread>.spool"; thread is -1 for the former. */
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

static int by_rank_and_thread(const struct dirent **a, const struct dirent **b) {
    int rank_a, thread_a, rank_b, thread_b;
    parse_name((*a)->d_name, &rank_a, &thread_a);
    parse_name((*b)->d_name, &rank_b, &thread_b);
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    return (thread_a > thread_b) - (thread_a < thread_b);
}

static bool make_room(struct run *run, int ranks) {
    if (ranks <= run->world_size)
        return true;
    struct process *processes = realloc(run->processes, (size_t)ranks * sizeof *processes);
    if (!processes)
        return false;
    run->processes = processes;
    for (int rank = run->world_size; rank < ranks; rank++)
        processes[rank] = (struct process){.world_rank = rank, .machine = NO_ID, .core = -1};
    run->world_size = ranks;
    return true;
}

static bool add_spool(struct run *run, struct process *process, const char *path, int thread) {
    struct spool_file *spools = realloc(process->spools, (process->spool_count + 1) * sizeof *spools);
    if (!spools)
        return false;
    process->spools = spools;
    char reason[160];
    if (spool_file_open(&spools[process->spool_count], path, (uint32_t)process->world_rank, (uint32_t)thread, reason,
                        sizeof reason))
        process->spool_count++;
    else
        sentences_add(&run->missing, "the events of rank %d, thread %d: %s: %s", process->world_rank, thread, path,
                      reason);
    return true;
}

static bool read_files(struct run *run, struct dirent **entries, int count) {
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        int rank, thread;
        parse_name(entries[i]->d_name, &rank, &thread);
        if (!make_room(run, rank + 1))
            return false;
        snprintf(path, sizeof path, "%s/spool/%s", run->directory, entries[i]->d_name);
        struct process *process = &run->processes[rank];
        if (thread >= 0) {
            if (!add_spool(run, process, path, thread))
                return false;
        } else if (read_definitions(process, path, &run->missing) && process->world_size <= MOST_RANKS) {
            if (!make_room(run, (int)process->world_size))
                return false;
        }
    }
    return true;
}

/* "0, 3 to 5 and 7" of the ranks for which a test holds; returns how many. */
static int list_ranks(const struct run *run, bool (*holds)(const struct process *), struct text *out) {
    int found = 0;
    for (int rank = 0; rank < run->world_size; rank++) {
        if (!holds(&run->processes[rank]))
            continue;
        int last = rank;
        while (last + 1 < run->world_size && holds(&run->processes[last + 1]))
            last++;
        text_add(out, "%s%d", found ? ", " : "", rank);
        if (last > rank)
            text_add(out, " to %d", last);
        found += last - rank + 1;
        rank = last;
    }
    return found;
}

/* Tests for list_ranks. */
static bool is_absent(const struct process *process) {
    return !process->present && process->spool_count == 0;
}

static bool lacks_definitions(const struct process *process) {
    return !process->present && process->spool_count > 0;
}

static bool lacks_spools(const struct process *process) {
    return process->present && process->spool_count == 0;
}

static bool died(const struct process *process) {
    for (size_t i = 0; i < process->spool_count; i++)
        if (process->present && process->spools[i].state == SPOOL_OPEN)
            return true;
    return false;
}

static bool aborted(const struct process *process) {
    return process->end_how && strcmp(process->end_how, "abort") == 0;
}

static void say(struct run *run, bool (*holds)(const struct process *), const char *what, const char *consequence) {
    struct text ranks = {0};
    int count = list_ranks(run, holds, &ranks);
    if (count > 0 && ranks.bytes)
        sentences_add(&run->missing, "%s of rank%s %s%s", what, count > 1 ? "s" : "", ranks.bytes, consequence);
    text_free(&ranks);
}

static void say_what_is_missing(struct run *run) {
    say(run, is_absent, "everything",
        " (no spool was found: bring node-local spools into spool/, or the collector was not preloaded there)");
    say(run, lacks_definitions, "all events", " (their .defs file is missing or empty, so they cannot be understood)");
    say(run, lacks_spools, "all events", " (their .spool file is missing or damaged)");
    say(run, died, "what came after the last record", " (MPI_Finalize was not reached)");
    say(run, aborted, "the end of the run", " (MPI_Abort was called there)");
    for (int rank = 0; rank < run->world_size; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->spool_count; i++)
            if (process->spools[i].state == SPOOL_STOPPED)
                sentences_add(&run->missing, "what rank %d, thread %u did after recording stopped: %s", rank,
                              process->spools[i].thread, process->spools[i].stop_reason);
    }
}

/* A process that ended before it knew its place: without a topology in use it is its machine. */
static void place_unplaced(struct run *run) {
    bool any_placed = false;
    for (int rank = 0; rank < run->world_size; rank++)
        any_placed = any_placed || run->processes[rank].host;
    for (int rank = 0; rank < run->world_size && !any_placed; rank++) {
        struct process *process = &run->processes[rank];
        if (process->present && process->clock_host)
            process->host = strdup(process->clock_host);
        if (process->present && !process->cluster)
            process->cluster = strdup("cluster");
    }
}

bool run_read(struct run *run, const char *directory, char *message, size_t capacity) {
    *run = (struct run){.directory = directory};
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/spool", directory) >= (int)sizeof path) {
        snprintf(message, capacity, "the path %.60s... is too long", directory);
        return false;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_spool_name, by_rank_and_thread);
    if (count < 0) {
        snprintf(message, capacity, "%s: %s; name the trace directory of a run under the collector", path,
                 strerror(errno));
        return false;
    }
    bool ok = read_files(run, entries, count);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (!ok) {
        snprintf(message, capacity, "out of memory while reading %s", path);
        return false;
    }
    bool any = false;
    for (int rank = 0; rank < run->world_size; rank++)
        any = any || run->processes[rank].present;
    if (!any) {
        snprintf(message, capacity,
                 "%s holds no definitions of any rank (<rank>.defs), so there is nothing to assemble", path);
        return false;
    }
    place_unplaced(run);
    say_what_is_missing(run);
    return true;
}

void run_free(struct run *run) {
    for (int rank = 0; rank < run->world_size; rank++)
        process_free(&run->processes[rank]);
    for (size_t i = 0; i < run->comm_count; i++)
        free(run->comms[i].members);
    for (size_t i = 0; i < run->machine_count; i++)
        free(run->machines[i].measurements);
    free(run->processes);
    free(run->machines);
    free(run->comms);
    free(run->shadows);
    free(run->sites);
    free(run->trees);
    free(run->user_regions);
    free(run->regions);
    id_table_free(&run->region_ids);
    id_table_free(&run->shadow_ids);
    sentences_free(&run->missing);
    *run = (struct run){0};
}
