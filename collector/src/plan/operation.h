/* The collective operations that the engine can run, and their properties. */
#ifndef HOPSCOPE_OPERATION_H
#define HOPSCOPE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

/* OPERATION(id, name, does, root, input, output, lengths)
 *   name            the name of the MPI function, without MPI_
 *   does            reduces: it combines operands and has an MPI_Op; moves: it only moves data
 *   root            rooted: the call names a root; rootless
 *   input, output   the data that a rank (or, if only the root has any, the root) passes in and gets:
 *                   WHOLE    one message of the same length on all ranks
 *                   OWN      the rank's own block
 *                   EACH     a block for each rank, or from each
 *                   NOTHING
 *   lengths         the lengths of the blocks. EVEN: all are equal. KNOWN: all members know all lengths. HIDDEN:
 * members know only their own, so no decision may depend on the number of bytes, not even on its being 0
 */
// clang-format off
#define OPERATION_TABLE(OPERATION)                                                                                     \
    OPERATION(ALLREDUCE, Allreduce, reduces, rootless, WHOLE, WHOLE, EVEN)                                             \
    OPERATION(REDUCE, Reduce, reduces, rooted, WHOLE, WHOLE, EVEN)                                                     \
    OPERATION(BCAST, Bcast, moves, rooted, WHOLE, WHOLE, EVEN)                                                         \
    OPERATION(BARRIER, Barrier, moves, rootless, NOTHING, NOTHING, EVEN)                                               \
    OPERATION(GATHER, Gather, moves, rooted, OWN, EACH, EVEN)                                                          \
    OPERATION(GATHERV, Gatherv, moves, rooted, OWN, EACH, HIDDEN)                                                      \
    OPERATION(SCATTER, Scatter, moves, rooted, EACH, OWN, EVEN)                                                        \
    OPERATION(SCATTERV, Scatterv, moves, rooted, EACH, OWN, HIDDEN)                                                    \
    OPERATION(ALLGATHER, Allgather, moves, rootless, OWN, EACH, EVEN)                                                  \
    OPERATION(ALLGATHERV, Allgatherv, moves, rootless, OWN, EACH, KNOWN)                                               \
    OPERATION(ALLTOALL, Alltoall, moves, rootless, EACH, EACH, EVEN)                                                   \
    OPERATION(ALLTOALLV, Alltoallv, moves, rootless, EACH, EACH, HIDDEN)                                               \
    OPERATION(ALLTOALLW, Alltoallw, moves, rootless, EACH, EACH, HIDDEN)                                               \
    OPERATION(REDUCE_SCATTER, Reduce_scatter, reduces, rootless, EACH, OWN, KNOWN)                                     \
    OPERATION(REDUCE_SCATTER_BLOCK, Reduce_scatter_block, reduces, rootless, EACH, OWN, EVEN)                          \
    OPERATION(SCAN, Scan, reduces, rootless, WHOLE, WHOLE, EVEN)                                                       \
    OPERATION(EXSCAN, Exscan, reduces, rootless, WHOLE, WHOLE, EVEN)                                                   \
    /* append above */
// clang-format on

enum operation {
#define OPERATION(id, ...) OPERATION_##id,
    OPERATION_TABLE(OPERATION)
#undef OPERATION
        OPERATIONS
};

enum operation_content { CONTENT_NOTHING, CONTENT_WHOLE, CONTENT_OWN, CONTENT_EACH };

static inline uint32_t operation_bit(enum operation operation) {
    return UINT32_C(1) << operation;
}

/* The name of the MPI function, such as `MPI_Allreduce`. */
const char *operation_name(enum operation operation);
/* The operation with that name; OPERATIONS if there is none. */
enum operation operation_named(const char *name);

bool operation_reduces(enum operation operation);
bool operation_has_root(enum operation operation);
/* only_up: true if data flows only to the root. only_down: true if data flows only from the root. Over a tree, the role
 * for the other direction then does not run. */
bool operation_only_up(enum operation operation);
bool operation_only_down(enum operation operation);
/* True if each member knows only the lengths of its own blocks (HIDDEN). */
bool operation_hides_bytes(enum operation operation);
/* True if all blocks have the same length (EVEN). */
bool operation_is_even(enum operation operation);
/* True if the input or the output consists of blocks. */
bool operation_has_blocks(enum operation operation);
enum operation_content operation_input(enum operation operation);
enum operation_content operation_output(enum operation operation);

#endif
