/* The functions that replace those in Open MPI's tables (tables.h), and record messages inside collectives. */
#include <stdio.h>

#include "native/openmpi/hops.h"
#include "native/openmpi/names.h"
#include "native/shared/library.h"
#include "native/shared/open_collective.h"
#include "record/record.h"

/* Marks functions for messages inside collectives. They must not be inlined: the replacing functions then need no stack
 * frame and pass the application's calls on with a jump. A frame would cost more than all the rest. */
#define INSIDE __attribute__((noinline))

/* True for the application's messages: only their tags are 0 or more. */
static inline bool is_applications(int tag) {
    return __builtin_expect(tag >= 0, 1);
}

static bool concerns(int tag, MPI_Comm comm, struct subject *subject) {
    return record_here() && subject_find(comm, tag, subject);
}

INSIDE static int send_inside(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag, int mode,
                              MPI_Comm comm) {
    struct subject subject;
    if (!concerns(tag, comm, &subject))
        return openmpi.send(buffer, count, type, destination, tag, mode, comm);
    struct hop_end end = hop_of(&subject, true, destination, count, type);
    hop_begin(&end);
    int error = openmpi.send(buffer, count, type, destination, tag, mode, comm);
    hop_finish(&end, true);
    return error;
}

static int send(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag, int mode,
                MPI_Comm comm) {
    if (is_applications(tag))
        return openmpi.send(buffer, count, type, destination, tag, mode, comm);
    return send_inside(buffer, count, type, destination, tag, mode, comm);
}

INSIDE static int start_send_inside(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag,
                                    int mode, MPI_Comm comm, struct openmpi_request **request) {
    struct subject subject;
    if (!concerns(tag, comm, &subject))
        return openmpi.start_send(buffer, count, type, destination, tag, mode, comm, request);
    struct hop_end end = hop_of(&subject, true, destination, count, type);
    hop_begin(&end);
    int error = openmpi.start_send(buffer, count, type, destination, tag, mode, comm, request);
    if (error == MPI_SUCCESS)
        hop_watch(&end, *request);
    return error;
}

static int start_send(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag, int mode,
                      MPI_Comm comm, struct openmpi_request **request) {
    if (is_applications(tag))
        return openmpi.start_send(buffer, count, type, destination, tag, mode, comm, request);
    return start_send_inside(buffer, count, type, destination, tag, mode, comm, request);
}

INSIDE static int start_receive_inside(void *buffer, size_t count, MPI_Datatype type, int source, int tag,
                                       MPI_Comm comm, struct openmpi_request **request) {
    struct subject subject;
    if (!concerns(tag, comm, &subject))
        return openmpi.start_receive(buffer, count, type, source, tag, comm, request);
    struct hop_end end = hop_of(&subject, false, source, count, type);
    hop_begin(&end);
    int error = openmpi.start_receive(buffer, count, type, source, tag, comm, request);
    if (error == MPI_SUCCESS)
        hop_watch(&end, *request);
    return error;
}

static int start_receive(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                         struct openmpi_request **request) {
    if (is_applications(tag))
        return openmpi.start_receive(buffer, count, type, source, tag, comm, request);
    return start_receive_inside(buffer, count, type, source, tag, comm, request);
}

/* Prepares a persistent send. Some collectives create persistent requests and start them only once. */
static int prepare_send(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag, int mode,
                        MPI_Comm comm, struct openmpi_request **request) {
    struct subject subject;
    int error = openmpi.prepare_send(buffer, count, type, destination, tag, mode, comm, request);
    if (error == MPI_SUCCESS && tag < 0 && concerns(tag, comm, &subject)) {
        struct hop_end end = hop_of(&subject, true, destination, count, type);
        hop_prepare(&end, *request);
    }
    return error;
}

static int prepare_receive(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                           struct openmpi_request **request) {
    struct subject subject;
    int error = openmpi.prepare_receive(buffer, count, type, source, tag, comm, request);
    if (error == MPI_SUCCESS && tag < 0 && concerns(tag, comm, &subject)) {
        struct hop_end end = hop_of(&subject, false, source, count, type);
        hop_prepare(&end, *request);
    }
    return error;
}

static int start(size_t count, struct openmpi_request **requests) {
    for (size_t i = 0; i < count; i++)
        hop_start(requests[i]);
    return openmpi.start(count, requests);
}

/* True for a wait of the application for its own requests. */
static inline bool is_of_no_collective(size_t count, struct openmpi_request **requests) {
    return !native_collective.comm && !hops_among(count, requests);
}

INSIDE static int wait_inside(struct openmpi_request **request, MPI_Status *status) {
    struct hop_wait *wait = hop_wait_begin(1, request, true);
    int error = openmpi.wait(request, status);
    hop_wait_end(wait, 1);
    return error;
}

