/* A request that is not complete when it is made calls back when it is: the library's head of requests has a place for
 * that. What was there before is called after us.
 *
 * The thread that completes a request need not be the one that made it, and it may do so at any moment. So the callback
 * is stored, then completion is looked at again, and a callback that came too late to be called is withdrawn by
 * compare-and-swap. One case is left: the other thread has seen that there is nothing to call, and says only after our
 * second look that the request is complete. So where there may be several threads, each one keeps a list of what it
 * watches and looks again later.
 */
#include "native/openmpi/hops.h"

#include "mpi/type_bytes.h"

static uint16_t native_tree;
static bool many_threads;
static _Thread_local char here __attribute__((tls_model("initial-exec")));
/* What this thread watches, if there may be several; the next look at all of it is due at `limit`. */
enum { FIRST_LIMIT = 8 };
static unsigned starts;
static _Thread_local struct {
    struct place *newest;
    unsigned count, limit;
    unsigned start; /* value of `starts`: requests of an earlier start are gone */
} watched __attribute__((tls_model("initial-exec")));

/* The wait that this thread begins with a look. What the look itself completes was early. */
static _Thread_local struct hop_wait *looks_for __attribute__((tls_model("initial-exec")));

/* This thread's wait for requests that are not recorded: those of nonblocking collectives that the library runs inside
 * a blocking one. What completes meanwhile was waited for. */
static _Thread_local struct hop_wait *waits_for_others __attribute__((tls_model("initial-exec")));

bool hops_start(uint16_t tree, int processes, bool threads) {
    native_tree = tree;
    many_threads = threads;
    starts++;
    return pool_start(4096 + 8 * (size_t)processes, sizeof(struct place));
}

/* Not type_bytes: the library's own types, not made through MPI functions, have no envelope to ask for. */
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
                            .from_any = peer == MPI_ANY_SOURCE,
                            .ranks = subject->ranks};
}

void hop_begin(struct hop_end *hop) {
    native_end_begin(&hop->end, native_tree);
}

/* A receive may have been posted for more than was sent, and from anybody. */
static void take_status(struct hop_end *hop, struct openmpi_request *request) {
    if (hop->end.sends)
        return;
    hop->end.bytes = *(size_t *)openmpi_word(request, openmpi_layout.received);
    if (__builtin_expect(hop->from_any, 0))
        hop->end.peer_and_tag = native_peer(hop->ranks, *(int *)openmpi_word(request, openmpi_layout.source)) |
                                (uint32_t)hop->end.peer_and_tag;
}

void hop_finish(const struct hop_end *hop, bool blocked) {
    native_end_finish(&hop->end, native_tree, clock_now(), blocked);
}

/* True if this completion is the last one that the place's wait needs. */
static bool ends_wait(struct place *place, struct hop_wait *wait) {
    return wait &&
           __atomic_load_n(&wait->use, __ATOMIC_ACQUIRE) == __atomic_load_n(&place->wait_use, __ATOMIC_RELAXED) &&
           __atomic_sub_fetch(&wait->left, 1, __ATOMIC_ACQ_REL) == 0;
}

int hop_completed(struct openmpi_request *request) {
    uint64_t now = clock_now();
    struct place **data = openmpi_word(request, openmpi_layout.data);
    struct place *place = *data;
    openmpi_completed *earlier = place->earlier;
    struct hop_wait *wait = __atomic_exchange_n(&place->wait, NULL, __ATOMIC_ACQ_REL);
    bool last = ends_wait(place, wait);
    bool early = wait && wait == looks_for;
    take_status(&place->hop, request);
    native_end_finish(&place->hop.end, native_tree, now, (last && !early) || waits_for_others);
    if (last && early) {
        wait->ended = true;
    } else if (last && wait->thread == &here) {
        native_wait(now, SPOOL_WAIT_END, native_tree);
        wait->ended = true;
    }
    void *earlier_data = place->earlier_data;
    if (place_called_back(place))
        pool_give_back(place);
    __atomic_store_n((void **)data, earlier_data, __ATOMIC_RELEASE);
    return earlier ? earlier(request) : 0;
}

