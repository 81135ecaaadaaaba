/* Finds the collective of a message by these rules. The library sends the messages of a blocking collective while the
 * collective's call is open on this thread. They go over its communicator, or over a hidden one that the library
 * derived from it (for the parts of a hierarchical collective, or for the own group of an intercommunicator). The
 * messages of a nonblocking collective may go in any call and on any thread. Their tag identifies them, because only
 * this collective uses it on its communicator.
 *
 * If a message of a collective goes while the thread is in no wrapped function, the collector did not see the
 * collective's call: the program called it by an address of its own (dlsym), or an extension of the library or another
 * tool did. The same is true of a message in MPI_Start whose tag belongs to no recorded request. */
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
static unsigned interval = 1;
static subject_scope_of_thread *scope_of_thread;

static bool increment(uint64_t *counter) {
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
    return false;
}

/* True if a collective is not selected for recording. All members get the same result. The size is added so that
 * communicators that run in step do not all have the same collectives selected. */
bool subject_is_thinned(const struct comm *comm, uint64_t seq) {
    return interval > 1 && (seq + (uint64_t)comm->size) % interval != 0;
}

void subject_start(unsigned nth, subject_scope_of_thread *scope) {
    interval = nth;
    scope_of_thread = scope;
}

/* The nonblocking collectives that may be under way, by communicator and tag. Nothing reports when one is over, so the
 * latest are kept: a hash table has buckets of several slots, and a new collective overwrites the oldest slot of its
 * bucket. `version` is odd while a slot is written. If it changes while a reader reads the slot, the reader must ignore
 * the slot. */
enum { BUCKETS = 1 << 10, BUCKET_SLOTS = 8 };
static const uint32_t UNSEEN = UINT32_MAX;
static struct expectations {
    uint32_t version;
    uint32_t comm; /* id of the communicator; 0: the collective is not selected for recording; UNSEEN: its call was not
                      seen */
    uint64_t handle, seq, age;
    int32_t tag;
    int32_t own_tag; /* if `handle` is an intercommunicator's local communicator, its own next tag; else 0 */
} expectations[BUCKETS][BUCKET_SLOTS];

/* Finds the bucket of a communicator and tag. The hash must mix well: communicators that run in step use the same tags,
 * and their addresses differ in only a few bits. */
static struct expectations *bucket_of(MPI_Comm handle, int tag) {
    uint64_t hash = (uint64_t)(uintptr_t)handle * 0x9E3779B97F4A7C15u;
    hash = ((hash ^ hash >> 32) + (uint64_t)(uint32_t)-tag) * 0xBF58476D1CE4E5B9u;
    return expectations[hash >> 32 & (BUCKETS - 1)];
}

static struct expectations *oldest_of(struct expectations *bucket) {
    struct expectations *oldest = bucket;
    uint64_t lowest_age = UINT64_MAX;
    for (struct expectations *slot = bucket; slot < bucket + BUCKET_SLOTS; slot++) {
        uint64_t age = __atomic_load_n(&slot->age, __ATOMIC_RELAXED);
        if (age < lowest_age && __atomic_load_n(&slot->version, __ATOMIC_RELAXED) % 2 == 0) {
            lowest_age = age;
            oldest = slot;
        }
    }
    return oldest;
}

/* Adds a collective. comm, own_tag: as in struct expectations. handle: the communicator, or the local communicator of
 * an intercommunicator. */
