/* Reads the spools up to their last records. It writes nothing and does not disturb the run. */
#include "assembly/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "assembly/functions.h"
#include "assembly/machine_clock.h"
#include "hopscope/functions.h"

static bool grow(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return true;
    size_t new_room = *room ? *room * 2 : 16;
    void *grown = realloc(*(void **)array, new_room * size);
    if (!grown)
        return false;
    *(void **)array = grown;
    *room = new_room;
    return true;
}

static bool open_request(struct thread_state *thread, const struct spool_record *record, uint64_t ns) {
    size_t room = thread->open_room;
    if (!grow(&thread->open, thread->open_count, &thread->open_room, sizeof *thread->open) ||
        !grow(&thread->open_ns, thread->open_count, &room, sizeof *thread->open_ns))
        return false;
    thread->open[thread->open_count] = *record;
    thread->open_ns[thread->open_count++] = ns;
    return true;
}

/* Returns an entry for a new collective on comm. Reuses the entry of a finished collective on comm: only the last one
 * matters. */
static struct last_collective *entry_for(struct rank_state *rank, uint32_t comm) {
    for (size_t i = 0; i < rank->collective_count; i++)
        if (rank->collectives[i].comm == comm && !rank->collectives[i].is_open)
            return &rank->collectives[i];
    struct last_collective *grown =
        realloc(rank->collectives, (rank->collective_count + 1) * sizeof *rank->collectives);
    if (!grown)
        return NULL;
    rank->collectives = grown;
    return &grown[rank->collective_count++];
}

static struct last_collective *open_collective(struct rank_state *rank, uint32_t comm, uint64_t seq) {
    for (size_t i = 0; i < rank->collective_count; i++) {
        struct last_collective *collective = &rank->collectives[i];
        if (collective->comm == comm && collective->seq == seq && collective->is_open)
            return collective;
    }
    return NULL;
}

/* Removes a request from the open ones. Returns the record that began it, or SPOOL_NONE. A search from the end is fast
 * enough, because few requests are open at a time. */
static struct spool_record close_request(struct thread_state *thread, uint64_t id) {
    size_t i = thread->open_count;
    while (i > 0 && thread->open[i - 1].c != id)
        i--;
    if (i == 0)
        return (struct spool_record){0};
    struct spool_record begin = thread->open[i - 1];
    size_t later_count = thread->open_count-- - i;
    memmove(&thread->open[i - 1], &thread->open[i], later_count * sizeof *thread->open);
    memmove(&thread->open_ns[i - 1], &thread->open_ns[i], later_count * sizeof *thread->open_ns);
    return begin;
}

struct scan {
    const struct run *run;
    const struct process *process;
    const struct machine *machine;
    struct rank_state *rank;
    struct thread_state *thread;
};

static bool enter_collective(struct scan *s, const struct spool_record *record, uint64_t root, uint64_t ns) {
    uint32_t comm = comm_of(s->process, record->comm);
    if (comm == NO_ID || record->b >> ARCHIVE_PERSISTENT_SHIFT)
        return true; /* the seq of a persistent collective does not show its order among the other collectives */
    struct last_collective *collective = entry_for(s->rank, comm);
    if (!collective)
        return false;
    *collective = (struct last_collective){comm, record->b, ns, record->region, root, .is_open = true};
    return true;
}

/* Adds a nonblocking or persistent collective, from its REQUEST record. The record follows the ENTER of the nonblocking
 * collective, or of the call that starts the persistent one. */
static bool start_collective(struct scan *s, const struct spool_record *record, uint64_t ns) {
    uint32_t comm = comm_of(s->process, record->comm);
    if (!open_collective(s->rank, comm, record->b) && !enter_collective(s, record, SPOOL_ROOT_NONE, ns))
        return false;
    struct last_collective *collective = open_collective(s->rank, comm, record->b);
    if (collective)
        collective->started = true;
    return true;
}

static bool enter(struct scan *s, const struct spool_record *record, uint64_t ns) {
    if (function_is_collective(record->region, record->comm) && !enter_collective(s, record, record->c, ns))
        return false;
    s->thread->call = *record;
    s->thread->call_ns = ns;
    return true;
}

