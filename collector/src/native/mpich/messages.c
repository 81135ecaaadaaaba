/* The functions that replace MPICH's helpers, if the user sets HOPSCOPE_NATIVE=mpich.
 *
 * Nonblocking collectives do not use the helpers that wait, so their messages are not recorded. The same is true of
 * blocking collectives that MPICH runs as nonblocking ones (neighbourhood collectives). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/loaded_object.h"
#include "native/mpich/builds.h"
#include "native/mpich/hops.h"
#include "native/mpich/redirect.h"
#include "native/shared/library.h"
#include "native/shared/open_collective.h"
#include "record/record.h"

static struct {
    mpich_send *send, *synchronous_send;
    mpich_receive *receive;
    mpich_send_receive *send_receive;
    mpich_replace *replace;
    mpich_start_send *start_send, *start_synchronous_send;
    mpich_start_receive *start_receive;
    mpich_wait *wait;
    mpich_wait_all *wait_all;
} library;

static bool running;

static uint64_t not_recorded;

/* True if messages are recorded and this tag is that of a blocking collective. */
static inline bool concerns(int tag) {
    if (!__atomic_load_n(&running, __ATOMIC_RELAXED))
        return false;
    bool left_out = native_is_nonblocking(tag);
    if (__builtin_expect(left_out, 0)) {
        __atomic_add_fetch(&not_recorded, 1, __ATOMIC_RELAXED);
        native_collective.left_out = true;
    }
    return !left_out;
}

static int send_by(mpich_send *helper, const void *buffer, intptr_t count, int type, int destination, int tag,
                   struct mpich_comm *comm, rest a) {
    if (!concerns(tag))
        return helper(buffer, count, type, destination, tag, comm, a);
    struct mpich_blocking blocking = {.send = mpich_end_begin(true, count, type, destination, tag, comm)};
    mpich_blocking_begin(&blocking);
    int error = helper(buffer, count, type, destination, tag, comm, a);
    mpich_blocking_end(&blocking);
    return error;
}

static int send(const void *buffer, intptr_t count, int type, int destination, int tag, struct mpich_comm *comm,
                rest a) {
    return send_by(library.send, buffer, count, type, destination, tag, comm, a);
}

static int synchronous_send(const void *buffer, intptr_t count, int type, int destination, int tag,
                            struct mpich_comm *comm, rest a) {
    return send_by(library.synchronous_send, buffer, count, type, destination, tag, comm, a);
}

static int receive(void *buffer, intptr_t count, int type, int source, int tag, struct mpich_comm *comm, void *status,
                   rest a) {
    if (!concerns(tag))
        return library.receive(buffer, count, type, source, tag, comm, status, a);
    struct mpich_blocking blocking = {.receive = mpich_end_begin(false, count, type, source, tag, comm)};
    mpich_blocking_begin(&blocking);
    int error = library.receive(buffer, count, type, source, tag, comm, status, a);
    mpich_blocking_end(&blocking);
    return error;
}

static int send_receive(const void *sent, intptr_t sent_count, int sent_type, int destination, int sent_tag,
                        void *received, intptr_t received_count, int received_type, int source, int received_tag,
                        struct mpich_comm *comm, rest a, rest b) {
    if (!concerns(sent_tag))
        return library.send_receive(sent, sent_count, sent_type, destination, sent_tag, received, received_count,
                                    received_type, source, received_tag, comm, a, b);
    struct mpich_blocking blocking = {
        .receive = mpich_end_begin(false, received_count, received_type, source, received_tag, comm),
        .send = mpich_end_begin(true, sent_count, sent_type, destination, sent_tag, comm)};
    mpich_blocking_begin(&blocking);
    int error = library.send_receive(sent, sent_count, sent_type, destination, sent_tag, received, received_count,
                                     received_type, source, received_tag, comm, a, b);
    mpich_blocking_end(&blocking);
    return error;
}

