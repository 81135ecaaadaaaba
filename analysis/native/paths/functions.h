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
    nonblocking, // such as MPI_Ibcast
    persistent,  // such as MPI_Bcast_init
};

struct Function {
    const char *name; // such as MPI_Ibcast_c
    FunctionKind kind;
    const char *kind_word;
    const char *flow;  // the flow of its data, such as "to_root"; nullptr if not all members make the call
    Leads leads;       // meaningful only if flow is not nullptr
    const char *moves; // the direction of its messages, such as "receives"; nullptr for a collective
};

// Every form of every function, such as MPI_Bcast, MPI_Ibcast and MPI_Bcast_init_c, in the order of the list.
const std::vector<Function> &functions();
// The function of this name; nullptr if it is not in the list.
const Function *find_function(const std::string &name);

// The direction of a critical path through a call of this function without hops. A function that is not in the list
// counts as a collective in which every rank waits for all others.
Leads leads_of(const std::string &function);

// The category of time in a call of this function if the trace has no hops for it.
Category library_of(const std::string &function);

// True for forms such as MPI_Ibcast and MPI_Bcast_init, after which the rank waits for the others in a later call.
bool returns_early(const std::string &function);

} // namespace hopscope::paths
