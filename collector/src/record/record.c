/* The spools of this process: one file per thread, with a memory-mapped front that is written out chunk by chunk. */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files/file_guard.h"
#include "log/log.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#include "record/definitions.h"

_Thread_local struct record_cursor record_cursor __attribute__((tls_model("initial-exec")));

struct record_thread {
    struct record_thread *next; /* next in the list of open spools */
    struct record_thread *next_idle;
    int index, fd;
    struct spool_header *header; /* mapped, and followed by the front; NULL: not mapped yet */
    struct record_cursor cursor; /* for an idle spool: the position at which the next thread goes on */
};

static struct {
    char directory[PATH_MAX];
    int world_rank;
    size_t chunk_bytes;
    int next_index;
    struct record_thread *threads;
    struct record_thread *idle; /* list of the spools whose threads have ended */
    struct record_join *joins;  /* list of the waits for threads that are going on now */
    pthread_key_t thread_key;
    bool has_key, has_fork_handler;
} spools;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool record_running;

static void set_running(bool is_running) {
    __atomic_store_n(&record_running, is_running, __ATOMIC_RELEASE);
}

/* Rounds the size of a chunk up to whole pages and whole records, so that all records of a spool form one array. */
static size_t whole_chunk(size_t bytes) {
    size_t a = sizeof(struct spool_record), b = (size_t)sysconf(_SC_PAGESIZE), product = a * b;
    while (b) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    size_t unit = product / a;
    return (bytes + unit - 1) / unit * unit;
}

/* Reserves room on the disk for `length` bytes from `offset` on. Returns 0 or an errno. Without this, a write to the
 * mapping on a full disk would end the application with SIGBUS. */
static int prepare_room(int fd, off_t offset, size_t length) {
    struct file_guard guard;
    int attempts = 1000, error;
    file_guard_begin(&guard);
    do /* retry on EINTR: it may take longer than the period of the application's timers, which interrupt it */
        error = posix_fallocate(fd, offset, (off_t)length);
    while (error == EINTR && attempts-- > 0);
    file_guard_end(&guard);
    return error;
}

/* Makes all pages of a chunk writable in advance, because the first write to a page is slow (1.4 us on ext4).
 * MAP_POPULATE prepares pages only for reading. Kernels before 5.14 do not know MADV_POPULATE_WRITE. */
static void prefault(char *chunk, size_t bytes) {
    if (madvise(chunk, bytes, MADV_POPULATE_WRITE) == 0)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t offset = 0; offset < bytes; offset += page)
        *(volatile char *)(chunk + offset) = 0;
}

static size_t mapped_bytes(void) {
    return SPOOL_HEADER_BYTES + spools.chunk_bytes;
}

static struct spool_record *front_of(const struct record_thread *thread) {
    return (void *)((char *)thread->header + SPOOL_HEADER_BYTES);
}

/* Appends the whole front to the existing chunks. Returns 0 or an errno; on error only the file's length has changed.
 * Uses write(), which fails if the disk is full; with a mapping, the process would get SIGBUS. */
static int write_front(const struct record_thread *thread) {
    off_t position = (off_t)(SPOOL_HEADER_BYTES + spools.chunk_bytes * (1 + thread->header->flushed));
    int error = 0;
    struct file_guard guard;
    file_guard_begin(&guard);
    for (size_t offset = 0; !error && offset < spools.chunk_bytes;) {
        ssize_t written = pwrite(thread->fd, (const char *)front_of(thread) + offset, spools.chunk_bytes - offset,
                                 position + (off_t)offset);
        if (written > 0)
            offset += (size_t)written;
        else if (written == 0 || errno != EINTR)
            error = written < 0 ? errno : EIO;
    }
    file_guard_end(&guard);
    return error;
}

/* Frees the front for the next chunk's records; hopscope/spool.h gives the reason for this order. */
static void clear_front(struct record_thread *thread) {
    uint64_t chunk = thread->header->flushed + 1;
    /* Atomic exchanges, not stores: no store may be reordered across them in either direction. */
    __atomic_exchange_n(&thread->header->flushed, chunk, __ATOMIC_ACQ_REL);
    memset(front_of(thread), 0, spools.chunk_bytes);
    __atomic_exchange_n(&thread->header->front, chunk, __ATOMIC_ACQ_REL);
}