static int replace(void *buffer, intptr_t count, int type, int destination, int sent_tag, int source, int received_tag,
                   struct mpich_comm *comm, rest a, rest b) {
    if (!concerns(sent_tag))
        return library.replace(buffer, count, type, destination, sent_tag, source, received_tag, comm, a, b);
    struct mpich_blocking blocking = {.receive = mpich_end_begin(false, count, type, source, received_tag, comm),
                                      .send = mpich_end_begin(true, count, type, destination, sent_tag, comm)};
    mpich_blocking_begin(&blocking);
    int error = library.replace(buffer, count, type, destination, sent_tag, source, received_tag, comm, a, b);
    mpich_blocking_end(&blocking);
    return error;
}

static int start_send_by(mpich_start_send *helper, const void *buffer, intptr_t count, int type, int destination,
                         int tag, struct mpich_comm *comm, struct mpich_request **request, rest a) {
    if (!concerns(tag))
        return helper(buffer, count, type, destination, tag, comm, request, a);
    struct native_end end = mpich_end_begin(true, count, type, destination, tag, comm);
    int error = helper(buffer, count, type, destination, tag, comm, request, a);
    if (error == MPI_SUCCESS)
        mpich_end_watch(&end, *request);
    return error;
}

static int start_send(const void *buffer, intptr_t count, int type, int destination, int tag, struct mpich_comm *comm,
                      struct mpich_request **request, rest a) {
    return start_send_by(library.start_send, buffer, count, type, destination, tag, comm, request, a);
}

static int start_synchronous_send(const void *buffer, intptr_t count, int type, int destination, int tag,
                                  struct mpich_comm *comm, struct mpich_request **request, rest a) {
    return start_send_by(library.start_synchronous_send, buffer, count, type, destination, tag, comm, request, a);
}

static int start_receive(void *buffer, intptr_t count, int type, int source, int tag, struct mpich_comm *comm,
                         struct mpich_request **request) {
    if (!concerns(tag))
        return library.start_receive(buffer, count, type, source, tag, comm, request);
    struct native_end end = mpich_end_begin(false, count, type, source, tag, comm);
    int error = library.start_receive(buffer, count, type, source, tag, comm, request);
    if (error == MPI_SUCCESS)
        mpich_end_watch(&end, *request);
    return error;
}

static int wait(struct mpich_request *request, rest a) {
    bool waits = mpich_wait_begin(request);
    int error = library.wait(request, a);
    if (waits)
        mpich_wait_end(request);
    return error;
}

/* Waits for one request after another, so that each end gets its own time. Then the library's helper waits for all
 * requests again. That takes little time, frees the requests and reports errors. */
static int wait_all(int count, struct mpich_request **requests, MPI_Status *statuses, rest a) {
    for (int i = 0; i < count; i++)
        if (mpich_wait_begin(requests[i])) {
            library.wait(requests[i], a);
            mpich_wait_end(requests[i]);
        }
    return library.wait_all(count, requests, statuses, a);
}

static void *const replacements[MPICH_HELPER_COUNT] = {
    [MPICH_Send] = (void *)send,
    [MPICH_Recv] = (void *)receive,
    [MPICH_Ssend] = (void *)synchronous_send,
    [MPICH_Sendrecv] = (void *)send_receive,
    [MPICH_Sendrecv_replace] = (void *)replace,
    [MPICH_Isend] = (void *)start_send,
    [MPICH_Issend] = (void *)start_synchronous_send,
    [MPICH_Irecv] = (void *)start_receive,
    [MPICH_Wait] = (void *)wait,
    [MPICH_Waitall] = (void *)wait_all,
};

static void save_library_functions(ElfW(Addr) base, const struct mpich_layout *layout) {
    void *functions[MPICH_HELPER_COUNT];
    for (int h = 0; h < MPICH_HELPER_COUNT; h++)
        functions[h] = layout->functions[h] ? (void *)(base + layout->functions[h]) : NULL;
    library.send = (mpich_send *)functions[MPICH_Send];
    library.synchronous_send = (mpich_send *)functions[MPICH_Ssend];
    library.receive = (mpich_receive *)functions[MPICH_Recv];
    library.send_receive = (mpich_send_receive *)functions[MPICH_Sendrecv];
    library.replace = (mpich_replace *)functions[MPICH_Sendrecv_replace];
    library.start_send = (mpich_start_send *)functions[MPICH_Isend];
    library.start_synchronous_send = (mpich_start_send *)functions[MPICH_Issend];
    library.start_receive = (mpich_start_receive *)functions[MPICH_Irecv];
    library.wait = (mpich_wait *)functions[MPICH_Wait];
    library.wait_all = (mpich_wait_all *)functions[MPICH_Waitall];
}

