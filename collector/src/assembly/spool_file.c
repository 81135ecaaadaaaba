/* Maps a spool and finds how many of its records are whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly/run.h"

_Static_assert(sizeof(struct spool_record) == 40, "records are written and read with this layout");

static const char *fault_of(const struct spool_header *header, size_t bytes, uint32_t world_rank, uint32_t thread) {
    if (bytes < sizeof *header)
        return "it is shorter than its header";
    if (memcmp(header->magic, SPOOL_MAGIC, sizeof header->magic) != 0)
        return "it is no spool";
    if (header->version != SPOOL_VERSION)
        return "another version of the collector wrote it; assemble it with that version's hopscope-assemble";
    if (header->record_bytes != sizeof(struct spool_record) || header->header_bytes < sizeof *header)
        return "its header is damaged";
    if (header->world_rank != world_rank || header->thread != thread)
        return "its header names another rank or thread than its file name";
    return NULL;
}

/* Records up to the first unwritten one. They are written in order, so the written ones are a prefix; a search would do
 * but for a damaged file, and the pass over the records comes anyway. */
static size_t count_written(const struct spool_record *records, size_t room) {
    size_t count = 0;
    while (count < room && records[count].kind != SPOOL_NONE)
        count++;
    return count;
}

bool spool_file_open(struct spool_file *file, const char *path, uint32_t world_rank, uint32_t thread, char *reason,
                     size_t capacity) {
    *file = (struct spool_file){.thread = thread};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        snprintf(reason, capacity, "%s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    size_t bytes = (size_t)status.st_size;
    void *mapping = bytes ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    int error = errno;
    close(fd);
    if (mapping == MAP_FAILED) {
        snprintf(reason, capacity, "%s", strerror(error));
        return false;
    }
    const struct spool_header *header = mapping;
    const char *fault = fault_of(header, bytes, world_rank, thread);
    if (fault) {
        snprintf(reason, capacity, "%s", fault);
        if (mapping)
            munmap(mapping, bytes);
        return false;
    }
    madvise(mapping, bytes, MADV_SEQUENTIAL);
    file->mapping = mapping;
    file->mapped_bytes = bytes;
    file->state = (enum spool_state)header->state;
    snprintf(file->stop_reason, sizeof file->stop_reason, "%.*s", (int)sizeof header->stop_reason - 1,
             header->stop_reason);
    if (bytes > header->header_bytes) {
        file->records = (const void *)((const char *)mapping + header->header_bytes);
        file->count = count_written(file->records, (bytes - header->header_bytes) / sizeof(struct spool_record));
        spool_file_rest(file);
    }
    return true;
}

void spool_file_rest(const struct spool_file *file) {
    if (file->mapping)
        madvise(file->mapping, file->mapped_bytes, MADV_DONTNEED);
}

void spool_file_close(struct spool_file *file) {
    if (file->mapping)
        munmap(file->mapping, file->mapped_bytes);
    free(file->sorted);
    index_list_free(&file->open_enters);
    index_list_free(&file->refused);
    *file = (struct spool_file){0};
}
