/* Finds the size of a datatype: the packed bytes of one element. Each thread remembers its last predefined datatype, so
 * that it need not ask the MPI library each time. */
#ifndef HOPSCOPE_TYPE_BYTES_H
#define HOPSCOPE_TYPE_BYTES_H

#include "mpi/mpi_table.h"

/* The last predefined datatype that this thread used. The handle of a predefined datatype never changes meaning. */
struct type_memory {
    MPI_Datatype datatype;
    uint64_t bytes; /* 0: no datatype yet */
};
extern _Thread_local struct type_memory type_memory __attribute__((tls_model("initial-exec")));

uint64_t type_bytes_asked(MPI_Datatype datatype);

static inline bool type_is_remembered(MPI_Datatype datatype) {
    return type_memory.datatype == datatype && type_memory.bytes > 0;
}

/* The packed bytes of one element; 0 for MPI_DATATYPE_NULL. Call it only for a datatype that the library has accepted:
 * for an invalid one the library would call the error handler of MPI_COMM_WORLD. */
static inline uint64_t type_bytes(MPI_Datatype datatype) {
    return type_is_remembered(datatype) ? type_memory.bytes : type_bytes_asked(datatype);
}

/* True if the handle never changes meaning. Call it only for a datatype that the library has accepted. */
static inline bool type_is_predefined(MPI_Datatype datatype) {
    return type_bytes(datatype) > 0 && type_is_remembered(datatype);
}

#endif
