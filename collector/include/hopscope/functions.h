/* The MPI functions that the collector knows: one list for the wrappers, the records and the assembly.
 *
 * Needs neither mpi.h nor OTF2. X(name, kind, otf2_op):
 *   kind     COLL_ALL2ALL, COLL_ONE2ALL, COLL_ALL2ONE, COLL_OTHER, BARRIER: a collective, recorded with communicator,
 *            sequence number, root and bytes. P2P: sends and receives. WAIT: completion, test and probe.
 *            COMM: makes or frees communicators. INIT, FINALIZE, OTHER.
 *            PERSISTENT: makes the request of a persistent collective. CONTROL: of the recording.
 *   otf2_op  OTF2_COLLECTIVE_OP_<otf2_op> of a collective, NONE of every other. OTF2 has no neighbourhood operations;
 *            they take the operation whose data movement they share, the region's name says which it was.
 *
 * Spools carry the numbers of this list: insert and reorder only together with SPOOL_VERSION, else append.
 */
#ifndef HOPSCOPE_FUNCTIONS_H
#define HOPSCOPE_FUNCTIONS_H

#define MPI_FUNCTIONS(X)                                                                                               \
    X(MPI_Init, INIT, NONE)                                                                                            \
    X(MPI_Init_thread, INIT, NONE)                                                                                     \
    X(MPI_Finalize, FINALIZE, NONE)                                                                                    \
    X(MPI_Abort, OTHER, NONE)                                                                                          \
    /* collectives */                                                                                                  \
    X(MPI_Barrier, BARRIER, BARRIER)                                                                                   \
    X(MPI_Bcast, COLL_ONE2ALL, BCAST)                                                                                  \
    X(MPI_Reduce, COLL_ALL2ONE, REDUCE)                                                                                \
    X(MPI_Allreduce, COLL_ALL2ALL, ALLREDUCE)                                                                          \
    X(MPI_Gather, COLL_ALL2ONE, GATHER)                                                                                \
    X(MPI_Gatherv, COLL_ALL2ONE, GATHERV)                                                                              \
    X(MPI_Scatter, COLL_ONE2ALL, SCATTER)                                                                              \
    X(MPI_Scatterv, COLL_ONE2ALL, SCATTERV)                                                                            \
    X(MPI_Allgather, COLL_ALL2ALL, ALLGATHER)                                                                          \
    X(MPI_Allgatherv, COLL_ALL2ALL, ALLGATHERV)                                                                        \
    X(MPI_Alltoall, COLL_ALL2ALL, ALLTOALL)                                                                            \
    X(MPI_Alltoallv, COLL_ALL2ALL, ALLTOALLV)                                                                          \
    X(MPI_Alltoallw, COLL_ALL2ALL, ALLTOALLW)                                                                          \
    X(MPI_Reduce_scatter, COLL_ALL2ALL, REDUCE_SCATTER)                                                                \
    X(MPI_Reduce_scatter_block, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                                                    \
    X(MPI_Scan, COLL_OTHER, SCAN)                                                                                      \
    X(MPI_Exscan, COLL_OTHER, EXSCAN)                                                                                  \
    X(MPI_Neighbor_allgather, COLL_OTHER, ALLGATHER)                                                                   \
    X(MPI_Neighbor_allgatherv, COLL_OTHER, ALLGATHERV)                                                                 \
    X(MPI_Neighbor_alltoall, COLL_OTHER, ALLTOALL)                                                                     \
    X(MPI_Neighbor_alltoallv, COLL_OTHER, ALLTOALLV)                                                                   \
    X(MPI_Neighbor_alltoallw, COLL_OTHER, ALLTOALLW)                                                                   \
    /* sends and receives */                                                                                           \
    X(MPI_Send, P2P, NONE)                                                                                             \
    X(MPI_Bsend, P2P, NONE)                                                                                            \
    X(MPI_Ssend, P2P, NONE)                                                                                            \
    X(MPI_Rsend, P2P, NONE)                                                                                            \
    X(MPI_Recv, P2P, NONE)                                                                                             \
    X(MPI_Mrecv, P2P, NONE)                                                                                            \
    X(MPI_Sendrecv, P2P, NONE)                                                                                         \
    X(MPI_Sendrecv_replace, P2P, NONE)                                                                                 \
    X(MPI_Isend, P2P, NONE)                                                                                            \
    X(MPI_Ibsend, P2P, NONE)                                                                                           \
    X(MPI_Issend, P2P, NONE)                                                                                           \
    X(MPI_Irsend, P2P, NONE)                                                                                           \
    X(MPI_Irecv, P2P, NONE)                                                                                            \
    X(MPI_Imrecv, P2P, NONE)                                                                                           \
    X(MPI_Send_init, P2P, NONE)                                                                                        \
    X(MPI_Bsend_init, P2P, NONE)                                                                                       \
    X(MPI_Ssend_init, P2P, NONE)                                                                                       \
    X(MPI_Rsend_init, P2P, NONE)                                                                                       \
    X(MPI_Recv_init, P2P, NONE)                                                                                        \
    X(MPI_Start, P2P, NONE)                                                                                            \
    X(MPI_Startall, P2P, NONE)                                                                                         \
    X(MPI_Cancel, P2P, NONE)                                                                                           \
    X(MPI_Request_free, P2P, NONE)                                                                                     \
    /* completion, test and probe */                                                                                   \
    X(MPI_Wait, WAIT, NONE)                                                                                            \
    X(MPI_Waitall, WAIT, NONE)                                                                                         \
    X(MPI_Waitany, WAIT, NONE)                                                                                         \
    X(MPI_Waitsome, WAIT, NONE)                                                                                        \
    X(MPI_Test, WAIT, NONE)                                                                                            \
    X(MPI_Testall, WAIT, NONE)                                                                                         \
    X(MPI_Testany, WAIT, NONE)                                                                                         \
    X(MPI_Testsome, WAIT, NONE)                                                                                        \
    X(MPI_Probe, WAIT, NONE)                                                                                           \
    X(MPI_Iprobe, WAIT, NONE)                                                                                          \
    X(MPI_Mprobe, WAIT, NONE)                                                                                          \
    X(MPI_Improbe, WAIT, NONE)                                                                                         \
    /* communicators */                                                                                                \
    X(MPI_Comm_dup, COMM, NONE)                                                                                        \
    X(MPI_Comm_dup_with_info, COMM, NONE)                                                                              \
    X(MPI_Comm_idup, COMM, NONE)                                                                                       \
    X(MPI_Comm_split, COMM, NONE)                                                                                      \
    X(MPI_Comm_split_type, COMM, NONE)                                                                                 \
    X(MPI_Comm_create, COMM, NONE)                                                                                     \
    X(MPI_Comm_create_group, COMM, NONE)                                                                               \
    X(MPI_Cart_create, COMM, NONE)                                                                                     \
    X(MPI_Cart_sub, COMM, NONE)                                                                                        \
    X(MPI_Graph_create, COMM, NONE)                                                                                    \
    X(MPI_Dist_graph_create, COMM, NONE)                                                                               \
    X(MPI_Dist_graph_create_adjacent, COMM, NONE)                                                                      \
    X(MPI_Intercomm_create, COMM, NONE)                                                                                \
    X(MPI_Intercomm_merge, COMM, NONE)                                                                                 \
    X(MPI_Comm_spawn, COMM, NONE)                                                                                      \
    X(MPI_Comm_spawn_multiple, COMM, NONE)                                                                             \
    X(MPI_Comm_accept, COMM, NONE)                                                                                     \
    X(MPI_Comm_connect, COMM, NONE)                                                                                    \
    X(MPI_Comm_join, COMM, NONE)                                                                                       \
    X(MPI_Comm_free, COMM, NONE)                                                                                       \
    X(MPI_Comm_disconnect, COMM, NONE)                                                                                 \
    X(MPI_Comm_set_name, COMM, NONE)                                                                                   \
    /* nonblocking collectives */                                                                                      \
    X(MPI_Ibarrier, BARRIER, BARRIER)                                                                                  \
    X(MPI_Ibcast, COLL_ONE2ALL, BCAST)                                                                                 \
    X(MPI_Ireduce, COLL_ALL2ONE, REDUCE)                                                                               \
    X(MPI_Iallreduce, COLL_ALL2ALL, ALLREDUCE)                                                                         \
    X(MPI_Igather, COLL_ALL2ONE, GATHER)                                                                               \
    X(MPI_Igatherv, COLL_ALL2ONE, GATHERV)                                                                             \
    X(MPI_Iscatter, COLL_ONE2ALL, SCATTER)                                                                             \
    X(MPI_Iscatterv, COLL_ONE2ALL, SCATTERV)                                                                           \
    X(MPI_Iallgather, COLL_ALL2ALL, ALLGATHER)                                                                         \
    X(MPI_Iallgatherv, COLL_ALL2ALL, ALLGATHERV)                                                                       \
    X(MPI_Ialltoall, COLL_ALL2ALL, ALLTOALL)                                                                           \
    X(MPI_Ialltoallv, COLL_ALL2ALL, ALLTOALLV)                                                                         \
    X(MPI_Ialltoallw, COLL_ALL2ALL, ALLTOALLW)                                                                         \
    X(MPI_Ireduce_scatter, COLL_ALL2ALL, REDUCE_SCATTER)                                                               \
    X(MPI_Ireduce_scatter_block, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK)                                                   \
    X(MPI_Iscan, COLL_OTHER, SCAN)                                                                                     \
    X(MPI_Iexscan, COLL_OTHER, EXSCAN)                                                                                 \
    X(MPI_Ineighbor_allgather, COLL_OTHER, ALLGATHER)                                                                  \
    X(MPI_Ineighbor_allgatherv, COLL_OTHER, ALLGATHERV)                                                                \
    X(MPI_Ineighbor_alltoall, COLL_OTHER, ALLTOALL)                                                                    \
    X(MPI_Ineighbor_alltoallv, COLL_OTHER, ALLTOALLV)                                                                  \
    X(MPI_Ineighbor_alltoallw, COLL_OTHER, ALLTOALLW)                                                                  \
    /* persistent collectives: the making of the request; MPI_Start begins them */                                     \
    X(MPI_Barrier_init, PERSISTENT, BARRIER)                                                                           \
    X(MPI_Bcast_init, PERSISTENT, BCAST)                                                                               \
    X(MPI_Reduce_init, PERSISTENT, REDUCE)                                                                             \
    X(MPI_Allreduce_init, PERSISTENT, ALLREDUCE)                                                                       \
    X(MPI_Gather_init, PERSISTENT, GATHER)                                                                             \
    X(MPI_Gatherv_init, PERSISTENT, GATHERV)                                                                           \
    X(MPI_Scatter_init, PERSISTENT, SCATTER)                                                                           \
    X(MPI_Scatterv_init, PERSISTENT, SCATTERV)                                                                         \
    X(MPI_Allgather_init, PERSISTENT, ALLGATHER)                                                                       \
    X(MPI_Allgatherv_init, PERSISTENT, ALLGATHERV)                                                                     \
    X(MPI_Alltoall_init, PERSISTENT, ALLTOALL)                                                                         \
    X(MPI_Alltoallv_init, PERSISTENT, ALLTOALLV)                                                                       \
    X(MPI_Alltoallw_init, PERSISTENT, ALLTOALLW)                                                                       \
    X(MPI_Reduce_scatter_init, PERSISTENT, REDUCE_SCATTER)                                                             \
    X(MPI_Reduce_scatter_block_init, PERSISTENT, REDUCE_SCATTER_BLOCK)                                                 \
    X(MPI_Scan_init, PERSISTENT, SCAN)                                                                                 \
    X(MPI_Exscan_init, PERSISTENT, EXSCAN)                                                                             \
    X(MPI_Neighbor_allgather_init, PERSISTENT, ALLGATHER)                                                              \
    X(MPI_Neighbor_allgatherv_init, PERSISTENT, ALLGATHERV)                                                            \
    X(MPI_Neighbor_alltoall_init, PERSISTENT, ALLTOALL)                                                                \
    X(MPI_Neighbor_alltoallv_init, PERSISTENT, ALLTOALLV)                                                              \
    X(MPI_Neighbor_alltoallw_init, PERSISTENT, ALLTOALLW)                                                              \
    /* MPI-4: sessions, and communicators without a parent */                                                          \
    X(MPI_Session_init, INIT, NONE)                                                                                    \
    X(MPI_Session_finalize, FINALIZE, NONE)                                                                            \
    X(MPI_Comm_idup_with_info, COMM, NONE)                                                                             \
    X(MPI_Comm_create_from_group, COMM, NONE)                                                                          \
    X(MPI_Intercomm_create_from_groups, COMM, NONE)                                                                    \
    /* the recording itself */                                                                                         \
    X(MPI_Pcontrol, CONTROL, NONE)                                                                                     \
    /* MPI-4: messages in partitions, sends and receives in one request; looks at requests that complete none */       \
    X(MPI_Psend_init, P2P, NONE)                                                                                       \
    X(MPI_Precv_init, P2P, NONE)                                                                                       \
    X(MPI_Pready, P2P, NONE)                                                                                           \
    X(MPI_Pready_range, P2P, NONE)                                                                                     \
    X(MPI_Pready_list, P2P, NONE)                                                                                      \
    X(MPI_Parrived, WAIT, NONE)                                                                                        \
    X(MPI_Isendrecv, P2P, NONE)                                                                                        \
    X(MPI_Isendrecv_replace, P2P, NONE)                                                                                \
    X(MPI_Request_get_status, WAIT, NONE)                                                                              \
    X(MPI_Request_get_status_all, WAIT, NONE)                                                                          \
    X(MPI_Request_get_status_any, WAIT, NONE)                                                                          \
    X(MPI_Request_get_status_some, WAIT, NONE)

enum mpi_function {
    FUNCTION_NONE = 0,
#define HOPSCOPE_FUNCTION_ENUMERATOR(name, kind, otf2_op) FUNCTION_##name,
    MPI_FUNCTIONS(HOPSCOPE_FUNCTION_ENUMERATOR)
#undef HOPSCOPE_FUNCTION_ENUMERATOR
        FUNCTION_COUNT
};

enum mpi_function_kind {
    FUNCTION_KIND_OTHER,
    FUNCTION_KIND_INIT,
    FUNCTION_KIND_FINALIZE,
    FUNCTION_KIND_COLL_ALL2ALL,
    FUNCTION_KIND_COLL_ONE2ALL,
    FUNCTION_KIND_COLL_ALL2ONE,
    FUNCTION_KIND_COLL_OTHER,
    FUNCTION_KIND_BARRIER,
    FUNCTION_KIND_P2P,
    FUNCTION_KIND_WAIT,
    FUNCTION_KIND_COMM,
    FUNCTION_KIND_PERSISTENT,
    FUNCTION_KIND_CONTROL,
};

#endif
