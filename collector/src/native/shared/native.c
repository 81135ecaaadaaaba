#include "native/shared/native.h"

#include <errno.h>
#include <limits.h>

#include "comm/registry.h"
#include "native/shared/library.h"
#include "native/shared/outcome.h"
#include "native/shared/subject.h"
#include "record/record.h"

static bool running;

void native_start(unsigned interval, subject_scope_of_thread *scope, int rank, int processes, bool many_threads) {
    char reason[PATH_MAX + 200];
    int saved_errno = errno;
    if (&native_library && record_is_on() && !running) {
        subject_start(interval, scope);
        running = native_looks = native_library.start(processes, many_threads, reason, sizeof reason);
        if (!running)
            outcome_off(rank, reason);
        else
            comm_registry_tell_of_new(subject_learn_local);
    }
    errno = saved_errno;
}

void native_stop(void) {
    if (!running)
        return;
    native_library.stop();
    comm_registry_tell_of_new(NULL);
    running = native_looks = false;
    outcome_counts(native_library.losses());
}

bool native_knows_tags(void) {
    return running && native_library.next_tag;
}

int native_next_tag(const struct comm *comm) {
    return native_knows_tags() ? native_library.next_tag(comm->handle) : 0;
}

void native_expect(const struct comm *comm, int tag, uint64_t seq) {
    if (native_knows_tags())
        subject_expect(comm, tag, seq);
}

void native_expect_no_more(const struct comm *comm, int tag) {
    if (native_knows_tags())
        subject_expect_no_more(comm, tag);
}

uint32_t native_reason(const struct comm *comm, bool has_payload) {
    if (native_collective.set_up)
        subject_learn_hidden();
    return outcome_reason(comm, has_payload);
}

uint32_t native_started_reason(const struct comm *comm, uint64_t seq, bool has_payload) {
    return native_looks ? outcome_started_reason(comm, seq, has_payload) : 0;
}

uint32_t native_algorithm_called(enum mpi_function function) {
    return native_library.algorithm ? native_library.algorithm(native_collective.called, function) : 0;
}

void native_comm_free(struct comm *comm) {
    subject_free(comm);
}
