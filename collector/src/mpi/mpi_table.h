/* A table of the MPI library's functions and predefined handles, which are looked up when MPI_Init is entered. The
 * preload is not linked to an MPI library, because that would load a second library into processes that have their own.
 *
 * Include this file instead of <mpi.h> everywhere in the preload, and call pmpi.Send(...), never PMPI_Send(...). Open
 * MPI's predefined handles are addresses of library data; here they are entries of the table. So MPI_INT and the like
 * are not constants: they cannot initialise statics or label cases.
 */
#ifndef HOPSCOPE_MPI_TABLE_H
#define HOPSCOPE_MPI_TABLE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schemas/mpi_functions.h"

#if defined OMPI_MAJOR_VERSION && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

/* 1 if this library has the functions of MPI-4's large counts, of the rest of MPI-4, and of MPI-4.1. Open MPI 5 reports
 * MPI_VERSION 3 but has all of MPI-4 except large counts. */
#define HOPSCOPE_MPI_LARGE_COUNTS (MPI_VERSION >= 4)
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define HOPSCOPE_MPI_4 1
#else
#define HOPSCOPE_MPI_4 0
#endif
#define HOPSCOPE_MPI_4_1 (MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1))
/* 1 if this library has functions of later standards under the name MPIX_...: persistent collectives (Open MPI 4), and
 * the functions for jobs that survive failures (ULFM). */
#if !HOPSCOPE_MPI_4 && defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HOPSCOPE_MPIX_PERSISTENT 1
#else
#define HOPSCOPE_MPIX_PERSISTENT 0
#endif
#if defined OMPI_HAVE_MPI_EXT_FTMPI || (defined MPICH_NUMVERSION && !defined MPI_ABI)
#define HOPSCOPE_MPIX_ULFM 1
/* The mpi.h of a library with MPICH's ABI may not declare these functions. */
int PMPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *handle);
int PMPIX_Comm_agree(MPI_Comm comm, int *flag);
#else
#define HOPSCOPE_MPIX_ULFM 0
#endif
/* The list that MPI_Pready_list takes is const from MPI-4.1 on. */
#if HOPSCOPE_MPI_4_1
#define HOPSCOPE_LIST_OF_PARTITIONS const
#else
#define HOPSCOPE_LIST_OF_PARTITIONS
#endif

/* The list of all library functions that the collector calls, as PMPI_FUNCTION(name). Define PMPI_FUNCTION before you
 * use the list. It has the wrapped functions of the library, and the following further ones. */
// clang-format off
#define PMPI_FURTHER_FUNCTIONS(X)                                                                                      \
    X(Initialized) X(Finalized) X(Query_thread) X(Get_library_version) X(Get_processor_name) X(Wtime)                  \
    X(Test_cancelled) X(Status_set_cancelled) X(Get_count) X(Get_elements_x) X(Comm_get_name) X(Comm_size)             \
    X(Comm_rank) X(Comm_remote_size) X(Comm_test_inter) X(Comm_group) X(Comm_remote_group) X(Comm_get_parent)          \
    X(Comm_compare) X(Comm_get_attr) X(Comm_set_errhandler) X(Comm_get_errhandler) X(Comm_call_errhandler)             \
    X(Errhandler_free) X(Error_class) X(Topo_test) X(Cartdim_get) X(Graph_neighbors_count)                             \
    X(Dist_graph_neighbors_count) X(Group_size) X(Group_rank) X(Group_translate_ranks) X(Group_free) X(Group_incl)     \
    X(Group_union) X(Group_difference) X(Type_size) X(Type_size_x) X(Type_get_extent) X(Type_get_extent_x)             \
    X(Type_get_true_extent) X(Type_get_true_extent_x) X(Type_get_envelope) X(Type_get_contents) X(Type_commit)         \
    X(Type_free) X(Type_contiguous) X(Type_dup) X(Type_create_hindexed) X(Type_create_resized) X(Pack) X(Unpack)       \
    X(Pack_size) X(Reduce_local) X(Op_commutative) X(Op_create) X(Op_free) X(Win_shared_query)              \
    X(Alloc_mem) X(Free_mem) X(Grequest_start) X(Grequest_complete)
