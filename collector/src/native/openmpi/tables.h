/* Open MPI's internals that the collector uses: the table of functions through which every message passes (mca_pml),
 * the table of functions that wait for requests (ompi_request_functions), and the first fields of all requests. Open
 * MPI installs no headers for these. The layouts were taken from its sources, and are checked at run time before
 * anything is changed (openmpi_prove).
 */
#ifndef HOPSCOPE_NATIVE_OPENMPI_H
#define HOPSCOPE_NATIVE_OPENMPI_H

#include <limits.h>

#include "mpi/mpi_table.h"

struct openmpi_request; /* Open MPI's ompi_request_t, to which an MPI_Request points */

typedef int openmpi_receive(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                            MPI_Status *status);
typedef int openmpi_start_receive(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                  struct openmpi_request **request);
typedef int openmpi_send(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag, int mode,
                         MPI_Comm comm);
typedef int openmpi_start_send(const void *buffer, size_t count, MPI_Datatype type, int destination, int tag, int mode,
                               MPI_Comm comm, struct openmpi_request **request);
typedef int openmpi_start(size_t count, struct openmpi_request **requests);
typedef int openmpi_comm_change(MPI_Comm comm);
typedef int openmpi_wait(struct openmpi_request **request, MPI_Status *status);
typedef int openmpi_wait_all(size_t count, struct openmpi_request **requests, MPI_Status *statuses);
typedef int openmpi_wait_any(size_t count, struct openmpi_request **requests, int *index, MPI_Status *status);
typedef int openmpi_wait_some(size_t count, struct openmpi_request **requests, int *completed, int *indices,
                              MPI_Status *statuses);
typedef int openmpi_completed(struct openmpi_request *request);

/* The functions that the collector replaces. */
struct openmpi_functions {
    openmpi_receive *receive;
    openmpi_start_receive *start_receive;
    openmpi_send *send;
    openmpi_start_send *start_send;
    openmpi_start_receive *prepare_receive; /* creates a persistent request */
    openmpi_start_send *prepare_send;
    openmpi_start *start;
    openmpi_comm_change *add_comm, *del_comm;
    openmpi_wait *wait;
    openmpi_wait_any *wait_any;
    openmpi_wait_all *wait_all;
    openmpi_wait_some *wait_some;
};

/* The library's function that looks once for arrived messages. */
extern void (*openmpi_progress)(void);

/* The library's own functions. openmpi_prove sets them. */
extern struct openmpi_functions openmpi;

/* True if this process's Open MPI is a tested release and behaves as expected; otherwise false with a reason. Checks
 * the size of the tables, the shared object that contains the functions, and (by messages from this process to itself)
 * the fields of a request. Changes nothing in the library. Call it after PMPI_Init. */
bool openmpi_prove(char *reason, size_t capacity);
/* openmpi_replace puts `functions` into the library's tables. openmpi_restore puts the library's own back. */
void openmpi_replace(const struct openmpi_functions *functions);
void openmpi_restore(void);

/* Byte offsets in a request of: the completion flag, the callback, the callback's data, and the source and the size of
 * a received message. openmpi_prove sets them. */
extern struct openmpi_request_layout {
    size_t complete, callback, data, source, received;
} openmpi_layout;

static inline void *openmpi_word(struct openmpi_request *request, size_t offset) {
    return (char *)request + offset;
}

static inline bool openmpi_is_complete(struct openmpi_request *request) {
    return __atomic_load_n((void **)openmpi_word(request, openmpi_layout.complete), __ATOMIC_ACQUIRE) == (void *)1;
}

/* The range of the tags of nonblocking collectives, which are negative and consecutive on each communicator. Greater
 * tags (up to -1) are for blocking collectives, one per operation; smaller tags are for neighbourhood collectives. */
enum { OPENMPI_NONBLOCKING_FIRST = -27, OPENMPI_NONBLOCKING_LAST = -(INT_MAX / 2) + 1 };

/* Open MPI's next_tag and local_comm of struct native_library (native/shared/library.h). */
int openmpi_next_tag(MPI_Comm comm);
MPI_Comm openmpi_local_comm(MPI_Comm inter);

#endif
