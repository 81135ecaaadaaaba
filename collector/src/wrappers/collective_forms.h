/* The forms of one collective: MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, and each of them with large counts (_c).
 *
 * collectives.c and neighborhoods.c are one text for all six: compiled as it stands it gives the blocking forms with
 * int counts; LARGE_COUNT, NONBLOCKING and PERSISTENT, defined before, choose the others. A wrapper is written as if
 * it were the blocking one; what the others have besides are the parameters at the end, and that their leave records a
 * request instead of the end of the operation. The engine serves blocking forms only.
 */
#ifndef HOPSCOPE_COLLECTIVE_FORMS_H
#define HOPSCOPE_COLLECTIVE_FORMS_H

#include "wrappers/forms.h"
#include "wrappers/started.h"

#if defined NONBLOCKING
#define FORM_OF(name) NONBLOCKING_##name
#define FORM_PARAMETERS , MPI_Request *request
#define FORM_ARGUMENTS , request
#define collective_leave(call, sent, received) nonblocking_leave(call, sent, received, *request)
#elif defined PERSISTENT
#define FORM_OF(name) name##_init
#define FORM_PARAMETERS , MPI_Info info, MPI_Request *request
#define FORM_ARGUMENTS , info, request
#define collective_enter persistent_enter
#define collective_leave(call, sent, received) persistent_leave(call, sent, received, *request)
#else
#define FORM_OF(name) name
#define FORM_PARAMETERS
#define FORM_ARGUMENTS
#endif

#if defined NONBLOCKING || defined PERSISTENT
#define collective_concerns_engine(call) ((void)(call), false)
#endif

#ifdef LARGE_COUNT
#define SUFFIXED(name) name##_c
#else
#define SUFFIXED(name) name
#endif

#define JOINED(prefix, name) prefix##name
#define JOIN(prefix, name) JOINED(prefix, name)
#define SUFFIX(name) SUFFIXED(name)
#define COLLECTIVE(name) JOIN(MPI_, SUFFIX(FORM_OF(name)))
#define PMPI_COLLECTIVE(name) pmpi.SUFFIX(FORM_OF(name))
#define FUNCTION_OF(name) JOIN(FUNCTION_MPI_, FORM_OF(name))

#define NONBLOCKING_Barrier Ibarrier
#define NONBLOCKING_Bcast Ibcast
#define NONBLOCKING_Reduce Ireduce
#define NONBLOCKING_Allreduce Iallreduce
#define NONBLOCKING_Gather Igather
#define NONBLOCKING_Gatherv Igatherv
#define NONBLOCKING_Scatter Iscatter
#define NONBLOCKING_Scatterv Iscatterv
#define NONBLOCKING_Allgather Iallgather
#define NONBLOCKING_Allgatherv Iallgatherv
#define NONBLOCKING_Alltoall Ialltoall
#define NONBLOCKING_Alltoallv Ialltoallv
#define NONBLOCKING_Alltoallw Ialltoallw
#define NONBLOCKING_Reduce_scatter Ireduce_scatter
#define NONBLOCKING_Reduce_scatter_block Ireduce_scatter_block
#define NONBLOCKING_Scan Iscan
#define NONBLOCKING_Exscan Iexscan
#define NONBLOCKING_Neighbor_allgather Ineighbor_allgather
#define NONBLOCKING_Neighbor_allgatherv Ineighbor_allgatherv
#define NONBLOCKING_Neighbor_alltoall Ineighbor_alltoall
#define NONBLOCKING_Neighbor_alltoallv Ineighbor_alltoallv
#define NONBLOCKING_Neighbor_alltoallw Ineighbor_alltoallw

#endif
