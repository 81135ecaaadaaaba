/* What functions.h says, in OTF2's words. */
#include "assembly/functions.h"

struct function {
    const char *name;
    enum mpi_function_kind kind;
    OTF2_CollectiveOp op;
};

enum { OTF2_COLLECTIVE_OP_NONE = OTF2_COLLECTIVE_OP_BARRIER };

static const struct function functions[FUNCTION_COUNT] = {{"unknown", FUNCTION_KIND_OTHER, OTF2_COLLECTIVE_OP_NONE},
#define HOPSCOPE_FUNCTION_ROW(name, kind, op) {#name, FUNCTION_KIND_##kind, OTF2_COLLECTIVE_OP_##op},
                                                          MPI_FUNCTIONS(HOPSCOPE_FUNCTION_ROW)
#undef HOPSCOPE_FUNCTION_ROW
};

static const struct function *at(uint16_t function) {
    return &functions[function < FUNCTION_COUNT ? function : FUNCTION_NONE];
}

const char *function_name(uint16_t function) {
    return at(function)->name;
}

OTF2_CollectiveOp function_collective_op(uint16_t function) {
    return at(function)->op;
}

bool function_is_collective(uint16_t function) {
    switch (at(function)->kind) {
    case FUNCTION_KIND_COLL_ALL2ALL:
    case FUNCTION_KIND_COLL_ONE2ALL:
    case FUNCTION_KIND_COLL_ALL2ONE:
    case FUNCTION_KIND_COLL_OTHER:
    case FUNCTION_KIND_BARRIER:
        return true;
    default:
        return false;
    }
}

bool function_is_nonblocking(uint16_t function) {
    return function >= FUNCTION_MPI_Ibarrier && function <= FUNCTION_MPI_Ineighbor_alltoallw;
}

OTF2_RegionRole function_role(uint16_t function) {
    switch (at(function)->kind) {
    case FUNCTION_KIND_COLL_ALL2ALL:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case FUNCTION_KIND_COLL_ONE2ALL:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case FUNCTION_KIND_COLL_ALL2ONE:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case FUNCTION_KIND_COLL_OTHER:
        return OTF2_REGION_ROLE_COLL_OTHER;
    case FUNCTION_KIND_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case FUNCTION_KIND_P2P:
    case FUNCTION_KIND_WAIT:
        return OTF2_REGION_ROLE_POINT2POINT;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}
