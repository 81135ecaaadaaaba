/* Numbers communicators and resolves their members through OTF2's groups. */
#include "comms.h"

#include <map>
#include <string_view>
#include <tuple>

#include "schemas/otf2.h"

namespace hopscope {
namespace {

const std::string kHops = ARCHIVE_HOPS;
const std::string kNative = ARCHIVE_NATIVE;
const std::string kUnnamed = "comm ";

bool begins_with(const std::string &text, const std::string &start) {
    return text.compare(0, start.size(), start) == 0;
}

/* True if the program named the communicator. Other names come from Open MPI, which names every communicator, or from
 * this converter. */
bool has_own_name(const std::string &name) {
    return !begins_with(name, "MPI COMMUNICATOR ") && !begins_with(name, kUnnamed);
}

std::unordered_map<int32_t, int32_t> places_of(const std::vector<int32_t> &members) {
    std::unordered_map<int32_t, int32_t> places;
    for (size_t i = 0; i < members.size(); i++)
        places.try_emplace(members[i], static_cast<int32_t>(i));
    return places;
}

} // namespace

Comms::Comms(const Definitions &definitions, const Ranks &ranks) {
    std::unordered_map<int32_t, OTF2_CommRef> parents;
    std::vector<const CommDefinition *> selves;
    for (const CommDefinition &definition : definitions.comms) {
        auto group = definitions.groups.find(definition.group);
        if (group == definitions.groups.end() || group->second.paradigm != OTF2_PARADIGM_MPI)
            continue; /* for example Score-P's process-by-thread grid, which is not an MPI communicator */
        const bool has_parent = definition.parent != OTF2_UNDEFINED_COMM;
        if (has_parent && (begins_with(definition.name, kHops) || begins_with(definition.name, kNative))) {
            const bool native = begins_with(definition.name, kNative);
            has_native_ = has_native_ || native;
            shadows_[definition.id] = {definition.parent,
                                       definition.name.substr(native ? kNative.size() : kHops.size()), native};
            continue;
        }
        if (group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
            selves.push_back(&definition);
            continue;
        }
        const auto number = static_cast<int32_t>(comms_.size());
        Comm comm;
        comm.name = definition.name.empty() ? kUnnamed + std::to_string(number) : definition.name;
        comm.members = members_of(definitions, ranks, definition.group);
        if (definition.remote_group != OTF2_UNDEFINED_GROUP) {
            comm.second_group = static_cast<int32_t>(comm.members.size());
            for (int32_t member : members_of(definitions, ranks, definition.remote_group))
                comm.members.push_back(member);
        }
        if (has_parent)
            parents[number] = definition.parent;
        references_.set(definition.id, {number, false, nullptr});
        places_.push_back(places_of(comm.members));
        comms_.push_back(std::move(comm));
    }
    for (const auto &[number, parent] : parents) {
        const Reference *reference = references_.find(parent);
        if (reference)
            comms_[static_cast<size_t>(number)].parent = reference->number;
    }
    named_count_ = comms_.size();
    for (const CommDefinition *definition : selves) {
        references_.set(definition->id, {static_cast<int32_t>(comms_.size()), true, nullptr});
        for (int32_t rank = 0; rank < static_cast<int32_t>(ranks.ranks.size()); rank++) {
            comms_.push_back({definition->name.empty() ? "MPI_COMM_SELF" : definition->name, {rank}});
            places_.push_back({{rank, 0}});
        }
    }
    find_representatives();
    for (const auto &[ref, shadow] : shadows_) {
        OTF2_CommRef served = shadow.parent;
        auto place = shadows_.find(served);
        for (size_t steps = 0; place != shadows_.end() && steps < shadows_.size(); steps++) {
            served = place->second.parent;
            place = shadows_.find(served);
        }
        const Reference *parent = references_.find(served);
        references_.set(ref, {parent ? parent->number : -1, parent && parent->is_self, &shadow});
    }
}

void Comms::find_representatives() {
    std::map<std::tuple<std::string_view, int32_t, std::string_view>, int32_t> first_of;
    has_equals_.resize(comms_.size());
    for (size_t i = 0; i < comms_.size(); i++) {
        const Comm &comm = comms_[i];
        const auto number = static_cast<int32_t>(i);
        const std::string_view members(reinterpret_cast<const char *>(comm.members.data()),
                                       comm.members.size() * sizeof comm.members[0]);
        const bool is_first = first_of.try_emplace({members, comm.second_group, ""}, number).second;
        const std::string_view name = is_first || has_own_name(comm.name) ? comm.name : std::string_view();
        const auto [first, is_new] = first_of.try_emplace({members, comm.second_group, name}, number);
        representatives_.push_back(first->second);
        if (!is_new)
            has_equals_[static_cast<size_t>(first->second)] = true;
    }
}

std::vector<int32_t> Comms::members_of(const Definitions &definitions, const Ranks &ranks, OTF2_GroupRef ref) const {
    std::vector<int32_t> members;
    auto place = definitions.groups.find(ref);
    if (place == definitions.groups.end())
        return members;
    const Group &group = place->second;
    /* A communicator's group lists indices into another group, which lists all locations of the paradigm. */
    const Group *locations = nullptr;
    const bool direct =
        group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS || (group.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    if (!direct)
        for (const auto &[id, candidate] : definitions.groups)
            if (candidate.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && candidate.paradigm == group.paradigm)
                locations = &candidate;
    for (uint64_t member : group.members) {
        uint64_t location = member;
        if (!direct) {
            if (!locations || member >= locations->members.size())
                continue;
            location = locations->members[member];
        }
        const int32_t rank = ranks.of_location(location);
        if (rank >= 0)
            members.push_back(rank);
    }
    return members;
}

int32_t Comms::number(OTF2_CommRef ref, int32_t rank) const {
    const Reference *reference = references_.find(ref);
    if (!reference || reference->number < 0)
        return -1;
    return reference->is_self ? reference->number + rank : reference->number;
}

int32_t Comms::peer_rank(int32_t comm, int32_t rank, uint32_t peer) const {
    const Comm &communicator = comms_[static_cast<size_t>(comm)];
    size_t place = peer;
    if (communicator.second_group != kNull32) {
        const bool in_first = rank_in(comm, rank) < communicator.second_group;
        if (in_first)
            place += static_cast<size_t>(communicator.second_group);
        else if (place >= static_cast<size_t>(communicator.second_group))
            return -1;
    }
    return member(comm, static_cast<uint32_t>(place));
}

int32_t Comms::member(int32_t comm, uint32_t place) const {
    const std::vector<int32_t> &members = comms_[static_cast<size_t>(comm)].members;
    return place < members.size() ? members[place] : -1;
}

int32_t Comms::rank_in(int32_t comm, int32_t rank) const {
    const std::vector<int32_t> &members = comms_[static_cast<size_t>(comm)].members;
    if (static_cast<size_t>(rank) < members.size() && members[static_cast<size_t>(rank)] == rank)
        return rank;
    const auto &places = places_[static_cast<size_t>(comm)];
    auto place = places.find(rank);
    return place == places.end() ? -1 : place->second;
}

std::vector<const Shadow *> Comms::shadows() const {
    std::vector<const Shadow *> result;
    for (const auto &[ref, shadow] : shadows_)
        result.push_back(&shadow);
    return result;
}

} // namespace hopscope
