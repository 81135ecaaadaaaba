/* MPICH does not report when a request completes. So if a request is complete when its wait begins, its end counts as
 * over at the beginning of the wait, and nobody waited for it. Any other end counts as over at the end of its wait. The
 * library waits for one request at a time, so that wait was for this end alone.
 *
 * A message may have arrived before the wait without the library having noticed it. Such a message was early. So before
 * a wait the collector makes the library look for messages, by asking for the state of a request that never completes.
 * In each look MPICH 5 takes at most one message, from any rank, out of shared memory, and does not report it. But a
 * look that finds nothing is shorter (measured: 60 ns; with a message 190 ns and more). So the collector repeats the
 * look until one is short. */
#include "native/mpich/hops.h"

#include "native/shared/pool.h"

struct watched_end {
    struct pool_slot in_pool;
    struct watched_end *next;
    const struct mpich_request *request;
    struct native_end end;
};

static uint16_t native_tree;
static size_t status_offset;
static uint64_t lost_ends;
static MPI_Request never_complete = MPI_REQUEST_NULL; /* MPI_REQUEST_NULL: the library must not be made to look */
static uint64_t fastest_look;                         /* duration of a look that finds nothing, in ticks */
static uint64_t longest_looking;                      /* upper limit of the time for repeated looks, in ticks */

/* A look that takes more than this many times the fastest look may have taken a message. Do not set it to 4: when
 * several messages had arrived, each look took 3.3 times as long, so the looks stopped after the first and the trace
 * showed a wait for the last message. The first look after a pause also takes 3 times as long, but the next one does
 * not. */
enum { LONG_LOOK = 2 };
/* The longest message that one look takes as a whole, in bytes: MPICH 5 sends in cells of 8 KiB, with a header. Of a
 * longer message each look takes a part, so the rank waits for the rest. */
enum { COMES_AT_ONCE = 7168 };
/* Upper limit of the time for repeated looks. A look may also be long because it yields the core. A message that
 * arrives during the looks counts as early. */
enum { LONGEST_LOOKING_NS = 100000 };
/* If this many looks in that time were all long, the library has more connections to look at than before, so the
 * shortest of them becomes the new fastest look. If there were fewer looks, each may have taken a message or lost the
 * core to another program. */
enum { MANY_LOOKS = 64 };

/* The ends on this thread whose requests are open, in the order in which they began. The list is short to search,
 * because the library mostly waits for them in the same order. */
static _Thread_local struct {
    struct watched_end *first, **end;
    struct mpich_blocking *blocking; /* the running helper that itself sends or receives and waits; NULL: none */
} thread_ends __attribute__((tls_model("initial-exec")));

static int grequest_query(void *state, MPI_Status *status) {
    (void)state, (void)status;
    return MPI_SUCCESS;
}

static int grequest_free(void *state) {
    (void)state;
    return MPI_SUCCESS;
}