/* Whether the end of what the place watches is recorded. It is recorded here if the request is complete, or has been
 * used anew, without calling back. */
static bool is_over(struct place *place) {
    struct place **data = openmpi_word(place->request, openmpi_layout.data);
    bool is_still_its = __atomic_load_n(data, __ATOMIC_ACQUIRE) == place;
    if (place_is_called_back(place))
        return true;
    if (is_still_its && !openmpi_is_complete(place->request))
        return false;
    if (is_still_its)
        take_status(&place->hop, place->request);
    hop_finish(&place->hop, false);
    return true;
}

/* At so many of them, the newest first. */
static void look_again(size_t most) {
    if (watched.start != starts) {
        watched.newest = NULL;
        watched.count = 0;
        watched.start = starts;
    }
    struct place **at = &watched.newest;
    while (*at && most-- > 0) {
        struct place *place = *at;
        if (is_over(place)) {
            *at = place->older;
            pool_give_back(place);
            watched.count--;
        } else {
            at = &place->older;
        }
    }
    watched.limit = 2 * watched.count + FIRST_LIMIT;
}

static void watch_place(struct place *place) {
    if (watched.count >= watched.limit || watched.start != starts)
        look_again(SIZE_MAX);
    place->older = watched.newest;
    watched.newest = place;
    watched.count++;
}

void hops_leave_thread(void) {
    look_again(SIZE_MAX);
    while (watched.newest) {
        struct place *place = watched.newest;
        watched.newest = place->older;
        if (!place_leave(place))
            pool_give_back(place);
    }
    watched.count = 0;
}