static void begin_chunk(const struct record_thread *thread, struct record_cursor *cursor) {
    cursor->changes++;
    cursor->enter_record = NULL;
    cursor->next = front_of(thread);
    /* The last slot stays free until the front is full. The next record then goes there before the chunk changes. */
    cursor->end = cursor->next + spools.chunk_bytes / sizeof(struct spool_record) - 1;
}

/* Begins the next chunk. Returns 0 or an errno; on error the front stays full. */
static int next_chunk(struct record_thread *thread, struct record_cursor *cursor) {
    int error = write_front(thread);
    if (!error) {
        clear_front(thread);
        begin_chunk(thread, cursor);
    }
    return error;
}

static int open_spool(struct record_thread *thread) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/spool/%d.%d.spool", spools.directory, spools.world_rank, thread->index);
    thread->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (thread->fd < 0)
        return errno;
    /* The lock shows `hopscope inspect` that the process is alive: it ends with the process. */
    flock(thread->fd, LOCK_EX | LOCK_NB);
    int error = prepare_room(thread->fd, 0, mapped_bytes());
    if (error)
        return error;
    void *header = mmap(NULL, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, thread->fd, 0);
    if (header == MAP_FAILED)
        return errno;
    prefault(header, mapped_bytes());
    thread->header = header;
    *thread->header = (struct spool_header){
        .version = SPOOL_VERSION,
        .header_bytes = SPOOL_HEADER_BYTES,
        .record_bytes = sizeof(struct spool_record),
        .world_rank = (uint32_t)spools.world_rank,
        .thread = (uint32_t)thread->index,
        .pid = (uint32_t)getpid(),
        .state = SPOOL_OPEN,
        .chunk_bytes = spools.chunk_bytes,
    };
    memcpy(thread->header->magic, SPOOL_MAGIC, sizeof thread->header->magic);
    return 0;
}

static void free_thread(struct record_thread *thread) {
    if (thread->header)
        munmap(thread->header, mapped_bytes());
    if (thread->fd >= 0)
        close(thread->fd);
    free(thread);
}

/* Gives the calling thread the spool of a thread that has ended. False if there is none. */
static bool take_idle_spool(struct record_cursor *cursor) {
    pthread_mutex_lock(&lock);
    struct record_thread *thread = spools.idle;
    if (thread)
        spools.idle = thread->next_idle;
    pthread_mutex_unlock(&lock);
    if (!thread)
        return false;
    thread->cursor.phase = cursor->phase;
    thread->cursor.begin = cursor->begin;
    *cursor = thread->cursor;
    if (spools.has_key)
        pthread_setspecific(spools.thread_key, thread);
    return true;
}

/* Opens a spool for the calling thread. Returns 0 or an errno. */
static int open_thread(struct record_cursor *cursor) {
    struct record_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return ENOMEM;
    thread->index = __atomic_fetch_add(&spools.next_index, 1, __ATOMIC_RELAXED);
    thread->fd = -1;
    int error = open_spool(thread);
    if (error) {
        free_thread(thread);
        return error;
    }
    begin_chunk(thread, cursor);
    cursor->thread = thread;
    pthread_mutex_lock(&lock);
    thread->next = spools.threads;
    spools.threads = thread;
    pthread_mutex_unlock(&lock);
    if (spools.has_key)
        pthread_setspecific(spools.thread_key, thread);
    return 0;
}

static void (*before_thread_ends)(void);

void record_before_thread_ends(void (*call)(void)) {
    __atomic_store_n(&before_thread_ends, call, __ATOMIC_RELEASE);
}

/* Tells the threads that wait for the calling thread to end that it has recorded. Call it under the lock, in a thread
 * that ends. */
static void tell_joins(void) {
    for (struct record_join *join = spools.joins; join; join = join->next)
        join->was_recorded = join->was_recorded || pthread_equal(join->thread, pthread_self());
}

/* Leaves the spool of a thread that ends to the next thread that begins. Not for thread 0, whose spool stands for the
 * rank, and not for a paused thread, whose counts of unrecorded messages are lost. */
