#include "engine/shared_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/file_guard.h"

static const char folder[] = "/dev/shm";

/* shared_files_tidy holds a file exclusively only for a moment. If it takes longer than this, it was stopped, and there
 * is no shared memory. */
enum { TRIES = 1000, TRY_MICROSECONDS = 100 };

static int beginning(char *name, size_t capacity) {
    return snprintf(name, capacity, "hopscope-shared-%d-", (int)getuid());
}

/* Opens the file and locks it. If it was removed in between, the next try creates it anew. */
static int open_held(const char *path) {
    for (int i = 0; i < TRIES; i++) {
        struct stat ours, named;
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0)
            return -1;
        if (flock(file, LOCK_SH | LOCK_NB) == 0 && fstat(file, &ours) == 0 && stat(path, &named) == 0 &&
            ours.st_ino == named.st_ino)
            return file;
        close(file);
        usleep(TRY_MICROSECONDS);
    }
    errno = EBUSY;
    return -1;
}

static void *map(int file, size_t bytes) {
    struct file_guard guard;
    /* Allocate, do not only extend: using a hole on a full disk raises SIGBUS. New pages are zero. */
    file_guard_begin(&guard);
    int error = posix_fallocate(file, 0, (off_t)bytes);
    file_guard_end(&guard);
    if (error) {
        errno = error;
        return NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool shared_file_map(struct shared_file *f, const char *name, size_t bytes) {
    char own[40];
    *f = (struct shared_file){.bytes = bytes};
    beginning(own, sizeof own);
    snprintf(f->path, sizeof f->path, "%s/%s%s", folder, own, name);
    f->held = open_held(f->path);
    if (f->held < 0) {
        f->path[0] = '\0';
        return false;
    }
    f->memory = map(f->held, bytes);
    if (f->memory)
        return true;
    int why = errno;
    shared_file_settled(f);
    errno = why;
    return false;
}

void shared_file_settled(struct shared_file *f) {
    if (!f->path[0])
        return;
    unlink(f->path); /* the first process removes it, the others find nothing */
    close(f->held);
    f->path[0] = '\0';
}

void shared_file_unmap(struct shared_file *f) {
    shared_file_settled(f);
    if (f->memory)
        munmap(f->memory, f->bytes);
    f->memory = NULL;
}

void shared_files_tidy(void) {
    char own[40];
    size_t length = (size_t)beginning(own, sizeof own);
    DIR *there = opendir(folder);
    if (!there)
        return;
    for (const struct dirent *entry; (entry = readdir(there));) {
        if (strncmp(entry->d_name, own, length) != 0)
            continue;
        int file = openat(dirfd(there), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0)
            continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(there), entry->d_name, 0);
        close(file);
    }
    closedir(there);
}
