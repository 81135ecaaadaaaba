/* Reads the spools of all worlds of a run, and numbers its ranks. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/read_definitions.h"
#include "assembly/run.h"

static bool add_world(struct run *run, const char *directory, uint32_t family, int *error) {
    struct world *worlds = realloc(run->worlds, (run->world_count + 1) * sizeof *worlds);
    if (!worlds)
        return false;
    run->worlds = worlds;
    struct world *world = &worlds[run->world_count++];
    *world = (struct world){.directory = strdup(directory), .family = family};
    return world->directory && world_read(world, &run->missing, error);
}

static int is_spawned(const struct dirent *entry) {
    return strncmp(entry->d_name, "spawned-", 8) == 0;
}

static int is_joined(const struct dirent *entry) {
    return strncmp(entry->d_name, "joined-", 7) == 0;
}

/* Adds the world of a directory, the spawned worlds beneath it, and the runs joined to it. */
static bool add_worlds(struct run *run, const char *directory, uint32_t *families, int *error) {
    uint32_t family = (*families)++;
    if (!add_world(run, directory, family, error))
        return false;
    for (int joined = 0; joined < 2; joined++) {
        struct dirent **entries = NULL;
        int count = scandir(directory, &entries, joined ? is_joined : is_spawned, alphasort);
        bool ok = true;
        for (int i = 0; i < count; i++) {
            char path[PATH_MAX];
            int unreadable = 0;
            if (ok && snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name) < (int)sizeof path)
                ok = joined ? add_worlds(run, path, families, &unreadable) : add_world(run, path, family, &unreadable);
            if (unreadable) { /* for example because the world has not created its spool/ yet */
                sentences_add(&run->missing, "everything in %s (%s)", path, strerror(unreadable));
                ok = true;
            }
            free(entries[i]);
        }
        free(entries);
        if (!ok)
            return false;
    }
    return true;
}

static int64_t started(const struct world *world) {
    for (int rank = 0; rank < world->size; rank++)
        if (world->processes[rank].started_ns > 0)
            return world->processes[rank].started_ns;
    return INT64_MAX;
}

/* Orders worlds: runs in the given order; within a run, the world that started first comes first. */
static int compare_worlds(const void *a, const void *b) {
    const struct world *x = a, *y = b;
    if (x->family != y->family)
        return x->family < y->family ? -1 : 1;
    size_t depth_x = strlen(x->directory), depth_y = strlen(y->directory);
    bool root_x = depth_x < depth_y && strncmp(x->directory, y->directory, depth_x) == 0;
    bool root_y = depth_y < depth_x && strncmp(y->directory, x->directory, depth_y) == 0;
    if (root_x || root_y)
        return root_x ? -1 : 1;
    if (started(x) != started(y))
        return started(x) < started(y) ? -1 : 1;
    return strcmp(x->directory, y->directory);
}

/* Drops worlds of which no rank is known, and numbers the ranks of all other worlds consecutively. */
static bool number_ranks(struct run *run) {
    qsort(run->worlds, run->world_count, sizeof *run->worlds, compare_worlds);
    size_t kept_count = 0;
    for (size_t i = 0; i < run->world_count; i++) {
        struct world *world = &run->worlds[i];
        world->first = run->rank_count;
        run->rank_count += world->size;
        if (world->size > 0)
            run->worlds[kept_count++] = *world;
        else
            free(world->directory);
    }
    run->world_count = kept_count;
    run->processes = malloc((size_t)(run->rank_count ? run->rank_count : 1) * sizeof *run->processes);
    for (size_t i = 0; run->processes && i < kept_count; i++) {
        struct world *world = &run->worlds[i];
        memcpy(run->processes + world->first, world->processes, (size_t)world->size * sizeof *run->processes);
        free(world->processes);
        world->processes = NULL;
        for (int rank = 0; rank < world->size; rank++) {
            run->processes[world->first + rank].rank = world->first + rank;
            run->processes[world->first + rank].world = (uint32_t)i;
        }
    }
    return run->processes != NULL;
}

const char *rank_name(const struct run *run, int rank, char *text, size_t capacity) {
    const struct process *process = &run->processes[rank];
    if (run->world_count > 1)
        snprintf(text, capacity, "%d (%d of world %u)", rank, process->world_rank, process->world);
    else
        snprintf(text, capacity, "%d", rank);
    return text;
}

/* Writes the ranks for which a test is true, such as "0, 3 to 5, 7". Returns their number. */
static int list_ranks(const struct run *run, bool (*holds)(const struct process *), struct text *output) {
    int count = 0;
    for (int rank = 0; rank < run->rank_count; rank++) {
        if (!holds(&run->processes[rank]))
            continue;
        int last = rank;
        while (last + 1 < run->rank_count && holds(&run->processes[last + 1]))
            last++;
        text_add(output, "%s%d", count ? ", " : "", rank);
        if (last > rank)
            text_add(output, " to %d", last);
        count += last - rank + 1;
        rank = last;
    }
    return count;
}

/* The following functions are tests for list_ranks. */
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

static bool has_later_session(const struct process *process) {
    return process->has_later_session;
}

/* True if the process ended without the collector's MPI_Finalize because another tool's MPI_Finalize precedes it. */
static bool has_foreign_finalize(const struct process *process) {
    return died(process) && process->finalize_goes_to;
}

static bool died_unheard(const struct process *process) {
    return died(process) && !process->finalize_goes_to;
}