static int wait(struct openmpi_request **request, MPI_Status *status) {
    if (is_of_no_collective(1, request))
        return openmpi.wait(request, status);
    return wait_inside(request, status);
}

INSIDE static int wait_any_inside(size_t count, struct openmpi_request **requests, int *index, MPI_Status *status) {
    struct hop_wait *wait = hop_wait_begin(count, requests, false);
    int error = openmpi.wait_any(count, requests, index, status);
    hop_wait_end(wait, count);
    return error;
}

static int wait_any(size_t count, struct openmpi_request **requests, int *index, MPI_Status *status) {
    if (is_of_no_collective(count, requests))
        return openmpi.wait_any(count, requests, index, status);
    return wait_any_inside(count, requests, index, status);
}

INSIDE static int wait_all_inside(size_t count, struct openmpi_request **requests, MPI_Status *statuses) {
    struct hop_wait *wait = hop_wait_begin(count, requests, true);
    int error = openmpi.wait_all(count, requests, statuses);
    hop_wait_end(wait, count);
    return error;
}

static int wait_all(size_t count, struct openmpi_request **requests, MPI_Status *statuses) {
    if (is_of_no_collective(count, requests))
        return openmpi.wait_all(count, requests, statuses);
    return wait_all_inside(count, requests, statuses);
}

INSIDE static int wait_some_inside(size_t count, struct openmpi_request **requests, int *completed, int *indices,
                                   MPI_Status *statuses) {
    struct hop_wait *wait = hop_wait_begin(count, requests, false);
    int error = openmpi.wait_some(count, requests, completed, indices, statuses);
    hop_wait_end(wait, count);
    return error;
}

static int wait_some(size_t count, struct openmpi_request **requests, int *completed, int *indices,
                     MPI_Status *statuses) {
    if (is_of_no_collective(count, requests))
        return openmpi.wait_some(count, requests, completed, indices, statuses);
    return wait_some_inside(count, requests, completed, indices, statuses);
}

/* Receives by a nonblocking receive and a wait, so that the begin of the wait is known. */
INSIDE static int receive_inside(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                 MPI_Status *status) {
    struct subject subject;
    if (!concerns(tag, comm, &subject))
        return openmpi.receive(buffer, count, type, source, tag, comm, status);
    struct openmpi_request *request = NULL;
    struct hop_end end = hop_of(&subject, false, source, count, type);
    hop_begin(&end);
    int error = openmpi.start_receive(buffer, count, type, source, tag, comm, &request);
    if (error != MPI_SUCCESS)
        return error;
    hop_watch(&end, request);
    return wait(&request, status);
}

static int receive(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Status *status) {
    if (is_applications(tag))
        return openmpi.receive(buffer, count, type, source, tag, comm, status);
    return receive_inside(buffer, count, type, source, tag, comm, status);
}

/* Called when the library creates a communicator. If this happens inside a collective, the communicator is for the
 * library's own use. */
static int add_comm(MPI_Comm comm) {
    if (native_collective.comm)
        native_collective.set_up = true;
    return openmpi.add_comm(comm);
}

static int del_comm(MPI_Comm comm) {
    subject_forget_hidden();
    return openmpi.del_comm(comm);
}

static const struct openmpi_functions replacements = {.receive = receive,
                                                      .start_receive = start_receive,
                                                      .send = send,
                                                      .start_send = start_send,
                                                      .prepare_receive = prepare_receive,
                                                      .prepare_send = prepare_send,
                                                      .start = start,
                                                      .add_comm = add_comm,
                                                      .del_comm = del_comm,
                                                      .wait = wait,
                                                      .wait_any = wait_any,
                                                      .wait_all = wait_all,
                                                      .wait_some = wait_some};

static bool start_recording(int processes, bool many_threads, char *reason, size_t capacity) {
    if (!openmpi_prove(reason, capacity))
        return false;
    if (!hops_start((uint16_t)record_define_tree(ARCHIVE_NATIVE "Open MPI"), processes, many_threads)) {
        snprintf(reason, capacity, "no memory");
        return false;
    }
    openmpi_replace(&replacements);
    openmpi_names_start();
    record_before_thread_ends(hops_leave_thread);
    return true;
}

static void stop_recording(void) {
    openmpi_names_stop();
    openmpi_restore();
    record_before_thread_ends(NULL);
    hops_leave_thread();
}

static struct native_losses losses(void) {
    return (struct native_losses){.lost = pool_lacked()};
}

const struct native_library native_library = {.answers_inside = true,
                                              .first_nonblocking_tag = OPENMPI_NONBLOCKING_LAST,
                                              .last_nonblocking_tag = OPENMPI_NONBLOCKING_FIRST,
                                              .set_up = "the MPI library set up communicators of its own",
                                              .start = start_recording,
                                              .stop = stop_recording,
                                              .losses = losses,
                                              .algorithm = openmpi_name,
                                              .next_tag = openmpi_next_tag,
                                              .local_comm = openmpi_local_comm};