static bool accept_all(const char *path) {
    (void)path;
    return true;
}

static bool find_library(struct loaded_object *library_object) {
    enum { MAX_OBJECTS = 512 };
    static struct loaded_object objects[MAX_OBJECTS];
    const void *address = mpi_table_of_library("PMPI_Init");
    int count = loaded_objects(objects, MAX_OBJECTS, accept_all);
    for (int i = 0; address && i < count; i++)
        if (loaded_object_has(&objects[i], address)) {
            *library_object = objects[i];
            return true;
        }
    return false;
}

/* Redirects the library's calls, once per process. They stay redirected even when recording ends. */
static bool redirect(char *reason, size_t capacity) {
    static bool done;
    static struct mpich_layout layout;
    struct loaded_object object;
    struct mpich_image image;
    if (done)
        return true;
    if (!MPICH_CODE_IS_KNOWN) {
        snprintf(reason, capacity, "calls inside MPICH are known for x86-64 only");
        return false;
    }
    if (!find_library(&object)) {
        snprintf(reason, capacity, "the MPI library's file was not found");
        return false;
    }
    if (!mpich_build_is_known(object.path)) {
        snprintf(reason, capacity,
                 "the build %s was not tested; to test it and add it to your list, run hopscope native --verify",
                 object.path);
        return false;
    }
    if (!mpich_image_of_loaded(&image, object.base, object.headers, object.header_count)) {
        snprintf(reason, capacity, "%s has more parts than expected", object.path);
        return false;
    }
    char complaint[120];
    if (!mpich_find_helpers(&image, &layout, complaint, sizeof complaint)) {
        snprintf(reason, capacity, "in %s, %s", object.path, complaint);
        return false;
    }
    save_library_functions(object.base, &layout);
    done = mpich_redirect(&object, &layout, replacements, reason, capacity);
    return done;
}

static const struct mpich_release *find_release(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    pmpi.Get_library_version(version, &length);
    return mpich_release(version);
}

static bool start_recording(int processes, bool many_threads, char *reason, size_t capacity) {
    const struct mpich_release *release = find_release();
    if (!release) {
        snprintf(reason, capacity, "only the messages of MPICH 4.0, 5.0 and Intel MPI 2021 are known");
        return false;
    }
    if (!redirect(reason, capacity))
        return false;
    char tree[64];
    snprintf(tree, sizeof tree, ARCHIVE_NATIVE "%s", release->name);
    if (!mpich_hops_start((uint16_t)record_define_tree(tree), release, processes, many_threads)) {
        snprintf(reason, capacity, "no memory");
        return false;
    }
    __atomic_store_n(&running, true, __ATOMIC_RELAXED);
    return true;
}

static void stop_recording(void) {
    __atomic_store_n(&running, false, __ATOMIC_RELAXED);
    mpich_hops_stop();
}

static struct native_losses losses(void) {
    return (struct native_losses){__atomic_load_n(&not_recorded, __ATOMIC_RELAXED), mpich_hops_lost()};
}

/* The description of MPICH. `algorithm` is not set, because MPICH does not call its algorithms through tables. Its
 * hidden communicators are freed together with the communicators from which they derive. */
const struct native_library native_library = {
    .answers_inside = false,
    .first_nonblocking_tag = MPICH_FIRST_NONBLOCKING_TAG,
    .last_nonblocking_tag = INT_MAX,
    .set_up = "the first collective to use communicators of the MPI library's own",
    .not_looked_at = "messages of nonblocking and persistent collectives are not recorded under MPICH",
    .start = start_recording,
    .stop = stop_recording,
    .losses = losses};
