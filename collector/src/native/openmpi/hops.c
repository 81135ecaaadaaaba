/* Sets a callback in each request that is incomplete when it is created, to learn when it completes: the head of the
 * library's requests has a field for a callback. If the field was set before, our callback calls that function.
 *
 * A thread other than the creator may complete a request at any moment, even before the callback is stored. So the
 * creator stores the callback, checks again if the request is complete, and if so takes the callback back by
 * compare-and-swap. One case remains: the other thread reads the empty field before the callback is stored, and marks
 * the request complete after the creator's second check. So if there are several threads, each keeps a list of the
 * requests that it watches, and checks them again later. */
#include "native/openmpi/hops.h"

#include "mpi/type_bytes.h"

static uint16_t native_tree;
static bool many_threads;
static _Thread_local char thread_marker __attribute__((tls_model("initial-exec")));
/* The slots whose requests this thread watches; empty if there is only one thread. When `count` reaches `limit`, all
 * are checked again. */
enum { FIRST_LIMIT = 8 };
static unsigned starts;
static _Thread_local struct {
    struct slot *newest;
    unsigned count, limit;
    unsigned start; /* the value of `starts` for which the list is valid: MPI may be started again after its end */
} watched __attribute__((tls_model("initial-exec")));

/* The wait for which this thread is just looking for messages, before the wait itself. A message that completes during
 * this look was early. */
static _Thread_local struct hop_wait *looking_wait __attribute__((tls_model("initial-exec")));

/* This thread's wait for requests that are not recorded, namely those of nonblocking collectives that the library runs
 * inside a blocking one. A recorded message that completes in such a wait counts as waited for. */
static _Thread_local struct hop_wait *unrecorded_wait __attribute__((tls_model("initial-exec")));

bool hops_start(uint16_t tree, int processes, bool threads) {
    native_tree = tree;
    many_threads = threads;
    starts++;
    return pool_start(4096 + 8 * (size_t)processes, sizeof(struct slot));
}

/* The size of a message in bytes. type_bytes() does not work for the library's own types: they were not created by MPI
 * functions, so they have no envelope. */
static uint64_t bytes_of(size_t count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (count == 0 || type == MPI_DATATYPE_NULL)
        return 0;
    if (type_is_remembered(type))
        return count * type_memory.bytes;
    return pmpi.Type_size_x(type, &size) == MPI_SUCCESS && size > 0 ? count * (uint64_t)size : 0;
}

struct hop_end hop_of(const struct subject *subject, bool sends, int peer, size_t count, MPI_Datatype type) {
    return (struct hop_end){.end = native_end_of(subject, sends, peer, bytes_of(count, type)),
                            .from_any_source = peer == MPI_ANY_SOURCE,
                            .ranks = subject->ranks};
}

void hop_begin(struct hop_end *hop) {
    native_end_begin(&hop->end, native_tree);
}

/* Corrects the bytes and the source of a receive, which may have been posted for more bytes than were sent, and for any
 * source. */
static void take_status(struct hop_end *hop, struct openmpi_request *request) {
    if (hop->end.sends)
        return;
    hop->end.bytes = *(size_t *)openmpi_word(request, openmpi_layout.received);
    if (__builtin_expect(hop->from_any_source, 0))
        hop->end.peer_and_tag = native_peer(hop->ranks, *(int *)openmpi_word(request, openmpi_layout.source)) |
                                (uint32_t)hop->end.peer_and_tag;
}

void hop_finish(const struct hop_end *hop, bool blocked) {
    native_end_finish(&hop->end, native_tree, clock_now(), blocked);
}

/* True if the completion of the slot's request is the last one that the wait needs. */
static bool ends_wait(struct slot *slot, struct hop_wait *wait) {
    return wait &&
           __atomic_load_n(&wait->use, __ATOMIC_ACQUIRE) == __atomic_load_n(&slot->wait_use, __ATOMIC_RELAXED) &&
           __atomic_sub_fetch(&wait->open_count, 1, __ATOMIC_ACQ_REL) == 0;
}