// clang-format on

#define PMPI_mpi_3(name) PMPI_FUNCTION(name)
#if HOPSCOPE_MPI_4
#define PMPI_mpi_4(name) PMPI_FUNCTION(name)
#else
#define PMPI_mpi_4(name)
#endif
#if HOPSCOPE_MPI_4_1
#define PMPI_mpi_4_1(name) PMPI_FUNCTION(name)
#else
#define PMPI_mpi_4_1(name)
#endif
#define PMPI_ulfm(name)
#define PMPI_plain(name)
#if HOPSCOPE_MPI_LARGE_COUNTS
#define PMPI_large(name) PMPI_FUNCTION(name##_c)
#else
#define PMPI_large(name)
#endif

// clang-format off
#define PMPI_WRAPPED(name, kind, moves, since, counts) PMPI_##since(name) PMPI_##counts(name)
#define PMPI_WRAPPED_COLLECTIVE(name, nonblocking, flow, operation, counts)                                            \
    PMPI_FUNCTION(name) PMPI_FUNCTION(nonblocking) PMPI_mpi_4(name##_init)                                             \
    PMPI_##counts(name) PMPI_##counts(nonblocking) PMPI_##counts(name##_init)
#define PMPI_ALL_FUNCTIONS                                                                                             \
    MPI_FUNCTIONS(PMPI_WRAPPED, PMPI_WRAPPED_COLLECTIVE)                                                               \
    PMPI_FURTHER_FUNCTIONS(PMPI_FUNCTION) PMPI_mpi_4(Group_from_session_pset)
// clang-format on

/* The list of the functions that are called MPIX_... in this library, as PMPIX_FUNCTION(name). A build of the library
 * may lack them. */
#define PMPIX_mpi_3(name)
#define PMPIX_mpi_4(name)
#define PMPIX_mpi_4_1(name)
#if HOPSCOPE_MPIX_ULFM
#define PMPIX_ulfm(name) PMPIX_FUNCTION(name)
#else
#define PMPIX_ulfm(name)
#endif
#if HOPSCOPE_MPIX_PERSISTENT
#define PMPIX_COLLECTIVE(name, ...) PMPIX_FUNCTION(name##_init)
#else
#define PMPIX_COLLECTIVE(...)
#endif
#define PMPIX_WRAPPED(name, kind, moves, since, counts) PMPIX_##since(name)
#define PMPIX_FUNCTIONS MPI_FUNCTIONS(PMPIX_WRAPPED, PMPIX_COLLECTIVE)

struct pmpi_table {
#define PMPI_FUNCTION(name) __typeof__(PMPI_##name) *name;
#define PMPIX_FUNCTION(name) __typeof__(PMPIX_##name) *name;
    PMPI_ALL_FUNCTIONS PMPIX_FUNCTIONS
#undef PMPI_FUNCTION
#undef PMPIX_FUNCTION
};

/* pmpi_library: the library's own functions. pmpi_next: the functions to which wrappers pass calls on. The two differ
 * only in functions that another tool, loaded after us, defines too (chain.h). mpi_table_resolve fills both;
 * before that all entries are NULL. In wrappers, which are compiled with HOPSCOPE_PASSES_ON, pmpi means pmpi_next. */
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

/* Fills both tables at the first call; later calls return the first call's result. False with a message if the process
 * has no MPI library, or not the one for which this preload was built. */
bool mpi_table_resolve(char *message, size_t capacity);

/* Finds a function of the process's MPI library, even if the preload was built for another library. NULL if the library
 * lacks the function, or if there is no library. Call it after mpi_table_resolve. */
void *mpi_table_of_library(const char *name);

#endif
