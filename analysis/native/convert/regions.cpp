/* Names of MPI functions, sorted into the kinds of schemas/tables/intervals.schema.json. */
#include "regions.h"

#include <unordered_set>

namespace hopscope {
namespace {

using Names = std::unordered_set<std::string>;

const Names &collectives() {
    static const Names names{
        "Barrier",
        "Bcast",
        "Gather",
        "Gatherv",
        "Scatter",
        "Scatterv",
        "Allgather",
        "Allgatherv",
        "Alltoall",
        "Alltoallv",
        "Alltoallw",
        "Allreduce",
        "Reduce",
        "Scan",
        "Reduce_scatter",
        "Reduce_scatter_block",
        "Exscan",
        "Neighbor_allgather",
        "Neighbor_allgatherv",
        "Neighbor_alltoall",
        "Neighbor_alltoallv",
        "Neighbor_alltoallw",
    };
    return names;
}

const Names &sends_and_receives() {
    static const Names names{
        "Send",
        "Bsend",
        "Ssend",
        "Rsend",
        "Recv",
        "Mrecv",
        "Sendrecv",
        "Sendrecv_replace",
        "Isend",
        "Ibsend",
        "Issend",
        "Irsend",
        "Irecv",
        "Imrecv",
        "Start",
        "Startall",
        "Send_init",
        "Bsend_init",
        "Ssend_init",
        "Rsend_init",
        "Recv_init",
        "Cancel",
        "Request_free",
        "Isendrecv",
        "Isendrecv_replace",
        "Psend_init",
        "Precv_init",
        "Pready",
        "Pready_range",
        "Pready_list",
    };
    return names;
}

const Names &waits() {
    static const Names names{"Wait",
                             "Waitall",
                             "Waitany",
                             "Waitsome",
                             "Test",
                             "Testall",
                             "Testany",
                             "Testsome",
                             "Probe",
                             "Iprobe",
                             "Mprobe",
                             "Improbe",
                             "Parrived",
                             "Request_get_status",
                             "Request_get_status_all",
                             "Request_get_status_any",
                             "Request_get_status_some"};
    return names;
}

const Names &communicator_makers() {
    static const Names names{
        "Comm_create",
        "Comm_create_group",
        "Comm_create_from_group",
        "Comm_dup",
        "Comm_dup_with_info",
        "Comm_idup",
        "Comm_idup_with_info",
        "Comm_split",
        "Comm_split_type",
        "Comm_free",
        "Comm_disconnect",
        "Comm_spawn",
        "Comm_spawn_multiple",
        "Comm_accept",
        "Comm_connect",
        "Comm_join",
        "Intercomm_create",
        "Intercomm_merge",
        "Intercomm_create_from_groups",
        "Cart_create",
        "Cart_sub",
        "Graph_create",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
    };
    return names;
}

/* MPI_Iallreduce and MPI_Allreduce_init are Allreduce to the list of collectives. */
std::string blocking_name(const std::string &function) {
    if (function.size() > 2 && function[0] == 'I' && function[1] >= 'a' && function[1] <= 'z') {
        std::string name = function.substr(1);
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        return name;
    }
    return function;
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
        if (name == "hop wait")
            return RegionKind::HopWait;
        if (name == "combine")
            return RegionKind::Combine;
        if (name == "copy")
            return RegionKind::Copy;
        if (name == "collector overhead")
            return RegionKind::Overhead;
    }
    if (owner == RegionOwner::User || name.compare(0, 4, "MPI_") != 0)
        return RegionKind::User;
    const std::string function = name.substr(4);
    if (function == "Init" || function == "Init_thread" || function == "Session_init")
        return RegionKind::Init;
    if (function == "Finalize" || function == "Session_finalize")
        return RegionKind::Finalize;
    if (sends_and_receives().count(function))
        return RegionKind::PointToPoint;
    if (waits().count(function))
        return RegionKind::Wait;
    if (communicator_makers().count(function))
        return RegionKind::Communicator;
    if (collectives().count(blocking_name(function)))
        return RegionKind::Collective;
    if (function.compare(0, 5, "File_") == 0)
        return RegionKind::InputOutput;
    return RegionKind::OtherMpi;
}

const char *interval_kind(RegionKind kind) {
    switch (kind) {
    case RegionKind::Init:
        return "init";
    case RegionKind::Finalize:
        return "finalize";
    case RegionKind::PointToPoint:
        return "p2p";
    case RegionKind::Wait:
        return "wait";
    case RegionKind::Communicator:
        return "comm";
    case RegionKind::InputOutput:
        return "io";
    case RegionKind::Overhead:
        return "overhead";
    case RegionKind::Off:
        return "off";
    case RegionKind::Collective: /* only where the trace does not say on which communicator it was */
    case RegionKind::OtherMpi:
        return "mpi";
    default:
        return "region";
    }
}

} // namespace hopscope