static int grequest_cancel(void *state, int is_complete) {
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

/* Makes the library look for messages once. *ticks must be the begin of the look, and is set to its end. Returns the
 * look's duration in ticks. */
static uint64_t look_once(uint64_t *ticks) {
    int done;
    uint64_t begin_ticks = *ticks;
    pmpi.Request_get_status(never_complete, &done, MPI_STATUS_IGNORE);
    *ticks = clock_now();
    uint64_t length = *ticks - begin_ticks;
    if (length < __atomic_load_n(&fastest_look, __ATOMIC_RELAXED))
        __atomic_store_n(&fastest_look, length, __ATOMIC_RELAXED);
    return length;
}

/* Measures the fastest of a few looks: at least one of them finds no message and has its memory in the cache. */
static void measure_fastest_look(void) {
    enum { FIRST_LOOKS = 32 };
    fastest_look = UINT64_MAX;
    longest_looking = clock_ticks_of_ns(LONGEST_LOOKING_NS);
    uint64_t ticks = clock_now();
    for (int i = 0; i < FIRST_LOOKS; i++)
        look_once(&ticks);
}

bool mpich_hops_start(uint16_t tree, const struct mpich_release *release, int processes, bool threads) {
    native_tree = tree;
    status_offset = release->status_offset;
    if (!(threads && release->locks) &&
        pmpi.Grequest_start(grequest_query, grequest_free, grequest_cancel, NULL, &never_complete) == MPI_SUCCESS)
        measure_fastest_look();
    return pool_start(4096 + 8 * (size_t)processes, sizeof(struct watched_end));
}

void mpich_hops_stop(void) {
    if (never_complete != MPI_REQUEST_NULL && pmpi.Grequest_complete(never_complete) == MPI_SUCCESS)
        pmpi.Wait(&never_complete, MPI_STATUS_IGNORE);
}

uint64_t mpich_hops_lost(void) {
    return __atomic_load_n(&lost_ends, __ATOMIC_RELAXED) + pool_lacked();
}

/* The size of a message in bytes. The type may be one of the library's own, for which MPI functions other than
 * MPI_Type_size do not work. */
static uint64_t bytes_of(intptr_t count, int type) {
    MPI_Count bytes = 0;
    if (count > 0 && !mpich_type_bytes(type, &bytes))
        pmpi.Type_size_x((MPI_Datatype)type, &bytes);
    return count > 0 && bytes > 0 ? (uint64_t)count * (uint64_t)bytes : 0;
}

struct native_end mpich_end_begin(bool sends, intptr_t count, int type, int peer, int tag,
                                  const struct mpich_comm *comm) {
    struct native_end end = {.sends = sends};
    struct subject subject;
    if (peer < 0 || !record_here() || !subject_find((MPI_Comm)comm->handle, tag, &subject))
        return end;
    end = native_end_of(&subject, sends, peer, bytes_of(count, type));
    native_end_begin(&end, native_tree);
    return end;
}

static void finish(struct native_end *end, uint64_t ticks, bool ended_wait) {
    if (end->id)
        native_end_finish(end, native_tree, ticks, ended_wait);
    end->id = 0;
}

/* Drops the ends of earlier collectives, for which the library never waited. A thread runs one blocking collective at a
 * time, so these ends are all at the front of the list. */
static void drop_left_over(const struct native_end *end) {
    while (thread_ends.first &&
           (thread_ends.first->end.comm != end->comm ||
            (uint32_t)thread_ends.first->end.peer_and_tag >> HOP_SEQ_AT != (uint32_t)end->peer_and_tag >> HOP_SEQ_AT)) {
        struct watched_end *leftover = thread_ends.first;
        thread_ends.first = leftover->next;
        pool_give_back(leftover);
        __atomic_add_fetch(&lost_ends, 1, __ATOMIC_RELAXED);
    }
}

void mpich_end_watch(const struct native_end *end, struct mpich_request *request) {
    if (!end->id)
        return;
    drop_left_over(end);
    struct watched_end *watched_end = pool_take();
    if (!watched_end)
        return;
    watched_end->next = NULL;
    watched_end->request = request;
    watched_end->end = *end;
    if (!thread_ends.first)
        thread_ends.end = &thread_ends.first;
    *thread_ends.end = watched_end;
    thread_ends.end = &watched_end->next;
}

void mpich_blocking_begin(struct mpich_blocking *blocking) {
    thread_ends.blocking = blocking;
}

/* Finishes the ends for which the helper did not wait: they were complete at once. */
void mpich_blocking_end(struct mpich_blocking *blocking) {
    thread_ends.blocking = NULL;
    if (!blocking->send.id && !blocking->receive.id)
        return;
    uint64_t ticks = clock_now();
    finish(&blocking->send, ticks, false);
    finish(&blocking->receive, ticks, false);
}

/* Returns the list's link to the end of this request. NULL if the end is not recorded. */
static struct watched_end **find_link(const struct mpich_request *request) {
    struct watched_end **link = &thread_ends.first;
    while (*link && (*link)->request != request)
        link = &(*link)->next;
    return *link ? link : NULL;
}

static void finish_link(struct watched_end **link, uint64_t ticks, bool ended_wait) {
    struct watched_end *ended = *link;
    finish(&ended->end, ticks, ended_wait);
    *link = ended->next;
    if (thread_ends.end == &ended->next)
        thread_ends.end = link;
    pool_give_back(ended);
}

/* The end of the running helper that belongs to this request. */
static struct native_end *end_of_blocking(const struct mpich_request *request) {
    return request->kind == MPICH_REQUEST_SEND ? &thread_ends.blocking->send : &thread_ends.blocking->receive;
}

/* Corrects the bytes of a receive, which may have been posted for more bytes than were sent. */
static void take_status(struct native_end *end, const struct mpich_request *request) {
    if (!end->sends)
        end->bytes = mpich_received((const MPI_Status *)((const char *)request + status_offset));
}

/* Makes the library look for messages, once or, for a short message, until the message is complete or a look was short.
 * After a long first look there is always a second one, because the first look after a pause is always long. Returns
 * true if the request is complete. Sets *ticks to the end of the looks if it is complete, otherwise to the begin of the
 * wait. That begin precedes the looks, because a look that finds nothing may already yield the core. */
static bool look_completes(const struct mpich_request *request, const struct native_end *end, uint64_t *ticks) {
    if (never_complete == MPI_REQUEST_NULL)
        return false;
    bool comes_at_once = !end->sends && end->bytes <= COMES_AT_ONCE;
    uint64_t begin_ticks = *ticks, look_ticks = begin_ticks, shortest = UINT64_MAX;
    for (int looks = 1;; looks++) {
        uint64_t length = look_once(&look_ticks);
        if (mpich_is_complete(request)) {
            *ticks = look_ticks;
            return true;
        }
        shortest = length < shortest ? length : shortest;
        if (!comes_at_once || length <= LONG_LOOK * __atomic_load_n(&fastest_look, __ATOMIC_RELAXED))
            break;
        if (looks > 1 && look_ticks - begin_ticks > longest_looking) {
            if (looks >= MANY_LOOKS)
                __atomic_store_n(&fastest_look, shortest, __ATOMIC_RELAXED);
            break;
        }
    }
    *ticks = native_after_look(begin_ticks);
    return false;
}

/* False for a receive if the library must not be made to look for messages. Nobody then knows if the rank waited, so
 * the wait is not recorded, and analyses call it undecided. */
static bool knows_wait(const struct native_end *end) {
    return end->sends || never_complete != MPI_REQUEST_NULL;
}

bool mpich_wait_begin(struct mpich_request *request) {
    struct watched_end **link = thread_ends.blocking ? NULL : find_link(request);
    struct native_end *end = thread_ends.blocking ? end_of_blocking(request) : link ? &(*link)->end : NULL;
    if (!end || !end->id)
        return false;
    uint64_t ticks = clock_now();
    if (!mpich_is_complete(request) && !look_completes(request, end, &ticks)) {
        if (knows_wait(end))
            native_wait(ticks, SPOOL_WAIT_BEGIN, native_tree);
        return true;
    }
    take_status(end, request);
    if (link)
        finish_link(link, ticks, false);
    else
        finish(end, ticks, false);
    return false;
}

void mpich_wait_end(struct mpich_request *request) {
    uint64_t ticks = clock_now();
    struct watched_end **link = thread_ends.blocking ? NULL : find_link(request);
    struct native_end *end = link ? &(*link)->end : end_of_blocking(request);
    bool knows_begin = knows_wait(end);
    take_status(end, request);
    if (link)
        finish_link(link, ticks, true);
    else
        finish(end, ticks, true);
    if (knows_begin)
        native_wait(ticks, SPOOL_WAIT_END, native_tree);
}