/* Removes the collective entered last, because MPI refused it. The collective before it then counts as the last one; it
 * is finished. */
static void undo_enter(struct rank_state *rank, struct last_collective *collective) {
    if (collective->seq > 0) {
        collective->seq--;
        collective->is_open = false;
    } else {
        *collective = rank->collectives[--rank->collective_count];
    }
}

/* Notes the lock that a call has acquired, or forgets the one that it has released. */
static bool note_lock(struct thread_state *thread, const struct spool_record *call) {
    if (call->region == FUNCTION_MPI_Win_lock && call->comm) {
        if (!grow(&thread->locks, thread->lock_count, &thread->lock_room, sizeof *thread->locks))
            return false;
        thread->locks[thread->lock_count++] = *call;
    }
    for (size_t i = 0; call->region == FUNCTION_MPI_Win_unlock && i < thread->lock_count; i++) {
        const struct spool_record *lock = &thread->locks[i];
        if (lock->comm == call->comm && lock->b >> 32 == call->b >> 32) {
            thread->locks[i] = thread->locks[--thread->lock_count];
            break;
        }
    }
    return true;
}

static bool leave(struct scan *s, const struct spool_record *record, uint64_t ns) {
    const struct spool_record *call = &s->thread->call;
    if (!call->kind || call->region != record->region)
        return true;
    if (function_is_collective(call->region, call->comm)) {
        struct last_collective *collective = open_collective(s->rank, comm_of(s->process, call->comm), call->b);
        if (collective && record->c == SPOOL_REFUSED)
            undo_enter(s->rank, collective);
        else if (collective && !collective->started)
            collective->is_open = false;
    }
    s->thread->last = *call;
    s->thread->last_enter_ns = s->thread->call_ns;
    s->thread->last_leave_ns = ns;
    s->thread->call.kind = SPOOL_NONE;
    s->thread->waits = false;
    return note_lock(s->thread, &s->thread->last);
}

static bool inspect_record(struct scan *s, const struct spool_record *record) {
    uint64_t ns = machine_clock_corrected(s->machine, machine_clock_ns(s->machine, record->ticks));
    switch (record->kind) {
    case SPOOL_ENTER:
        return enter(s, record, ns);
    case SPOOL_LEAVE:
        return leave(s, record, ns);
    case SPOOL_ISEND:
    case SPOOL_IRECV_POST:
    case SPOOL_HOP_ISEND:
    case SPOOL_HOP_IRECV_POST:
        return open_request(s->thread, record, ns);
    case SPOOL_ISEND_COMPLETE:
    case SPOOL_IRECV:
    case SPOOL_REQUEST_CANCELLED:
    case SPOOL_HOP_ISEND_COMPLETE:
    case SPOOL_HOP_IRECV:
        close_request(s->thread, record->c & ~SPOOL_WAITED);
        return true;
    case SPOOL_COLLECTIVE_REQUEST:
        return open_request(s->thread, record, ns) && start_collective(s, record, ns);
    case SPOOL_COLLECTIVE_COMPLETE: {
        uint64_t mask = ((uint64_t)1 << SPOOL_REQUEST_BITS) - 1;
        struct spool_record begin = close_request(s->thread, record->c & mask);
        struct last_collective *collective =
            begin.kind ? open_collective(s->rank, comm_of(s->process, begin.comm), begin.b) : NULL;
        if (collective)
            collective->is_open = false;
        return true;
    }
    case SPOOL_IDLE_BEGIN: /* the thread of this spool has ended */
        s->thread->call.kind = SPOOL_NONE;
        s->thread->waits = false;
        return true;
    case SPOOL_WAIT_BEGIN:
        s->thread->waits = true;
        s->thread->wait_ns = ns;
        return true;
    case SPOOL_WAIT_END:
        s->thread->waits = false;
        return true;
    default:
        return true;
    }
}

