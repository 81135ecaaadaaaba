/* A blocking collective's messages pass while its call is open on this thread: on its communicator, or on one that the
 * library made of it and hides (the parts of a hierarchical collective, the own group of an intercommunicator). A
 * nonblocking one's pass in any call and on any thread; they are known by their tag, which is the collective's own on
 * its communicator.
 */
#include "native/shared/subject.h"

#include <stdlib.h>

#include "comm/registry.h"
#include "hopscope/spool.h"
#include "native/shared/library.h"
#include "native/shared/open_collective.h"
#include "record/record.h"

_Thread_local struct native_collective native_collective __attribute__((tls_model("initial-exec")));
bool native_looks;

static struct subject_counts counts;
static unsigned every = 1;

static bool count_one(uint64_t *of) {
    __atomic_add_fetch(of, 1, __ATOMIC_RELAXED);
    return false;
}

/* All members decide alike. The size spreads communicators that run in step. */
bool subject_is_thinned(const struct comm *comm, uint64_t seq) {
    return every > 1 && (seq + (uint64_t)comm->size) % every != 0;
}

void subject_start(unsigned every_nth) {
    every = every_nth;
}

/* Nonblocking collectives that may be under way, by communicator and tag: nobody says when one is over, so the latest
 * ones are kept. A bucket has room for some whose numbers fall together; the oldest one makes room. `version` is odd
 * while a place is written, and a reader that sees it change has read a mixture. */
enum { BUCKETS = 1 << 10, PLACES = 8 };
static struct expected {
    uint32_t version;
    uint32_t comm; /* 0: it is thinned out */
    uint64_t handle, seq, age;
    int32_t tag;
    int32_t own_tag; /* the next one of the handle's own, if it is an intercommunicator's local communicator; else 0 */
} expected[BUCKETS][PLACES];

/* Communicators that run in step use the same tags, at addresses that differ in a few bits. */
static struct expected *bucket_of(MPI_Comm handle, int tag) {
    uint64_t mixed = (uint64_t)(uintptr_t)handle * 0x9E3779B97F4A7C15u;
    mixed = ((mixed ^ mixed >> 32) + (uint64_t)(uint32_t)-tag) * 0xBF58476D1CE4E5B9u;
    return expected[mixed >> 32 & (BUCKETS - 1)];
}

static struct expected *oldest_of(struct expected *bucket) {
    struct expected *oldest = bucket;
    uint64_t least = UINT64_MAX;
    for (struct expected *place = bucket; place < bucket + PLACES; place++) {
        uint64_t age = __atomic_load_n(&place->age, __ATOMIC_RELAXED);
        if (age < least && __atomic_load_n(&place->version, __ATOMIC_RELAXED) % 2 == 0) {
            least = age;
            oldest = place;
        }
    }
    return oldest;
}

