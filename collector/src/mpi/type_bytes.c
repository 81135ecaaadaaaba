#include "mpi/type_bytes.h"

_Thread_local struct type_memory type_memory __attribute__((tls_model("initial-exec")));

uint64_t type_bytes_asked(MPI_Datatype datatype) {
    MPI_Count size = 0;
    int integers, addresses, datatypes, combiner = 0;
    if (datatype == MPI_DATATYPE_NULL || pmpi.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    if (pmpi.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
        combiner == MPI_COMBINER_NAMED)
        type_memory = (struct type_memory){datatype, (uint64_t)size};
    return (uint64_t)size;
}
