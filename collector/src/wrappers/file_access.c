/* The wrappers of functions that read and write files. */
#include "wrappers/forms.h"
#include "wrappers/transfer.h"

static struct transfer file_transfer(enum spool_transfer kind, MPI_File file, COUNT count, MPI_Datatype type) {
    return (struct transfer){.kind = kind, .object = HANDLE_BITS(file), .count = count, .type = type};
}

WRAPPER int MPI_FORM(File_read)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read, CALLER);
    call.error = PMPI_FORM(File_read)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_at)(MPI_File file, MPI_Offset offset, void *buffer, COUNT count, MPI_Datatype type,
                                   MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_at, CALLER);
    call.error = PMPI_FORM(File_read_at)(file, offset, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_all)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_all, CALLER);
    call.error = PMPI_FORM(File_read_all)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_at_all)(MPI_File file, MPI_Offset offset, void *buffer, COUNT count, MPI_Datatype type,
                                       MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_at_all, CALLER);
    call.error = PMPI_FORM(File_read_at_all)(file, offset, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_shared)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type,
                                       MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_shared, CALLER);
    call.error = PMPI_FORM(File_read_shared)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_ordered)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type,
                                        MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_ordered, CALLER);
    call.error = PMPI_FORM(File_read_ordered)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                 MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write, CALLER);
    call.error = PMPI_FORM(File_write)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_at)(MPI_File file, MPI_Offset offset, const void *buffer, COUNT count,
                                    MPI_Datatype type, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_at, CALLER);
    call.error = PMPI_FORM(File_write_at)(file, offset, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_all)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                     MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_all, CALLER);
    call.error = PMPI_FORM(File_write_all)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_at_all)(MPI_File file, MPI_Offset offset, const void *buffer, COUNT count,
                                        MPI_Datatype type, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_at_all, CALLER);
    call.error = PMPI_FORM(File_write_at_all)(file, offset, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_shared)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                        MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_shared, CALLER);
    call.error = PMPI_FORM(File_write_shared)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_ordered)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                         MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_ordered, CALLER);
    call.error = PMPI_FORM(File_write_ordered)(file, buffer, count, type, status);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_iread)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iread, CALLER);
    call.error = PMPI_FORM(File_iread)(file, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_READ, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iread_at)(MPI_File file, MPI_Offset offset, void *buffer, COUNT count, MPI_Datatype type,
                                    MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iread_at, CALLER);
    call.error = PMPI_FORM(File_iread_at)(file, offset, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_READ, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iread_all)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type,
                                     MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iread_all, CALLER);
    call.error = PMPI_FORM(File_iread_all)(file, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_READ_ALL, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iread_at_all)(MPI_File file, MPI_Offset offset, void *buffer, COUNT count, MPI_Datatype type,
                                        MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iread_at_all, CALLER);
    call.error = PMPI_FORM(File_iread_at_all)(file, offset, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_READ_ALL, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iread_shared)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type,
                                        MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iread_shared, CALLER);
    call.error = PMPI_FORM(File_iread_shared)(file, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_READ, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iwrite)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                  MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iwrite, CALLER);
    call.error = PMPI_FORM(File_iwrite)(file, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_WRITE, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iwrite_at)(MPI_File file, MPI_Offset offset, const void *buffer, COUNT count,
                                     MPI_Datatype type, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iwrite_at, CALLER);
    call.error = PMPI_FORM(File_iwrite_at)(file, offset, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_WRITE, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iwrite_all)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                      MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iwrite_all, CALLER);
    call.error = PMPI_FORM(File_iwrite_all)(file, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_WRITE_ALL, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iwrite_at_all)(MPI_File file, MPI_Offset offset, const void *buffer, COUNT count,
                                         MPI_Datatype type, MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iwrite_at_all, CALLER);
    call.error = PMPI_FORM(File_iwrite_at_all)(file, offset, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_WRITE_ALL, file, count, type), request);
}

WRAPPER int MPI_FORM(File_iwrite_shared)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type,
                                         MPI_Request *request) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_iwrite_shared, CALLER);
    call.error = PMPI_FORM(File_iwrite_shared)(file, buffer, count, type, request);
    return transfer_leave(&call, file_transfer(SPOOL_WRITE, file, count, type), request);
}

WRAPPER int MPI_FORM(File_read_all_begin)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_all_begin, CALLER);
    call.error = PMPI_FORM(File_read_all_begin)(file, buffer, count, type);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_at_all_begin)(MPI_File file, MPI_Offset offset, void *buffer, COUNT count,
                                             MPI_Datatype type) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_at_all_begin, CALLER);
    call.error = PMPI_FORM(File_read_at_all_begin)(file, offset, buffer, count, type);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_read_ordered_begin)(MPI_File file, void *buffer, COUNT count, MPI_Datatype type) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_ordered_begin, CALLER);
    call.error = PMPI_FORM(File_read_ordered_begin)(file, buffer, count, type);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_all_begin)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_all_begin, CALLER);
    call.error = PMPI_FORM(File_write_all_begin)(file, buffer, count, type);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_at_all_begin)(MPI_File file, MPI_Offset offset, const void *buffer, COUNT count,
                                              MPI_Datatype type) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_at_all_begin, CALLER);
    call.error = PMPI_FORM(File_write_at_all_begin)(file, offset, buffer, count, type);
    return call_leave(&call);
}

WRAPPER int MPI_FORM(File_write_ordered_begin)(MPI_File file, const void *buffer, COUNT count, MPI_Datatype type) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_ordered_begin, CALLER);
    call.error = PMPI_FORM(File_write_ordered_begin)(file, buffer, count, type);
    return call_leave(&call);
}

#ifndef LARGE_COUNT

WRAPPER int MPI_File_read_all_end(MPI_File file, void *buffer, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_all_end, CALLER);
    call.error = pmpi.File_read_all_end(file, buffer, status);
    return call_leave(&call);
}

WRAPPER int MPI_File_read_at_all_end(MPI_File file, void *buffer, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_at_all_end, CALLER);
    call.error = pmpi.File_read_at_all_end(file, buffer, status);
    return call_leave(&call);
}

WRAPPER int MPI_File_read_ordered_end(MPI_File file, void *buffer, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_read_ordered_end, CALLER);
    call.error = pmpi.File_read_ordered_end(file, buffer, status);
    return call_leave(&call);
}

WRAPPER int MPI_File_write_all_end(MPI_File file, const void *buffer, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_all_end, CALLER);
    call.error = pmpi.File_write_all_end(file, buffer, status);
    return call_leave(&call);
}

WRAPPER int MPI_File_write_at_all_end(MPI_File file, const void *buffer, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_at_all_end, CALLER);
    call.error = pmpi.File_write_at_all_end(file, buffer, status);
    return call_leave(&call);
}

WRAPPER int MPI_File_write_ordered_end(MPI_File file, const void *buffer, MPI_Status *status) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_write_ordered_end, CALLER);
    call.error = pmpi.File_write_ordered_end(file, buffer, status);
    return call_leave(&call);
}

#endif
