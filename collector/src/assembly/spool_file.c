/* Maps a spool as one array of records, with the front after the chunks, and counts its complete records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly/run.h"

_Static_assert(sizeof(struct spool_record) == 40, "a record must have the same layout in spools and in memory");

/* The largest possible chunk: the limit of HOPSCOPE_SPOOL_CHUNK_BYTES, rounded up. */
enum { MAX_CHUNK_BYTES = 1 << 30 };

/* The number of last records that may still change while the process runs: an ENTER, a message in the call and its
 * completion may be merged into a whole call. */
enum { UNSETTLED = 3 };

static const char *fault_of(const struct spool_header *header, size_t bytes, uint32_t world_rank, uint32_t thread) {
    if (bytes < sizeof *header)
        return "it is shorter than its header";
    if (memcmp(header->magic, SPOOL_MAGIC, sizeof header->magic) != 0)
        return "it is not a spool";
    if (header->version != SPOOL_VERSION)
        return "another version of the collector wrote it; assemble it with that version's hopscope-assemble";
    if (header->record_bytes != sizeof(struct spool_record) || header->header_bytes != SPOOL_HEADER_BYTES ||
        header->chunk_bytes == 0 || header->chunk_bytes > MAX_CHUNK_BYTES ||
        header->chunk_bytes % sizeof(struct spool_record) != 0 ||
        header->chunk_bytes % (uint64_t)sysconf(_SC_PAGESIZE) != 0)
        return "its header is damaged";
    if (header->world_rank != world_rank || header->thread != thread)
        return "its header and its file name disagree about rank or thread";
    return NULL;
}

/* Counts records up to the first unwritten one: they are written in order. A binary search would fail if a file is
 * damaged, and would save little, because all records are read later anyway. */
static size_t count_written(const struct spool_record *records, size_t room) {
    size_t count = 0;
    while (count < room && records[count].kind != SPOOL_NONE)
        count++;
    return count;
}

/* Copies the records of a front while its process may be writing. A record is final once another call follows it, so
 * the copy goes from the last record to the first. One of the last records may change during the copy, because a later
 * record is merged into it. Its kind then differs from the kind read before, and the copy starts again. */
static void copy_front(struct spool_record *copy, const struct spool_record *front, size_t room) {
    size_t count;
    bool changed;
    do {
        count = count_written(front, room);
        changed = false;
        for (size_t i = count; i > 0; i--) {
            uint16_t kind = __atomic_load_n(&front[i - 1].kind, __ATOMIC_ACQUIRE);
            copy[i - 1] = front[i - 1];
            copy[i - 1].kind = kind; /* the kind that was read before the fields */
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (count - i < UNSETTLED)
                changed = changed || __atomic_load_n(&front[count - 1].kind, __ATOMIC_RELAXED) != copy[count - 1].kind;
            if (changed)
                break;
        }
    } while (changed);
    if (count < room)
        copy[count].kind = SPOOL_NONE; /* ends the copy: an earlier attempt may have left a record here */
}

static uint64_t counter(const uint64_t *of_header) {
    return __atomic_load_n(of_header, __ATOMIC_ACQUIRE);
}

/* The sizes of a file's chunks and of its front. If the file was cut off, it has fewer chunks than the header says. */
struct extent {
    uint64_t flushed, front; /* the fields of the header */
    size_t chunks, in_front; /* bytes */
    bool cut;
};

static struct extent extent_of(const struct spool_header *header, size_t bytes) {
    size_t behind_header = bytes > SPOOL_HEADER_BYTES ? bytes - SPOOL_HEADER_BYTES : 0;
    size_t behind_front = behind_header > header->chunk_bytes ? behind_header - header->chunk_bytes : 0;
    struct extent e = {.flushed = counter(&header->flushed), .front = counter(&header->front)};
    e.cut = e.flushed > behind_front / header->chunk_bytes;
    e.chunks = e.cut ? behind_front : e.flushed * header->chunk_bytes;
    if (!e.cut && e.front == e.flushed)
        e.in_front = behind_header < header->chunk_bytes ? behind_header : header->chunk_bytes;
    return e;
}

