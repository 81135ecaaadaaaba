// Names of MPI functions, read.
#include "operations.h"

#include <unordered_map>

namespace hopscope::paths {
namespace {

void drop_start(std::string &name, const std::string &start) {
    if (name.compare(0, start.size(), start) == 0)
        name.erase(0, start.size());
}

bool drop_end(std::string &name, const std::string &end) {
    if (name.size() < end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0)
        return false;
    name.resize(name.size() - end.size());
    return true;
}

bool is_nonblocking(const std::string &name) {
    return name.size() > 1 && name[0] == 'I' && name[1] >= 'a' && name[1] <= 'z';
}

} // namespace

Leads leads_of(const std::string &function) {
    static const std::unordered_map<std::string, Leads> leads{
        {"Bcast", Leads::to_root},
        {"Scatter", Leads::to_root},
        {"Scatterv", Leads::to_root},
        {"Reduce", Leads::root_to_last_enter},
        {"Gather", Leads::root_to_last_enter},
        {"Gatherv", Leads::root_to_last_enter},
        {"Scan", Leads::scan},
        {"Exscan", Leads::exscan},
    };
    std::string name = function;
    drop_start(name, "MPI_");
    drop_end(name, "_init");
    drop_end(name, "_c");
    if (is_nonblocking(name)) {
        name.erase(0, 1);
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    }
    if (name.compare(0, 8, "Neighbor") == 0)
        return Leads::stays; // which ranks are neighbours is not in the trace
    auto found = leads.find(name);
    return found == leads.end() ? Leads::to_last_enter : found->second;
}

bool returns_early(const std::string &function) {
    std::string name = function;
    drop_start(name, "MPI_");
    return is_nonblocking(name) || drop_end(name, "_init");
}

} // namespace hopscope::paths