int hop_completed(struct openmpi_request *request) {
    uint64_t ticks = clock_now();
    struct slot **data = openmpi_word(request, openmpi_layout.data);
    struct slot *slot = *data;
    openmpi_completed *previous_callback = slot->previous_callback;
    struct hop_wait *wait = __atomic_exchange_n(&slot->wait, NULL, __ATOMIC_ACQ_REL);
    bool is_last = ends_wait(slot, wait);
    bool is_early = wait && wait == looking_wait;
    take_status(&slot->hop, request);
    native_end_finish(&slot->hop.end, native_tree, ticks, (is_last && !is_early) || unrecorded_wait);
    if (is_last && is_early) {
        wait->is_ended = true;
    } else if (is_last && wait->thread == &thread_marker) {
        native_wait(ticks, SPOOL_WAIT_END, native_tree);
        wait->is_ended = true;
    }
    void *previous_data = slot->previous_data;
    if (slot_called_back(slot))
        pool_give_back(slot);
    __atomic_store_n((void **)data, previous_data, __ATOMIC_RELEASE);
    return previous_callback ? previous_callback(request) : 0;
}

/* True if the end of the watched message has been recorded. If the request is complete, or was reused, without our
 * callback having been called, records the end now. */
static bool is_finished(struct slot *slot) {
    struct slot **data = openmpi_word(slot->request, openmpi_layout.data);
    bool is_same_slot = __atomic_load_n(data, __ATOMIC_ACQUIRE) == slot;
    if (slot_is_called_back(slot))
        return true;
    if (is_same_slot && !openmpi_is_complete(slot->request))
        return false;
    if (is_same_slot)
        take_status(&slot->hop, slot->request);
    hop_finish(&slot->hop, false);
    return true;
}

/* Checks up to max_slots watched slots again, the newest first. */
static void look_again(size_t max_slots) {
    if (watched.start != starts) {
        watched.newest = NULL;
        watched.count = 0;
        watched.start = starts;
    }
    struct slot **link = &watched.newest;
    while (*link && max_slots-- > 0) {
        struct slot *slot = *link;
        if (is_finished(slot)) {
            *link = slot->older;
            pool_give_back(slot);
            watched.count--;
        } else {
            link = &slot->older;
        }
    }
    watched.limit = 2 * watched.count + FIRST_LIMIT;
}

static void watch_slot(struct slot *slot) {
    if (watched.count >= watched.limit || watched.start != starts)
        look_again(SIZE_MAX);
    slot->older = watched.newest;
    watched.newest = slot;
    watched.count++;
}

void hops_leave_thread(void) {
    look_again(SIZE_MAX);
    while (watched.newest) {
        struct slot *slot = watched.newest;
        watched.newest = slot->older;
        if (!slot_leave(slot))
            pool_give_back(slot);
    }
    watched.count = 0;
}

