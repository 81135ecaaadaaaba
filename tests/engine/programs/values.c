/* Datatypes, their operations and their data. */
#include "values.h"

#include <complex.h>
#include <string.h>

uint64_t random_next(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

int random_below(uint64_t *state, int bound) {
    return (int)((random_next(state) >> 33) % (uint64_t)bound);
}

const struct value_type *value_types(void) {
    static struct value_type types[64];
    int count = 0;
    if (types[0].name)
        return types;
#define ADD(TYPE, KIND, C) types[count++] = (struct value_type){#TYPE, TYPE, KIND, sizeof(C), sizeof(C), 0}
#define ADD_COMPLEX(TYPE, C)                                                                                           \
    types[count++] = (struct value_type){#TYPE, TYPE, KIND_COMPLEX, 2 * sizeof(C), sizeof(C), 0}
#define ADD_PAIR(TYPE, C, STRUCT)                                                                                      \
    types[count++] = (struct value_type){#TYPE, TYPE, KIND_PAIR, sizeof(STRUCT), sizeof(C), offsetof(STRUCT, index)}
    ADD(MPI_SIGNED_CHAR, KIND_INTEGER, char);
    ADD(MPI_UNSIGNED_CHAR, KIND_INTEGER, char);
    ADD(MPI_SHORT, KIND_INTEGER, short);
    ADD(MPI_UNSIGNED_SHORT, KIND_INTEGER, short);
    ADD(MPI_INT, KIND_INTEGER, int);
    ADD(MPI_UNSIGNED, KIND_INTEGER, int);
    ADD(MPI_LONG, KIND_INTEGER, long);
    ADD(MPI_UNSIGNED_LONG, KIND_INTEGER, long);
    ADD(MPI_LONG_LONG, KIND_INTEGER, long long);
    ADD(MPI_UNSIGNED_LONG_LONG, KIND_INTEGER, long long);
    ADD(MPI_INT8_T, KIND_INTEGER, int8_t);
    ADD(MPI_INT16_T, KIND_INTEGER, int16_t);
    ADD(MPI_INT32_T, KIND_INTEGER, int32_t);
    ADD(MPI_INT64_T, KIND_INTEGER, int64_t);
    ADD(MPI_UINT8_T, KIND_INTEGER, int8_t);
    ADD(MPI_UINT16_T, KIND_INTEGER, int16_t);
    ADD(MPI_UINT32_T, KIND_INTEGER, int32_t);
    ADD(MPI_UINT64_T, KIND_INTEGER, int64_t);
    ADD(MPI_AINT, KIND_INTEGER, MPI_Aint);
    ADD(MPI_OFFSET, KIND_INTEGER, MPI_Offset);
    ADD(MPI_COUNT, KIND_INTEGER, MPI_Count);
    ADD(MPI_INTEGER, KIND_INTEGER, int); /* MPI_Fint, for which the MPI standard's ABI has no type */
    ADD(MPI_FLOAT, KIND_FLOAT, float);
    ADD(MPI_DOUBLE, KIND_FLOAT, double);
    ADD(MPI_LONG_DOUBLE, KIND_FLOAT, long double);
    ADD(MPI_REAL, KIND_FLOAT, float);
    ADD(MPI_DOUBLE_PRECISION, KIND_FLOAT, double);
    ADD_COMPLEX(MPI_C_FLOAT_COMPLEX, float);
    ADD_COMPLEX(MPI_C_DOUBLE_COMPLEX, double);
    ADD_COMPLEX(MPI_C_LONG_DOUBLE_COMPLEX, long double);
    ADD(MPI_C_BOOL, KIND_LOGICAL, _Bool);
    ADD(MPI_LOGICAL, KIND_LOGICAL, int);
    ADD(MPI_BYTE, KIND_BYTE, char);
    struct float_int {
        float value;
        int index;
    };
    struct double_int {
        double value;
        int index;
    };
    struct long_int {
        long value;
        int index;
    };
    struct short_int {
        short value;
        int index;
    };
    struct two_int {
        int value;
        int index;
    };
    struct long_double_int {
        long double value;
        int index;
    };
    ADD_PAIR(MPI_FLOAT_INT, float, struct float_int);
    ADD_PAIR(MPI_DOUBLE_INT, double, struct double_int);
    ADD_PAIR(MPI_LONG_INT, long, struct long_int);
    ADD_PAIR(MPI_SHORT_INT, short, struct short_int);
    ADD_PAIR(MPI_2INT, int, struct two_int);
    ADD_PAIR(MPI_LONG_DOUBLE_INT, long double, struct long_double_int);
    return types;
}

const struct named_op *ops_of(enum kind kind) {
#define OP(NAME)                                                                                                       \
    {                                                                                                                  \
        #NAME, NAME                                                                                                    \
    }
    static struct named_op ops[KINDS][11];
    if (!ops[0][0].name) {
        const struct named_op table[KINDS][11] = {[KIND_INTEGER] = {OP(MPI_MAX), OP(MPI_MIN), OP(MPI_SUM), OP(MPI_PROD),
                                                                    OP(MPI_LAND), OP(MPI_LOR), OP(MPI_LXOR),
                                                                    OP(MPI_BAND), OP(MPI_BOR), OP(MPI_BXOR)},
                                                  [KIND_FLOAT] = {OP(MPI_MAX), OP(MPI_MIN), OP(MPI_SUM), OP(MPI_PROD)},
                                                  [KIND_COMPLEX] = {OP(MPI_SUM), OP(MPI_PROD)},
                                                  [KIND_LOGICAL] = {OP(MPI_LAND), OP(MPI_LOR), OP(MPI_LXOR)},
                                                  [KIND_BYTE] = {OP(MPI_BAND), OP(MPI_BOR), OP(MPI_BXOR)},
                                                  [KIND_PAIR] = {OP(MPI_MINLOC), OP(MPI_MAXLOC)}};
        memcpy(ops, table, sizeof ops);
    }
    return ops[kind];
}

static bool is_real(const struct value_type *type) {
    return type->kind == KIND_FLOAT || type->kind == KIND_COMPLEX || type->type == MPI_FLOAT_INT ||
           type->type == MPI_DOUBLE_INT || type->type == MPI_LONG_DOUBLE_INT;
}

static void set_real(void *target, size_t bytes, double value) {
    float f = (float)value;
    long double l = value;
    memcpy(target, bytes == sizeof f ? (void *)&f : bytes == sizeof value ? (void *)&value : (void *)&l, bytes);
}

static long double get_real(const void *source, size_t bytes) {
    float f;
    double d;
    long double l;
    if (bytes == sizeof f)
        return memcpy(&f, source, bytes), f;
    if (bytes == sizeof d)
        return memcpy(&d, source, bytes), d;
    return memcpy(&l, source, bytes), l;
}

void value_fill(const struct value_type *type, void *element, uint64_t *random) {
    /* Sums and products of a few of these values are exact in every precision. */
    static const double exact[] = {1, 2, 0.5, -1};
    char *target = element;
    if (type->kind == KIND_COMPLEX) {
        int turn = random_below(random, 4); /* 1, i, -1 or -i */
        set_real(target, type->part, turn == 0 ? 1 : turn == 2 ? -1 : 0);
        set_real(target + type->part, type->part, turn == 1 ? 1 : turn == 3 ? -1 : 0);
    } else if (is_real(type)) {
        set_real(target, type->part, exact[random_below(random, 4)]);
    } else if (type->kind == KIND_INTEGER && type->part <= 2) {
        /* Open MPI's vector code saturates 8- and 16-bit sums, so an overflow depends on the order. Values are 0, 1,
         * -1. */
        int is_signed = !strstr(type->name, "UNSIGNED") && !strstr(type->name, "UINT");
        int value = random_below(random, is_signed ? 3 : 2);
        memset(target, value == 2 ? 0xff : 0, type->part);
        target[0] = (char)(value == 2 ? -1 : value);
    } else {
        for (size_t i = 0; i < type->part; i++)
            target[i] = (char)(type->kind == KIND_LOGICAL || type->kind == KIND_PAIR ? 0 : random_next(random) >> 40);
        if (type->kind == KIND_LOGICAL || type->kind == KIND_PAIR)
            target[0] = (char)random_below(random, 2);
    }
    if (type->kind == KIND_PAIR) {
        int index = random_below(random, 100);
        memcpy(target + type->index_at, &index, sizeof index);
    }
}

bool value_equal(const struct value_type *type, const void *a, const void *b) {
    const char *x = a, *y = b;
    if (type->kind == KIND_PAIR && memcmp(x + type->index_at, y + type->index_at, sizeof(int)) != 0)
        return false;
    if (!is_real(type))
        return memcmp(x, y, type->part) == 0;
    return get_real(x, type->part) == get_real(y, type->part) &&
           (type->kind != KIND_COMPLEX || get_real(x + type->part, type->part) == get_real(y + type->part, type->part));
}
