/* The datatypes and operations that programs can name, and memory for their elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { TABLE_SIZE = 16 };
static struct type types[TABLE_SIZE];
static struct op ops[TABLE_SIZE];
static int type_count, op_count;

static struct type *add_type(const char *name, MPI_Datatype handle, enum base base, int parts, const int *offsets) {
    MPI_Aint lower;
    struct type *type = &types[type_count++];
    type->name = name;
    type->handle = handle;
    type->parts = parts;
    type->integers = base == BASE_I32;
    for (int i = 0; i < parts; i++) {
        type->part[i].offset = offsets[i];
        type->part[i].base = base;
    }
    MPI_Type_get_extent(handle, &lower, &type->extent);
    MPI_Type_get_true_extent(handle, &type->true_lower, &type->true_extent);
    return type;
}

static void add_op(const char *name, MPI_Op handle) {
    ops[op_count++] = (struct op){name, handle};
}

/* Composes x -> slope x + shift modulo 2^16, both in one integer. The composition is associative, but does not commute.
 * */
static uint32_t composed(uint32_t f, uint32_t g) {
    uint32_t slope = (f >> 16) * (g >> 16), shift = (f >> 16) * (g & 0xFFFF) + (f & 0xFFFF);
    return slope << 16 | (shift & 0xFFFF);
}

static uint32_t added(uint32_t a, uint32_t b) {
    return a + b;
}

static void combine(void *operand, void *inout, const int *count, const MPI_Datatype *datatype,
                    uint32_t (*operation)(uint32_t, uint32_t)) {
    const struct type *type = NULL;
    for (int i = 0; i < type_count; i++)
        if (types[i].handle == *datatype)
            type = &types[i];
    if (!type || !type->integers) {
        fprintf(stderr, "the operation was given a datatype that no call has\n");
        MPI_Abort(MPI_COMM_WORLD, 3);
        return;
    }
    for (int k = 0; k < *count; k++)
        for (int i = 0; i < type->parts; i++) {
            uint32_t a, b;
            char *left = (char *)operand + k * type->extent + type->part[i].offset;
            char *right = (char *)inout + k * type->extent + type->part[i].offset;
            memcpy(&a, left, sizeof a);
            memcpy(&b, right, sizeof b);
            b = operation(a, b);
            memcpy(right, &b, sizeof b);
        }
}

static void combine_in_order(void *operand, void *inout, int *count, MPI_Datatype *datatype) {
    combine(operand, inout, count, datatype, composed);
}

static void combine_any(void *operand, void *inout, int *count, MPI_Datatype *datatype) {
    combine(operand, inout, count, datatype, added);
}

void types_make(void) {
    static const int first[] = {0}, row[] = {0, 4, 8}, gap[] = {0, 12}, backwards[] = {0, -8, -16}, pair[] = {0, 4},
                     long_pair[] = {0, 8};
    MPI_Datatype derived[5];
    add_type("uchar", MPI_UNSIGNED_CHAR, BASE_U8, 1, first);
    add_type("short", MPI_SHORT, BASE_I16, 1, first);
    add_type("int", MPI_INT, BASE_I32, 1, first);
    add_type("long", MPI_LONG, BASE_I64, 1, first);
    add_type("float", MPI_FLOAT, BASE_F32, 1, first);
    add_type("double", MPI_DOUBLE, BASE_F64, 1, first);
    add_type("2int", MPI_2INT, BASE_I32, 2, pair);
    struct type *double_int = add_type("double_int", MPI_DOUBLE_INT, BASE_F64, 2, long_pair);
    double_int->part[1].base = BASE_I32;
    MPI_Type_contiguous(3, MPI_INT, &derived[0]);
    MPI_Type_vector(2, 1, 3, MPI_INT, &derived[1]);
    MPI_Type_vector(3, 1, -2, MPI_INT, &derived[2]);
    MPI_Type_create_resized(MPI_INT, 0, 12, &derived[3]);
    MPI_Type_create_resized(MPI_INT, 0, -8, &derived[4]);
    for (int i = 0; i < 5; i++)
        MPI_Type_commit(&derived[i]);
    add_type("contiguous", derived[0], BASE_I32, 3, row);
    add_type("holes", derived[1], BASE_I32, 2, gap);
    add_type("backwards", derived[2], BASE_I32, 3, backwards);
    add_type("padded", derived[3], BASE_I32, 1, first);
    add_type("downwards", derived[4], BASE_I32, 1, first);
    MPI_Op in_order, any_order;
    MPI_Op_create(combine_in_order, 0, &in_order);
    MPI_Op_create(combine_any, 1, &any_order);
    add_op("ordered", in_order);
    add_op("unordered", any_order);
    add_op("sum", MPI_SUM);
    add_op("prod", MPI_PROD);
    add_op("max", MPI_MAX);
    add_op("min", MPI_MIN);
    add_op("band", MPI_BAND);
    add_op("bxor", MPI_BXOR);
    add_op("land", MPI_LAND);
    add_op("lor", MPI_LOR);
    add_op("maxloc", MPI_MAXLOC);
    add_op("minloc", MPI_MINLOC);
}

void types_free(void) {
    for (int i = type_count - 5; i < type_count; i++)
        MPI_Type_free(&types[i].handle);
    for (int i = 0; i < 2; i++)
        MPI_Op_free(&ops[i].handle);
}

const struct type *type_named(const char *name) {
    for (int i = 0; i < type_count; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const struct op *op_named(const char *name) {
    for (int i = 0; i < op_count; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

struct buffer buffer_of(const struct type *type, int64_t count) {
    int64_t last = (count > 0 ? count - 1 : 0) * type->extent;
    int64_t low = type->true_lower + (last < 0 ? last : 0);
    int64_t high = type->true_lower + type->true_extent + (last > 0 ? last : 0);
    struct buffer buffer = {.bytes = (size_t)(high - low)};
    buffer.memory = malloc(buffer.bytes);
    if (!buffer.memory)
        MPI_Abort(MPI_COMM_WORLD, 4);
    memset(buffer.memory, 0xA5, buffer.bytes);
    buffer.base = buffer.memory - low;
    return buffer;
}

static void put(char *target, enum base base, uint64_t value) {
    uint8_t u8 = (uint8_t)value;
    int16_t i16 = (int16_t)value;
    uint32_t i32 = (uint32_t)value;
    int64_t i64 = (int64_t)value;
    float f32 = (float)value;
    double f64 = (double)value;
    const void *values[] = {&u8, &i16, &i32, &i64, &f32, &f64};
    const size_t bytes[] = {sizeof u8, sizeof i16, sizeof i32, sizeof i64, sizeof f32, sizeof f64};
    memcpy(target, values[base], bytes[base]);
}

uint64_t mixed(uint64_t value) {
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

void buffer_fill(const struct buffer *buffer, const struct type *type, const struct op *op, int64_t count,
                 uint64_t seed) {
    bool takes_all_values = type->integers && (!op || op == &ops[0] || op == &ops[1]);
    bool product = op && op->handle == MPI_PROD;
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < type->parts; i++) {
            uint64_t value = mixed(seed + (uint64_t)(k * 4 + i) * UINT64_C(0x9E3779B97F4A7C15));
            value = takes_all_values ? value : product ? 1 + value % 2 : value % 7;
            put(buffer->base + k * type->extent + type->part[i].offset, type->part[i].base, value);
        }
}

uint64_t hash_of(uint64_t hash, const void *data, size_t bytes) {
    for (const unsigned char *byte = data; bytes > 0; byte++, bytes--)
        hash = (hash ^ *byte) * UINT64_C(0x100000001B3);
    return hash;
}