static void leave_spool(struct record_thread *thread) {
    bool is_paused = record_cursor.is_paused;
    if (!is_paused) {
        uint64_t end = clock_now();
        record_append(end, SPOOL_IDLE_BEGIN, 0, 0, 0, 0, 0);
        record_cursor.floor = end > record_cursor.floor ? end : record_cursor.floor;
    }
    thread->cursor = record_cursor;
    record_cursor = (struct record_cursor){0};
    pthread_mutex_lock(&lock);
    if (thread->index > 0 && !is_paused && record_is_on()) {
        thread->next_idle = spools.idle;
        spools.idle = thread;
    }
    tell_joins();
    pthread_mutex_unlock(&lock);
}

static void close_spool(struct record_thread *thread) {
    record_cursor = (struct record_cursor){0};
    pthread_mutex_lock(&lock);
    struct record_thread **link = &spools.threads;
    while (*link && *link != thread)
        link = &(*link)->next;
    bool is_listed = *link != NULL;
    if (is_listed) {
        *link = thread->next;
        if (thread->header->state == SPOOL_OPEN)
            thread->header->state = SPOOL_CLOSED;
    }
    pthread_mutex_unlock(&lock);
    if (is_listed)
        free_thread(thread);
}

static void close_ended_thread(void *value) {
    struct record_thread *thread = value;
    void (*call)(void) = __atomic_load_n(&before_thread_ends, __ATOMIC_ACQUIRE);
    if (call)
        call();
    if (record_is_on() && record_cursor.thread == thread)
        leave_spool(thread);
    else
        close_spool(thread);
}

void record_join_begin(struct record_join *join, pthread_t thread) {
    *join = (struct record_join){.thread = thread, .begin = clock_now()};
    pthread_mutex_lock(&lock);
    join->next = spools.joins;
    spools.joins = join;
    pthread_mutex_unlock(&lock);
}

void record_join_end(struct record_join *join) {
    pthread_mutex_lock(&lock);
    struct record_join **link = &spools.joins;
    while (*link && *link != join)
        link = &(*link)->next;
    if (*link)
        *link = join->next;
    pthread_mutex_unlock(&lock);
    if (!join->was_recorded || !record_here())
        return;
    record_append(join->begin, SPOOL_JOIN_BEGIN, 0, 0, 0, 0, 0);
    record_append(clock_now(), SPOOL_JOIN_END, 0, 0, 0, 0, 0);
}

/* Runs in the child after fork(). Spools and definitions belong to the parent, so the child must not write to them. The
 * child has only the thread that called fork(), so no lock is needed. */
static void forget_in_child(void) {
    set_running(false);
    record_cursor = (struct record_cursor){0};
    /* The child must not keep the locks on the spools alive: they end when every process has closed the files. */
    for (struct record_thread *thread = spools.threads; thread; thread = thread->next)
        close(thread->fd);
    spools.threads = spools.idle = NULL;
    spools.joins = NULL;
    definitions_close();
}

static void define_clock_pair(void) {
    struct clock_pair pair = clock_calibrate();
    struct line line;
    line_begin(&line, "clock");
    line_unsigned(&line, "ticks", pair.ticks);
    line_unsigned(&line, "monotonic_ns", pair.monotonic_ns);
    line_end(&line);
}

