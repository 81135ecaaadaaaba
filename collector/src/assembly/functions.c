/* Translates mpi_functions.h into OTF2's terms. */
#include "assembly/functions.h"

enum form { NO_COLLECTIVE, BLOCKING, NONBLOCKING, PERSISTENT };

struct function {
    const char *name;
    enum form form;
    OTF2_RegionRole role;
    OTF2_CollectiveOp operation; /* set for all forms of a collective */
    bool is_collective;          /* also true for calls other than collectives that all members make */
};

/* The OTF2 role for each kind of function and, for collectives, for each flow of data. A barrier moves no data. */
#define ROLE_init OTF2_REGION_ROLE_FUNCTION
#define ROLE_finalize OTF2_REGION_ROLE_FUNCTION
#define ROLE_abort OTF2_REGION_ROLE_FUNCTION
#define ROLE_control OTF2_REGION_ROLE_FUNCTION
#define ROLE_comm OTF2_REGION_ROLE_FUNCTION
#define ROLE_p2p OTF2_REGION_ROLE_POINT2POINT
#define ROLE_wait OTF2_REGION_ROLE_POINT2POINT
#define ROLE_test OTF2_REGION_ROLE_POINT2POINT
#define ROLE_look OTF2_REGION_ROLE_POINT2POINT
#define ROLE_rma OTF2_REGION_ROLE_RMA
#define ROLE_io OTF2_REGION_ROLE_FILE_IO
#define ROLE_all OTF2_REGION_ROLE_COLL_ALL2ALL
#define ROLE_from_root OTF2_REGION_ROLE_COLL_ONE2ALL
#define ROLE_to_root OTF2_REGION_ROLE_COLL_ALL2ONE
#define ROLE_scan OTF2_REGION_ROLE_COLL_OTHER
#define ROLE_exscan OTF2_REGION_ROLE_COLL_OTHER
#define ROLE_neighbours OTF2_REGION_ROLE_COLL_OTHER
#define ROLE_OF(flow, operation)                                                                                       \
    (OTF2_COLLECTIVE_OP_##operation == OTF2_COLLECTIVE_OP_BARRIER ? OTF2_REGION_ROLE_BARRIER : ROLE_##flow)

#define BY_MEMBERS_sends false
#define BY_MEMBERS_receives false
#define BY_MEMBERS_both false
#define BY_MEMBERS_nothing false
#define BY_MEMBERS_members true
#define ROW(name, kind, moves, ...)                                                                                    \
    {"MPI_" #name, NO_COLLECTIVE, ROLE_##kind, OTF2_COLLECTIVE_OP_BARRIER, BY_MEMBERS_##moves},
#define ROWS(name, nonblocking, flow, operation, ...)                                                                  \
    {"MPI_" #name, BLOCKING, ROLE_OF(flow, operation), OTF2_COLLECTIVE_OP_##operation, false},                         \
        {"MPI_" #nonblocking, NONBLOCKING, ROLE_OF(flow, operation), OTF2_COLLECTIVE_OP_##operation, false},           \
        {"MPI_" #name "_init", PERSISTENT, OTF2_REGION_ROLE_FUNCTION, OTF2_COLLECTIVE_OP_##operation, false},

static const struct function functions[FUNCTION_COUNT] = {
    {"unknown", NO_COLLECTIVE, OTF2_REGION_ROLE_FUNCTION, 0, false}, MPI_FUNCTIONS(ROW, ROWS)};

static const struct function *entry_of(uint16_t function) {
    return &functions[function < FUNCTION_COUNT ? function : FUNCTION_NONE];
}

const char *function_name(uint16_t function) {
    return entry_of(function)->name;
}

OTF2_CollectiveOp function_collective_op(uint16_t function) {
    return entry_of(function)->operation;
}

bool function_is_collective(uint16_t function, uint32_t comm) {
    const struct function *entry = entry_of(function);
    return entry->form == BLOCKING || entry->form == NONBLOCKING || (entry->is_collective && comm);
}

bool function_is_nonblocking(uint16_t function) {
    return entry_of(function)->form == NONBLOCKING;
}

OTF2_RegionRole function_role(uint16_t function) {
    return entry_of(function)->role;
}
