/* MPICH tells nobody when a request completes. So an end has the time at which its wait began, if it was complete then,
 * and did not bind; else the end of the wait, which was for it alone.
 *
 * A message may have come that the library has not looked at yet: then it was early. So before a wait counts the
 * library is made to look, by asking it about a request of ours that never completes. MPICH 5 takes one message out of
 * shared memory in each look, from whatever rank, and does not say whether it did. But a look that found nothing was
 * short (seen: 60 ns, with a message 190 ns and more, where several lay in a row), so it is made to look until one is.
 */
#include "native/mpich/hops.h"

#include "native/shared/pool.h"

struct watched {
    struct pool_place in_pool;
    struct watched *next;
    const struct mpich_request *request;
    struct native_end end;
};

static uint16_t native_tree;
static size_t status_place;
static uint64_t lost;
static MPI_Request never_complete = MPI_REQUEST_NULL; /* if the library can be made to look */
static uint64_t fastest_look;                         /* ticks: of one that found nothing */
static uint64_t longest_looking;                      /* ticks */

/* A look this many times as long as the fastest may have taken a message. At 4, with messages in a row that took 3.3
 * times as long, the last of them counted as waited for. The first look after a rest takes 3 times as long, too, but
 * the next one does not. */
enum { LONG_LOOK = 2 };
/* Bytes of a message that come in one look: MPICH 5 sends by cells of 8 KiB with a header. Of a longer message each
 * look brings a part, and waiting for the rest is waiting. */
enum { COMES_AT_ONCE = 7168 };
/* For no longer, because looks may also be long for yielding the core, and a message that comes meanwhile counts as
 * early. */
enum { LONGEST_LOOKING_NS = 100000 };
/* If none of so many looks in that time was short, the library has more connections to look at than it had. Of fewer,
 * each may have taken a message, and another program the core meanwhile. */
enum { MANY_LOOKS = 64 };

/* Ends of this thread whose requests are under way, in the order of their beginnings, in which they are mostly waited
 * for too. */
static _Thread_local struct {
    struct watched *first, **end;
    struct mpich_blocking *blocking; /* the helper that waits itself, if one runs */
} here __attribute__((tls_model("initial-exec")));

static int nothing_to_ask(void *state, MPI_Status *status) {
    (void)state, (void)status;
    return MPI_SUCCESS;
}

static int nothing_to_free(void *state) {
    (void)state;
    return MPI_SUCCESS;
}