static bool aborted(const struct process *process) {
    return process->end_how && strcmp(process->end_how, "abort") == 0;
}

static void report_loss(struct run *run, bool (*holds)(const struct process *), const char *loss,
                        const char *consequence) {
    struct text ranks = {0};
    int count = list_ranks(run, holds, &ranks);
    if (count > 0 && ranks.bytes)
        sentences_add(&run->missing, "%s of rank%s %s%s", loss, count > 1 ? "s" : "", ranks.bytes, consequence);
    text_free(&ranks);
}

static void report_foreign_finalize(struct run *run) {
    const char *tool = NULL;
    for (int rank = 0; rank < run->rank_count && !tool; rank++)
        tool = has_foreign_finalize(&run->processes[rank]) ? run->processes[rank].finalize_goes_to : NULL;
    if (!tool)
        return;
    struct text explanation = {0};
    text_add(&explanation,
             " (MPI_Finalize was not reached through the collector: %s, which was loaded first, defines it too. Load "
             "it after the collector, without HOPSCOPE_CHAIN=0, so that both see every call)",
             tool);
    report_loss(run, has_foreign_finalize, "anything after the last record",
                explanation.bytes ? explanation.bytes : "");
    text_free(&explanation);
}

static void report_missing(struct run *run) {
    report_loss(
        run, is_absent, "everything",
        " (no spool was found; either the collector was not preloaded there, or its node-local spools must still be "
        "copied to spool/)");
    report_loss(run, lacks_definitions, "all events",
                " (the .defs file, without which they cannot be read, is missing or empty)");
    report_loss(run, lacks_spools, "all events", " (the .spool file is missing or damaged)");
    report_loss(run, died_unheard, "anything after the last record", " (MPI_Finalize was not reached)");
    report_foreign_finalize(run);
    report_loss(run, has_later_session, "the later MPI sessions",
                " (they were opened after all earlier ones had closed; keep one session open to the end, and all are "
                "recorded)");
    report_loss(run, aborted, "the end of the run", " (MPI_Abort was called there)");
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        char name[64];
        for (size_t i = 0; i < process->spool_count; i++)
            if (process->spools[i].state == SPOOL_STOPPED)
                sentences_add(&run->missing, "what rank %s, thread %u did after recording stopped: %s",
                              rank_name(run, rank, name, sizeof name), process->spools[i].thread,
                              process->spools[i].stop_reason);
    }
}

/* A process of another world that is on the same machine and whose host is known. NULL if there is none. */
static const struct process *find_neighbour(const struct run *run, const struct process *process) {
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *neighbour = &run->processes[rank];
        if (neighbour->host && neighbour->clock_host && strcmp(neighbour->clock_host, process->clock_host) == 0)
            return neighbour;
    }
    return NULL;
}

/* Gives a host to each process of a world that has none, because it ended too early or because the world knows no hosts
 * (programs with sessions). If the world used no topology, the host is the process's machine. */
static void place_unplaced(struct run *run, const struct world *world) {
    bool any_placed = false;
    for (int rank = world->first; rank < world->first + world->size; rank++)
        any_placed = any_placed || run->processes[rank].host;
    for (int rank = world->first; rank < world->first + world->size && !any_placed; rank++) {
        struct process *process = &run->processes[rank];
        if (!process->present || !process->clock_host)
            continue;
        const struct process *neighbour = find_neighbour(run, process);
        const char *cluster = neighbour && neighbour->cluster ? neighbour->cluster : "cluster";
        process->host = strdup(neighbour ? neighbour->host : process->clock_host);
        if (!process->cluster)
            process->cluster = strdup(cluster);
    }
}

bool run_read(struct run *run, const char *directory, char *message, size_t capacity) {
    *run = (struct run){.directory = directory};
    uint32_t families = 0;
    int error = 0;
    if (!add_worlds(run, directory, &families, &error) || !number_ranks(run)) {
        if (error == ENAMETOOLONG)
            snprintf(message, capacity, "the path %.60s... is too long", directory);
        else if (error)
            snprintf(message, capacity, "%s/spool: %s; name the trace directory of a recorded run", directory,
                     strerror(error));
        else
            snprintf(message, capacity, "out of memory while reading %s/spool", directory);
        return false;
    }
    bool has_definitions = false;
    for (int rank = 0; rank < run->rank_count; rank++)
        has_definitions = has_definitions || run->processes[rank].present;
    if (!has_definitions) {
        snprintf(message, capacity,
                 "%s/spool has no definitions (<rank>.defs) of any rank, so there is nothing to assemble", directory);
        return false;
    }
    for (size_t i = 0; i < run->world_count; i++)
        place_unplaced(run, &run->worlds[i]);
    report_missing(run);
    return true;
}

void run_free(struct run *run) {
    for (int rank = 0; run->processes && rank < run->rank_count; rank++)
        process_free(&run->processes[rank]);
    for (size_t i = 0; i < run->world_count; i++) {
        for (int rank = 0; run->worlds[i].processes && rank < run->worlds[i].size; rank++)
            process_free(&run->worlds[i].processes[rank]);
        free(run->worlds[i].processes);
        free(run->worlds[i].directory);
    }
    for (size_t i = 0; i < run->comm_count; i++) {
        free(run->comms[i].members);
        free(run->comms[i].own_name);
    }
    for (size_t i = 0; i < run->machine_count; i++)
        free(run->machines[i].measurements);
    free(run->processes);
    free(run->worlds);
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