/* handle: comm's, or that of its local communicator, whose next tag is own_tag. */
static void expect(const struct comm *comm, MPI_Comm handle, int tag, uint64_t seq, int own_tag) {
    static uint64_t next_age = 1;
    uint64_t age = __atomic_fetch_add(&next_age, 1, __ATOMIC_RELAXED);
    struct expected *bucket = bucket_of(handle, tag), *place;
    uint32_t version;
    do { /* ends: a thread that is in the way has chosen another place */
        place = oldest_of(bucket);
        version = __atomic_load_n(&place->version, __ATOMIC_RELAXED) & ~1u;
    } while (!__atomic_compare_exchange_n(&place->version, &version, version + 1, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&place->handle, (uint64_t)(uintptr_t)handle, __ATOMIC_RELAXED);
    __atomic_store_n(&place->comm, subject_is_thinned(comm, seq) ? 0 : comm->id, __ATOMIC_RELAXED);
    __atomic_store_n(&place->seq, seq, __ATOMIC_RELAXED);
    __atomic_store_n(&place->tag, tag, __ATOMIC_RELAXED);
    __atomic_store_n(&place->own_tag, own_tag, __ATOMIC_RELAXED);
    __atomic_store_n(&place->age, age, __ATOMIC_RELAXED);
    __atomic_store_n(&place->version, version + 2, __ATOMIC_RELEASE);
}

void subject_expect(const struct comm *comm, int tag, uint64_t seq) {
    expect(comm, comm->handle, tag, seq, 0);
    if (comm->local != MPI_COMM_NULL)
        expect(comm, comm->local, tag, seq, native_library.next_tag(comm->local));
}

static void expect_no_more(MPI_Comm handle, int tag) {
    for (struct expected *place = bucket_of(handle, tag), *end = place + PLACES; place < end; place++) {
        uint32_t version = __atomic_load_n(&place->version, __ATOMIC_ACQUIRE) & ~1u;
        if (__atomic_load_n(&place->handle, __ATOMIC_RELAXED) == (uint64_t)(uintptr_t)handle &&
            __atomic_load_n(&place->tag, __ATOMIC_RELAXED) == tag &&
            __atomic_compare_exchange_n(&place->version, &version, version + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&place->tag, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&place->version, version + 2, __ATOMIC_RELEASE);
        }
    }
}

void subject_expect_no_more(const struct comm *comm, int tag) {
    expect_no_more(comm->handle, tag);
    if (comm->local != MPI_COMM_NULL)
        expect_no_more(comm->local, tag);
}

/* False: it is another one's, or it is being written. */
static bool is_expected(const struct expected *place, MPI_Comm handle, int tag, struct subject *subject,
                        uint64_t *age) {
    uint32_t version = __atomic_load_n(&place->version, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&place->tag, __ATOMIC_RELAXED) != tag ||
        __atomic_load_n(&place->handle, __ATOMIC_RELAXED) != (uint64_t)(uintptr_t)handle)
        return false;
    *subject = (struct subject){.comm = __atomic_load_n(&place->comm, __ATOMIC_RELAXED),
                                .seq = __atomic_load_n(&place->seq, __ATOMIC_RELAXED),
                                .key = (uint32_t)-tag};
    int32_t own_tag = __atomic_load_n(&place->own_tag, __ATOMIC_RELAXED);
    subject->ranks.group = own_tag ? SPOOL_OWN_GROUP : 0;
    /* What makes communicators of an intercommunicator has used the tag since. */
    bool is_own = own_tag && tag <= own_tag && tag > native_library.next_tag(handle);
    *age = __atomic_load_n(&place->age, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return !is_own && version % 2 == 0 && __atomic_load_n(&place->version, __ATOMIC_RELAXED) == version;
}

/* The latest one of this communicator and tag: handles and tags are used again. */
static bool find_expected(MPI_Comm handle, int tag, struct subject *subject) {
    const struct expected *bucket = bucket_of(handle, tag);
    uint64_t latest = 0, age;
    for (int i = 0; i < PLACES; i++) {
        struct subject one;
        if (is_expected(&bucket[i], handle, tag, &one, &age) && age > latest) {
            latest = age;
            *subject = one;
        }
    }
    return latest > 0;
}

/* A communicator that the library made for itself, with its members' ranks in the application's. They hang on that one,
 * which only one thread at a time may use for a blocking collective, so they need no lock. */
struct native_part {
    struct native_part *next;
    MPI_Comm handle;
    uint32_t freed; /* value of `freed` when it was learned */
    uint32_t key;
    bool is_foreign; /* it is another communicator's part */
    int count;
    int ranks[];
};

/* Communicators freed so far: another one may get the handle, so what was learned before is learned again. */
static uint32_t freed;

void subject_forget_hidden(void) {
    __atomic_add_fetch(&freed, 1, __ATOMIC_RELEASE);
}

void subject_free(struct comm *comm) {
    while (comm->parts) {
        struct native_part *next = comm->parts->next;
        free(comm->parts);
        comm->parts = next;
    }
}

/* The same on all members: made of the hidden communicator's members, as ranks of its parent. */
static uint32_t key_of(const struct native_part *part) {
    uint64_t mixed = 0;
    for (int i = 0; i < part->count; i++)
        mixed = (mixed + (uint64_t)part->ranks[i] + 1) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(mixed >> 32);
}

static bool has_strangers(const struct native_part *part) {
    for (int i = 0; i < part->count; i++)
        if (part->ranks[i] == MPI_UNDEFINED)
            return true;
    return false;
}

void subject_learn_local(struct comm *comm) {
    comm->local = comm->inter && native_library.local_comm ? native_library.local_comm(comm->handle) : MPI_COMM_NULL;
}

/* A thread that waits in a collective also drives what other threads do. When they make a communicator of an
 * intercommunicator, messages pass on its local communicator, which the library hides as well. */
static bool is_foreign(const struct native_part *part, const struct comm *parent) {
    if (has_strangers(part))
        return true;
    const struct comm *owner = comm_registry_of_local(part->handle);
    return owner && owner != parent;
}

static struct native_part *learn(MPI_Comm handle, const struct comm *parent) {
    MPI_Group here = MPI_GROUP_NULL, there = MPI_GROUP_NULL;
    int count = 0;
    struct native_part *part = NULL;
    if (pmpi.Comm_group(handle, &here) == MPI_SUCCESS && pmpi.Comm_group(parent->handle, &there) == MPI_SUCCESS &&
        pmpi.Group_size(here, &count) == MPI_SUCCESS)
        part = malloc(sizeof *part + (size_t)count * 2 * sizeof *part->ranks);
    if (part) {
        int *own = part->ranks + count;
        for (int i = 0; i < count; i++)
            own[i] = i;
        *part = (struct native_part){.handle = handle, .count = count, .freed = freed};
        pmpi.Group_translate_ranks(here, count, own, there, part->ranks);
        part->key = key_of(part);
        part->is_foreign = is_foreign(part, parent);
    }
    if (here != MPI_GROUP_NULL)
        pmpi.Group_free(&here);
    if (there != MPI_GROUP_NULL)
        pmpi.Group_free(&there);
    return part;
}

static struct native_part *add_part(MPI_Comm handle, struct comm *parent) {
    struct native_part *part = learn(handle, parent);
    if (part) {
        part->next = parent->parts;
        parent->parts = part;
    }
    return part;
}

static _Thread_local struct {
    struct comm *parent;
    int count;
    MPI_Comm handles[4];
} seen __attribute__((tls_model("initial-exec")));

static void note_seen(MPI_Comm handle, struct comm *parent) {
    if (!native_collective.set_up)
        seen.count = 0;
    native_collective.set_up = true;
    seen.parent = parent;
    for (int i = 0; i < seen.count; i++)
        if (seen.handles[i] == handle)
            return;
    if (seen.count < (int)(sizeof seen.handles / sizeof *seen.handles))
        seen.handles[seen.count++] = handle;
}

void subject_learn_seen(void) {
    for (int i = 0; i < seen.count; i++)
        add_part(seen.handles[i], seen.parent);
    seen.count = 0;
}

static const struct native_part *find_part(MPI_Comm handle, struct comm *parent) {
    if (parent->parts && parent->parts->freed != __atomic_load_n(&freed, __ATOMIC_ACQUIRE))
        subject_free(parent);
    struct native_part *part = parent->parts;
    while (part && part->handle != handle)
        part = part->next;
    if (!part && !comm_find(handle)) {
        if (native_library.answers_inside)
            part = add_part(handle, parent);
        else
            note_seen(handle, parent);
    }
    return part;
}

/* The communicator it was expected on has been freed, and another one has its handle. */
static bool is_outdated(MPI_Comm handle, const struct subject *subject) {
    const struct comm *now = comm_find(handle);
    return now && subject->comm && now->id != subject->comm;
}

bool subject_find(MPI_Comm handle, int tag, struct subject *subject) {
    struct comm *open = native_collective.comm;
    if (native_is_nonblocking(tag)) {
        if (find_expected(handle, tag, subject) && !is_outdated(handle, subject))
            return subject->comm || count_one(&counts.thinned);
        /* A hierarchical collective runs nonblocking ones on the communicators that the library made for it. What makes
         * communicators uses them too, on those of the application. */
        if (open && comm_find(handle))
            open = NULL;
    }
    if (!open)
        return count_one(&counts.internal);
    uint64_t seq = native_collective.seq;
    if (subject_is_thinned(open, seq))
        return count_one(&counts.thinned);
    const struct native_part *part = open->handle == handle ? NULL : find_part(handle, open);
    if (part && part->is_foreign)
        return count_one(&counts.internal);
    native_collective.silent = false;
    *subject = (struct subject){.comm = open->id, .seq = seq, .key = (uint32_t)-tag};
    if (open->handle == handle)
        return native_collective.on_own = true;
    native_collective.on_part = true;
    if (!part)
        return count_one(&counts.unknown);
    subject->ranks = (struct subject_ranks){part->ranks, part->count, open->inter ? SPOOL_OWN_GROUP : 0};
    subject->key ^= part->key;
    return true;
}

bool subject_is_open(void) {
    const struct comm *open = native_collective.comm;
    return open && record_here() && !subject_is_thinned(open, native_collective.seq);
}

struct subject_counts subject_counts(void) {
    return (struct subject_counts){.internal = __atomic_load_n(&counts.internal, __ATOMIC_RELAXED),
                                   .thinned = __atomic_load_n(&counts.thinned, __ATOMIC_RELAXED),
                                   .unknown = __atomic_load_n(&counts.unknown, __ATOMIC_RELAXED)};
}
