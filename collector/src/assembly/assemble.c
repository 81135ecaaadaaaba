/* Assembles a trace directory safely: one process at a time, repeatable after a kill, all or nothing. */
#include "assembly/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly/archive.h"
#include "assembly/run.h"
#include "config/variables.h"

/* The folder in which the archive is created. It lies in DIR itself, so that the finished archive can be renamed into
 * place. */
#define WORKSHOP ".assembling"

/* A further result, besides those of enum assemble_outcome: the archive already holds everything in the spools. */
enum { UNCHANGED = -1 };

struct paths {
    char anchor[PATH_MAX], spool[PATH_MAX], presence[PATH_MAX], lock[PATH_MAX], workshop[PATH_MAX];
};

static bool make_paths(struct paths *paths, const char *dir) {
    return snprintf(paths->anchor, PATH_MAX, "%s/traces.otf2", dir) < PATH_MAX - 64 &&
           snprintf(paths->spool, PATH_MAX, "%s/spool", dir) < PATH_MAX &&
           snprintf(paths->presence, PATH_MAX, "%s/presence", dir) < PATH_MAX &&
           snprintf(paths->lock, PATH_MAX, "%s/.assembling.lock", dir) < PATH_MAX &&
           snprintf(paths->workshop, PATH_MAX, "%s/" WORKSHOP, dir) < PATH_MAX;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position) {
    (void)status, (void)kind, (void)position;
    return remove(path);
}

static void remove_tree(const char *path) {
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

/* True if the run is still going on: a process has not ended, or a world that MPI_Comm_spawn started has not created
 * its spools yet. */
static bool is_still_running(const struct run *run) {
    bool open = run->spawns_without_world > 0;
    for (int rank = 0; run->world_count > 1 && rank < run->rank_count && !open; rank++) {
        const struct process *process = &run->processes[rank];
        open = !process->present;
        for (size_t i = 0; i < process->spool_count; i++)
            open = open || process->spools[i].state == SPOOL_OPEN;
    }
    return open;
}

static struct timespec newest;

static int note_newest(const char *path, const struct stat *status, int kind, struct FTW *position) {
    (void)path, (void)kind, (void)position;
    if (status->st_mtim.tv_sec > newest.tv_sec ||
        (status->st_mtim.tv_sec == newest.tv_sec && status->st_mtim.tv_nsec > newest.tv_nsec))
        newest = status->st_mtim;
    return 0;
}

/* True if there is an archive and no spool is newer than it: missing spools may have been added after an incomplete
 * assembly. Call it under the lock, because the directory walk stores its result in a global variable. */
static bool is_assembled(const struct run *run, const struct paths *paths) {
    struct stat anchor;
    if (stat(paths->anchor, &anchor) != 0)
        return false;
    newest = (struct timespec){0};
    for (size_t i = 0; i < run->world_count; i++) {
        char spool[PATH_MAX];
        if (snprintf(spool, sizeof spool, "%s/spool", run->worlds[i].directory) < (int)sizeof spool)
            nftw(spool, note_newest, 16, FTW_PHYS);
    }
    return anchor.st_mtim.tv_sec > newest.tv_sec ||
           (anchor.st_mtim.tv_sec == newest.tv_sec && anchor.st_mtim.tv_nsec >= newest.tv_nsec);
}

/* Counts the records in all spools. After the assembly of an incomplete run the lock file contains this count. It shows
 * later if a process that still runs has added records; file times do not show it, because the process writes through a
 * memory mapping. */
static uint64_t records_in(const struct run *run) {
    uint64_t records = 0;
    for (int rank = 0; rank < run->rank_count; rank++)
        for (size_t i = 0; i < run->processes[rank].spool_count; i++)
            records += run->processes[rank].spools[i].records;
    return records;
}

/* The count of records in the lock file; UINT64_MAX if there is none, because the run was complete. */
static uint64_t read_count(int lock) {
    char text[24] = "";
    ssize_t length = pread(lock, text, sizeof text - 1, 0);
    return length > 0 ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static void write_count(int lock, uint64_t records) {
    if (ftruncate(lock, 0) == 0)
        dprintf(lock, "%llu\n", (unsigned long long)records);
}

static bool write_text(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    bool ok = fwrite(bytes, 1, length, file) == length;
    return fclose(file) == 0 && ok;
}

/* Writes the run's tree.json and topology.json, unless they exist already. */
static void write_inputs(const struct run *run, const char *dir) {
    bool tree = false, topology = false;
    char path[PATH_MAX];
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        if (process->tree_file && !tree) {
            tree = true;
            snprintf(path, sizeof path, "%s/tree.json", dir);
            if (!exists(path))
                write_text(path, process->tree_file, strlen(process->tree_file));
        }
        if (process->topology_file && !topology) {
            topology = true;
            snprintf(path, sizeof path, "%s/topology.json", dir);
            if (!exists(path))
                write_text(path, process->topology_file, strlen(process->topology_file));
        }
    }
}

/* Moves the archive's files into DIR. The anchor file (traces.otf2) moves last, because it makes the directory an
 * archive. */
static bool move_into_place(const struct paths *paths, const char *dir, char *message, size_t capacity) {
    static const char *const names[] = {"traces", "traces.def", "run.json", "traces.otf2"};
    unlink(paths->anchor);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char source[PATH_MAX + 16], target[PATH_MAX];
        snprintf(source, sizeof source, "%s/%s", paths->workshop, names[i]);
        snprintf(target, sizeof target, "%s/%s", dir, names[i]);
        if (i == 0)
            remove_tree(target);
        if (rename(source, target) != 0) {
            snprintf(message, capacity, "%s: %s; free some space or change its permissions, then assemble again",
                     target, strerror(errno));
            return false;
        }
    }
    return true;
}