static bool has_changed(const struct extent *e, const struct spool_header *header) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return counter(&header->flushed) != e->flushed || counter(&header->front) != e->front;
}

static bool map_part(char *address, size_t bytes, int fd, size_t file_offset) {
    return bytes == 0 || mmap(address, bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, (off_t)file_offset) != MAP_FAILED;
}

/* Maps the records of a file consecutively. If the process may be alive, copies the front, because the process may
 * start another chunk there. NULL with errno. */
static char *map_records(struct spool_file *file, int fd, const struct spool_header *header, const struct extent *e) {
    size_t mapped = e->chunks + header->chunk_bytes;
    char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    file->mapping = memory;
    file->mapped_bytes = mapped;
    if (!map_part(memory, e->chunks, fd, SPOOL_HEADER_BYTES + header->chunk_bytes))
        return NULL;
    file->file_bytes = e->chunks;
    if (file->state == SPOOL_OPEN) {
        const struct spool_record *front = (const void *)((const char *)header + SPOOL_HEADER_BYTES);
        copy_front((struct spool_record *)(memory + e->chunks), front, e->in_front / sizeof *front);
    } else if (!map_part(memory + e->chunks, e->in_front, fd, SPOOL_HEADER_BYTES)) {
        return NULL;
    } else {
        file->file_bytes += e->in_front;
    }
    madvise(memory, file->file_bytes, MADV_SEQUENTIAL);
    return memory;
}

/* Maps the header and the front of a file. Returns NULL or an error text. */
static const char *read_records(struct spool_file *file, int fd, const struct spool_header *header, size_t bytes) {
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        struct stat status;
        struct extent e = extent_of(header, bytes);
        char *memory = map_records(file, fd, header, &e);
        if (!memory)
            return strerror(errno);
        if (!has_changed(&e, header)) {
            file->stored = (const void *)memory;
            file->count = count_written(file->stored, (e.chunks + e.in_front) / sizeof(struct spool_record));
            for (size_t i = 0; i < file->count; i++)
                file->records += count_of(file->stored[i].kind);
            spool_file_rest(file);
            return NULL;
        }
        munmap(file->mapping, file->mapped_bytes); /* the process has just begun another chunk: try again */
        file->mapping = NULL;
        if (fstat(fd, &status) == 0)
            bytes = (size_t)status.st_size;
    }
    return "its process writes faster than we can read; stop the process (SIGSTOP) and try again";
}

/* Reads a spool. Returns NULL or an error text. */
static const char *read_from(struct spool_file *file, int fd, size_t bytes, uint32_t world_rank) {
    const struct spool_header *header = bytes ? mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (header == MAP_FAILED)
        return strerror(errno);
    const char *fault = fault_of(header, bytes, world_rank, file->thread);
    if (!fault) {
        file->state = (enum spool_state)header->state;
        snprintf(file->stop_reason, sizeof file->stop_reason, "%.*s", (int)sizeof header->stop_reason - 1,
                 header->stop_reason);
        fault = read_records(file, fd, header, bytes);
    }
    if (header)
        munmap((void *)header, bytes);
    return fault;
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
    const char *fault = read_from(file, fd, (size_t)status.st_size, world_rank);
    close(fd);
    if (fault) {
        snprintf(reason, capacity, "%s", fault);
        spool_file_close(file);
    }
    return !fault;
}

void spool_file_rest(const struct spool_file *file) {
    if (file->file_bytes)
        madvise(file->mapping, file->file_bytes, MADV_DONTNEED);
}

void spool_file_close(struct spool_file *file) {
    if (file->mapping)
        munmap(file->mapping, file->mapped_bytes);
    free(file->sorted);
    index_list_free(&file->open_enters);
    index_list_free(&file->refused);
    id_table_free(&file->waited);
    *file = (struct spool_file){0};
}
