/* The MPI functions that Hopscope knows, with one row for each.
 *
 * The collector, the converter, the path rules, the SQL and the documents all use these rows. C and C++ include them;
 * Python and SQL get them from the native module (hopscope/vocabulary/mpi_functions.py, the table mpi_functions). To
 * record another function, add a row and a wrapper: docs/add-an-mpi-function.md.
 *
 * FUNCTION(name, kind, moves, since, counts)
 *   kind     init, finalize, abort, control (of the recording), comm (creates, names or frees communicators);
 *            p2p: sends and receives, and functions that prepare them;
 *            wait: returns when a request is complete or a message has arrived;
 *            test: returns at once, and completes requests that are done; look: returns at once, and completes none;
 *            rma: windows; io: files.
 *   moves    the direction of messages with the peer that the call names: sends, receives, both; nothing if it names no
 *            peer. members: all members of the communicator, window or file make the call and wait for one another.
 *            Collective reads and writes are not among these, because they need not wait.
 *   since    the version of MPI that introduced the function: mpi_3, mpi_4, mpi_4_1. ulfm: the function is in libraries
 *            with fault tolerance (ULFM), under the name MPIX_Comm_shrink and so on.
 *   counts   large: it has a second form with counts of type MPI_Count, such as MPI_Send_c. plain: it has none.
 *
 * COLLECTIVE(name, nonblocking, flow, operation, counts) stands for three functions: MPI_Bcast, MPI_Ibcast and (since
 * mpi_4) MPI_Bcast_init; with large counts for six. The columns apply to all of them.
 *   flow       the flow of the data, which determines who must wait for whom. all: every rank waits for every rank;
 *              from_root: every rank waits for the root; to_root: the root waits for every rank; scan, exscan: each
 *              rank waits for all lower ranks, and a scan also uses the rank's own data; neighbours: each rank waits
 *              for its neighbours.
 *   operation  OTF2_COLLECTIVE_OP_<operation>. OTF2 has no neighbourhood operations; they use the operation that moves
 *              data in the same way, and the region's name shows the difference.
 *
 * Spools contain the functions' numbers, in the order of this list, so append new rows. Inserting, removing or moving a
 * row requires a new SPOOL_VERSION.
 */
#ifndef HOPSCOPE_MPI_FUNCTIONS_H
#define HOPSCOPE_MPI_FUNCTIONS_H

