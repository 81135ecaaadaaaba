/* The wrappers of the blocking collectives: enter, the engine or the PMPI function, leave. collective.h defines the
 * bytes. A wrapper never reads arguments that MPI does not read on this rank. */
#include "engine/engine.h"
#include "wrappers/collective_forms.h"

/* Describes the call to the engine. Returns true if the engine ran it. */
static __attribute__((noinline)) bool run_by_engine(struct call *call, struct engine_buffer send,
                                                    struct engine_buffer receive, MPI_Op op, int root) {
    struct engine_call by_engine = {.send = send, .receive = receive, .op = op, .root = root, .large = LARGE};
    return collective_by_engine(call, &by_engine);
}

/* A macro, so that its arguments are evaluated only if the engine may run the call: describing the buffers takes longer
 * than writing a record. */
#define ran_on_engine(call, ...)                                                                                       \
    (__builtin_expect(collective_concerns_engine(call), 0) && run_by_engine(call, __VA_ARGS__))

static struct engine_buffer uniform(const void *base, COUNT count, MPI_Datatype datatype) {
    return (struct engine_buffer){.base = base, .count = count, .datatype = datatype};
}

static struct engine_buffer varying(const void *base, const COUNT counts[], const DISPLACEMENT displacements[],
                                    MPI_Datatype datatype) {
    return (struct engine_buffer){.base = base, .datatype = datatype, .counts = counts, .displacements = displacements};
}

static struct engine_buffer varying_types(const void *base, const COUNT counts[], const DISPLACEMENT displacements[],
                                          const MPI_Datatype datatypes[]) {
    return (struct engine_buffer){.base = base,
                                  .datatype = MPI_DATATYPE_NULL,
                                  .counts = counts,
                                  .displacements = displacements,
                                  .datatypes = datatypes};
}

static bool is_inter_call(const struct call *call) {
    return call->comm && call->comm->inter;
}

/* True if this rank is the root. */
static bool is_root(const struct call *call, int root) {
    return is_inter_call(call) ? root == MPI_ROOT : call->comm && call->comm->rank == root;
}

/* True if this rank exchanges data with the root. Every rank does, except that on an intercommunicator only the group
 * without the root does. */
static bool takes_part(const struct call *call, int root) {
    return !is_inter_call(call) || root >= 0;
}

static int size_of(const struct call *call) {
    return call->comm ? call->comm->size : 0;
}

static int peers(const struct call *call) {
    return call->comm ? call->comm->peers : 0;
}

static COUNT own_count(const struct call *call, const COUNT counts[]) {
    return collective_counts(call) ? counts[call->comm->rank] : 0;
}

#ifndef LARGE_COUNT
WRAPPER int COLLECTIVE(Barrier)(MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Barrier), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(NULL, 0, MPI_BYTE), uniform(NULL, 0, MPI_BYTE), MPI_OP_NULL, 0))
        call.error = PMPI_COLLECTIVE(Barrier)(comm FORM_ARGUMENTS);
    return collective_leave(&call, 0, 0);
}
#endif

WRAPPER int COLLECTIVE(Bcast)(void *buffer, COUNT count, MPI_Datatype datatype, int root,
                              MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Bcast), CALLER, comm, root);
    if (!ran_on_engine(&call, uniform(NULL, 0, MPI_BYTE), uniform(buffer, count, datatype), MPI_OP_NULL, root))
        call.error = PMPI_COLLECTIVE(Bcast)(buffer, count, datatype, root, comm FORM_ARGUMENTS);
    uint64_t bytes = packed(&call, count, datatype);
    bool sends = is_root(&call, root), receives = !sends && takes_part(&call, root);
    return collective_leave(&call, sends ? bytes : 0, receives ? bytes : 0);
}

WRAPPER int COLLECTIVE(Reduce)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op, int root,
                               MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Reduce), CALLER, comm, root);
    if (!ran_on_engine(&call, uniform(send, count, datatype), uniform(receive, count, datatype), op, root))
        call.error = PMPI_COLLECTIVE(Reduce)(send, receive, count, datatype, op, root, comm FORM_ARGUMENTS);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, takes_part(&call, root) ? bytes : 0, is_root(&call, root) ? bytes : 0);
}

WRAPPER int COLLECTIVE(Allreduce)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Allreduce), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, count, datatype), uniform(receive, count, datatype), op, 0))
        call.error = PMPI_COLLECTIVE(Allreduce)(send, receive, count, datatype, op, comm FORM_ARGUMENTS);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, bytes);
}

