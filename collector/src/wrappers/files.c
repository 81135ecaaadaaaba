/* The wrappers of functions that open and close files, or handle their sizes, views and positions. */
#include <stdio.h>
#include <string.h>

#include "comm/registry.h"
#include "wrappers/object_calls.h"

static void register_file(MPI_File file, MPI_Comm comm, const char *path) {
    const char *slash = strrchr(path, '/');
    char name[MPI_MAX_OBJECT_NAME];
    snprintf(name, sizeof name, "file %s", slash ? slash + 1 : path);
    comm_register_object(HANDLE_BITS(file), COMM_ORIGIN_FILE, comm, name);
}

WRAPPER int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_File_open, CALLER, HANDLE_BITS(comm));
    call.error = pmpi.File_open(comm, path, mode, info, file);
    if (call.error == MPI_SUCCESS && !call_passed_on(&call))
        register_file(*file, comm, path);
    return object_call_leave(&call);
}

WRAPPER int MPI_File_close(MPI_File *file) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_File_close, CALLER, HANDLE_BITS(*file));
    struct comm *members = object_withdraw(HANDLE_BITS(*file));
    call.error = pmpi.File_close(file);
    comm_settle(members, call.error == MPI_SUCCESS);
    return object_call_leave(&call);
}

WRAPPER int MPI_File_set_size(MPI_File file, MPI_Offset size) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_File_set_size, CALLER, HANDLE_BITS(file));
    call.error = pmpi.File_set_size(file, size);
    return object_call_leave(&call);
}

WRAPPER int MPI_File_preallocate(MPI_File file, MPI_Offset size) {
    struct call call;
    object_call_enter(&call, FUNCTION_MPI_File_preallocate, CALLER, HANDLE_BITS(file));
    call.error = pmpi.File_preallocate(file, size);
    return object_call_leave(&call);
}

WRAPPER int MPI_File_delete(const char *path, MPI_Info info) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_delete, CALLER);
    call.error = pmpi.File_delete(path, info);
    return call_leave(&call);
}

WRAPPER int MPI_File_get_size(MPI_File file, MPI_Offset *size) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_get_size, CALLER);
    call.error = pmpi.File_get_size(file, size);
    return call_leave(&call);
}

WRAPPER int MPI_File_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype element, MPI_Datatype type,
                              const char *representation, MPI_Info info) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_set_view, CALLER);
    call.error = pmpi.File_set_view(file, displacement, element, type, representation, info);
    return call_leave(&call);
}

WRAPPER int MPI_File_set_info(MPI_File file, MPI_Info info) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_set_info, CALLER);
    call.error = pmpi.File_set_info(file, info);
    return call_leave(&call);
}

WRAPPER int MPI_File_set_atomicity(MPI_File file, int flag) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_set_atomicity, CALLER);
    call.error = pmpi.File_set_atomicity(file, flag);
    return call_leave(&call);
}

WRAPPER int MPI_File_sync(MPI_File file) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_sync, CALLER);
    call.error = pmpi.File_sync(file);
    return call_leave(&call);
}

WRAPPER int MPI_File_seek(MPI_File file, MPI_Offset offset, int whence) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_seek, CALLER);
    call.error = pmpi.File_seek(file, offset, whence);
    return call_leave(&call);
}

WRAPPER int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int whence) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_seek_shared, CALLER);
    call.error = pmpi.File_seek_shared(file, offset, whence);
    return call_leave(&call);
}

WRAPPER int MPI_File_get_position_shared(MPI_File file, MPI_Offset *offset) {
    struct call call;
    call_enter(&call, FUNCTION_MPI_File_get_position_shared, CALLER);
    call.error = pmpi.File_get_position_shared(file, offset);
    return call_leave(&call);
}