static void expect(uint32_t comm, MPI_Comm handle, int tag, uint64_t seq, int own_tag) {
    static uint64_t next_age = 1;
    uint64_t age = __atomic_fetch_add(&next_age, 1, __ATOMIC_RELAXED);
    struct expectations *bucket = bucket_of(handle, tag), *slot;
    uint32_t version;
    do { /* the loop ends: if another thread takes this slot, the next oldest slot is another one */
        slot = oldest_of(bucket);
        version = __atomic_load_n(&slot->version, __ATOMIC_RELAXED) & ~1u;
    } while (
        !__atomic_compare_exchange_n(&slot->version, &version, version + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&slot->handle, (uint64_t)(uintptr_t)handle, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->comm, comm, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->seq, seq, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->tag, tag, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->own_tag, own_tag, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->age, age, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->version, version + 2, __ATOMIC_RELEASE);
}

void subject_expect(const struct comm *comm, int tag, uint64_t seq) {
    uint32_t id = subject_is_thinned(comm, seq) ? 0 : comm->id;
    expect(id, comm->handle, tag, seq, 0);
    if (comm->local != MPI_COMM_NULL)
        expect(id, comm->local, tag, seq, native_library.next_tag(comm->local));
}

static void expect_no_more(MPI_Comm handle, int tag) {
    for (struct expectations *slot = bucket_of(handle, tag), *end = slot + BUCKET_SLOTS; slot < end; slot++) {
        uint32_t version = __atomic_load_n(&slot->version, __ATOMIC_ACQUIRE) & ~1u;
        if (__atomic_load_n(&slot->handle, __ATOMIC_RELAXED) == (uint64_t)(uintptr_t)handle &&
            __atomic_load_n(&slot->tag, __ATOMIC_RELAXED) == tag &&
            __atomic_compare_exchange_n(&slot->version, &version, version + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&slot->tag, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&slot->version, version + 2, __ATOMIC_RELEASE);
        }
    }
}

void subject_expect_no_more(const struct comm *comm, int tag) {
    expect_no_more(comm->handle, tag);
    if (comm->local != MPI_COMM_NULL)
        expect_no_more(comm->local, tag);
}

/* True if the slot has a collective with this communicator and tag. Then fills in the subject and the slot's age. False
 * also if the slot is being written. */
static bool is_expected(const struct expectations *slot, MPI_Comm handle, int tag, struct subject *subject,
                        uint64_t *age) {
    uint32_t version = __atomic_load_n(&slot->version, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&slot->tag, __ATOMIC_RELAXED) != tag ||
        __atomic_load_n(&slot->handle, __ATOMIC_RELAXED) != (uint64_t)(uintptr_t)handle)
        return false;
    *subject = (struct subject){.comm = __atomic_load_n(&slot->comm, __ATOMIC_RELAXED),
                                .seq = __atomic_load_n(&slot->seq, __ATOMIC_RELAXED),
                                .key = (uint32_t)-tag};
    int32_t own_tag = __atomic_load_n(&slot->own_tag, __ATOMIC_RELAXED);
    subject->ranks.group = own_tag ? SPOOL_OWN_GROUP : 0;
    /* True if a call that creates a communicator from the intercommunicator has used this tag since. */
    bool is_consumed = own_tag && tag <= own_tag && tag > native_library.next_tag(handle);
    *age = __atomic_load_n(&slot->age, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return !is_consumed && version % 2 == 0 && __atomic_load_n(&slot->version, __ATOMIC_RELAXED) == version;
}

/* Finds the collective with this communicator and tag. If there are several, because handles and tags are reused, takes
 * the latest. */
static bool find_expected(MPI_Comm handle, int tag, struct subject *subject) {
    const struct expectations *bucket = bucket_of(handle, tag);
    uint64_t latest = 0, age;
    for (int i = 0; i < BUCKET_SLOTS; i++) {
        struct subject candidate;
        if (is_expected(&bucket[i], handle, tag, &candidate, &age) && age > latest) {
            latest = age;
            *subject = candidate;
        }
    }
    return latest > 0;
}

/* A hidden communicator of the library, with its members' ranks in the application's communicator from which it
 * derives. The list of these parts needs no lock, because only one thread at a time may run a blocking collective on
 * the application's communicator. */
struct native_part {
    struct native_part *next;
    MPI_Comm handle;
    uint32_t freed_count; /* the value of the global freed_count when this part was described */
    uint32_t key;
    bool is_foreign; /* the hidden communicator belongs to another communicator of the application */
    int count;
    int ranks[];
};

/* Number of communicators freed so far. When it has changed, all parts are described again, because a new communicator
 * may have the handle of a freed one. */
static uint32_t freed_count;

void subject_forget_hidden(void) {
    __atomic_add_fetch(&freed_count, 1, __ATOMIC_RELEASE);
}

void subject_free(struct comm *comm) {
    while (comm->parts) {
        struct native_part *next = comm->parts->next;
        free(comm->parts);
        comm->parts = next;
    }
}

/* A hash of the hidden communicator's members, as ranks of its parent. It is equal on all members. */
static uint32_t key_of(const struct native_part *part) {
    uint64_t hash = 0;
    for (int i = 0; i < part->count; i++)
        hash = (hash + (uint64_t)part->ranks[i] + 1) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash >> 32);
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

/* True if the hidden communicator does not belong to `parent`. This happens because a thread that waits in a collective
 * also drives the operations of other threads. If one of these creates a communicator from an intercommunicator,
 * messages go over the intercommunicator's local communicator, which is hidden too. */
static bool is_foreign(const struct native_part *part, const struct comm *parent) {
    if (has_strangers(part))
        return true;
    const struct comm *owner = comm_registry_of_local(part->handle);
    return owner && owner != parent;
}

static struct native_part *describe_part(MPI_Comm handle, const struct comm *parent) {
    MPI_Group hidden_group = MPI_GROUP_NULL, parent_group = MPI_GROUP_NULL;
    int count = 0;
    struct native_part *part = NULL;
    if (pmpi.Comm_group(handle, &hidden_group) == MPI_SUCCESS &&
        pmpi.Comm_group(parent->handle, &parent_group) == MPI_SUCCESS &&
        pmpi.Group_size(hidden_group, &count) == MPI_SUCCESS)
        part = malloc(sizeof *part + (size_t)count * 2 * sizeof *part->ranks);
    if (part) {
        int *hidden_ranks = part->ranks + count;
        for (int i = 0; i < count; i++)
            hidden_ranks[i] = i;
        *part = (struct native_part){.handle = handle, .count = count, .freed_count = freed_count};
        pmpi.Group_translate_ranks(hidden_group, count, hidden_ranks, parent_group, part->ranks);
        part->key = key_of(part);
        part->is_foreign = is_foreign(part, parent);
    }
    if (hidden_group != MPI_GROUP_NULL)
        pmpi.Group_free(&hidden_group);
    if (parent_group != MPI_GROUP_NULL)
        pmpi.Group_free(&parent_group);
    return part;
}

static struct native_part *add_part(MPI_Comm handle, struct comm *parent) {
    struct native_part *part = describe_part(handle, parent);
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
} unseen_parts __attribute__((tls_model("initial-exec")));

static void note_hidden(MPI_Comm handle, struct comm *parent) {
    if (!native_collective.set_up)
        unseen_parts.count = 0;
    native_collective.set_up = true;
    unseen_parts.parent = parent;
    for (int i = 0; i < unseen_parts.count; i++)
        if (unseen_parts.handles[i] == handle)
            return;
    if (unseen_parts.count < (int)(sizeof unseen_parts.handles / sizeof *unseen_parts.handles))
        unseen_parts.handles[unseen_parts.count++] = handle;
}

void subject_learn_hidden(void) {
    for (int i = 0; i < unseen_parts.count; i++)
        add_part(unseen_parts.handles[i], unseen_parts.parent);
    unseen_parts.count = 0;
}

static const struct native_part *find_part(MPI_Comm handle, struct comm *parent) {
    if (parent->parts && parent->parts->freed_count != __atomic_load_n(&freed_count, __ATOMIC_ACQUIRE))
        subject_free(parent);
    struct native_part *part = parent->parts;
    while (part && part->handle != handle)
        part = part->next;
    if (!part && !comm_find(handle)) {
        if (native_library.answers_inside)
            part = add_part(handle, parent);
        else
            note_hidden(handle, parent);
    }
    return part;
}

/* True if the subject's communicator has been freed, and another communicator now has its handle. */
static bool is_outdated(MPI_Comm handle, const struct subject *subject) {
    const struct comm *current = comm_find(handle);
    return current && subject->comm && subject->comm != UNSEEN && current->id != subject->comm;
}

/* Counts a message of a nonblocking collective that is not recorded. */
static bool count_left_out(const struct subject *subject) {
    return increment(subject->comm == UNSEEN ? &counts.unseen : &counts.thinned);
}

/* Counts a message that belongs to no recorded call: as `unseen` if it must be a collective's, otherwise as `internal`.
 * In MPI_Start it must be a collective's only if its tag is that of a nonblocking collective and its communicator is
 * the application's: over the library's own communicators, operations of windows and files also send messages. If it
 * belongs to an unseen nonblocking collective, remembers the tag, because later messages may go in any call. */
static bool count_stray(MPI_Comm handle, int tag) {
    enum subject_scope scope = scope_of_thread();
    bool is_nonblocking = native_is_nonblocking(tag) && comm_find(handle);
    bool is_unseen = scope == SUBJECT_OUTSIDE_CALLS || (scope == SUBJECT_IN_START && is_nonblocking);
    if (is_unseen && is_nonblocking)
        expect(UNSEEN, handle, tag, 0, 0);
    return increment(is_unseen ? &counts.unseen : &counts.internal);
}

bool subject_find(MPI_Comm handle, int tag, struct subject *subject) {
    struct comm *open = native_collective.comm;
    if (native_is_nonblocking(tag)) {
        if (find_expected(handle, tag, subject) && !is_outdated(handle, subject))
            return (subject->comm && subject->comm != UNSEEN) || count_left_out(subject);
        /* A hierarchical collective runs nonblocking collectives on hidden communicators, so such a message belongs to
         * the open collective. On a communicator of the application it does not: there, calls that create communicators
         * run nonblocking collectives. */
        if (open && comm_find(handle))
            open = NULL;
    }
    if (!open)
        return count_stray(handle, tag);
    uint64_t seq = native_collective.seq;
    if (subject_is_thinned(open, seq))
        return increment(&counts.thinned);
    const struct native_part *part = open->handle == handle ? NULL : find_part(handle, open);
    if (part && part->is_foreign)
        return increment(&counts.internal);
    native_collective.silent = false;
    *subject = (struct subject){.comm = open->id, .seq = seq, .key = (uint32_t)-tag};
    if (open->handle == handle)
        return native_collective.uses_comm = true;
    native_collective.uses_hidden_comm = true;
    if (!part)
        return increment(&counts.unknown);
    subject->ranks = (struct subject_ranks){part->ranks, part->count, open->inter ? SPOOL_OWN_GROUP : 0};
    subject->key ^= part->key;
    return true;
}

bool subject_is_open(void) {
    const struct comm *open = native_collective.comm;
    return open && record_here() && !subject_is_thinned(open, native_collective.seq);
}

struct subject_counts subject_counts(void) {
    return (struct subject_counts){.unseen = __atomic_load_n(&counts.unseen, __ATOMIC_RELAXED),
                                   .internal = __atomic_load_n(&counts.internal, __ATOMIC_RELAXED),
                                   .thinned = __atomic_load_n(&counts.thinned, __ATOMIC_RELAXED),
                                   .unknown = __atomic_load_n(&counts.unknown, __ATOMIC_RELAXED)};
}
