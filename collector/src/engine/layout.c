/* Gets layouts from MPI and packs with MPI. */
#include "engine/layout.h"

struct layout layout_of(MPI_Datatype datatype, int64_t unit_bytes) {
    struct layout l = {.gapless = true};
    if (unit_bytes == 0) /* the datatype may be invalid then, and nothing needs a place */
        return l;
    int integers, addresses, datatypes, combiner = 0;
    pmpi.Type_get_extent_x(datatype, &l.lower, &l.extent);
    pmpi.Type_get_true_extent_x(datatype, &l.true_lower, &l.true_extent);
    pmpi.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
    /* A derived datatype may list its bytes in any order, so only a predefined one is certainly contiguous. */
    l.gapless =
        combiner == MPI_COMBINER_NAMED && l.true_lower == 0 && l.extent == unit_bytes && l.true_extent == unit_bytes;
    return l;
}

/* MPICH does not pack from MPI_BOTTOM, so an absolute datatype is made relative to one of our addresses. */
static int anchored(MPI_Datatype absolute, const void *anchor, MPI_Datatype *relative) {
    int one = 1;
    MPI_Aint displacement = -(MPI_Aint)anchor;
    int error = pmpi.Type_create_hindexed(1, &one, &displacement, absolute, relative);
    return error == MPI_SUCCESS ? pmpi.Type_commit(relative) : error;
}

/* MPI counts packed bytes in int, so long messages are packed in pieces of whole elements. */
int layout_pack(char *user, int64_t elements, MPI_Datatype users, const struct layout *l, int64_t unit_bytes,
                char *packed, bool in, MPI_Comm comm) {
    const int64_t most = INT64_C(1) << 30;
    int64_t piece = unit_bytes > most || unit_bytes == 0 ? 1 : most / unit_bytes;
    MPI_Datatype datatype = users;
    int error = MPI_SUCCESS;
    if (user == MPI_BOTTOM) {
        user = (char *)&datatype;
        error = anchored(users, user, &datatype);
    }
    for (int64_t done = 0; done < elements && unit_bytes > 0 && error == MPI_SUCCESS; done += piece) {
        int count = (int)(elements - done < piece ? elements - done : piece), position = 0;
        int bytes = (int)(count * unit_bytes);
        char *there = user + done * l->extent, *at = packed + done * unit_bytes;
        if (in)
            error = pmpi.Pack(there, count, datatype, at, bytes, &position, comm);
        else
            error = pmpi.Unpack(at, bytes, &position, there, count, datatype, comm);
    }
    if (datatype != users)
        pmpi.Type_free(&datatype);
    return error;
}