static bool inspect_stored(struct scan *s, const struct spool_record *stored) {
    struct spool_record records[MAX_STORED_RECORDS];
    size_t count = records_of(stored, records);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = inspect_record(s, &records[i]);
    return ok;
}

/* Sets `alive` and `is_observable`. A living process holds a lock on each of its spools. */
static void check_liveness(struct rank_state *rank, const struct process *process, const struct run *run) {
    char path[PATH_MAX];
    rank->is_observable = process->has_ended;
    for (size_t i = 0; i < process->spool_count && !process->has_ended; i++) {
        snprintf(path, sizeof path, "%s/spool/%d.%u.spool", run->worlds[process->world].directory, process->world_rank,
                 process->spools[i].thread);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        bool is_unlocked = flock(file, LOCK_SH | LOCK_NB) == 0;
        rank->alive = rank->alive || (!is_unlocked && errno == EWOULDBLOCK);
        rank->is_observable = rank->is_observable || is_unlocked || errno == EWOULDBLOCK;
        close(file);
    }
}

static bool inspect_rank(struct inspection *inspection, int number) {
    const struct process *process = &inspection->run.processes[number];
    struct rank_state *rank = &inspection->ranks[number];
    rank->threads = calloc(process->spool_count + 1, sizeof *rank->threads);
    if (!rank->threads)
        return false;
    for (size_t i = 0; i < process->spool_count; i++) {
        const struct spool_file *file = &process->spools[i];
        struct thread_state *thread = &rank->threads[rank->thread_count++];
        *thread = (struct thread_state){.thread = file->thread, .records = file->records};
        struct scan s = {&inspection->run, process, &inspection->run.machines[process->machine], rank, thread};
        for (size_t p = 0; p < file->count; p++)
            if (!inspect_stored(&s, &file->stored[p]))
                return false;
        if (file->count == 0)
            continue;
        uint64_t first = machine_clock_corrected(s.machine, machine_clock_ns(s.machine, file->stored[0].ticks));
        uint64_t last = machine_clock_corrected(
            s.machine, machine_clock_ns(s.machine, last_ticks_of(&file->stored[file->count - 1])));
        inspection->first_ns = first < inspection->first_ns ? first : inspection->first_ns;
        inspection->last_ns = last > inspection->last_ns ? last : inspection->last_ns;
    }
    check_liveness(rank, process, &inspection->run);
    return true;
}

/* Uses all clock measurements as they are, because only a finished run shows which of them are the best. */
bool inspect(struct inspection *inspection, const char *directory, char *message, size_t capacity) {
    *inspection = (struct inspection){.first_ns = UINT64_MAX};
    struct run *run = &inspection->run;
    if (!run_read(run, directory, message, capacity))
        return false;
    inspection->ranks = calloc((size_t)run->rank_count, sizeof *inspection->ranks);
    bool ok = inspection->ranks && clock_map_make(run) && join_worlds(run) && merge_comms(run) && merge_sites(run);
    for (int rank = 0; ok && rank < run->rank_count; rank++)
        ok = !run->processes[rank].present || inspect_rank(inspection, rank);
    if (!ok) {
        snprintf(message, capacity, "out of memory while reading %s", directory);
        return false;
    }
    if (inspection->first_ns == UINT64_MAX)
        inspection->first_ns = 0;
    for (size_t i = 0; i < run->machine_count && !inspection->has_clock; i++)
        inspection->has_clock = clock_map_now(&run->machines[i], &inspection->now_ns);
    if (inspection->now_ns < inspection->last_ns)
        inspection->now_ns = inspection->last_ns;
    return true;
}

void inspection_free(struct inspection *inspection) {
    for (int rank = 0; inspection->ranks && rank < inspection->run.rank_count; rank++) {
        struct rank_state *rank_state = &inspection->ranks[rank];
        for (size_t i = 0; i < rank_state->thread_count; i++) {
            free(rank_state->threads[i].open);
            free(rank_state->threads[i].open_ns);
            free(rank_state->threads[i].locks);
        }
        free(rank_state->threads);
        free(rank_state->collectives);
    }
    free(inspection->ranks);
    run_free(&inspection->run);
}
