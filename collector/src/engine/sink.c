/* The datatype and the block of memory behind every sink. */
#include "engine/sink.h"

enum { BLOCK_BYTES = 1 << 16 };

static char block[BLOCK_BYTES];
static MPI_Datatype datatype;
static bool is_open;

bool sink_open(void) {
    MPI_Datatype bytes;
    if (is_open)
        return true;
    if (pmpi.Type_contiguous(BLOCK_BYTES, MPI_BYTE, &bytes) != MPI_SUCCESS)
        return false;
    /* With extent 0, all blocks of a message overlap. */
    is_open =
        pmpi.Type_create_resized(bytes, 0, 0, &datatype) == MPI_SUCCESS && pmpi.Type_commit(&datatype) == MPI_SUCCESS;
    pmpi.Type_free(&bytes);
    return is_open;
}

void sink_close(void) {
    if (is_open)
        pmpi.Type_free(&datatype);
    is_open = false;
}

struct sink sink_for(int64_t bytes) {
    return (struct sink){block, datatype, (int)((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES)};
}
