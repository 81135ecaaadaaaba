/* The forms of one collective: MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, and each of them with large counts (_c).
 *
 * The code in collectives.c and neighborhoods.c serves all six forms. Compiled alone it gives the blocking forms with
 * int counts. The other files define LARGE_COUNT, NONBLOCKING or PERSISTENT and include it, to get the other forms. The
 * code reads like the blocking form. In the other forms, the macros below add parameters at the end, and the leave
 * records a request instead of the end of the operation. The engine runs blocking forms only.
 */
#ifndef HOPSCOPE_COLLECTIVE_FORMS_H
#define HOPSCOPE_COLLECTIVE_FORMS_H

#include "function_names.h"
#include "wrappers/forms.h"
#include "wrappers/started.h"

#if defined NONBLOCKING
#define FORM_OF(name) NONBLOCKING_##name
#define FORM_PARAMETERS , MPI_Request *request
#define FORM_ARGUMENTS , request
#define collective_enter nonblocking_enter
#define collective_leave(call, sent, received) nonblocking_leave(call, sent, received, request)
#elif defined PERSISTENT
#define FORM_OF(name) name##_init
#define FORM_PARAMETERS , MPI_Info info, MPI_Request *request
#define FORM_ARGUMENTS , info, request
#define collective_enter persistent_enter
#define collective_leave(call, sent, received) persistent_leave(call, sent, received, request)
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
#if defined PERSISTENT && HOPSCOPE_MPIX_PERSISTENT
#define PREFIX MPIX_
#else
#define PREFIX MPI_
#endif
#define COLLECTIVE(name) JOIN(PREFIX, SUFFIX(FORM_OF(name)))
#define PMPI_COLLECTIVE(name) pmpi.SUFFIX(FORM_OF(name))
#define FUNCTION_OF(name) JOIN(FUNCTION_MPI_, FORM_OF(name))

#endif