// clang-format off
#define MPI_FUNCTIONS(FUNCTION, COLLECTIVE)                                                                            \
    FUNCTION(Init, init, nothing, mpi_3, plain)                                                                        \
    FUNCTION(Init_thread, init, nothing, mpi_3, plain)                                                                 \
    FUNCTION(Session_init, init, nothing, mpi_4, plain)                                                                \
    FUNCTION(Finalize, finalize, nothing, mpi_3, plain)                                                                \
    FUNCTION(Session_finalize, finalize, nothing, mpi_4, plain)                                                        \
    FUNCTION(Abort, abort, nothing, mpi_3, plain)                                                                      \
    FUNCTION(Pcontrol, control, nothing, mpi_3, plain)                                                                 \
    COLLECTIVE(Barrier, Ibarrier, all, BARRIER, plain)                                                                 \
    COLLECTIVE(Bcast, Ibcast, from_root, BCAST, large)                                                                 \
    COLLECTIVE(Reduce, Ireduce, to_root, REDUCE, large)                                                                \
    COLLECTIVE(Allreduce, Iallreduce, all, ALLREDUCE, large)                                                           \
    COLLECTIVE(Gather, Igather, to_root, GATHER, large)                                                                \
    COLLECTIVE(Gatherv, Igatherv, to_root, GATHERV, large)                                                             \
    COLLECTIVE(Scatter, Iscatter, from_root, SCATTER, large)                                                           \
    COLLECTIVE(Scatterv, Iscatterv, from_root, SCATTERV, large)                                                        \
    COLLECTIVE(Allgather, Iallgather, all, ALLGATHER, large)                                                           \
    COLLECTIVE(Allgatherv, Iallgatherv, all, ALLGATHERV, large)                                                        \
    COLLECTIVE(Alltoall, Ialltoall, all, ALLTOALL, large)                                                              \
    COLLECTIVE(Alltoallv, Ialltoallv, all, ALLTOALLV, large)                                                           \
    COLLECTIVE(Alltoallw, Ialltoallw, all, ALLTOALLW, large)                                                           \
    COLLECTIVE(Reduce_scatter, Ireduce_scatter, all, REDUCE_SCATTER, large)                                            \
    COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, all, REDUCE_SCATTER_BLOCK, large)                          \
    COLLECTIVE(Scan, Iscan, scan, SCAN, large)                                                                         \
    COLLECTIVE(Exscan, Iexscan, exscan, EXSCAN, large)                                                                 \
    COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, neighbours, ALLGATHER, large)                                  \
    COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, neighbours, ALLGATHERV, large)                               \
    COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, neighbours, ALLTOALL, large)                                     \
    COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, neighbours, ALLTOALLV, large)                                  \
    COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, neighbours, ALLTOALLW, large)                                  \
    FUNCTION(Send, p2p, sends, mpi_3, large)                                                                           \
    FUNCTION(Bsend, p2p, sends, mpi_3, large)                                                                          \
    FUNCTION(Ssend, p2p, sends, mpi_3, large)                                                                          \
    FUNCTION(Rsend, p2p, sends, mpi_3, large)                                                                          \
    FUNCTION(Recv, p2p, receives, mpi_3, large)                                                                        \
    FUNCTION(Mrecv, p2p, receives, mpi_3, large)                                                                       \
    FUNCTION(Sendrecv, p2p, both, mpi_3, large)                                                                        \
    FUNCTION(Sendrecv_replace, p2p, both, mpi_3, large)                                                                \
    FUNCTION(Isend, p2p, sends, mpi_3, large)                                                                          \
    FUNCTION(Ibsend, p2p, sends, mpi_3, large)                                                                         \
    FUNCTION(Issend, p2p, sends, mpi_3, large)                                                                         \
    FUNCTION(Irsend, p2p, sends, mpi_3, large)                                                                         \
    FUNCTION(Irecv, p2p, receives, mpi_3, large)                                                                       \
    FUNCTION(Imrecv, p2p, receives, mpi_3, large)                                                                      \
    FUNCTION(Isendrecv, p2p, both, mpi_4, large)                                                                       \
    FUNCTION(Isendrecv_replace, p2p, both, mpi_4, large)                                                               \
    FUNCTION(Send_init, p2p, sends, mpi_3, large)                                                                      \
    FUNCTION(Bsend_init, p2p, sends, mpi_3, large)                                                                     \
    FUNCTION(Ssend_init, p2p, sends, mpi_3, large)                                                                     \
    FUNCTION(Rsend_init, p2p, sends, mpi_3, large)                                                                     \
    FUNCTION(Recv_init, p2p, receives, mpi_3, large)                                                                   \
    FUNCTION(Psend_init, p2p, sends, mpi_4, plain)                                                                     \
    FUNCTION(Precv_init, p2p, receives, mpi_4, plain)                                                                  \
    FUNCTION(Start, p2p, nothing, mpi_3, plain)                                                                        \
    FUNCTION(Startall, p2p, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Pready, p2p, nothing, mpi_4, plain)                                                                       \
    FUNCTION(Pready_range, p2p, nothing, mpi_4, plain)                                                                 \
    FUNCTION(Pready_list, p2p, nothing, mpi_4, plain)                                                                  \
    FUNCTION(Cancel, p2p, nothing, mpi_3, plain)                                                                       \
    FUNCTION(Request_free, p2p, nothing, mpi_3, plain)                                                                 \
    FUNCTION(Wait, wait, nothing, mpi_3, plain)                                                                        \
    FUNCTION(Waitall, wait, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Waitany, wait, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Waitsome, wait, nothing, mpi_3, plain)                                                                    \
    FUNCTION(Test, test, nothing, mpi_3, plain)                                                                        \
    FUNCTION(Testall, test, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Testany, test, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Testsome, test, nothing, mpi_3, plain)                                                                    \
    FUNCTION(Probe, wait, receives, mpi_3, plain)                                                                      \
    FUNCTION(Iprobe, look, receives, mpi_3, plain)                                                                     \
    FUNCTION(Mprobe, wait, receives, mpi_3, plain)                                                                     \
    FUNCTION(Improbe, look, receives, mpi_3, plain)                                                                    \
    FUNCTION(Parrived, look, nothing, mpi_4, plain)                                                                    \
    FUNCTION(Request_get_status, look, nothing, mpi_3, plain)                                                          \
    FUNCTION(Request_get_status_all, look, nothing, mpi_4_1, plain)                                                    \
    FUNCTION(Request_get_status_any, look, nothing, mpi_4_1, plain)                                                    \
    FUNCTION(Request_get_status_some, look, nothing, mpi_4_1, plain)                                                   \
    FUNCTION(Comm_dup, comm, members, mpi_3, plain)                                                                    \
    FUNCTION(Comm_dup_with_info, comm, members, mpi_3, plain)                                                          \
    FUNCTION(Comm_idup, comm, nothing, mpi_3, plain)                                                                   \
    FUNCTION(Comm_idup_with_info, comm, nothing, mpi_4, plain)                                                         \
    FUNCTION(Comm_split, comm, members, mpi_3, plain)                                                                  \
    FUNCTION(Comm_split_type, comm, members, mpi_3, plain)                                                             \
    FUNCTION(Comm_create, comm, members, mpi_3, plain)                                                                 \
    FUNCTION(Comm_create_group, comm, nothing, mpi_3, plain)                                                           \
    FUNCTION(Comm_create_from_group, comm, nothing, mpi_4, plain)                                                      \
    FUNCTION(Cart_create, comm, members, mpi_3, plain)                                                                 \
    FUNCTION(Cart_sub, comm, members, mpi_3, plain)                                                                    \
    FUNCTION(Graph_create, comm, members, mpi_3, plain)                                                                \
    FUNCTION(Dist_graph_create, comm, members, mpi_3, plain)                                                           \
    FUNCTION(Dist_graph_create_adjacent, comm, members, mpi_3, plain)                                                  \
    FUNCTION(Intercomm_create, comm, nothing, mpi_3, plain)                                                            \
    FUNCTION(Intercomm_create_from_groups, comm, nothing, mpi_4, plain)                                                \
    FUNCTION(Intercomm_merge, comm, members, mpi_3, plain)                                                             \
    FUNCTION(Comm_spawn, comm, nothing, mpi_3, plain)                                                                  \
    FUNCTION(Comm_spawn_multiple, comm, nothing, mpi_3, plain)                                                         \
    FUNCTION(Comm_accept, comm, nothing, mpi_3, plain)                                                                 \
    FUNCTION(Comm_connect, comm, nothing, mpi_3, plain)                                                                \
    FUNCTION(Comm_join, comm, nothing, mpi_3, plain)                                                                   \
    FUNCTION(Comm_free, comm, nothing, mpi_3, plain)                                                                   \
    FUNCTION(Comm_disconnect, comm, nothing, mpi_3, plain)                                                             \
    FUNCTION(Comm_set_name, comm, nothing, mpi_3, plain)                                                               \
    FUNCTION(Win_create, rma, members, mpi_3, large)                                                                   \
    FUNCTION(Win_allocate, rma, members, mpi_3, large)                                                                 \
    FUNCTION(Win_allocate_shared, rma, members, mpi_3, large)                                                          \
    FUNCTION(Win_create_dynamic, rma, members, mpi_3, plain)                                                           \
    FUNCTION(Win_attach, rma, nothing, mpi_3, plain)                                                                   \
    FUNCTION(Win_detach, rma, nothing, mpi_3, plain)                                                                   \
    FUNCTION(Win_free, rma, members, mpi_3, plain)                                                                     \
    FUNCTION(Win_set_name, rma, nothing, mpi_3, plain)                                                                 \
    FUNCTION(Win_fence, rma, members, mpi_3, plain)                                                                    \
    FUNCTION(Win_start, rma, nothing, mpi_3, plain)                                                                    \
    FUNCTION(Win_complete, rma, nothing, mpi_3, plain)                                                                 \
    FUNCTION(Win_post, rma, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Win_wait, rma, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Win_test, rma, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Win_lock, rma, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Win_unlock, rma, nothing, mpi_3, plain)                                                                   \
    FUNCTION(Win_lock_all, rma, nothing, mpi_3, plain)                                                                 \
    FUNCTION(Win_unlock_all, rma, nothing, mpi_3, plain)                                                               \
    FUNCTION(Win_flush, rma, nothing, mpi_3, plain)                                                                    \
    FUNCTION(Win_flush_local, rma, nothing, mpi_3, plain)                                                              \
    FUNCTION(Win_flush_all, rma, nothing, mpi_3, plain)                                                                \
    FUNCTION(Win_flush_local_all, rma, nothing, mpi_3, plain)                                                          \
    FUNCTION(Win_sync, rma, nothing, mpi_3, plain)                                                                     \
    FUNCTION(Put, rma, sends, mpi_3, large)                                                                            \
    FUNCTION(Get, rma, receives, mpi_3, large)                                                                         \
    FUNCTION(Accumulate, rma, sends, mpi_3, large)                                                                     \
    FUNCTION(Get_accumulate, rma, both, mpi_3, large)                                                                  \
    FUNCTION(Fetch_and_op, rma, both, mpi_3, plain)                                                                    \
    FUNCTION(Compare_and_swap, rma, both, mpi_3, plain)                                                                \
    FUNCTION(Rput, rma, sends, mpi_3, large)                                                                           \
    FUNCTION(Rget, rma, receives, mpi_3, large)                                                                        \
    FUNCTION(Raccumulate, rma, sends, mpi_3, large)                                                                    \
    FUNCTION(Rget_accumulate, rma, both, mpi_3, large)                                                                 \
    FUNCTION(File_open, io, members, mpi_3, plain)                                                                     \
    FUNCTION(File_close, io, members, mpi_3, plain)                                                                    \
    FUNCTION(File_delete, io, nothing, mpi_3, plain)                                                                   \
    FUNCTION(File_set_size, io, members, mpi_3, plain)                                                                 \
    FUNCTION(File_preallocate, io, members, mpi_3, plain)                                                              \
    FUNCTION(File_get_size, io, nothing, mpi_3, plain)                                                                 \
    FUNCTION(File_set_view, io, nothing, mpi_3, plain)                                                                 \
    FUNCTION(File_set_info, io, nothing, mpi_3, plain)                                                                 \
    FUNCTION(File_set_atomicity, io, nothing, mpi_3, plain)                                                            \
    FUNCTION(File_sync, io, nothing, mpi_3, plain)                                                                     \
    FUNCTION(File_seek, io, nothing, mpi_3, plain)                                                                     \
    FUNCTION(File_seek_shared, io, nothing, mpi_3, plain)                                                              \
    FUNCTION(File_get_position_shared, io, nothing, mpi_3, plain)                                                      \
    FUNCTION(File_read, io, nothing, mpi_3, large)                                                                     \
    FUNCTION(File_read_at, io, nothing, mpi_3, large)                                                                  \
    FUNCTION(File_read_all, io, nothing, mpi_3, large)                                                                 \
    FUNCTION(File_read_at_all, io, nothing, mpi_3, large)                                                              \
    FUNCTION(File_read_shared, io, nothing, mpi_3, large)                                                              \
    FUNCTION(File_read_ordered, io, nothing, mpi_3, large)                                                             \
    FUNCTION(File_write, io, nothing, mpi_3, large)                                                                    \
    FUNCTION(File_write_at, io, nothing, mpi_3, large)                                                                 \
    FUNCTION(File_write_all, io, nothing, mpi_3, large)                                                                \
    FUNCTION(File_write_at_all, io, nothing, mpi_3, large)                                                             \
    FUNCTION(File_write_shared, io, nothing, mpi_3, large)                                                             \
    FUNCTION(File_write_ordered, io, nothing, mpi_3, large)                                                            \
    FUNCTION(File_iread, io, nothing, mpi_3, large)                                                                    \
    FUNCTION(File_iread_at, io, nothing, mpi_3, large)                                                                 \
    FUNCTION(File_iread_all, io, nothing, mpi_3, large)                                                                \
    FUNCTION(File_iread_at_all, io, nothing, mpi_3, large)                                                             \
    FUNCTION(File_iread_shared, io, nothing, mpi_3, large)                                                             \
    FUNCTION(File_iwrite, io, nothing, mpi_3, large)                                                                   \
    FUNCTION(File_iwrite_at, io, nothing, mpi_3, large)                                                                \
    FUNCTION(File_iwrite_all, io, nothing, mpi_3, large)                                                               \
    FUNCTION(File_iwrite_at_all, io, nothing, mpi_3, large)                                                            \
    FUNCTION(File_iwrite_shared, io, nothing, mpi_3, large)                                                            \
    FUNCTION(File_read_all_begin, io, nothing, mpi_3, large)                                                           \
    FUNCTION(File_read_all_end, io, nothing, mpi_3, plain)                                                             \
    FUNCTION(File_read_at_all_begin, io, nothing, mpi_3, large)                                                        \
    FUNCTION(File_read_at_all_end, io, nothing, mpi_3, plain)                                                          \
    FUNCTION(File_read_ordered_begin, io, nothing, mpi_3, large)                                                       \
    FUNCTION(File_read_ordered_end, io, nothing, mpi_3, plain)                                                         \
    FUNCTION(File_write_all_begin, io, nothing, mpi_3, large)                                                          \
    FUNCTION(File_write_all_end, io, nothing, mpi_3, plain)                                                            \
    FUNCTION(File_write_at_all_begin, io, nothing, mpi_3, large)                                                       \
    FUNCTION(File_write_at_all_end, io, nothing, mpi_3, plain)                                                         \
    FUNCTION(File_write_ordered_begin, io, nothing, mpi_3, large)                                                      \
    FUNCTION(File_write_ordered_end, io, nothing, mpi_3, plain)                                                        \
    FUNCTION(Comm_shrink, comm, nothing, ulfm, plain)                                                                  \
    FUNCTION(Comm_agree, comm, nothing, ulfm, plain)                                                                   \
    /* append above */
// clang-format on

#endif
