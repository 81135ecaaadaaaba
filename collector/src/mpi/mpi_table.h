/* The MPI library below us. The preload is not linked against it (it would pull a second one into processes that
 * bring their own), so functions and predefined handles are looked up when MPI_Init is entered.
 *
 * Include this instead of <mpi.h> in everything that is part of the preload: call pmpi.Send(...), never PMPI_Send(...).
 * Under Open MPI predefined handles are addresses of the library's data; here they become entries of a table, so
 * MPI_INT and the like are no constants: they cannot initialise statics or label cases.
 */
#ifndef HOPSCOPE_MPI_TABLE_H
#define HOPSCOPE_MPI_TABLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What this library has beyond MPI 3.1. Open MPI 5 says MPI_VERSION 3 and has all of MPI-4 but the large counts. */
#define HOPSCOPE_MPI_LARGE_COUNTS (MPI_VERSION >= 4)
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define HOPSCOPE_MPI_PERSISTENT_COLLECTIVES 1
#define HOPSCOPE_MPI_SESSIONS 1
#define HOPSCOPE_MPI_PARTITIONED 1 /* and MPI_Isendrecv */
#else
#define HOPSCOPE_MPI_PERSISTENT_COLLECTIVES 0
#define HOPSCOPE_MPI_SESSIONS 0
#define HOPSCOPE_MPI_PARTITIONED 0
#endif
#define HOPSCOPE_MPI_REQUEST_STATUSES (MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1))
/* MPI_Pready_list's list is const from MPI-4.1 on. */
#if HOPSCOPE_MPI_REQUEST_STATUSES
#define HOPSCOPE_LIST_OF_PARTITIONS const
#else
#define HOPSCOPE_LIST_OF_PARTITIONS
#endif

/* Every function of the library that the collector calls. */
// clang-format off
#define PMPI_FUNCTIONS(X)                                                                                              \
    X(Init) X(Init_thread) X(Finalize) X(Initialized) X(Finalized) X(Query_thread) X(Abort)                            \
    X(Get_library_version) X(Get_processor_name) X(Wtime) X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Gather)         \
    X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv) X(Alltoall) X(Alltoallv) X(Alltoallw)                 \
    X(Reduce_scatter) X(Reduce_scatter_block) X(Scan) X(Exscan) X(Neighbor_allgather) X(Neighbor_allgatherv)           \
    X(Neighbor_alltoall) X(Neighbor_alltoallv) X(Neighbor_alltoallw) X(Send) X(Bsend) X(Ssend) X(Rsend) X(Recv)        \
    X(Mrecv) X(Sendrecv) X(Sendrecv_replace) X(Isend) X(Ibsend) X(Issend) X(Irsend) X(Irecv) X(Imrecv)                 \
    X(Send_init) X(Bsend_init) X(Ssend_init) X(Rsend_init) X(Recv_init) X(Start) X(Startall) X(Cancel)                 \
    X(Request_free) X(Wait) X(Waitall) X(Waitany) X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome)                \
    X(Probe) X(Iprobe) X(Mprobe) X(Improbe) X(Test_cancelled) X(Request_get_status) X(Status_set_cancelled)            \
    X(Get_count) X(Get_elements_x) X(Comm_dup) X(Comm_dup_with_info) X(Comm_idup) X(Comm_split)                        \
    X(Comm_split_type) X(Comm_create) X(Comm_create_group) X(Cart_create) X(Cart_sub) X(Graph_create)                  \
    X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) X(Comm_spawn)            \
    X(Comm_spawn_multiple) X(Comm_accept) X(Comm_connect) X(Comm_join) X(Comm_free) X(Comm_disconnect)                 \
    X(Comm_set_name) X(Comm_get_name) X(Comm_size) X(Comm_rank) X(Comm_remote_size) X(Comm_test_inter)                 \
    X(Comm_group) X(Comm_remote_group) X(Comm_get_parent) X(Comm_compare) X(Comm_get_attr) X(Comm_set_errhandler) X(Comm_get_errhandler) \
    X(Comm_call_errhandler) X(Errhandler_free) X(Error_class) X(Topo_test) X(Cartdim_get)                              \
    X(Graph_neighbors_count) X(Dist_graph_neighbors_count) X(Group_size) X(Group_rank) X(Group_translate_ranks)        \
    X(Group_free) X(Group_incl) X(Group_union) X(Group_difference) X(Type_size) X(Type_size_x) X(Type_get_extent) X(Type_get_extent_x)                    \
    X(Type_get_true_extent) X(Type_get_true_extent_x) X(Type_get_envelope) X(Type_get_contents) X(Type_commit)         \
    X(Type_free) X(Type_contiguous) X(Type_dup) X(Type_create_hindexed) X(Type_create_resized) X(Pack) X(Unpack)       \
    X(Pack_size) X(Reduce_local) X(Op_commutative) X(Op_create) X(Op_free) X(Win_allocate_shared) X(Win_shared_query)  \
    X(Win_free) X(Alloc_mem) X(Free_mem) X(Pcontrol)

