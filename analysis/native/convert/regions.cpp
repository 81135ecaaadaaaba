/* Classifies names of MPI functions by the kinds of schemas/tables/intervals.schema.json. */
#include "regions.h"

#include "../paths/functions.h"

#include "schemas/otf2.h"

namespace hopscope {
namespace {

RegionKind kind_of(paths::FunctionKind kind) {
    switch (kind) {
    case paths::FunctionKind::init:
        return RegionKind::Init;
    case paths::FunctionKind::finalize:
        return RegionKind::Finalize;
    case paths::FunctionKind::p2p:
        return RegionKind::PointToPoint;
    case paths::FunctionKind::wait:
    case paths::FunctionKind::test:
    case paths::FunctionKind::look:
        return RegionKind::Wait;
    case paths::FunctionKind::comm:
        return RegionKind::Communicator;
    case paths::FunctionKind::rma:
        return RegionKind::OneSided;
    case paths::FunctionKind::io:
        return RegionKind::InputOutput;
    case paths::FunctionKind::collective:
    case paths::FunctionKind::nonblocking:
        return RegionKind::Collective;
    default: /* includes MPI_..._init of a persistent collective, which begins only in MPI_Start */
        return RegionKind::OtherMpi;
    }
}

} // namespace

std::string plain_name(const std::string &name) {
    size_t end = name.size();
    while (end > 0 && name[end - 1] == ' ')
        end--;
    if (end > 2 && name.compare(end - 2, 2, "()") == 0)
        end -= 2;
    return name.substr(0, end);
}

std::string c_function_name(const std::string &name) {
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const size_t begin = !name.empty() && lower(name[0]) == 'p' ? 1 : 0;
    std::string rest = name.substr(begin);
    for (char &c : rest)
        c = lower(c);
    while (!rest.empty() && rest.back() == '_')
        rest.pop_back();
    for (const std::string &binding : {std::string("_f08ts"), std::string("_f08")})
        if (rest.size() > binding.size() && rest.compare(rest.size() - binding.size(), binding.size(), binding) == 0)
            rest.resize(rest.size() - binding.size());
    if (rest.compare(0, 4, "mpi_") != 0 || rest.size() < 5 || rest[4] < 'a' || rest[4] > 'z')
        return name;
    rest[4] = static_cast<char>(rest[4] - 'a' + 'A');
    return "MPI_" + rest.substr(4);
}

RegionKind classify_region(const std::string &name, RegionOwner owner) {
    if (owner == RegionOwner::Measurement) {
        if (name == ARCHIVE_REGION_HOP_WAIT)
            return RegionKind::HopWait;
        if (name == ARCHIVE_REGION_COMBINE)
            return RegionKind::Combine;
        if (name == ARCHIVE_REGION_COPY)
            return RegionKind::Copy;
        if (name == ARCHIVE_REGION_OVERHEAD)
            return RegionKind::Overhead;
        if (name == ARCHIVE_REGION_IDLE)
            return RegionKind::Idle;
        if (name == ARCHIVE_REGION_JOIN)
            return RegionKind::Join;
    }
    if (owner == RegionOwner::User || name.compare(0, 4, "MPI_") != 0)
        return RegionKind::User;
    if (name.compare(0, 9, "MPI_File_") == 0)
        return RegionKind::InputOutput;
    if (name.compare(0, 8, "MPI_Win_") == 0)
        return RegionKind::OneSided;
    const paths::Function *entry = paths::find_function(name);
    return entry ? kind_of(entry->kind) : RegionKind::OtherMpi;
}

bool members_create(const std::string &name) {
    const paths::Function *entry = paths::find_function(name);
    return entry && entry->kind == paths::FunctionKind::comm && entry->flow;
}

paths::SendCall send_call_of(const std::string &name) {
    const bool large = name.size() > 2 && name.compare(name.size() - 2, 2, "_c") == 0;
    const std::string function = large ? name.substr(0, name.size() - 2) : name;
    for (const char *opens_or_ends : {"MPI_Win_post", "MPI_Win_complete"})
        if (function == opens_or_ends)
            return paths::SendCall::epoch;
    for (const char *buffered : {"MPI_Bsend", "MPI_Ibsend"})
        if (function == buffered)
            return paths::SendCall::buffered;
    for (const char *alone : {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Wait"})
        if (function == alone)
            return paths::SendCall::alone;
    return paths::SendCall::unspecific;
}

Polling polling_of(const std::string &name) {
    using Kind = paths::FunctionKind;
    const paths::Function *entry = paths::find_function(name);
    if (!entry)
        return Polling::no;
    const bool receives = entry->moves && std::string(entry->moves) == "receives";
    if (entry->kind == Kind::test || entry->kind == Kind::look || (entry->kind == Kind::wait && receives) ||
        name == "MPI_Win_test")
        return Polling::looks;
    return entry->kind == Kind::wait || (entry->kind == Kind::p2p && receives) ? Polling::receives : Polling::no;
}

namespace {

paths::IntervalKind wait_kind(uint8_t requests) {
    using Kind = paths::IntervalKind;
    switch (requests) {
    case 0:
    case kMessages:
        return Kind::wait;
    case kTransfers:
        return Kind::rma;
    case kFiles:
        return Kind::io;
    default:
        return Kind::mixed;
    }
}

} // namespace

paths::IntervalKind interval_kind(RegionKind kind, uint8_t requests) {
    using Kind = paths::IntervalKind;
    switch (kind) {
    case RegionKind::Init:
        return Kind::init;
    case RegionKind::Finalize:
        return Kind::finalize;
    case RegionKind::PointToPoint:
        return Kind::p2p;
    case RegionKind::Wait:
        return wait_kind(requests);
    case RegionKind::Communicator:
        return Kind::comm;
    case RegionKind::InputOutput:
        return Kind::io;
    case RegionKind::OneSided:
        return Kind::rma;
    case RegionKind::Overhead:
        return Kind::overhead;
    case RegionKind::Pause:
        return Kind::off;
    case RegionKind::Idle:
        return Kind::idle;
    case RegionKind::Join:
        return Kind::join;
    case RegionKind::Tool:
        return Kind::tool;
    case RegionKind::Collective: /* only if the trace does not name its communicator */
    case RegionKind::OtherMpi:
        return Kind::mpi;
    default:
        return Kind::region;
    }
}

} // namespace hopscope
