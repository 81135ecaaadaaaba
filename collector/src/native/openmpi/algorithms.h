/* The functions of Open MPI's algorithms: X(function, prefix, name). function: the MPI function without `MPI_`. The
 * symbol of the algorithm's function is `ompi_coll_base_<prefix>_<name>`, and the trace shows `name`. The list has the
 * algorithms of releases 4.1 and 5.0, but not internal building blocks such as ompi_coll_base_bcast_intra_generic. */
#ifndef HOPSCOPE_NATIVE_OPENMPI_ALGORITHMS_H
#define HOPSCOPE_NATIVE_OPENMPI_ALGORITHMS_H

// clang-format off
#define OPENMPI_ALGORITHMS(X)                                                                                          \
    X(Allgather, allgather_intra, basic_linear)                                                                        \
    X(Allgather, allgather_intra, bruck)                                                                               \
    X(Allgather, allgather_intra, neighborexchange)                                                                    \
    X(Allgather, allgather_intra, recursivedoubling)                                                                   \
    X(Allgather, allgather_intra, ring)                                                                                \
    X(Allgather, allgather_intra, sparbit)                                                                             \
    X(Allgather, allgather_intra, two_procs)                                                                           \
    X(Allgatherv, allgatherv_intra, basic_default)                                                                     \
    X(Allgatherv, allgatherv_intra, bruck)                                                                             \
    X(Allgatherv, allgatherv_intra, neighborexchange)                                                                  \
    X(Allgatherv, allgatherv_intra, ring)                                                                              \
    X(Allgatherv, allgatherv_intra, sparbit)                                                                           \
    X(Allgatherv, allgatherv_intra, two_procs)                                                                         \
    X(Allreduce, allreduce_intra, basic_linear)                                                                        \
    X(Allreduce, allreduce_intra, nonoverlapping)                                                                      \
    X(Allreduce, allreduce_intra, recursivedoubling)                                                                   \
    X(Allreduce, allreduce_intra, redscat_allgather)                                                                   \
    X(Allreduce, allreduce_intra, ring)                                                                                \
    X(Allreduce, allreduce_intra, ring_segmented)                                                                      \
    X(Alltoall, alltoall_intra, basic_linear)                                                                          \
    X(Alltoall, alltoall_intra, bruck)                                                                                 \
    X(Alltoall, alltoall_intra, linear_sync)                                                                           \
    X(Alltoall, alltoall_intra, pairwise)                                                                              \
    X(Alltoall, alltoall_intra, two_procs)                                                                             \
    X(Alltoallv, alltoallv_intra, basic_linear)                                                                        \
    X(Alltoallv, alltoallv_intra, pairwise)                                                                            \
    X(Barrier, barrier_intra, basic_linear)                                                                            \
    X(Barrier, barrier_intra, bruck)                                                                                   \
    X(Barrier, barrier_intra, doublering)                                                                              \
    X(Barrier, barrier_intra, recursivedoubling)                                                                       \
    X(Barrier, barrier_intra, tree)                                                                                    \
    X(Barrier, barrier_intra, two_procs)                                                                               \
    X(Bcast, bcast_intra, basic_linear)                                                                                \
    X(Bcast, bcast_intra, binomial)                                                                                    \
    X(Bcast, bcast_intra, bintree)                                                                                     \
    X(Bcast, bcast_intra, chain)                                                                                       \
    X(Bcast, bcast_intra, knomial)                                                                                     \
    X(Bcast, bcast_intra, pipeline)                                                                                    \
    X(Bcast, bcast_intra, scatter_allgather)                                                                           \
    X(Bcast, bcast_intra, scatter_allgather_ring)                                                                      \
    X(Bcast, bcast_intra, split_bintree)                                                                               \
    X(Exscan, exscan_intra, linear)                                                                                    \
    X(Exscan, exscan_intra, recursivedoubling)                                                                         \
    X(Gather, gather_intra, basic_linear)                                                                              \
    X(Gather, gather_intra, binomial)                                                                                  \
    X(Gather, gather_intra, linear_sync)                                                                               \
    X(Reduce, reduce_intra, basic_linear)                                                                              \
    X(Reduce, reduce_intra, binary)                                                                                    \
    X(Reduce, reduce_intra, binomial)                                                                                  \
    X(Reduce, reduce_intra, chain)                                                                                     \
    X(Reduce, reduce_intra, in_order_binary)                                                                           \
    X(Reduce, reduce_intra, pipeline)                                                                                  \
    X(Reduce, reduce_intra, redscat_gather)                                                                            \
    X(Reduce_scatter, reduce_scatter_intra, basic_recursivehalving)                                                    \
    X(Reduce_scatter, reduce_scatter_intra, butterfly)                                                                 \
    X(Reduce_scatter, reduce_scatter_intra, nonoverlapping)                                                            \
    X(Reduce_scatter, reduce_scatter_intra, ring)                                                                      \
    X(Reduce_scatter_block, reduce_scatter_block, basic_linear)                                                        \
    X(Reduce_scatter_block, reduce_scatter_block_intra, butterfly)                                                     \
    X(Reduce_scatter_block, reduce_scatter_block_intra, recursivedoubling)                                             \
    X(Reduce_scatter_block, reduce_scatter_block_intra, recursivehalving)                                              \
    X(Scan, scan_intra, linear)                                                                                        \
    X(Scan, scan_intra, recursivedoubling)                                                                             \
    X(Scatter, scatter_intra, basic_linear)                                                                            \
    X(Scatter, scatter_intra, binomial)                                                                                \
    X(Scatter, scatter_intra, linear_nb)
// clang-format on

#endif
