/* The wrappers of neighbourhood collectives. The MPI library always runs these itself, so only the calls are recorded.
 */
#include "wrappers/collective_forms.h"

/* Sets the numbers of neighbours from which this rank receives and to which it sends. */
static void degrees(const struct call *call, MPI_Comm comm, int *in_degree, int *out_degree) {
    int kind = MPI_UNDEFINED, n = 0, weighted;
    *in_degree = *out_degree = 0;
    if (!collective_counts(call) || pmpi.Topo_test(comm, &kind) != MPI_SUCCESS)
        return;
    if (kind == MPI_CART && pmpi.Cartdim_get(comm, &n) == MPI_SUCCESS)
        *in_degree = *out_degree = 2 * n;
    else if (kind == MPI_GRAPH && pmpi.Graph_neighbors_count(comm, call->comm->rank, &n) == MPI_SUCCESS)
        *in_degree = *out_degree = n;
    else if (kind == MPI_DIST_GRAPH &&
             pmpi.Dist_graph_neighbors_count(comm, in_degree, out_degree, &weighted) != MPI_SUCCESS)
        *in_degree = *out_degree = 0;
}

WRAPPER int COLLECTIVE(Neighbor_allgather)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                           COUNT count, MPI_Datatype type, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    int in_degree, out_degree;
    collective_enter(&call, FUNCTION_OF(Neighbor_allgather), CALLER, comm, NO_ROOT);
    call.error =
        PMPI_COLLECTIVE(Neighbor_allgather)(send, send_count, send_type, receive, count, type, comm FORM_ARGUMENTS);
    degrees(&call, comm, &in_degree, &out_degree);
    return collective_leave(&call, packed(&call, send_count, send_type),
                            packed(&call, count, type) * (uint64_t)in_degree);
}

WRAPPER int COLLECTIVE(Neighbor_allgatherv)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                            const COUNT counts[], const DISPLACEMENT displacements[], MPI_Datatype type,
                                            MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    int in_degree, out_degree;
    collective_enter(&call, FUNCTION_OF(Neighbor_allgatherv), CALLER, comm, NO_ROOT);
    call.error = PMPI_COLLECTIVE(Neighbor_allgatherv)(send, send_count, send_type, receive, counts, displacements, type,
                                                      comm FORM_ARGUMENTS);
    degrees(&call, comm, &in_degree, &out_degree);
    return collective_leave(&call, packed(&call, send_count, send_type), packed_sum(&call, counts, in_degree, type));
}

WRAPPER int COLLECTIVE(Neighbor_alltoall)(const void *send, COUNT send_count, MPI_Datatype send_type, void *receive,
                                          COUNT count, MPI_Datatype type, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    int in_degree, out_degree;
    collective_enter(&call, FUNCTION_OF(Neighbor_alltoall), CALLER, comm, NO_ROOT);
    call.error =
        PMPI_COLLECTIVE(Neighbor_alltoall)(send, send_count, send_type, receive, count, type, comm FORM_ARGUMENTS);
    degrees(&call, comm, &in_degree, &out_degree);
    return collective_leave(&call, packed(&call, send_count, send_type) * (uint64_t)out_degree,
                            packed(&call, count, type) * (uint64_t)in_degree);
}

WRAPPER int COLLECTIVE(Neighbor_alltoallv)(const void *send, const COUNT send_counts[],
                                           const DISPLACEMENT send_displacements[], MPI_Datatype send_type,
                                           void *receive, const COUNT counts[], const DISPLACEMENT displacements[],
                                           MPI_Datatype type, MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    int in_degree, out_degree;
    collective_enter(&call, FUNCTION_OF(Neighbor_alltoallv), CALLER, comm, NO_ROOT);
    call.error = PMPI_COLLECTIVE(Neighbor_alltoallv)(send, send_counts, send_displacements, send_type, receive, counts,
                                                     displacements, type, comm FORM_ARGUMENTS);
    degrees(&call, comm, &in_degree, &out_degree);
    return collective_leave(&call, packed_sum(&call, send_counts, out_degree, send_type),
                            packed_sum(&call, counts, in_degree, type));
}

WRAPPER int COLLECTIVE(Neighbor_alltoallw)(const void *send, const COUNT send_counts[],
                                           const MPI_Aint send_displacements[], const MPI_Datatype send_types[],
                                           void *receive, const COUNT counts[], const MPI_Aint displacements[],
                                           const MPI_Datatype types[], MPI_Comm comm FORM_PARAMETERS) {
    struct call call;
    int in_degree, out_degree;
    collective_enter(&call, FUNCTION_OF(Neighbor_alltoallw), CALLER, comm, NO_ROOT);
    call.error = PMPI_COLLECTIVE(Neighbor_alltoallw)(send, send_counts, send_displacements, send_types, receive, counts,
                                                     displacements, types, comm FORM_ARGUMENTS);
    degrees(&call, comm, &in_degree, &out_degree);
    return collective_leave(&call, packed_sum_w(&call, send_counts, out_degree, send_types),
                            packed_sum_w(&call, counts, in_degree, types));
}
