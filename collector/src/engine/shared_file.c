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

/* Tries to lock a file. shared_files_remove_orphans of another job locks it exclusively, but only for a moment. If that
 * lock outlasts all tries, the other process was probably stopped while it held the lock; then no memory is shared. */
enum { TRIES = 1000, TRY_MICROSECONDS = 100 };

static int write_prefix(char *name, size_t capacity) {
    return snprintf(name, capacity, "hopscope-shared-%d-", (int)getuid());
}

/* Opens the file and locks it. If the file was removed in between, the next try creates a new one. */
static int open_locked(const char *path) {
    for (int i = 0; i < TRIES; i++) {
        struct stat file_status, path_status;
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0)
            return -1;
        if (flock(file, LOCK_SH | LOCK_NB) == 0 && fstat(file, &file_status) == 0 && stat(path, &path_status) == 0 &&
            file_status.st_ino == path_status.st_ino)
            return file;
        close(file);
        usleep(TRY_MICROSECONDS);
    }
    errno = EBUSY;
    return -1;
}

static void *map(int file, size_t bytes) {
    struct file_guard guard;
    /* Allocate the file's blocks instead of only extending it: writing to a hole on a full disk raises SIGBUS. New
     * pages are zero. */
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
    char prefix[40];
    *f = (struct shared_file){.bytes = bytes};
    write_prefix(prefix, sizeof prefix);
    snprintf(f->path, sizeof f->path, "%s/%s%s", folder, prefix, name);
    f->descriptor = open_locked(f->path);
    if (f->descriptor < 0) {
        f->path[0] = '\0';
        return false;
    }
    f->memory = map(f->descriptor, bytes);
    if (f->memory)
        return true;
    int saved_errno = errno;
    shared_file_remove_name(f);
    errno = saved_errno;
    return false;
}

void shared_file_remove_name(struct shared_file *f) {
    if (!f->path[0])
        return;
    unlink(f->path); /* the first process removes the name; for the others this fails, which does no harm */
    close(f->descriptor);
    f->path[0] = '\0';
}

void shared_file_unmap(struct shared_file *f) {
    shared_file_remove_name(f);
    if (f->memory)
        munmap(f->memory, f->bytes);
    f->memory = NULL;
}

void shared_files_remove_orphans(void) {
    char prefix[40];
    size_t length = (size_t)write_prefix(prefix, sizeof prefix);
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (strncmp(entry->d_name, prefix, length) != 0)
            continue;
        int file = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (file < 0)
            continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
        close(file);
    }
    closedir(directory);
}