/* Nonblocking collectives. */
#define PMPI_NONBLOCKING_FUNCTIONS(X)                                                                                  \
    X(Ibarrier) X(Ibcast) X(Ireduce) X(Iallreduce) X(Igather) X(Igatherv) X(Iscatter) X(Iscatterv) X(Iallgather)       \
    X(Iallgatherv) X(Ialltoall) X(Ialltoallv) X(Ialltoallw) X(Ireduce_scatter) X(Ireduce_scatter_block) X(Iscan)       \
    X(Iexscan) X(Ineighbor_allgather) X(Ineighbor_allgatherv) X(Ineighbor_alltoall) X(Ineighbor_alltoallv)             \
    X(Ineighbor_alltoallw)

/* Persistent collectives, where the library has them. */
#if HOPSCOPE_MPI_PERSISTENT_COLLECTIVES
#define PMPI_PERSISTENT_FUNCTIONS(X)                                                                                   \
    X(Barrier_init) X(Bcast_init) X(Reduce_init) X(Allreduce_init) X(Gather_init) X(Gatherv_init)                      \
    X(Scatter_init) X(Scatterv_init) X(Allgather_init) X(Allgatherv_init) X(Alltoall_init) X(Alltoallv_init)           \
    X(Alltoallw_init) X(Reduce_scatter_init) X(Reduce_scatter_block_init) X(Scan_init) X(Exscan_init)                  \
    X(Neighbor_allgather_init) X(Neighbor_allgatherv_init) X(Neighbor_alltoall_init) X(Neighbor_alltoallv_init)        \
    X(Neighbor_alltoallw_init)
#else
#define PMPI_PERSISTENT_FUNCTIONS(X)
#endif

/* Sessions and what came with them, where the library has them. */
#if HOPSCOPE_MPI_SESSIONS
#define PMPI_SESSION_FUNCTIONS(X)                                                                                      \
    X(Session_init) X(Session_finalize) X(Group_from_session_pset) X(Comm_idup_with_info) X(Comm_create_from_group)                               \
    X(Intercomm_create_from_groups)
#else
#define PMPI_SESSION_FUNCTIONS(X)
#endif

/* Partitioned messages, and a send and a receive in one request, where the library has them. */
#if HOPSCOPE_MPI_PARTITIONED
#define PMPI_PARTITIONED_FUNCTIONS(X)                                                                                  \
    X(Psend_init) X(Precv_init) X(Pready) X(Pready_range) X(Pready_list) X(Parrived) X(Isendrecv) X(Isendrecv_replace)
#else
#define PMPI_PARTITIONED_FUNCTIONS(X)
#endif

/* MPI-4.1. */
#if HOPSCOPE_MPI_REQUEST_STATUSES
#define PMPI_STATUS_FUNCTIONS(X)                                                                                       \
    X(Request_get_status_all) X(Request_get_status_any) X(Request_get_status_some)
#else
#define PMPI_STATUS_FUNCTIONS(X)
#endif

