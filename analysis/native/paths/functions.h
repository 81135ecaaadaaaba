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
    const char *flow;  // for a collective, or a call that all members make; else nullptr
    Leads leads;       // meaningful where there is a flow
    const char *moves; // for a function that is not a collective; else nullptr
};

// Every form of every function, in the order of the list.
const std::vector<Function> &functions();
// The function of this name; nullptr if it is not in the list.
const Function *find_function(const std::string &name);

// The direction of a path inside the library without hops. A function that is not in the list counts as a collective in
// which everybody waits for everybody.
Leads leads_of(const std::string &function);

// The category of time inside the library without hops.
Category library_of(const std::string &function);

// True for forms such as MPI_Ibcast and MPI_Bcast_init: the rank waits for the others in a different call.
bool returns_early(const std::string &function);

} // namespace hopscope::paths
