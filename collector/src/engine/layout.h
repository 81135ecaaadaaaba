/* The layout of a datatype's elements in memory, and how to pack them.
 *
 * Reductions work on the user's datatype. All their buffers have the user's layout, so a user-defined operation finds
 * the gaps, lower bounds and negative extents that it expects. Data movement uses packed bytes, because members may use
 * different datatypes with equal signatures.
 */
#ifndef HOPSCOPE_LAYOUT_H
#define HOPSCOPE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/mpi_table.h"

struct layout {
    MPI_Count extent, lower, true_lower, true_extent;
    bool gapless; /* a predefined datatype without gaps, so memcpy can copy its elements */
};

/* The layout of a datatype. unit_bytes: packed size of one element; if 0, the datatype may be invalid and has no
 * layout. */
struct layout layout_of(MPI_Datatype datatype, int64_t unit_bytes);

/* Packs count elements into `packed`, or unpacks them from there if `packs` is false. Returns MPI's error code. */
int layout_pack(char *user, int64_t count, MPI_Datatype datatype, const struct layout *layout, int64_t unit_bytes,
                char *packed, bool packs, MPI_Comm comm);

#endif