static void report_gaps(const struct run *run, char *message, size_t capacity) {
    size_t used = 0;
    for (size_t i = 0; i < run->missing.count && used < capacity; i++) {
        int written = snprintf(message + used, capacity - used, "%s%s", i ? "; " : "missing: ", run->missing.items[i]);
        used += written > 0 ? (size_t)written : 0;
    }
    uint64_t unseen = run_native_count(run, NATIVE_unseen);
    if (unseen && used < capacity)
        snprintf(
            message + used, capacity - used,
            "%scollectives ran without a recorded call (%llu ends of their messages were seen). The program called "
            "them by addresses of its own (dlsym) or by an extension of the MPI library, or another tool did; "
            "`hopscope analyze trust` says what that means",
            used ? "; " : "", (unsigned long long)unseen);
}

static int assemble_run(struct run *run, const struct paths *paths, const char *dir, int lock, bool waits_for_worlds,
                        struct progress *progress, char *message, size_t capacity) {
    if (!run_read(run, dir, message, capacity))
        return ASSEMBLE_FAILED;
    uint64_t records = records_in(run);
    uint64_t assembled = read_count(lock);
    if (is_assembled(run, paths) && (assembled == UINT64_MAX || assembled == records))
        return UNCHANGED;
    bool ok = clock_map_make(run) && join_worlds(run);
    if (ok && waits_for_worlds && is_still_running(run))
        return ASSEMBLE_LATER;
    if (!ok || !merge_comms(run) || !survey(run) || !clock_map_finish(run)) {
        snprintf(message, capacity, "out of memory while reading %s", paths->spool);
        return ASSEMBLE_FAILED;
    }
    progress->total = run->stored_count * sizeof(struct spool_record);
    remove_tree(paths->workshop);
    if (mkdir(paths->workshop, 0777) != 0) {
        snprintf(message, capacity, "%s: %s; free some space or change its permissions, then assemble again",
                 paths->workshop, strerror(errno));
        return ASSEMBLE_FAILED;
    }
    struct text run_json = {0};
    int outcome = ASSEMBLE_FAILED;
    if (archive_write(run, paths->workshop, progress, &run_json, message, capacity)) {
        char path[PATH_MAX + 16];
        snprintf(path, sizeof path, "%s/run.json", paths->workshop);
        write_inputs(run, dir);
        if (!write_text(path, run_json.bytes, run_json.length))
            snprintf(message, capacity, "%s: %s; free some space, then assemble again", path, strerror(errno));
        else if (move_into_place(paths, dir, message, capacity))
            outcome = run->missing.count ? ASSEMBLE_INCOMPLETE : ASSEMBLE_WHOLE;
        if (outcome == ASSEMBLE_INCOMPLETE)
            write_count(lock, records);
    }
    text_free(&run_json);
    remove_tree(paths->workshop);
    if (outcome == ASSEMBLE_INCOMPLETE || outcome == ASSEMBLE_WHOLE)
        report_gaps(run, message, capacity);
    return outcome;
}

