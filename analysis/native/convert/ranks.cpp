/* Derives the ranks, with host and cluster, from the archive's system tree. */
#include "ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "schemas/otf2.h"

namespace hopscope {
namespace {

/* The number N in a name `MPI Rank N`; -1 for any other name. */
int64_t number_in_name(const std::string &name) {
    const std::string start = ARCHIVE_RANK;
    if (name.compare(0, start.size(), start) != 0 || name.size() == start.size() || name.size() > start.size() + 9)
        return -1;
    for (size_t i = start.size(); i < name.size(); i++)
        if (name[i] < '0' || name[i] > '9')
            return -1;
    return std::strtoll(name.c_str() + start.size(), nullptr, 10);
}

int64_t integer_property(const LocationGroup &group, const char *name) {
    auto place = group.properties.find(name);
    if (place == group.properties.end() || place->second.empty())
        return kNull64;
    char *end = nullptr;
    const long long value = std::strtoll(place->second.c_str(), &end, 10);
    return *end ? kNull64 : value;
}

std::string text_property(const LocationGroup &group, const char *name) {
    auto place = group.properties.find(name);
    return place == group.properties.end() ? "" : place->second;
}

/* Finds the host and the cluster of a rank. The host is the nearest node of class "node", else the nearest node. The
 * cluster is the nearest node of class "cluster", else the topmost node, which is the machine. */
void place_in_system(const Definitions &definitions, OTF2_SystemTreeNodeRef ref, Rank &rank) {
    const SystemNode *nearest = nullptr, *host = nullptr, *cluster = nullptr, *topmost = nullptr;
    std::set<OTF2_SystemTreeNodeRef> passed; /* a damaged archive may contain a cycle */
    while (passed.insert(ref).second) {
        auto place = definitions.nodes.find(ref);
        if (place == definitions.nodes.end())
            break;
        const SystemNode *node = &place->second;
        if (!nearest)
            nearest = node;
        if (!host && node->class_name == ARCHIVE_CLASS_HOST)
            host = node;
        if (!cluster && node->class_name == ARCHIVE_CLASS_CLUSTER)
            cluster = node;
        topmost = node;
        ref = node->parent;
    }
    if (!host)
        host = nearest;
    if (!cluster)
        cluster = topmost;
    rank.host = host ? host->name : "unknown";
    rank.cluster = cluster ? cluster->name : "unknown";
}

} // namespace

Ranks::Ranks(const Definitions &definitions) {
    std::vector<const LocationGroup *> processes;
    for (const LocationGroup &group : definitions.location_groups)
        if (group.type != OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
            processes.push_back(&group);
    const bool all_numbered = std::all_of(processes.begin(), processes.end(),
                                          [](const LocationGroup *group) { return number_in_name(group->name) >= 0; });
    if (all_numbered)
        std::stable_sort(processes.begin(), processes.end(), [](const LocationGroup *a, const LocationGroup *b) {
            return number_in_name(a->name) < number_in_name(b->name);
        });
    std::unordered_map<OTF2_LocationGroupRef, int32_t> rank_of_group;
    for (const LocationGroup *group : processes) {
        Rank rank;
        place_in_system(definitions, group->parent, rank);
        rank.clock_host = text_property(*group, ARCHIVE_PROPERTY_CLOCK_HOST);
        if (rank.clock_host.empty())
            rank.clock_host = rank.host;
        rank.complete = text_property(*group, ARCHIVE_PROPERTY_COMPLETE);
        rank.memory = integer_property(*group, ARCHIVE_PROPERTY_MEMORY);
        rank.pid = integer_property(*group, ARCHIVE_PROPERTY_PID);
        const int64_t core = integer_property(*group, ARCHIVE_PROPERTY_CORE);
        rank.core = core == kNull64 || core < 0 ? kNull32 : static_cast<int32_t>(core);
        rank.cores = text_property(*group, ARCHIVE_PROPERTY_CORES);
        const int64_t busy_threads = integer_property(*group, ARCHIVE_PROPERTY_BUSY_THREADS);
        rank.busy_threads = busy_threads == kNull64 ? kNull32 : static_cast<int32_t>(busy_threads);
        rank.cpu_ns = integer_property(*group, ARCHIVE_PROPERTY_CPU_NS);
        rank.queued_ns = integer_property(*group, ARCHIVE_PROPERTY_QUEUED_NS);
        rank.computing_ns = integer_property(*group, ARCHIVE_PROPERTY_COMPUTING_NS);
        rank.computing_on_core_ns = integer_property(*group, ARCHIVE_PROPERTY_COMPUTING_ON_CORE_NS);
        rank.computing_queued_ns = integer_property(*group, ARCHIVE_PROPERTY_COMPUTING_QUEUED_NS);
        rank.computing_cpu_ns = integer_property(*group, ARCHIVE_PROPERTY_COMPUTING_CPU_NS);
        /* Archives of other tools do not tell worlds: all their ranks are in world 0. */
        const int64_t world = integer_property(*group, ARCHIVE_PROPERTY_WORLD);
        const int64_t world_rank = integer_property(*group, ARCHIVE_PROPERTY_WORLD_RANK);
        const auto number = static_cast<int32_t>(ranks.size());
        rank.world = world == kNull64 ? 0 : static_cast<int32_t>(world);
        rank.world_rank = world_rank == kNull64 ? number : static_cast<int32_t>(world_rank);
        rank_of_group[group->id] = number;
        ranks.push_back(std::move(rank));
    }
    for (const LocationGroup &group : definitions.location_groups) {
        auto creator = rank_of_group.find(group.creator);
        if (group.type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR && creator != rank_of_group.end())
            rank_of_group[group.id] = creator->second;
    }
    std::set<OTF2_LocationGroupRef> defined;
    for (const LocationGroup &group : definitions.location_groups)
        defined.insert(group.id);
    for (const Location &location : definitions.locations) {
        auto place = rank_of_group.find(location.group);
        if (place != rank_of_group.end()) {
            rank_of_[location.id] = place->second;
        } else if (location.is_thread && !defined.count(location.group)) {
            Rank rank;
            rank.host = rank.cluster = rank.clock_host = "unknown";
            rank.world_rank = static_cast<int32_t>(ranks.size());
            rank_of_[location.id] = rank.world_rank;
            ranks.push_back(std::move(rank));
            threads_without_process++;
        }
    }
    errors_.assign(ranks.size(), 0);
    std::unordered_map<std::string, int32_t> numbers;
    auto number = [&](const std::string &name) {
        return numbers.try_emplace(name, static_cast<int32_t>(numbers.size())).first->second;
    };
    for (const Rank &rank : ranks)
        places_.push_back({number(rank.host), number(rank.cluster), number(rank.clock_host)});
}

int32_t Ranks::of_location(OTF2_LocationRef location) const {
    auto place = rank_of_.find(location);
    return place == rank_of_.end() ? -1 : place->second;
}

void Ranks::set_clock_errors(const std::vector<LocationEvents> &locations) {
    std::map<std::string, int64_t> worst;
    for (const LocationEvents &location : locations) {
        const int32_t rank = of_location(location.location);
        if (rank < 0)
            continue;
        int64_t &error = worst[ranks[static_cast<size_t>(rank)].clock_host];
        for (const ClockOffsetRecord &offset : location.clock_offsets)
            if (std::isfinite(offset.error))
                error = std::max(error, static_cast<int64_t>(std::ceil(offset.error)));
    }
    for (size_t rank = 0; rank < ranks.size(); rank++)
        errors_[rank] = worst[ranks[rank].clock_host];
}

} // namespace hopscope
