/* Checks the arguments of a collective and counts its bytes. Checks only the buffers that MPI uses on this rank. */
#include "engine/arguments.h"

#include "engine/inquiry.h"
#include "engine/operators.h"
#include "hopscope/functions.h"
#include "mpi/type_bytes.h"

enum operation operation_of(int function) {
    /* Operation + 1, so that 0 marks an unlisted function. */
    static const unsigned char operations[FUNCTION_COUNT] = {
#define OPERATION(id, name, ...) [FUNCTION_MPI_##name] = 1 + OPERATION_##id,
        OPERATION_TABLE(OPERATION)
#undef OPERATION
    };
    return operations[function] ? (enum operation)(operations[function] - 1) : OPERATIONS;
}

/* True if the library accepts a buffer's address. A buffer of no bytes may have any address. */
static bool address_is_sound(const void *base, MPI_Datatype datatype, uint64_t bytes) {
    return bytes == 0 || base == MPI_IN_PLACE || inquiry_accepts_address(base, datatype);
}

/* Checks a buffer whose count and datatype are equal on every rank. */
static bool shape_is_sound(const struct engine_buffer *buffer, uint64_t *bytes) {
    if (buffer->count < 0 || !inquiry_accepts_datatype(buffer->datatype))
        return false;
    *bytes = buffer->count > 0 ? type_bytes(buffer->datatype) * (uint64_t)buffer->count : 0;
    return true;
}

static bool is_sound(const struct engine_buffer *buffer, uint64_t *bytes) {
    return shape_is_sound(buffer, bytes) && address_is_sound(buffer->base, buffer->datatype, *bytes);
}

/* Checks a buffer with a count for each rank. Sets *bytes to the size of all its blocks. */
static bool all_are_sound(const struct engine_call *call, const struct engine_buffer *buffer, uint64_t *bytes) {
    *bytes = 0;
    if (!buffer->datatypes && !inquiry_accepts_datatype(buffer->datatype))
        return false;
    for (int rank = 0; rank < call->comm->size; rank++) {
        int64_t count = buffer_count(call, buffer, rank);
        MPI_Datatype datatype = buffer_datatype(buffer, rank);
        if (count < 0)
            return false;
        if (count == 0) /* MPI then allows any datatype */
            continue;
        if (buffer->datatypes && !inquiry_accepts_datatype(datatype))
            return false;
        uint64_t block = (uint64_t)count * type_bytes(datatype);
        if (!address_is_sound(buffer->base, datatype, block))
            return false;
        *bytes += block;
    }
    return true;
}

/* Checks a reduction's buffers, which share one count and one datatype. has_result: this rank gets a result; only then
 * does MPI write the receive buffer. */
static bool reduction_is_sound(const struct engine_call *call, uint64_t bytes, bool has_result) {
    MPI_Datatype datatype = call->receive.datatype;
    return operator_fits(call->op, datatype) && address_is_sound(call->send.base, datatype, bytes) &&
           (!has_result || address_is_sound(call->receive.base, datatype, bytes));
}

static bool root_is_sound(const struct engine_call *call) {
    return call->root >= 0 && call->root < call->comm->size;
}

/* Checks two buffers with equal blocks. Sets *bytes to the size of the first buffer, or of the second if this rank does
 * not use the first. The sizes differ only in an erroneous program. The first then counts, because the other members
 * know its size too. */
static bool blocks_are_sound(const struct engine_buffer *first, const struct engine_buffer *second, uint64_t *bytes) {
    uint64_t second_bytes = 0;
    if (first->base == MPI_IN_PLACE)
        return is_sound(second, bytes);
    if (second->base == MPI_IN_PLACE)
        return is_sound(first, bytes);
    if (!is_sound(first, bytes) || !is_sound(second, &second_bytes))
        return false;
    if (*bytes == 0)
        *bytes = second_bytes;
    return true;
}

/* The root has the blocks of all ranks. Every other rank has only its own block, which must not be in place. */
static bool rooted_blocks_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    bool gathers = operation_input(operation) == CONTENT_OWN;
    const struct engine_buffer *block = gathers ? &call->send : &call->receive;
    const struct engine_buffer *blocks = gathers ? &call->receive : &call->send;
    bool in_place = block->base == MPI_IN_PLACE, is_even = operation_is_even(operation);
    uint64_t ignored_bytes = 0;
    if (call->comm->rank != call->root)
        return !in_place && is_sound(block, is_even ? bytes : &ignored_bytes);
    if (is_even)
        return blocks_are_sound(block, blocks, bytes);
    return all_are_sound(call, blocks, &ignored_bytes) && (in_place || is_sound(block, &ignored_bytes));
}

static bool operands_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    bool has_result = !operation_has_root(operation) || call->comm->rank == call->root;
    if (!has_result && call->send.base == MPI_IN_PLACE)
        return false;
    bool sound = operation_is_even(operation) ? shape_is_sound(&call->receive, bytes)
                                              : all_are_sound(call, &call->receive, bytes);
    if (!sound || !reduction_is_sound(call, *bytes, has_result))
        return false;
    if (operation_is_even(operation) && operation_has_blocks(operation))
        *bytes *= (uint64_t)call->comm->size;
    return true;
}

static bool shapes_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    const struct engine_buffer *send = &call->send, *receive = &call->receive;
    uint64_t ignored_bytes = 0;
    if (operation_input(operation) == CONTENT_NOTHING)
        return true;
    if (operation_reduces(operation))
        return operands_are_sound(call, operation, bytes);
    if (!operation_has_blocks(operation))
        return is_sound(receive, bytes);
    if (operation_has_root(operation))
        return rooted_blocks_are_sound(call, operation, bytes);
    if (operation_is_even(operation))
        return blocks_are_sound(receive, send, bytes);
    if (!all_are_sound(call, receive, operation_hides_bytes(operation) ? &ignored_bytes : bytes))
        return false;
    return send->base == MPI_IN_PLACE ||
           (operation_input(operation) == CONTENT_OWN ? is_sound(send, &ignored_bytes)
                                                      : all_are_sound(call, send, &ignored_bytes));
}

bool arguments_are_sound(const struct engine_call *call, enum operation operation, uint64_t *bytes) {
    *bytes = 0;
    return (!operation_has_root(operation) || root_is_sound(call)) && shapes_are_sound(call, operation, bytes) &&
           inquiry_accepts_buffers(call, operation);
}
