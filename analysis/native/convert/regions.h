/* What a region is to the converter. */
#pragma once

#include <string>

namespace hopscope {

enum class RegionKind {
    Collective, /* a call of a collective, blocking or not */
    Init,
    Finalize,
    PointToPoint,
    Wait,
    Communicator,
    InputOutput,
    OtherMpi,
    User,     /* anything that is not MPI */
    Overhead, /* the collector's own time */
    Off,      /* recording was stopped */
    HopWait,  /* inside a collective: nothing to do but wait */
    Combine,
    Copy,
};

/* The region's name without what some tools add: "MPI_Send()" is MPI_Send. */
std::string plain_name(const std::string &name);

/* The C function that a name of a Fortran binding or of the profiling interface means: mpi_allreduce_, MPI_ALLREDUCE
 * and PMPI_Allreduce are MPI_Allreduce. Any other name as it is. */
std::string c_function_name(const std::string &name);

/* Whose a region is, by its paradigm. */
enum class RegionOwner { Measurement, User, Other };

/* From the plain name and whose it is. */
RegionKind classify_region(const std::string &name, RegionOwner owner);

/* The word of intervals.kind. */
const char *interval_kind(RegionKind kind);

inline bool is_mpi(RegionKind kind) {
    return kind <= RegionKind::OtherMpi;
}

/* MPI, the collector's own time, or none of it known: what lies outside is computing. */
inline bool interrupts_computing(RegionKind kind) {
    return is_mpi(kind) || kind == RegionKind::Overhead || kind == RegionKind::Off;
}

} // namespace hopscope