/* Sets the request's callback, with a slot for its data. NULL if the pool has no slot left. */
static struct slot *set_callback(const struct hop_end *hop, struct openmpi_request *request, enum slot_state state) {
    struct slot *slot = pool_take();
    if (!slot)
        return NULL;
    openmpi_completed **callback = openmpi_word(request, openmpi_layout.callback);
    struct slot **data = openmpi_word(request, openmpi_layout.data);
    slot->hop = *hop;
    slot->previous_callback = *callback;
    slot->previous_data = *data;
    slot->request = request;
    __atomic_store_n(&slot->state, state, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->wait, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(data, slot, __ATOMIC_RELEASE);
    __atomic_store_n(callback, hop_completed, __ATOMIC_SEQ_CST);
    return slot;
}

void hop_watch(struct hop_end *hop, struct openmpi_request *request) {
    enum slot_state state = many_threads ? SLOT_WATCHED : SLOT_OF_CALLBACK;
    struct slot *slot = openmpi_is_complete(request) ? NULL : set_callback(hop, request, state);
    if (slot) {
        openmpi_completed **callback = openmpi_word(request, openmpi_layout.callback),
                          *expected_callback = hop_completed;
        if (!openmpi_is_complete(request) ||
            !__atomic_compare_exchange_n(callback, &expected_callback, slot->previous_callback, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST)) {
            if (state == SLOT_WATCHED)
                watch_slot(slot);
            return;
        }
        *(void **)openmpi_word(request, openmpi_layout.data) = slot->previous_data;
        pool_give_back(slot);
    } else if (!openmpi_is_complete(request)) {
        return;
    }
    take_status(hop, request);
    hop_finish(hop, false);
}

void hop_prepare(const struct hop_end *hop, struct openmpi_request *request) {
    set_callback(hop, request, SLOT_OF_CALLBACK);
}

void hop_start(struct openmpi_request *request) {
    struct slot **data = openmpi_word(request, openmpi_layout.data);
    if (hop_is_watched(request))
        hop_begin(&(*data)->hop);
}

/* Makes the request's completion count for the wait. False if the request is complete already, or not recorded. */
static bool add_to_wait(struct openmpi_request *request, struct hop_wait *wait) {
    if (!hop_is_watched(request) || openmpi_is_complete(request))
        return false;
    struct slot **data = openmpi_word(request, openmpi_layout.data);
    struct slot *slot = __atomic_load_n(data, __ATOMIC_ACQUIRE);
    struct hop_wait *expected_wait = NULL;
    __atomic_store_n(&slot->wait_use, wait->use, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&slot->wait, &expected_wait, wait, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    /* Another thread may have completed the request in the meantime; then the slot may belong to another request. */
    struct hop_wait *registered_wait = wait;
    return (hop_is_watched(request) && __atomic_load_n(data, __ATOMIC_ACQUIRE) == slot) ||
           !__atomic_compare_exchange_n(&slot->wait, &registered_wait, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* True if the library must wait for any of the requests. is_unrecorded: none of the requests is recorded. */
static bool needs_wait(size_t count, struct openmpi_request **requests, bool waits_for_all, bool is_unrecorded) {
    bool has_incomplete = false;
    for (size_t i = 0; i < count; i++) {
        bool complete = openmpi_is_complete(requests[i]);
        if (complete && !waits_for_all)
            return false;
        has_incomplete = has_incomplete || (!complete && (is_unrecorded || hop_is_watched(requests[i])));
    }
    return has_incomplete;
}

/* Returns the time at which the wait begins; 0 if there is nothing to wait for. A message may have arrived without the
 * library having noticed it; such a message was early. So this first makes the library look for messages. If the look
 * does not complete the requests, its time belongs to the wait, because it may yield the core. If other threads may
 * complete the requests, hop_wait_begin makes the look later, after add_to_wait. */
static uint64_t wait_begin(size_t count, struct openmpi_request **requests, bool waits_for_all, bool is_unrecorded) {
    if (!needs_wait(count, requests, waits_for_all, is_unrecorded))
        return 0;
    uint64_t ticks = clock_now();
    if (many_threads && !is_unrecorded)
        return ticks;
    openmpi_progress();
    if (!needs_wait(count, requests, waits_for_all, is_unrecorded))
        return 0;
    return native_after_look(ticks);
}

static void end_use(struct hop_wait *wait) {
    __atomic_store_n(&wait->use, wait->use + 1, __ATOMIC_RELEASE);
    pool_give_back((struct slot *)((char *)wait - offsetof(struct slot, own_wait)));
}

/* Checks watched slots again: more than the wait has requests, so that all slots of its requests are among them. */
static void look_again_around_wait(size_t count) {
    if (watched.newest)
        look_again(2 * count + FIRST_LIMIT);
}

struct hop_wait *hop_wait_begin(size_t count, struct openmpi_request **requests, bool waits_for_all) {
    look_again_around_wait(count);
    bool is_unrecorded = !hops_among(count, requests);
    if (is_unrecorded && !subject_is_open())
        return NULL;
    uint64_t ticks = wait_begin(count, requests, waits_for_all, is_unrecorded);
    struct slot *slot = ticks ? pool_take() : NULL;
    if (!slot)
        return NULL;
    struct hop_wait *wait = &slot->own_wait;
    wait->thread = &thread_marker;
    wait->is_ended = false;
    /* Until the requests are counted, open_count is greater than the number of requests, so that completions in the
     * meantime cannot end the wait. */
    __atomic_store_n(&wait->open_count, (uint32_t)count + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&wait->use, wait->use + 1, __ATOMIC_RELEASE);
    uint32_t awaited_count = 0;
    for (size_t i = 0; i < count; i++)
        awaited_count += add_to_wait(requests[i], wait);
    uint32_t needed_count = waits_for_all || awaited_count == 0 ? awaited_count : 1;
    /* If enough requests have completed in the meantime, the unsigned count wraps to a huge number. No later completion
     * then ends the wait; hop_wait_end does. */
    __atomic_sub_fetch(&wait->open_count, (uint32_t)count + 1 - needed_count, __ATOMIC_ACQ_REL);
    if (many_threads && !is_unrecorded) {
        looking_wait = wait;
        openmpi_progress();
        looking_wait = NULL;
        if (wait->is_ended) {
            end_use(wait);
            return NULL;
        }
        ticks = native_after_look(ticks);
    }
    native_wait(ticks, SPOOL_WAIT_BEGIN, native_tree);
    if (is_unrecorded)
        unrecorded_wait = wait;
    return wait;
}

void hop_wait_end(struct hop_wait *wait, size_t count) {
    look_again_around_wait(count);
    if (!wait)
        return;
    unrecorded_wait = NULL;
    if (!wait->is_ended)
        native_wait(clock_now(), SPOOL_WAIT_END, native_tree);
    end_use(wait);
}
