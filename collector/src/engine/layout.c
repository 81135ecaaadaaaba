/* Gets the layout of a datatype from MPI, and packs elements with MPI. */
#include "engine/layout.h"

struct layout layout_of(MPI_Datatype datatype, int64_t unit_bytes) {
    struct layout l = {.gapless = true};
    if (unit_bytes == 0) /* the datatype may be invalid, and no layout is needed */
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

/* Makes a datatype of absolute addresses relative to `anchor`, because MPICH does not pack from MPI_BOTTOM. */
static int anchored(MPI_Datatype absolute, const void *anchor, MPI_Datatype *relative) {
    int block_length = 1;
    MPI_Aint displacement = -(MPI_Aint)anchor;
    int error = pmpi.Type_create_hindexed(1, &block_length, &displacement, absolute, relative);
    return error == MPI_SUCCESS ? pmpi.Type_commit(relative) : error;
}

/* MPI counts packed bytes in int, so long messages are packed in pieces of whole elements. */
int layout_pack(char *user, int64_t elements, MPI_Datatype user_datatype, const struct layout *l, int64_t unit_bytes,
                char *packed, bool packs, MPI_Comm comm) {
    const int64_t max_piece_bytes = INT64_C(1) << 30;
    int64_t piece = unit_bytes > max_piece_bytes || unit_bytes == 0 ? 1 : max_piece_bytes / unit_bytes;
    MPI_Datatype datatype = user_datatype;
    int error = MPI_SUCCESS;
    if (user == MPI_BOTTOM) {
        user = (char *)&datatype;
        error = anchored(user_datatype, user, &datatype);
    }
    for (int64_t packed_elements = 0; packed_elements < elements && unit_bytes > 0 && error == MPI_SUCCESS;
         packed_elements += piece) {
        int count = (int)(elements - packed_elements < piece ? elements - packed_elements : piece), position = 0;
        int bytes = (int)(count * unit_bytes);
        char *element = user + packed_elements * l->extent, *packed_piece = packed + packed_elements * unit_bytes;
        if (packs)
            error = pmpi.Pack(element, count, datatype, packed_piece, bytes, &position, comm);
        else
            error = pmpi.Unpack(packed_piece, bytes, &position, element, count, datatype, comm);
    }
    if (datatype != user_datatype)
        pmpi.Type_free(&datatype);
    return error;
}