WRAPPER int COLLECTIVE(Gather)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                               COUNT receive_count, MPI_Datatype receive_type, int root,
                               MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Gather), CALLER, comm, root);
    if (!ran_on_engine(&call, uniform(send, send_count, send_type), uniform(receive, receive_count, receive_type),
                       MPI_OP_NULL, root))
        call.error = PMPI_COLLECTIVE(Gather)(send, send_count, send_type, receive, receive_count, receive_type, root,
                                             comm FORM_ARGUMENTS);
    uint64_t block = !takes_part(&call, root) ? 0
                     : send == MPI_IN_PLACE   ? packed(&call, receive_count, receive_type)
                                              : packed(&call, send_count, send_type);
    return collective_leave(&call, block, is_root(&call, root) ? packed_by_all(&call, receive_count, receive_type) : 0);
}

WRAPPER int COLLECTIVE(Gatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                const COUNT counts[], const DISPLACEMENT displacements[], MPI_Datatype receive_type,
                                int root, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Gatherv), CALLER, comm, root);
    if (!ran_on_engine(&call, uniform(send, send_count, send_type),
                       varying(receive, counts, displacements, receive_type), MPI_OP_NULL, root))
        call.error = PMPI_COLLECTIVE(Gatherv)(send, send_count, send_type, receive, counts, displacements, receive_type,
                                              root, comm FORM_ARGUMENTS);
    uint64_t block = !takes_part(&call, root) ? 0
                     : send == MPI_IN_PLACE   ? packed(&call, own_count(&call, counts), receive_type)
                                              : packed(&call, send_count, send_type);
    uint64_t all_blocks = is_root(&call, root) ? packed_sum(&call, counts, peers(&call), receive_type) : 0;
    return collective_leave(&call, block, all_blocks);
}

WRAPPER int COLLECTIVE(Scatter)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                COUNT receive_count, MPI_Datatype receive_type, int root,
                                MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Scatter), CALLER, comm, root);
    if (!ran_on_engine(&call, uniform(send, send_count, send_type), uniform(receive, receive_count, receive_type),
                       MPI_OP_NULL, root))
        call.error = PMPI_COLLECTIVE(Scatter)(send, send_count, send_type, receive, receive_count, receive_type, root,
                                              comm FORM_ARGUMENTS);
    uint64_t block = !takes_part(&call, root)  ? 0
                     : receive == MPI_IN_PLACE ? packed(&call, send_count, send_type)
                                               : packed(&call, receive_count, receive_type);
    return collective_leave(&call, is_root(&call, root) ? packed_by_all(&call, send_count, send_type) : 0, block);
}

WRAPPER int COLLECTIVE(Scatterv)(const void *send, const COUNT counts[], const DISPLACEMENT displacements[],
                                 MPI_Datatype send_type, void *receive, COUNT receive_count, MPI_Datatype receive_type,
                                 int root, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Scatterv), CALLER, comm, root);
    if (!ran_on_engine(&call, varying(send, counts, displacements, send_type),
                       uniform(receive, receive_count, receive_type), MPI_OP_NULL, root))
        call.error = PMPI_COLLECTIVE(Scatterv)(send, counts, displacements, send_type, receive, receive_count,
                                               receive_type, root, comm FORM_ARGUMENTS);
    uint64_t block = !takes_part(&call, root)  ? 0
                     : receive == MPI_IN_PLACE ? packed(&call, own_count(&call, counts), send_type)
                                               : packed(&call, receive_count, receive_type);
    uint64_t all_blocks = is_root(&call, root) ? packed_sum(&call, counts, peers(&call), send_type) : 0;
    return collective_leave(&call, all_blocks, block);
}

WRAPPER int COLLECTIVE(Allgather)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                  COUNT receive_count, MPI_Datatype receive_type, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Allgather), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, send_count, send_type), uniform(receive, receive_count, receive_type),
                       MPI_OP_NULL, 0))
        call.error = PMPI_COLLECTIVE(Allgather)(send, send_count, send_type, receive, receive_count, receive_type,
                                                comm FORM_ARGUMENTS);
    uint64_t block =
        is_inter_call(&call) ? packed(&call, send_count, send_type) : packed(&call, receive_count, receive_type);
    return collective_leave(&call, block, packed_by_all(&call, receive_count, receive_type));
}

WRAPPER int COLLECTIVE(Allgatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                   const COUNT counts[], const DISPLACEMENT displacements[], MPI_Datatype receive_type,
                                   MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Allgatherv), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, send_count, send_type),
                       varying(receive, counts, displacements, receive_type), MPI_OP_NULL, 0))
        call.error = PMPI_COLLECTIVE(Allgatherv)(send, send_count, send_type, receive, counts, displacements,
                                                 receive_type, comm FORM_ARGUMENTS);
    uint64_t block = is_inter_call(&call) ? packed(&call, send_count, send_type)
                                          : packed(&call, own_count(&call, counts), receive_type);
    return collective_leave(&call, block, packed_sum(&call, counts, peers(&call), receive_type));
}

