/* MPICH's internals that the collector uses. MPICH installs no headers for them. The declarations here were taken from
 * its sources, and are right for the builds that were tested (builds.h). */
#ifndef HOPSCOPE_MPICH_H
#define HOPSCOPE_MPICH_H

#include <string.h>

#include "mpi/mpi_table.h"

/* The first members of MPICH's communicators and requests. */
struct mpich_comm {
    int handle;
};
enum mpich_request_kind { MPICH_REQUEST_SEND = 1, MPICH_REQUEST_RECV = 2 };
struct mpich_request {
    int handle, references, kind, unused;
    const int *incomplete; /* points to 0 when the request is complete */
};

/* The first tag of nonblocking collectives. Each nonblocking collective has a tag of its own; blocking collectives have
 * smaller tags, one per operation. */
enum { MPICH_FIRST_NONBLOCKING_TAG = 287 };

/* 1 if the collector can change MPICH's calls in machine code. It knows only the code of x86-64. */
#if defined(__x86_64__)
enum { MPICH_CODE_IS_KNOWN = 1 };
#else
enum { MPICH_CODE_IS_KNOWN = 0 };
#endif

/* The types of MPICH's helpers. `rest`: the last arguments, which differ between releases (status, error flag,
 * attributes). They are passed on unchanged as words, even if a release has fewer or smaller ones. */
typedef uintptr_t rest;
typedef int mpich_send(const void *buffer, intptr_t count, int type, int destination, int tag, struct mpich_comm *comm,
                       rest a);
typedef int mpich_receive(void *buffer, intptr_t count, int type, int source, int tag, struct mpich_comm *comm,
                          void *status, rest a);
typedef int mpich_send_receive(const void *sent, intptr_t sent_count, int sent_type, int destination, int sent_tag,
                               void *received, intptr_t received_count, int received_type, int source, int received_tag,
                               struct mpich_comm *comm, rest a, rest b);
typedef int mpich_replace(void *buffer, intptr_t count, int type, int destination, int sent_tag, int source,
                          int received_tag, struct mpich_comm *comm, rest a, rest b);
typedef int mpich_start_send(const void *buffer, intptr_t count, int type, int destination, int tag,
                             struct mpich_comm *comm, struct mpich_request **request, rest a);
typedef int mpich_start_receive(void *buffer, intptr_t count, int type, int source, int tag, struct mpich_comm *comm,
                                struct mpich_request **request);
typedef int mpich_wait(struct mpich_request *request, rest a);
typedef int mpich_wait_all(int count, struct mpich_request **requests, MPI_Status *statuses, rest a);

/* The differences between releases. status_offset: offset of the status in a request. locks: with several threads, the
 * library holds a lock in its helpers that is not recursive, so no PMPI function may be called there. */
struct mpich_release {
    const char *name;    /* of the library */
    const char *head;    /* the text before its version */
    const char *version; /* the first characters of its version */
    size_t status_offset;
    bool locks;
};

/* The release with this version text (of MPI_Get_library_version). NULL if it was not tested. */
static inline const struct mpich_release *mpich_release(const char *version) {
    static const struct mpich_release releases[] = {
        {"MPICH", "MPICH Version:", "4.0.", 0x30, true},
        {"MPICH", "MPICH Version:", "5.0.", 0x28, false},
        {"Intel MPI", "Intel(R) MPI Library", "2021.", 0x30, true},
    };
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        size_t length = strlen(releases[i].head);
        if (strncmp(version, releases[i].head, length) != 0)
            continue;
        const char *number = version + length + strspn(version + length, " \t");
        if (strncmp(number, releases[i].version, strlen(releases[i].version)) == 0)
            return &releases[i];
    }
    return NULL;
}

static inline uint64_t mpich_received(const MPI_Status *status) {
    return (uint32_t)status->count_lo | (uint64_t)(uint32_t)(status->count_hi_and_cancelled >> 1) << 32;
}

static inline bool mpich_is_complete(const struct mpich_request *request) {
    return __atomic_load_n(request->incomplete, __ATOMIC_ACQUIRE) == 0;
}

/* Sets *bytes to the size of a datatype if its handle contains the size, as the handles of predefined types do.
 * Otherwise returns false: ask the library. */
static inline bool mpich_type_bytes(int type, MPI_Count *bytes) {
    unsigned kind = (unsigned)type >> 30;
    *bytes = kind == 1 ? (unsigned)type >> 8 & 0xff : 0;
    return kind <= 1;
}

#endif