static int nothing_to_cancel(void *state, int is_complete) {
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

/* now: when it begins, and then when it has ended. Its length in ticks. */
static uint64_t look(uint64_t *now) {
    int done;
    uint64_t began = *now;
    pmpi.Request_get_status(never_complete, &done, MPI_STATUS_IGNORE);
    *now = clock_now();
    uint64_t length = *now - began;
    if (length < __atomic_load_n(&fastest_look, __ATOMIC_RELAXED))
        __atomic_store_n(&fastest_look, length, __ATOMIC_RELAXED);
    return length;
}

/* Among a few looks one finds nothing, in memory that is in the cache. */
static void learn_to_look(void) {
    enum { FIRST_LOOKS = 32 };
    fastest_look = UINT64_MAX;
    longest_looking = clock_ticks_of_ns(LONGEST_LOOKING_NS);
    uint64_t now = clock_now();
    for (int i = 0; i < FIRST_LOOKS; i++)
        look(&now);
}

bool mpich_hops_start(uint16_t tree, const struct mpich_release *release, int processes, bool threads) {
    native_tree = tree;
    status_place = release->status_place;
    if (!(threads && release->locks) &&
        pmpi.Grequest_start(nothing_to_ask, nothing_to_free, nothing_to_cancel, NULL, &never_complete) == MPI_SUCCESS)
        learn_to_look();
    return pool_start(4096 + 8 * (size_t)processes, sizeof(struct watched));
}

void mpich_hops_stop(void) {
    if (never_complete != MPI_REQUEST_NULL && pmpi.Grequest_complete(never_complete) == MPI_SUCCESS)
        pmpi.Wait(&never_complete, MPI_STATUS_IGNORE);
}

uint64_t mpich_hops_lost(void) {
    return __atomic_load_n(&lost, __ATOMIC_RELAXED) + pool_lacked();
}

/* The type may be one of the library's own, of which only the size may be asked. */
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

static void finish(struct native_end *end, uint64_t now, bool ended_wait) {
    if (end->id)
        native_end_finish(end, native_tree, now, ended_wait);
    end->id = 0;
}

/* A thread's blocking collectives follow one another: what is left of an earlier one was never waited for. */
static void drop_left_over(const struct native_end *end) {
    while (here.first && (here.first->end.comm != end->comm || (uint32_t)here.first->end.peer_and_tag >> HOP_SEQ_AT !=
                                                                   (uint32_t)end->peer_and_tag >> HOP_SEQ_AT)) {
        struct watched *one = here.first;
        here.first = one->next;
        pool_give_back(one);
        __atomic_add_fetch(&lost, 1, __ATOMIC_RELAXED);
    }
}

void mpich_end_watch(const struct native_end *end, struct mpich_request *request) {
    if (!end->id)
        return;
    drop_left_over(end);
    struct watched *watched = pool_take();
    if (!watched)
        return;
    watched->next = NULL;
    watched->request = request;
    watched->end = *end;
    if (!here.first)
        here.end = &here.first;
    *here.end = watched;
    here.end = &watched->next;
}

void mpich_blocking_begin(struct mpich_blocking *blocking) {
    here.blocking = blocking;
}

/* What it did not wait for was complete at once. */
void mpich_blocking_end(struct mpich_blocking *blocking) {
    here.blocking = NULL;
    if (!blocking->send.id && !blocking->receive.id)
        return;
    uint64_t now = clock_now();
    finish(&blocking->send, now, false);
    finish(&blocking->receive, now, false);
}

/* Where the end lies that this request completes; NULL: it is not recorded. */
static struct watched **find(const struct mpich_request *request) {
    struct watched **at = &here.first;
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return *at ? at : NULL;
}

static void finish_found(struct watched **at, uint64_t now, bool ended_wait) {
    struct watched *one = *at;
    finish(&one->end, now, ended_wait);
    *at = one->next;
    if (here.end == &one->next)
        here.end = at;
    pool_give_back(one);
}

/* The end that the helper which runs now waits for by this request. */
static struct native_end *of_blocking(const struct mpich_request *request) {
    return request->kind == MPICH_REQUEST_SEND ? &here.blocking->send : &here.blocking->receive;
}

/* A receive may have been posted for more than was sent. */
static void take_status(struct native_end *end, const struct mpich_request *request) {
    if (!end->sends)
        end->bytes = mpich_received((const MPI_Status *)((const char *)request + status_place));
}

/* Looks once, or for a small message until it is complete or a look was short; at least twice then if the first was
 * long, which it is after a rest, whatever it finds. A look that finds nothing may yield the core, and that is waiting
 * already. */
static bool look_completes(const struct mpich_request *request, const struct native_end *end, uint64_t *now) {
    if (never_complete == MPI_REQUEST_NULL)
        return false;
    bool comes_at_once = !end->sends && end->bytes <= COMES_AT_ONCE;
    uint64_t began = *now, at = began, shortest = UINT64_MAX;
    for (int looks = 1;; looks++) {
        uint64_t length = look(&at);
        if (mpich_is_complete(request)) {
            *now = at;
            return true;
        }
        shortest = length < shortest ? length : shortest;
        if (!comes_at_once || length <= LONG_LOOK * __atomic_load_n(&fastest_look, __ATOMIC_RELAXED))
            break;
        if (looks > 1 && at - began > longest_looking) {
            if (looks >= MANY_LOOKS)
                __atomic_store_n(&fastest_look, shortest, __ATOMIC_RELAXED);
            break;
        }
    }
    *now = native_after_look(began);
    return false;
}

/* Whether it was waited for is not known of a receive that the library did not look for: then its wait has no records,
 * and analyses call it undecided. */
static bool knows_wait(const struct native_end *end) {
    return end->sends || never_complete != MPI_REQUEST_NULL;
}

bool mpich_wait_begin(struct mpich_request *request) {
    struct watched **at = here.blocking ? NULL : find(request);
    struct native_end *end = here.blocking ? of_blocking(request) : at ? &(*at)->end : NULL;
    if (!end || !end->id)
        return false;
    uint64_t now = clock_now();
    if (!mpich_is_complete(request) && !look_completes(request, end, &now)) {
        if (knows_wait(end))
            native_wait(now, SPOOL_WAIT_BEGIN, native_tree);
        return true;
    }
    take_status(end, request);
    if (at)
        finish_found(at, now, false);
    else
        finish(end, now, false);
    return false;
}

void mpich_wait_end(struct mpich_request *request) {
    uint64_t now = clock_now();
    struct watched **at = here.blocking ? NULL : find(request);
    struct native_end *end = at ? &(*at)->end : of_blocking(request);
    bool was_known = knows_wait(end);
    take_status(end, request);
    if (at)
        finish_found(at, now, true);
    else
        finish(end, now, true);
    if (was_known)
        native_wait(now, SPOOL_WAIT_END, native_tree);
}