static int assemble_locked(const struct paths *paths, const char *dir, int lock, bool waits_for_worlds,
                           struct progress *progress, char *message, size_t capacity) {
    struct run run = {0};
    int outcome = assemble_run(&run, paths, dir, lock, waits_for_worlds, progress, message, capacity);
    if (outcome == ASSEMBLE_WHOLE && !variable_switch(VARIABLE_KEEP_SPOOL, false)) {
        /* worlds[0] is dir itself. A joined run is a link to another run: remove the link first. Then its worlds are no
         * longer found below dir, and the other run stays whole. */
        for (size_t i = 1; i < run.world_count; i++)
            remove_tree(run.worlds[i].directory);
        /* Rename the spool directory before removing it. After a kill, its remains would otherwise be assembled again,
         * into an archive that lacks the removed spools. */
        if (rename(paths->spool, paths->workshop) == 0)
            remove_tree(paths->workshop);
        remove_tree(paths->presence);
    }
    run_free(&run);
    return outcome;
}

static int assemble_dir(const char *dir, bool waits_for_worlds, char *message, size_t capacity,
                        assemble_progress *report, void *context) {
    char unused[8];
    if (!message || capacity == 0) {
        message = unused;
        capacity = sizeof unused;
    }
    message[0] = '\0';
    struct paths paths;
    if (!make_paths(&paths, dir)) {
        snprintf(message, capacity, "the path %.60s... is too long", dir);
        return ASSEMBLE_FAILED;
    }
    if (!exists(paths.spool)) {
        if (exists(paths.anchor)) {
            remove_tree(paths.workshop); /* remains of an interrupted removal */
            return ASSEMBLE_WHOLE;
        }
        snprintf(message, capacity,
                 "%s contains neither an archive (traces.otf2) nor spools (spool/) to make one from; name the trace "
                 "directory of a recorded run",
                 dir);
        return ASSEMBLE_FAILED;
    }
    int lock = open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) {
        if (exists(paths.anchor)) /* this user may read the archive but not write it */
            return ASSEMBLE_WHOLE;
        snprintf(message, capacity, "%s: %s; make the trace directory writable, because the archive is written there",
                 paths.lock, strerror(errno));
        return ASSEMBLE_FAILED;
    }
    while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
    struct progress progress = {.report = report, .context = context};
    int outcome = exists(paths.spool) || !exists(paths.anchor)
                      ? assemble_locked(&paths, dir, lock, waits_for_worlds, &progress, message, capacity)
                      : ASSEMBLE_WHOLE; /* another process has just assembled the run */
    /* The lock file of an incomplete run stays, because it has the count of records. That of a complete run is removed,
     * so that the directory contains only the run's files. */
    if (outcome == ASSEMBLE_WHOLE)
        unlink(paths.lock);
    close(lock);
    return outcome == UNCHANGED ? ASSEMBLE_WHOLE : outcome;
}

int hopscope_assemble_with_progress(const char *dir, char *message, size_t capacity, assemble_progress *report,
                                    void *context) {
    return assemble_dir(dir, false, message, capacity, report, context);
}

int hopscope_assemble(const char *dir, char *message, size_t capacity) {
    return assemble_dir(dir, false, message, capacity, NULL, NULL);
}

int hopscope_assemble_after_all(const char *dir, char *message, size_t capacity) {
    return assemble_dir(dir, true, message, capacity, NULL, NULL);
}