/* The request will call back. NULL: there is no place left. */
static struct place *set_callback(const struct hop_end *hop, struct openmpi_request *request, enum place_state state) {
    struct place *place = pool_take();
    if (!place)
        return NULL;
    openmpi_completed **callback = openmpi_word(request, openmpi_layout.callback);
    struct place **data = openmpi_word(request, openmpi_layout.data);
    place->hop = *hop;
    place->earlier = *callback;
    place->earlier_data = *data;
    place->request = request;
    __atomic_store_n(&place->state, state, __ATOMIC_RELAXED);
    __atomic_store_n(&place->wait, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(data, place, __ATOMIC_RELEASE);
    __atomic_store_n(callback, hop_completed, __ATOMIC_SEQ_CST);
    return place;
}

void hop_watch(struct hop_end *hop, struct openmpi_request *request) {
    enum place_state state = many_threads ? PLACE_WATCHED : PLACE_OF_CALLBACK;
    struct place *place = openmpi_is_complete(request) ? NULL : set_callback(hop, request, state);
    if (place) {
        openmpi_completed **callback = openmpi_word(request, openmpi_layout.callback), *ours = hop_completed;
        if (!openmpi_is_complete(request) ||
            !__atomic_compare_exchange_n(callback, &ours, place->earlier, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            if (state == PLACE_WATCHED)
                watch_place(place);
            return;
        }
        *(void **)openmpi_word(request, openmpi_layout.data) = place->earlier_data;
        pool_give_back(place);
    } else if (!openmpi_is_complete(request)) {
        return;
    }
    take_status(hop, request);
    hop_finish(hop, false);
}

void hop_prepare(const struct hop_end *hop, struct openmpi_request *request) {
    set_callback(hop, request, PLACE_OF_CALLBACK);
}

void hop_start(struct openmpi_request *request) {
    struct place **data = openmpi_word(request, openmpi_layout.data);
    if (hop_is_ours(request))
        hop_begin(&(*data)->hop);
}

/* Makes the request's completion count for the wait. False: it is complete, or not recorded. */
static bool await(struct openmpi_request *request, struct hop_wait *wait) {
    if (!hop_is_ours(request) || openmpi_is_complete(request))
        return false;
    struct place **data = openmpi_word(request, openmpi_layout.data);
    struct place *place = __atomic_load_n(data, __ATOMIC_ACQUIRE);
    struct hop_wait *nobody = NULL;
    __atomic_store_n(&place->wait_use, wait->use, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&place->wait, &nobody, wait, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    /* Another thread may have completed it meanwhile; then the place may be another request's. */
    struct hop_wait *ours = wait;
    return (hop_is_ours(request) && __atomic_load_n(data, __ATOMIC_ACQUIRE) == place) ||
           !__atomic_compare_exchange_n(&place->wait, &ours, NULL, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* others: none of the requests is recorded. */
static bool is_to_be_awaited(size_t count, struct openmpi_request **requests, bool for_all, bool others) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        bool complete = openmpi_is_complete(requests[i]);
        if (complete && !for_all)
            return false;
        any = any || (!complete && (others || hop_is_ours(requests[i])));
    }
    return any;
}

/* When the wait begins; 0: there is nothing to wait for. A message may have come that the library has not looked at
 * yet: then it was early. A look that finds nothing may yield the core, and that is waiting already. So where another
 * thread may complete the requests meanwhile, the look comes once they know of the wait. */
static uint64_t wait_begin(size_t count, struct openmpi_request **requests, bool for_all, bool others) {
    if (!is_to_be_awaited(count, requests, for_all, others))
        return 0;
    uint64_t now = clock_now();
    if (many_threads && !others)
        return now;
    openmpi_progress();
    if (!is_to_be_awaited(count, requests, for_all, others))
        return 0;
    return native_after_look(now);
}

static void end_use(struct hop_wait *wait) {
    __atomic_store_n(&wait->use, wait->use + 1, __ATOMIC_RELEASE);
    pool_give_back((struct place *)((char *)wait - offsetof(struct place, own)));
}

/* Of the requests that a wait is for, each may have one that this thread watches. */
static void look_around_wait(size_t count) {
    if (watched.newest)
        look_again(2 * count + FIRST_LIMIT);
}

struct hop_wait *hop_wait_begin(size_t count, struct openmpi_request **requests, bool for_all) {
    look_around_wait(count);
    bool others = !hops_among(count, requests);
    if (others && !subject_is_open())
        return NULL;
    uint64_t now = wait_begin(count, requests, for_all, others);
    struct place *place = now ? pool_take() : NULL;
    if (!place)
        return NULL;
    struct hop_wait *wait = &place->own;
    wait->thread = &here;
    wait->ended = false;
    /* One too many until all are counted, so that it does not end before. */
    __atomic_store_n(&wait->left, (uint32_t)count + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&wait->use, wait->use + 1, __ATOMIC_RELEASE);
    uint32_t awaited = 0;
    for (size_t i = 0; i < count; i++)
        awaited += await(requests[i], wait);
    uint32_t needed = for_all || awaited == 0 ? awaited : 1;
    /* Below zero, as an unsigned number, no later completion reaches it. */
    __atomic_sub_fetch(&wait->left, (uint32_t)count + 1 - needed, __ATOMIC_ACQ_REL);
    if (many_threads && !others) {
        looks_for = wait;
        openmpi_progress();
        looks_for = NULL;
        if (wait->ended) {
            end_use(wait);
            return NULL;
        }
        now = native_after_look(now);
    }
    native_wait(now, SPOOL_WAIT_BEGIN, native_tree);
    if (others)
        waits_for_others = wait;
    return wait;
}

void hop_wait_end(struct hop_wait *wait, size_t count) {
    look_around_wait(count);
    if (!wait)
        return;
    waits_for_others = NULL;
    if (!wait->ended)
        native_wait(clock_now(), SPOOL_WAIT_END, native_tree);
    end_use(wait);
}
