/* The blocking collectives: enter, the engine or PMPI, leave. Conventions for bytes: collective.h. Arguments that are
 * not significant on this rank are not looked at. */
#include "engine/engine.h"
#include "wrappers/forms.h"

static bool here(const struct call *call, int root) {
    return call->comm && call->comm->rank == root;
}

static int ranks(const struct call *call) {
    return call->comm ? call->comm->size : 0;
}

static COUNT own(const struct call *call, const COUNT counts[]) {
    return collective_counts(call) ? counts[call->comm->rank] : 0;
}

#ifndef LARGE_COUNT
WRAPPER int MPI_Barrier(MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Barrier, CALLER, comm, NO_ROOT))
        return pmpi.Barrier(comm);
    if (!collective_by_engine(&call, &(struct engine_call){.datatype = MPI_BYTE, .op = MPI_OP_NULL}, 0))
        call.error = pmpi.Barrier(comm);
    return collective_leave(&call, 0, 0);
}
#endif

WRAPPER int MPI_FORM(Bcast)(void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Bcast, CALLER, comm, root))
        return PMPI_FORM(Bcast)(buffer, count, datatype, root, comm);
    struct engine_call tree = {.receive_buffer = buffer, .datatype = datatype, .op = MPI_OP_NULL, .root = root};
    if (!collective_by_engine(&call, &tree, count))
        call.error = PMPI_FORM(Bcast)(buffer, count, datatype, root, comm);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, here(&call, root) ? bytes : 0, here(&call, root) ? 0 : bytes);
}

WRAPPER int MPI_FORM(Reduce)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op, int root,
                             MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Reduce, CALLER, comm, root))
        return PMPI_FORM(Reduce)(send, receive, count, datatype, op, root, comm);
    struct engine_call tree = {
        .send_buffer = send, .receive_buffer = receive, .datatype = datatype, .op = op, .root = root};
    if (!collective_by_engine(&call, &tree, count))
        call.error = PMPI_FORM(Reduce)(send, receive, count, datatype, op, root, comm);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, here(&call, root) ? bytes : 0);
}

WRAPPER int MPI_FORM(Allreduce)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op,
                                MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Allreduce, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Allreduce)(send, receive, count, datatype, op, comm);
    struct engine_call tree = {.send_buffer = send, .receive_buffer = receive, .datatype = datatype, .op = op};
    if (!collective_by_engine(&call, &tree, count))
        call.error = PMPI_FORM(Allreduce)(send, receive, count, datatype, op, comm);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, bytes);
}

WRAPPER int MPI_FORM(Gather)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                             COUNT receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Gather, CALLER, comm, root))
        return PMPI_FORM(Gather)(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
    call.error = PMPI_FORM(Gather)(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
    uint64_t block =
        send == MPI_IN_PLACE ? packed(&call, receive_count, receive_type) : packed(&call, send_count, send_type);
    return collective_leave(&call, block, here(&call, root) ? packed_by_all(&call, receive_count, receive_type) : 0);
}

WRAPPER int MPI_FORM(Gatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                              const COUNT counts[], const DISPLACEMENT displacements[], MPI_Datatype receive_type,
                              int root, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Gatherv, CALLER, comm, root))
        return PMPI_FORM(Gatherv)(send, send_count, send_type, receive, counts, displacements, receive_type, root,
                                  comm);
    call.error =
        PMPI_FORM(Gatherv)(send, send_count, send_type, receive, counts, displacements, receive_type, root, comm);
    uint64_t block =
        send == MPI_IN_PLACE ? packed(&call, own(&call, counts), receive_type) : packed(&call, send_count, send_type);
    uint64_t all = here(&call, root) ? packed_sum(&call, counts, ranks(&call), receive_type) : 0;
    return collective_leave(&call, block, all);
}

WRAPPER int MPI_FORM(Scatter)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                              COUNT receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Scatter, CALLER, comm, root))
        return PMPI_FORM(Scatter)(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
    call.error = PMPI_FORM(Scatter)(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
    uint64_t block =
        receive == MPI_IN_PLACE ? packed(&call, send_count, send_type) : packed(&call, receive_count, receive_type);
    return collective_leave(&call, here(&call, root) ? packed_by_all(&call, send_count, send_type) : 0, block);
}

WRAPPER int MPI_FORM(Scatterv)(const void *send, const COUNT counts[], const DISPLACEMENT displacements[],
                               MPI_Datatype send_type, void *receive, COUNT receive_count, MPI_Datatype receive_type,
                               int root, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Scatterv, CALLER, comm, root))
        return PMPI_FORM(Scatterv)(send, counts, displacements, send_type, receive, receive_count, receive_type, root,
                                   comm);
    call.error =
        PMPI_FORM(Scatterv)(send, counts, displacements, send_type, receive, receive_count, receive_type, root, comm);
    uint64_t block = receive == MPI_IN_PLACE ? packed(&call, own(&call, counts), send_type)
                                             : packed(&call, receive_count, receive_type);
    uint64_t all = here(&call, root) ? packed_sum(&call, counts, ranks(&call), send_type) : 0;
    return collective_leave(&call, all, block);
}

