// What the name of an MPI function says about who waits for whom.
#pragma once

#include <string>

#include "columns.h"

namespace hopscope::paths {

// Where the library leads without hops, for an MPI function such as MPI_Bcast, MPI_Ibcast, MPI_Bcast_c.
Leads leads_of(const std::string &function);

// True for MPI_Ibcast and for MPI_Bcast_init: the rank waits for the others in another call than this one.
bool returns_early(const std::string &function);

} // namespace hopscope::paths
