/* The wrappers of functions for one-sided communication. */
#include "wrappers/forms.h"
#include "wrappers/transfer.h"

WRAPPER int MPI_FORM(Put)(const void *origin, COUNT count, MPI_Datatype type, int target, MPI_Aint displacement,
                          COUNT target_count, MPI_Datatype target_type, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Put, CALLER);
    call.error = PMPI_FORM(Put)(origin, count, type, target, displacement, target_count, target_type, window);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(Get)(void *origin, COUNT count, MPI_Datatype type, int target, MPI_Aint displacement,
                          COUNT target_count, MPI_Datatype target_type, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Get, CALLER);
    call.error = PMPI_FORM(Get)(origin, count, type, target, displacement, target_count, target_type, window);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(Accumulate)(const void *origin, COUNT count, MPI_Datatype type, int target, MPI_Aint displacement,
                                 COUNT target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Accumulate, CALLER);
    call.error =
        PMPI_FORM(Accumulate)(origin, count, type, target, displacement, target_count, target_type, operation, window);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(Get_accumulate)(const void *origin, COUNT count, MPI_Datatype type, void *result,
                                     COUNT result_count, MPI_Datatype result_type, int target, MPI_Aint displacement,
                                     COUNT target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Get_accumulate, CALLER);
    call.error = PMPI_FORM(Get_accumulate)(origin, count, type, result, result_count, result_type, target, displacement,
                                           target_count, target_type, operation, window);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(Rput)(const void *origin, COUNT count, MPI_Datatype type, int target, MPI_Aint displacement,
                           COUNT target_count, MPI_Datatype target_type, MPI_Win window, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Rput, CALLER);
    call.error = PMPI_FORM(Rput)(origin, count, type, target, displacement, target_count, target_type, window, request);
    return transfer_leave(&call, (struct transfer){SPOOL_PUT, HANDLE_BITS(window), count, type, target}, request);
}

WRAPPER int MPI_FORM(Rget)(void *origin, COUNT count, MPI_Datatype type, int target, MPI_Aint displacement,
                           COUNT target_count, MPI_Datatype target_type, MPI_Win window, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Rget, CALLER);
    call.error = PMPI_FORM(Rget)(origin, count, type, target, displacement, target_count, target_type, window, request);
    return transfer_leave(&call, (struct transfer){SPOOL_GET, HANDLE_BITS(window), count, type, target}, request);
}

WRAPPER int MPI_FORM(Raccumulate)(const void *origin, COUNT count, MPI_Datatype type, int target, MPI_Aint displacement,
                                  COUNT target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window,
                                  MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Raccumulate, CALLER);
    call.error = PMPI_FORM(Raccumulate)(origin, count, type, target, displacement, target_count, target_type, operation,
                                        window, request);
    return transfer_leave(&call, (struct transfer){SPOOL_ACCUMULATE, HANDLE_BITS(window), count, type, target},
                          request);
}

WRAPPER int MPI_FORM(Rget_accumulate)(const void *origin, COUNT count, MPI_Datatype type, void *result,
                                      COUNT result_count, MPI_Datatype result_type, int target, MPI_Aint displacement,
                                      COUNT target_count, MPI_Datatype target_type, MPI_Op operation, MPI_Win window,
                                      MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Rget_accumulate, CALLER);
    call.error = PMPI_FORM(Rget_accumulate)(origin, count, type, result, result_count, result_type, target,
                                            displacement, target_count, target_type, operation, window, request);
    return transfer_leave(
        &call, (struct transfer){SPOOL_GET_ACCUMULATE, HANDLE_BITS(window), result_count, result_type, target},
        request);
}

#ifndef LARGE_COUNT

WRAPPER int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint displacement,
                             MPI_Op operation, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Fetch_and_op, CALLER);
    call.error = pmpi.Fetch_and_op(origin, result, type, target, displacement, operation, window);
    return call_leave(&call);
}

WRAPPER int MPI_Compare_and_swap(const void *origin, const void *comparison, void *result, MPI_Datatype type,
                                 int target, MPI_Aint displacement, MPI_Win window) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_Compare_and_swap, CALLER);
    call.error = pmpi.Compare_and_swap(origin, comparison, result, type, target, displacement, window);
    return call_leave(&call);
}

#endif
