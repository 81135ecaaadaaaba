/* A program is a text file of steps, which every rank reads and executes:
 *
 *   lane                                       the next steps run in their own thread, with their own communicators;
 *                                              the first communicators are made before any thread starts
 *   dup PARENT                                 dup, split and create make the lane's next communicator; number 0 is a
 *                                              duplicate of MPI_COMM_WORLD
 *   split PARENT COLOURS ABSENT BACKWARDS
 *   create PARENT MODULUS BACKWARDS
 *   free COMM
 *   noise COMM SHIFT BYTES LATER               every rank sends to the rank SHIFT further on; LATER: the next step runs
 *                                              while these messages are under way
 *   collective NAME COMM ROOT COUNT TYPE OP IN_PLACE MIXED SEED
 *
 * Roots are taken modulo the communicator's size. MIXED: odd ranks use another datatype with the same signature (not in
 * reductions).
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum base { BASE_U8, BASE_I16, BASE_I32, BASE_I64, BASE_F32, BASE_F64 };

/* The parts of one element of a datatype, so that buffers are filled and operations computed without MPI. */
struct type {
    const char *name;
    MPI_Datatype handle;
    int parts;
    struct {
        int offset;
        enum base base;
    } part[4];
    MPI_Aint extent, true_lower, true_extent;
    bool integers; /* every part is a BASE_I32 */
};

struct op {
    const char *name;
    MPI_Op handle;
};

void types_make(void);
void types_free(void);
/* NULL if there is none with this name. */
const struct type *type_named(const char *name);
const struct op *op_named(const char *name);

/* Memory for elements 0 to count - 1. It contains a pattern where no value was stored. */
struct buffer {
    char *memory, *base;
    size_t bytes;
};

struct buffer buffer_of(const struct type *type, int64_t count);
/* Fills the buffer with small values that every operation computes exactly. For the user's own operations any values
 * will do. */
void buffer_fill(const struct buffer *buffer, const struct type *type, const struct op *op, int64_t count,
                 uint64_t seed);

uint64_t mixed(uint64_t value);
uint64_t hash_of(uint64_t hash, const void *data, size_t bytes);

struct collective {
    char name[32];
    int root, count;
    const struct type *type;
    const struct op *op;
    bool in_place, mixed;
    unsigned seed;
};

/* Computes the hash of all memory that the call may have written, holes included. False if the operation is unknown. */
bool collective_execute(const struct collective *call, MPI_Comm comm, uint64_t *hash);

#endif