WRAPPER int COLLECTIVE(Alltoall)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                 COUNT receive_count, MPI_Datatype receive_type, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Alltoall), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, send_count, send_type), uniform(receive, receive_count, receive_type),
                       MPI_OP_NULL, 0))
        call.error = PMPI_COLLECTIVE(Alltoall)(send, send_count, send_type, receive, receive_count, receive_type,
                                               comm FORM_ARGUMENTS);
    uint64_t received = packed_by_all(&call, receive_count, receive_type);
    return collective_leave(&call, is_inter_call(&call) ? packed_by_all(&call, send_count, send_type) : received,
                            received);
}

WRAPPER int COLLECTIVE(Alltoallv)(const void *send, const COUNT send_counts[], const DISPLACEMENT send_displacements[],
                                  MPI_Datatype send_type, void *receive, const COUNT counts[],
                                  const DISPLACEMENT displacements[], MPI_Datatype receive_type,
                                  MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Alltoallv), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, varying(send, send_counts, send_displacements, send_type),
                       varying(receive, counts, displacements, receive_type), MPI_OP_NULL, 0))
        call.error = PMPI_COLLECTIVE(Alltoallv)(send, send_counts, send_displacements, send_type, receive, counts,
                                                displacements, receive_type, comm FORM_ARGUMENTS);
    uint64_t received = packed_sum(&call, counts, peers(&call), receive_type);
    uint64_t sent = send == MPI_IN_PLACE ? received : packed_sum(&call, send_counts, peers(&call), send_type);
    return collective_leave(&call, sent, received);
}

WRAPPER int COLLECTIVE(Alltoallw)(const void *send, const COUNT send_counts[], const DISPLACEMENT send_displacements[],
                                  const MPI_Datatype send_types[], void *receive, const COUNT counts[],
                                  const DISPLACEMENT displacements[], const MPI_Datatype receive_types[],
                                  MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Alltoallw), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, varying_types(send, send_counts, send_displacements, send_types),
                       varying_types(receive, counts, displacements, receive_types), MPI_OP_NULL, 0))
        call.error = PMPI_COLLECTIVE(Alltoallw)(send, send_counts, send_displacements, send_types, receive, counts,
                                                displacements, receive_types, comm FORM_ARGUMENTS);
    uint64_t received = packed_sum_w(&call, counts, peers(&call), receive_types);
    uint64_t sent = send == MPI_IN_PLACE ? received : packed_sum_w(&call, send_counts, peers(&call), send_types);
    return collective_leave(&call, sent, received);
}

WRAPPER int COLLECTIVE(Reduce_scatter)(const void *send, void *receive, const COUNT counts[], MPI_Datatype datatype,
                                       MPI_Op op, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Reduce_scatter), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, 0, datatype), varying(receive, counts, NULL, datatype), op, 0))
        call.error = PMPI_COLLECTIVE(Reduce_scatter)(send, receive, counts, datatype, op, comm FORM_ARGUMENTS);
    return collective_leave(&call, packed_sum(&call, counts, size_of(&call), datatype),
                            packed(&call, own_count(&call, counts), datatype));
}

WRAPPER int COLLECTIVE(Reduce_scatter_block)(const void *send, void *receive, COUNT count, MPI_Datatype datatype,
                                             MPI_Op op, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Reduce_scatter_block), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, count, datatype), uniform(receive, count, datatype), op, 0))
        call.error = PMPI_COLLECTIVE(Reduce_scatter_block)(send, receive, count, datatype, op, comm FORM_ARGUMENTS);
    uint64_t block = packed(&call, count, datatype);
    return collective_leave(&call, block * (uint64_t)size_of(&call), block);
}

WRAPPER int COLLECTIVE(Scan)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Scan), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, count, datatype), uniform(receive, count, datatype), op, 0))
        call.error = PMPI_COLLECTIVE(Scan)(send, receive, count, datatype, op, comm FORM_ARGUMENTS);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, bytes);
}

WRAPPER int COLLECTIVE(Exscan)(const void *send, void *receive, COUNT count, MPI_Datatype datatype, MPI_Op op,
                               MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    collective_enter(&call, FUNCTION_OF(Exscan), CALLER, comm, NO_ROOT);
    if (!ran_on_engine(&call, uniform(send, count, datatype), uniform(receive, count, datatype), op, 0))
        call.error = PMPI_COLLECTIVE(Exscan)(send, receive, count, datatype, op, comm FORM_ARGUMENTS);
    uint64_t bytes = packed(&call, count, datatype);
    return collective_leave(&call, bytes, is_root(&call, 0) ? 0 : bytes);
}