WRAPPER int MPI_FORM(Allgather)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                COUNT receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Allgather, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Allgather)(send, send_count, send_type, receive, receive_count, receive_type, comm);
    call.error = PMPI_FORM(Allgather)(send, send_count, send_type, receive, receive_count, receive_type, comm);
    return collective_leave(&call, packed(&call, receive_count, receive_type),
                            packed_by_all(&call, receive_count, receive_type));
}

WRAPPER int MPI_FORM(Allgatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                 const COUNT counts[], const DISPLACEMENT displacements[], MPI_Datatype receive_type,
                                 MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Allgatherv, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Allgatherv)(send, send_count, send_type, receive, counts, displacements, receive_type, comm);
    call.error = PMPI_FORM(Allgatherv)(send, send_count, send_type, receive, counts, displacements, receive_type, comm);
    return collective_leave(&call, packed(&call, own(&call, counts), receive_type),
                            packed_sum(&call, counts, ranks(&call), receive_type));
}

WRAPPER int MPI_FORM(Alltoall)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                               COUNT receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Alltoall, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Alltoall)(send, send_count, send_type, receive, receive_count, receive_type, comm);
    call.error = PMPI_FORM(Alltoall)(send, send_count, send_type, receive, receive_count, receive_type, comm);
    uint64_t all = packed_by_all(&call, receive_count, receive_type);
    return collective_leave(&call, all, all);
}

WRAPPER int MPI_FORM(Alltoallv)(const void *send, const COUNT send_counts[], const DISPLACEMENT send_displacements[],
                                MPI_Datatype send_type, void *receive, const COUNT counts[],
                                const DISPLACEMENT displacements[], MPI_Datatype receive_type, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Alltoallv, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Alltoallv)(send, send_counts, send_displacements, send_type, receive, counts, displacements,
                                    receive_type, comm);
    call.error = PMPI_FORM(Alltoallv)(send, send_counts, send_displacements, send_type, receive, counts, displacements,
                                      receive_type, comm);
    uint64_t received = packed_sum(&call, counts, ranks(&call), receive_type);
    uint64_t sent = send == MPI_IN_PLACE ? received : packed_sum(&call, send_counts, ranks(&call), send_type);
    return collective_leave(&call, sent, received);
}

WRAPPER int MPI_FORM(Alltoallw)(const void *send, const COUNT send_counts[], const DISPLACEMENT send_displacements[],
                                const MPI_Datatype send_types[], void *receive, const COUNT counts[],
                                const DISPLACEMENT displacements[], const MPI_Datatype receive_types[], MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Alltoallw, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Alltoallw)(send, send_counts, send_displacements, send_types, receive, counts, displacements,
                                    receive_types, comm);
    call.error = PMPI_FORM(Alltoallw)(send, send_counts, send_displacements, send_types, receive, counts, displacements,
                                      receive_types, comm);
    uint64_t received = packed_sum_w(&call, counts, ranks(&call), receive_types);
    uint64_t sent = send == MPI_IN_PLACE ? received : packed_sum_w(&call, send_counts, ranks(&call), send_types);
    return collective_leave(&call, sent, received);
}

WRAPPER int MPI_FORM(Reduce_scatter)(const void *send, void *receive, const COUNT counts[], MPI_Datatype datatype,
                                     MPI_Op op, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Reduce_scatter, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Reduce_scatter)(send, receive, counts, datatype, op, comm);
    call.error = PMPI_FORM(Reduce_scatter)(send, receive, counts, datatype, op, comm);
    return collective_leave(&call, packed_sum(&call, counts, ranks(&call), datatype),
                            packed(&call, own(&call, counts), datatype));
}

WRAPPER int MPI_FORM(Reduce_scatter_block)(const void *send, void *receive, COUNT count, MPI_Datatype datatype,
                                           MPI_Op op, MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Reduce_scatter_block, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Reduce_scatter_block)(send, receive, count, datatype, op, comm);
    call.error = PMPI_FORM(Reduce_scatter_block)(send, receive, count, datatype, op, comm);
    return collective_leave(&call, packed_by_all(&call, count, datatype), packed(&call, count, datatype));
}

WRAPPER int MPI_FORM(Scan)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Scan, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Scan)(send, receive, count, datatype, op, comm);
    call.error = PMPI_FORM(Scan)(send, receive, count, datatype, op, comm);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, bytes);
}

WRAPPER int MPI_FORM(Exscan)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm) {
    struct call call;
    if (!collective_enter(&call, FUNCTION_MPI_Exscan, CALLER, comm, NO_ROOT))
        return PMPI_FORM(Exscan)(send, receive, count, datatype, op, comm);
    call.error = PMPI_FORM(Exscan)(send, receive, count, datatype, op, comm);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, here(&call, 0) ? 0 : bytes);
}