/* The large-count forms, where the library has them. */
#if HOPSCOPE_MPI_LARGE_COUNTS
#define PMPI_LARGE_FUNCTIONS(X)                                                                                        \
    X(Bcast_c) X(Reduce_c) X(Allreduce_c) X(Gather_c) X(Gatherv_c) X(Scatter_c) X(Scatterv_c) X(Allgather_c)           \
    X(Allgatherv_c) X(Alltoall_c) X(Alltoallv_c) X(Alltoallw_c) X(Reduce_scatter_c) X(Reduce_scatter_block_c)          \
    X(Scan_c) X(Exscan_c) X(Send_c) X(Bsend_c) X(Ssend_c) X(Rsend_c) X(Recv_c) X(Mrecv_c) X(Sendrecv_c)                \
    X(Sendrecv_replace_c) X(Neighbor_allgather_c) X(Neighbor_allgatherv_c) X(Neighbor_alltoall_c)                      \
    X(Neighbor_alltoallv_c) X(Neighbor_alltoallw_c) X(Isend_c) X(Ibsend_c) X(Issend_c) X(Irsend_c) X(Irecv_c)          \
    X(Imrecv_c) X(Send_init_c) X(Bsend_init_c) X(Ssend_init_c) X(Rsend_init_c) X(Recv_init_c)                          \
    X(Ibcast_c) X(Ireduce_c) X(Iallreduce_c) X(Igather_c) X(Igatherv_c) X(Iscatter_c) X(Iscatterv_c)                   \
    X(Iallgather_c) X(Iallgatherv_c) X(Ialltoall_c) X(Ialltoallv_c) X(Ialltoallw_c) X(Ireduce_scatter_c)               \
    X(Ireduce_scatter_block_c) X(Iscan_c) X(Iexscan_c) X(Ineighbor_allgather_c) X(Ineighbor_allgatherv_c)              \
    X(Ineighbor_alltoall_c) X(Ineighbor_alltoallv_c) X(Ineighbor_alltoallw_c) X(Bcast_init_c) X(Reduce_init_c)         \
    X(Allreduce_init_c) X(Gather_init_c) X(Gatherv_init_c) X(Scatter_init_c) X(Scatterv_init_c)                        \
    X(Allgather_init_c) X(Allgatherv_init_c) X(Alltoall_init_c) X(Alltoallv_init_c) X(Alltoallw_init_c)                \
    X(Reduce_scatter_init_c) X(Reduce_scatter_block_init_c) X(Scan_init_c) X(Exscan_init_c)                            \
    X(Neighbor_allgather_init_c) X(Neighbor_allgatherv_init_c) X(Neighbor_alltoall_init_c)                             \
    X(Neighbor_alltoallv_init_c) X(Neighbor_alltoallw_init_c) X(Isendrecv_c) X(Isendrecv_replace_c)
#else
#define PMPI_LARGE_FUNCTIONS(X)
#endif
#define PMPI_ALL_FUNCTIONS(X)                                                                                          \
    PMPI_FUNCTIONS(X) PMPI_NONBLOCKING_FUNCTIONS(X) PMPI_PERSISTENT_FUNCTIONS(X) PMPI_SESSION_FUNCTIONS(X)       \
    PMPI_PARTITIONED_FUNCTIONS(X) PMPI_STATUS_FUNCTIONS(X)                                                             \
    PMPI_LARGE_FUNCTIONS(X)
// clang-format on

struct pmpi_table {
#define HOPSCOPE_TABLE_ENTRY(name) __typeof__(PMPI_##name) *name;
    PMPI_ALL_FUNCTIONS(HOPSCOPE_TABLE_ENTRY)
#undef HOPSCOPE_TABLE_ENTRY
};

/* The library's own functions, and those that the wrappers pass calls on to: the same, but for the functions that
 * another tool defines too where both shall see the calls (see chain.h). Filled by mpi_table_resolve; all entries are
 * NULL before. The wrappers are built with HOPSCOPE_PASSES_ON: what they call pmpi is the second. */
extern struct pmpi_table pmpi_library, pmpi_next;
#ifdef HOPSCOPE_PASSES_ON
#define pmpi pmpi_next
#else
#define pmpi pmpi_library
#endif

#ifdef OMPI_MPI_H
#include "mpi/mpi_handles.h"

struct openmpi_handles {
#define HOPSCOPE_HANDLE_ENTRY(symbol) void *symbol;
    OPENMPI_HANDLES(HOPSCOPE_HANDLE_ENTRY)
#undef HOPSCOPE_HANDLE_ENTRY
};

extern struct openmpi_handles openmpi_handles;

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, symbol) ((type)openmpi_handles.symbol)
#endif

/* Looks everything up, once; later calls return the first answer. False with a sentence if the process has no MPI
 * library, or another one than this preload was built for. */
bool mpi_table_resolve(char *message, size_t capacity);

/* What the process's MPI library calls by that name, also if it is another one; NULL if it has no such function, or
 * there is no library. After mpi_table_resolve. */
void *mpi_table_of_library(const char *name);

#endif
