#include "presence/presence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file_guard.h"
#include "log/log.h"
#include "presence/job.h"
#include "record/clock.h"

enum { POLL_MICROSECONDS = 1000 };

/* Creates one of three files in DIR/presence. It is written under a temporary name and then linked into place, so the
 * file of the first rank to arrive stays, and no rank reads half a file:
 *
 *   owner             the job to which the directory belongs
 *   <job>.<rank>      this rank has the collector (its content: the host)
 *   <job>.verdict     "go" or "no"
 */
static int publish(const struct presence_question *q, const char *name, const char *text) {
    char draft[PATH_MAX + 64], final[PATH_MAX + 64];
    snprintf(draft, sizeof draft, "%s/presence/.draft.%s.%d.%d", q->directory, q->host, q->rank, (int)getpid());
    snprintf(final, sizeof final, "%s/presence/%s", q->directory, name);
    int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    size_t length = strlen(text);
    struct file_guard guard;
    file_guard_begin(&guard);
    int error = write(file, text, length) == (ssize_t)length ? 0 : (errno ? errno : ENOSPC);
    file_guard_end(&guard);
    if (close(file) != 0 && !error)
        error = errno;
    if (!error && link(draft, final) != 0 && errno != EEXIST)
        error = errno;
    unlink(draft);
    return error;
}

/* Reads a published file; false if it does not exist yet. */
static bool read_published(const struct presence_question *q, const char *name, char *text, size_t capacity) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/presence/%s", q->directory, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, capacity - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static int make_directory(const char *path) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
}

/* Makes the directory and its parents, like mkdir -p. */
static int make_directories(const char *directory) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", directory) >= (int)sizeof path)
        return ENAMETOOLONG;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* errors do not matter here: the last mkdir reports them */
        *slash = '/';
    }
    return make_directory(path);
}

static bool holds_finished_run(const char *directory) {
    static const char *const names[] = {"run.json", "traces.otf2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static int prepare(const struct presence_question *q) {
    char path[PATH_MAX + 64];
    int error = make_directories(q->directory);
    if (!error) {
        snprintf(path, sizeof path, "%s/presence", q->directory);
        error = make_directory(path);
    }
    if (!error) {
        snprintf(path, sizeof path, "%s/spool", q->directory);
        error = make_directory(path);
    }
    return error;
}

static bool belongs_to_another(const struct presence_question *q, int *error) {
    char owner[256] = "";
    *error = publish(q, "owner", q->job);
    if (*error || !read_published(q, "owner", owner, sizeof owner)) {
        *error = *error ? *error : EIO;
        return false;
    }
    return strcmp(owner, q->job) != 0;
}

/* The first rank from `first` on whose file exists (exists true) or is missing (exists false); the size of the job if
 * there is none. */
static int first_rank(const struct presence_question *q, int first, bool exists) {
    char path[PATH_MAX + 64];
    int rank = first;
    for (; rank < q->size; rank++) {
        snprintf(path, sizeof path, "%s/presence/%s.%d", q->directory, q->job, rank);
        if ((access(path, F_OK) == 0) == exists)
            break;
    }
    return rank;
}

static enum presence wait_for_verdict(const struct presence_question *q) {
    char name[300], verdict[8] = "";
    snprintf(name, sizeof name, "%s.verdict", q->job);
    uint64_t deadline = clock_monotonic_ns() + (uint64_t)(q->timeout_seconds * 1e9);
    int proven = 0; /* all ranks below this one are known to have published their files */
    while (!read_published(q, name, verdict, sizeof verdict)) {
        if (q->rank == 0 && (proven = first_rank(q, proven, false)) == q->size) {
            publish(q, name, "go");
        } else if (clock_monotonic_ns() >= deadline) {
            /* Another rank's verdict may have come first. So the verdict that the next loop reads counts, not this one.
             * If this rank cannot publish a verdict, its result is INCOMPLETE in any case. */
            if (publish(q, name, "no") != 0)
                return PRESENCE_INCOMPLETE;
        } else {
            usleep(POLL_MICROSECONDS);
        }
    }
    if (strcmp(verdict, "go") == 0)
        return PRESENCE_COMPLETE;
    if (first_rank(q, 0, true) == q->rank)
        log_line("rank %d of %d runs without the collector (no sign of it after %g s). Trees and clock synchronisation "
                 "are off; the other ranks record only themselves. Preload the collector on all ranks, or give slow "
                 "starters more time with HOPSCOPE_PRESENCE_TIMEOUT",
                 first_rank(q, 0, false) % q->size, q->size, q->timeout_seconds);
    return PRESENCE_INCOMPLETE;
}

enum presence presence_prove(const struct presence_question *q) {
    int error = 0;
    if (holds_finished_run(q->directory)) {
        if (q->rank == 0)
            log_line("%s already contains a trace, so this run is not recorded. Remove the directory, or choose "
                     "another with HOPSCOPE_DIR",
                     q->directory);
        return PRESENCE_FOREIGN;
    }
    error = prepare(q);
    if (!error && belongs_to_another(q, &error)) {
        if (q->rank == 0)
            log_line("%s contains the spools of another run, so this run is not recorded. Assemble the other run with "
                     "`hopscope recover %s`, or choose another directory with HOPSCOPE_DIR",
                     q->directory, q->directory);
        return PRESENCE_FOREIGN;
    }
    if (!error) {
        char name[300];
        snprintf(name, sizeof name, "%s.%d", q->job, q->rank);
        error = publish(q, name, q->host);
    }
    if (error) {
        if (job_first_on_host(q->rank))
            log_line("rank %d cannot write to %s: %s. The application continues unrecorded; choose another directory "
                     "with HOPSCOPE_DIR",
                     q->rank, q->directory, strerror(error));
        return PRESENCE_NOWHERE;
    }
    return wait_for_verdict(q);
}

static void remove_files(const char *directory, const char *name) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(path);
}

void presence_withdraw(const char *directory) {
    remove_files(directory, "spool");
    remove_files(directory, "presence");
    rmdir(directory); /* fails if it is not empty */
}
