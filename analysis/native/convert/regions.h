/* Classifies a trace's regions, which are mostly MPI functions, by their names. */
#pragma once

#include <string>

#include "../paths/columns.h"

namespace hopscope {

enum class RegionKind {
    Collective, /* a call of a collective, blocking or not */
    Init,
    Finalize,
    PointToPoint,
    Wait,
    Communicator,
    InputOutput,
    OneSided,
    OtherMpi,
    User,     /* anything that is not MPI */
    Overhead, /* the collector's own time */
    Pause,    /* recording was paused */
    Idle,     /* the location's thread had ended, and its next thread had not begun */
    Join,     /* waiting for a thread to end */
    Tool,     /* another tool's own call of MPI */
    HopWait,  /* inside a collective, time in which the engine can only wait for hops */
    Combine,
    Copy,
};

/* The region's name without the additions of some tools: "MPI_Send()" becomes MPI_Send. */
std::string plain_name(const std::string &name);

/* The C function behind a name of a Fortran binding or the profiling interface: mpi_allreduce_, MPI_ALLREDUCE and
 * PMPI_Allreduce become MPI_Allreduce. Other names stay as they are. */
std::string c_function_name(const std::string &name);

/* The origin of a region: the tracing tool, the program's author, or neither as far as OTF2's paradigm tells. */
enum class RegionOwner { Measurement, User, Unspecified };

/* The kind of a region with this plain name and owner. */
RegionKind classify_region(const std::string &name, RegionOwner owner);

/* True for a function that creates a communicator and that all members of its communicator argument must call, such as
 * MPI_Comm_split. */
bool members_create(const std::string &name);

/* The kind of a send function. It determines what the end of the send proves about the receiver. */
paths::SendCall send_call_of(const std::string &name);

/* The part of an MPI function in polling: it looks for a message, it may receive the message that was found, or it does
 * neither. */
enum class Polling { no, looks, receives };
Polling polling_of(const std::string &name);

/* The kinds of requests that a call waited for or tested, as far as events tell. Requests of collectives count as
 * messages. A sum of these tells several kinds. */
enum Requests : uint8_t { kMessages = 1, kTransfers = 2, kFiles = 4 };

/* The kind in the table `intervals` that a region of this kind has. requests: for a wait, a sum of Requests. */
paths::IntervalKind interval_kind(RegionKind kind, uint8_t requests = 0);

#define CODE(word, meaning) word,
enum class StepKind { STEP_KINDS(CODE) };
#undef CODE

/* The kind in the table `steps` that a region of this kind has. */
inline StepKind step_kind(RegionKind kind) {
    return kind == RegionKind::Combine ? StepKind::combine
           : kind == RegionKind::Copy  ? StepKind::copy
                                       : StepKind::overhead;
}

inline bool is_mpi(RegionKind kind) {
    return kind <= RegionKind::OtherMpi;
}

/* True for MPI, the collector's own time, gaps, and waits for threads. All other time is computing. */
inline bool interrupts_computing(RegionKind kind) {
    return is_mpi(kind) || kind == RegionKind::Overhead || kind == RegionKind::Pause || kind == RegionKind::Idle ||
           kind == RegionKind::Join || kind == RegionKind::Tool;
}

} // namespace hopscope
