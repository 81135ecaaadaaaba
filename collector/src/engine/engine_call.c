#include "engine/engine_call.h"

int64_t buffer_count(const struct engine_call *call, const struct engine_buffer *buffer, int rank) {
    if (!buffer->counts)
        return buffer->count;
    return call->large ? (int64_t)((const MPI_Count *)buffer->counts)[rank] : ((const int *)buffer->counts)[rank];
}

int64_t buffer_displacement(const struct engine_call *call, const struct engine_buffer *buffer, int rank) {
    if (!buffer->displacements)
        return rank * buffer->count;
    return call->large ? (int64_t)((const MPI_Aint *)buffer->displacements)[rank]
                       : ((const int *)buffer->displacements)[rank];
}

MPI_Datatype buffer_datatype(const struct engine_buffer *buffer, int rank) {
    return buffer->datatypes ? buffer->datatypes[rank] : buffer->datatype;
}
