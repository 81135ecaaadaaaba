/* The global definitions of an archive: the functions, threads, communicators and names that its events refer to. */
#pragma once

#include <otf2/otf2.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive.h"
#include "regions.h"
#include "schemas/otf2.h"

namespace hopscope {

struct Region {
    std::string name;
    std::string call_site; /* where the program calls it; empty if unknown */
    RegionKind kind = RegionKind::User;
    paths::SendCall send_call = paths::SendCall::unspecific;
    Polling polling = Polling::no;
    bool members_create = false; /* the result of members_create() (regions.h) */
    std::string caller = {};     /* the function that calls it, as the linker names it; empty if unknown */
    bool by_tool = false;        /* true if another tool made these calls, not the program */
};

struct SystemNode {
    std::string name, class_name;
    OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
};

struct LocationGroup {
    OTF2_LocationGroupRef id = OTF2_UNDEFINED_LOCATION_GROUP;
    std::string name;
    OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
    OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
    OTF2_LocationGroupRef creator = OTF2_UNDEFINED_LOCATION_GROUP;
    std::map<std::string, std::string> properties;
};

struct Location {
    OTF2_LocationRef id = OTF2_UNDEFINED_LOCATION;
    uint64_t events = 0;
    OTF2_LocationGroupRef group = OTF2_UNDEFINED_LOCATION_GROUP;
    bool is_thread = false; /* true for a CPU thread, false for a GPU stream or a metric */
};

struct Group {
    OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
    OTF2_GroupFlag flags = OTF2_GROUP_FLAG_NONE;
    std::vector<uint64_t> members;
};

struct CommDefinition {
    OTF2_CommRef id = OTF2_UNDEFINED_COMM;
    std::string name;
    OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
    OTF2_GroupRef remote_group = OTF2_UNDEFINED_GROUP; /* only of an intercommunicator */
    OTF2_CommRef parent = OTF2_UNDEFINED_COMM;
};

struct Definitions {
    uint64_t ticks_per_second = 1000000000;
    std::string creator;
    std::map<std::string, std::string> properties; /* the archive's own */
    bool requests_tell_waits = false; /* true if request numbers tell waits (archive_request in schemas/otf2.h) */
    std::unordered_map<OTF2_StringRef, std::string> strings;
    std::unordered_map<OTF2_RegionRef, Region> regions;
    std::vector<const Region *> dense_regions; /* indexed by small references; null if undefined */
    std::unordered_map<OTF2_SystemTreeNodeRef, SystemNode> nodes;
    std::vector<LocationGroup> location_groups; /* in order of definition, as in all lists below */
    std::vector<Location> locations;
    std::unordered_map<OTF2_GroupRef, Group> groups;
    std::vector<CommDefinition> comms;
#define MEMBER(id, word, type, description) OTF2_AttributeRef attribute_##word = OTF2_UNDEFINED_ATTRIBUTE;
    ARCHIVE_ATTRIBUTES(MEMBER)
#undef MEMBER
    OTF2_ParameterRef parameter_sends = OTF2_UNDEFINED_PARAMETER;
    OTF2_ParameterRef parameter_receives = OTF2_UNDEFINED_PARAMETER;

    const std::string &string(OTF2_StringRef ref) const;
    /* The region that a reference names; a region with the name `unknown region` if the reference is not defined. */
    const Region &region(OTF2_RegionRef ref) const {
        if (ref < dense_regions.size() && dense_regions[ref])
            return *dense_regions[ref];
        return sparse_region(ref);
    }

  private:
    const Region &sparse_region(OTF2_RegionRef ref) const;
};

/* The region of the spans in which recording was paused. Archives mark these spans by events, not by a region. */
constexpr OTF2_RegionRef kOffRegion = OTF2_UNDEFINED_REGION - 1;

/* Reads all global definitions. Throws ArchiveError. */
std::unique_ptr<Definitions> read_definitions(const Archive &archive);

} // namespace hopscope
