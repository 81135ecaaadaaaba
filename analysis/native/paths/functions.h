// Properties of MPI functions from schemas/mpi_functions.h, by name.
#pragma once

#include <string>
#include <vector>

#include "columns.h"

namespace hopscope::paths {

enum class FunctionKind : int8_t {
    init,
    finalize,
    abort,
    control,
    comm,
    p2p,
    wait,
    test,
    look,
    rma,
    io,
    collective,
    nonblocking, // MPI_Ibcast
    persistent,  // MPI_Bcast_init
};

struct Function {
    const char *name; // MPI_Ibcast_c
    FunctionKind kind;
    const char *kind_word;
    const char *flow;  // for a collective, and what all members call; else nullptr
    Leads leads;       // where there is a flow
    const char *moves; // for a function that is no collective, else nullptr
};

// Every form of every function, in the order of the list.
const std::vector<Function> &functions();
// nullptr: not in the list.
const Function *find_function(const std::string &name);

// The direction of a path inside the library without hops. A function outside the list is only known to be a
// collective.
Leads leads_of(const std::string &function);

// The category of the time in the library without hops.
Category library_of(const std::string &function);

// True for MPI_Ibcast and for MPI_Bcast_init: the rank waits for the others in a different call.
bool returns_early(const std::string &function);

} // namespace hopscope::paths