static void set_all_states(enum spool_state state, const char *reason) {
    pthread_mutex_lock(&lock);
    for (struct record_thread *thread = spools.threads; thread; thread = thread->next) {
        snprintf(thread->header->stop_reason, sizeof thread->header->stop_reason, "%s", reason);
        __atomic_store_n(&thread->header->state, (uint32_t)state, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

void record_stop(const char *reason) {
    int saved_errno = errno;
    bool was_running = __atomic_exchange_n(&record_running, false, __ATOMIC_ACQ_REL);
    record_cursor.next = record_cursor.end = record_cursor.paused_next = record_cursor.paused_end = NULL;
    if (was_running) {
        set_all_states(SPOOL_STOPPED, reason);
        log_line("recording stopped on rank %d in %s: %s. The application continues", spools.world_rank,
                 spools.directory, reason);
    }
    errno = saved_errno;
}

static void stop_for(const char *failure, int error) {
    char reason[200];
    snprintf(reason, sizeof reason, "%s: %s", failure, strerror(error));
    record_stop(reason);
}

void record_append_slowly(uint64_t ticks, enum spool_kind kind, uint16_t region, uint32_t comm, uint64_t a, uint64_t b,
                          uint64_t c) {
    struct record_cursor *cursor = &record_cursor;
    if (cursor->is_paused)
        return;
    if (!record_is_on()) {
        cursor->next = cursor->end = NULL;
        return;
    }
    int saved_errno = errno;
    uint64_t begin = clock_now();
    bool first = !cursor->thread;
    if (first && take_idle_spool(cursor)) {
        record_append(cursor->begin ? cursor->begin : ticks, SPOOL_IDLE_END, 0, 0, 0, 0, 0);
        cursor->enter_record = cursor->next;
        record_append(ticks, kind, region, comm, a, b, c);
        errno = saved_errno;
        return;
    }
    if (!first)
        record_fill(cursor->next, ticks < cursor->floor ? cursor->floor : ticks, kind, region, comm, a, b, c);
    int error = first ? open_thread(cursor) : next_chunk(cursor->thread, cursor);
    if (error) {
        stop_for(first ? "cannot create a spool for a new thread" : "no room for the next chunk of the spool", error);
    } else {
        if (first) {
            if (cursor->begin) {
                record_fill(cursor->next++, cursor->begin, SPOOL_IDLE_BEGIN, 0, 0, 0, 0, 0);
                record_fill(cursor->next++, cursor->begin, SPOOL_IDLE_END, 0, 0, 0, 0, 0);
            }
            record_fill(cursor->next++, ticks, kind, region, comm, a, b, c);
        }
        define_clock_pair();
        if (cursor->next != cursor->end) { /* unless writing the definition has stopped recording */
            record_fill(cursor->next++, begin, SPOOL_OVERHEAD_BEGIN, 0, 0, 0, 0, 0);
            cursor->floor = clock_now();
            record_fill(cursor->next++, cursor->floor, SPOOL_OVERHEAD_END, 0, 0, 0, 0, 0);
        }
    }
    errno = saved_errno;
}

bool record_start(const char *directory, int world_rank, size_t chunk_bytes) {
    snprintf(spools.directory, sizeof spools.directory, "%s", directory);
    spools.world_rank = world_rank;
    spools.chunk_bytes = whole_chunk(chunk_bytes);
    if (!spools.has_key)
        spools.has_key = pthread_key_create(&spools.thread_key, close_ended_thread) == 0;
    if (!spools.has_fork_handler)
        spools.has_fork_handler = pthread_atfork(NULL, NULL, forget_in_child) == 0;
    int error = definitions_open(directory, world_rank, record_stop);
    if (!error)
        error = open_thread(&record_cursor);
    if (error) {
        definitions_close();
        log_line("rank %d cannot record in %s: %s. The application continues unrecorded; choose another directory with "
                 "HOPSCOPE_DIR",
                 world_rank, directory,
                 error == EEXIST ? "this rank ran another program before, which recorded here" : strerror(error));
        return false;
    }
    set_running(true);
    define_clock_pair();
    return true;
}

void record_finish(const char *ending) {
    if (!record_is_on())
        return;
    define_clock_pair();
    set_running(false);
    struct line line;
    line_begin(&line, "end");
    line_unsigned(&line, "ticks", clock_now());
    line_text(&line, "how", ending);
    line_end(&line);
    set_all_states(SPOOL_CLOSED, "");
    record_cursor.next = record_cursor.end = NULL;
    definitions_close();
}

double record_measure_cost_ns(void) {
    enum { EVENTS = 512 };
    static struct spool_record scratch[EVENTS];
    struct record_cursor saved_cursor = record_cursor;
    double cost = 1e9;
    for (int round = 0; round < 3; round++) {
        record_cursor.next = scratch;
        record_cursor.end = scratch + EVENTS;
        uint64_t begin = clock_monotonic_ns();
        for (uint64_t i = 0; i < EVENTS; i++)
            record_append(clock_now(), SPOOL_SEND, 0, 0, i, 0, 0);
        double event_cost = (double)(clock_monotonic_ns() - begin) / EVENTS;
        cost = event_cost < cost ? event_cost : cost;
    }
    record_cursor = saved_cursor;
    return cost;
}

uint64_t record_request_id(void) {
    enum { BLOCK = 1 << 16 };
    static uint64_t next_block = 1;
    static _Thread_local uint64_t next, end;
    if (next == end) {
        next = __atomic_fetch_add(&next_block, BLOCK, __ATOMIC_RELAXED);
        end = next + BLOCK;
    }
    return next++;
}
