/* Reads the global definitions through libotf2's callbacks. */
#include "definitions.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "breaking_off.h"

namespace hopscope {
namespace {

Definitions &self_of(void *user) {
    return *static_cast<Definitions *>(user);
}

std::string text_of(const Definitions &definitions, OTF2_Type type, OTF2_AttributeValue value) {
    switch (type) {
    case OTF2_TYPE_STRING:
        return definitions.string(value.stringRef);
    case OTF2_TYPE_UINT8:
        return std::to_string(value.uint8);
    case OTF2_TYPE_UINT16:
        return std::to_string(value.uint16);
    case OTF2_TYPE_UINT32:
        return std::to_string(value.uint32);
    case OTF2_TYPE_UINT64:
        return std::to_string(value.uint64);
    case OTF2_TYPE_INT8:
        return std::to_string(value.int8);
    case OTF2_TYPE_INT16:
        return std::to_string(value.int16);
    case OTF2_TYPE_INT32:
        return std::to_string(value.int32);
    case OTF2_TYPE_INT64:
        return std::to_string(value.int64);
    default:
        return "";
    }
}

OTF2_CallbackCode on_clock(void *user, uint64_t ticks_per_second, uint64_t, uint64_t, uint64_t) {
    if (ticks_per_second)
        self_of(user).ticks_per_second = ticks_per_second;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string) {
    self_of(user).strings[self] = readable(string);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type) {
    Definitions &definitions = self_of(user);
    const std::string &word = definitions.string(name);
#define TAKE(id, its_word, type, description)                                                                          \
    if (word == ARCHIVE_ATTRIBUTE(its_word))                                                                           \
        definitions.attribute_##its_word = self;
    ARCHIVE_ATTRIBUTES(TAKE)
#undef TAKE
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_parameter(void *user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType) {
    Definitions &definitions = self_of(user);
    const std::string &word = definitions.string(name);
    if (word == ARCHIVE_PARAMETER_SENDS)
        definitions.parameter_sends = self;
    else if (word == ARCHIVE_PARAMETER_RECEIVES)
        definitions.parameter_receives = self;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
                          OTF2_SystemTreeNodeRef parent) {
    Definitions &definitions = self_of(user);
    definitions.nodes[self] = {definitions.string(name), definitions.string(class_name), parent};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location_group(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                    OTF2_LocationGroupRef creator) {
    Definitions &definitions = self_of(user);
    definitions.location_groups.push_back({self, definitions.string(name), type, parent, creator, {}});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location_group_property(void *user, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value) {
    Definitions &definitions = self_of(user);
    for (LocationGroup &candidate : definitions.location_groups)
        if (candidate.id == group)
            candidate.properties[definitions.string(name)] = text_of(definitions, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType type,
                              uint64_t events, OTF2_LocationGroupRef group) {
    self_of(user).locations.push_back({self, events, group, type == OTF2_LOCATION_TYPE_CPU_THREAD});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical_name,
                            OTF2_StringRef description, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                            OTF2_StringRef file, uint32_t line, uint32_t) {
    Definitions &definitions = self_of(user);
    Region region;
    region.name = plain_name(definitions.string(name));
    const RegionOwner owner = paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM ? RegionOwner::Measurement
                              : paradigm == OTF2_PARADIGM_USER             ? RegionOwner::User
                                                                           : RegionOwner::Unspecified;
    region.kind = classify_region(region.name, owner);
    if (paradigm == OTF2_PARADIGM_MPI) {
        /* The recording tool may have made the name more readable, or the name may be that of a Fortran binding. */
        const std::string canonical = plain_name(definitions.string(canonical_name));
        for (const std::string &name : {canonical, c_function_name(region.name), c_function_name(canonical)}) {
            const RegionKind kind = classify_region(name, RegionOwner::Unspecified);
            const bool is_better = region.kind == RegionKind::User ? is_mpi(kind) : kind < RegionKind::OtherMpi;
            if (is_better && (region.kind == RegionKind::User || region.kind == RegionKind::OtherMpi)) {
                region.name = name;
                region.kind = kind;
            }
        }
    }
    region.send_call = send_call_of(region.name);
    region.polling = polling_of(region.name);
    region.members_create = region.kind == RegionKind::Communicator && members_create(region.name);
    region.call_site = definitions.string(file);
    /* Score-P gives all MPI functions the file "MPI", which is not a place in a program. */
    if (is_mpi(region.kind) && region.call_site == "MPI")
        region.call_site.clear();
    if (!region.call_site.empty() && line)
        region.call_site += ":" + std::to_string(line);
    const std::string &text = definitions.string(description);
    const size_t prefix = sizeof ARCHIVE_CALLED_FROM - 1;
    if (text.compare(0, prefix, ARCHIVE_CALLED_FROM) == 0)
        region.caller = text.substr(prefix);
    /* One line of Python may contain code of several functions. */
    if (line && !region.caller.empty() && !region.call_site.empty())
        region.call_site += " in " + region.caller;
    definitions.regions[self] = std::move(region);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                           OTF2_GroupFlag flags, uint32_t count, const uint64_t *members) {
    self_of(user).groups[self] = {type, paradigm, flags, std::vector<uint64_t>(members, members + count)};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
                          OTF2_CommFlag) {
    Definitions &definitions = self_of(user);
    definitions.comms.push_back({self, definitions.string(name), group, OTF2_UNDEFINED_GROUP, parent});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a,
                                OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag) {
    Definitions &definitions = self_of(user);
    definitions.comms.push_back({self, definitions.string(name), group_a, group_b, common});
    return OTF2_CALLBACK_SUCCESS;
}

void read_properties(OTF2_Reader *reader, Definitions &definitions) {
    uint32_t count = 0;
    char **names = nullptr;
    if (OTF2_Reader_GetPropertyNames(reader, &count, &names) == OTF2_SUCCESS) {
        for (uint32_t i = 0; i < count; i++) {
            char *value = nullptr;
            if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS && value)
                definitions.properties[readable(names[i])] = readable(value);
            std::free(value);
        }
    }
    std::free(names); /* the names themselves lie in the same block */
    char *creator = nullptr;
    if (OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator)
        definitions.creator = readable(creator);
    std::free(creator);
}

} // namespace

const std::string &Definitions::string(OTF2_StringRef ref) const {
    static const std::string empty;
    auto place = strings.find(ref);
    return place == strings.end() ? empty : place->second;
}

const Region &Definitions::sparse_region(OTF2_RegionRef ref) const {
    static const Region unknown{"unknown region", "", RegionKind::User};
    auto place = regions.find(ref);
    return place == regions.end() ? unknown : place->second;
}

/* The program or library in the region's call site, if that has the form module+0xoffset; otherwise empty. */
std::string module_of(const Region &region) {
    const std::string nearest = region.call_site.substr(0, region.call_site.find(ARCHIVE_FROM));
    const size_t plus = nearest.rfind("+0x");
    return plus == std::string::npos ? std::string() : nearest.substr(0, plus);
}

bool may_be_tools(const Region &region) {
    return is_mpi(region.kind) && region.kind != RegionKind::Init && region.kind != RegionKind::Finalize;
}

/* Marks the MPI calls that another tracing tool makes for itself; the collector records them, too. A library is such a
 * tool if one of its functions has the name of an MPI function and calls MPI. If a function calls the MPI function of
 * its own name, it passes on a call of the program, which is not marked. A program is such a tool only if it also
 * passes on MPI_Init, as with a tool that is linked to it, and if `main` makes no other calls. If it does, the program
 * has MPI functions of its own, and most other calls are its own, too. */
void mark_calls_of_tools(Definitions &definitions) {
    std::set<std::string> tools, beginning, direct;
    auto passes_on = [](const Region &region) { return c_function_name(region.caller) == region.name; };
    for (const auto &[ref, region] : definitions.regions) {
        const std::string module = module_of(region), caller = c_function_name(region.caller);
        const bool is_wrapper = is_mpi(region.kind) && caller.compare(0, 4, "MPI_") == 0;
        if (is_wrapper && module.find(".so") != std::string::npos)
            tools.insert(module);
        if (is_wrapper && region.kind == RegionKind::Init)
            beginning.insert(module);
        if (is_mpi(region.kind) && caller == "main")
            direct.insert(module);
    }
    std::set_difference(beginning.begin(), beginning.end(), direct.begin(), direct.end(),
                        std::inserter(tools, tools.end()));
    tools.erase("");
    for (auto &[ref, region] : definitions.regions)
        region.by_tool = may_be_tools(region) && !passes_on(region) && tools.count(module_of(region)) > 0;
}

std::unique_ptr<Definitions> read_definitions(const Archive &archive) {
    auto read = std::make_unique<Definitions>();
    Definitions &definitions = *read;
    OTF2_Reader *reader = archive.reader();
    if (archive.is_plain() && !has_end(archive.definitions_file()))
        throw ArchiveError(archive.definitions_file() + ": the file is truncated");
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    if (!global)
        throw ArchiveError(archive.definitions_file() +
                           ": cannot open the global definitions: " + take_otf2_error("libotf2 gives no reason"));
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, on_location_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &definitions);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    uint64_t count = 0;
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count);
    if (code != OTF2_SUCCESS)
        throw ArchiveError(archive.definitions_file() + ": damaged after " + std::to_string(count) +
                           " definitions: " + take_otf2_error(OTF2_Error_GetDescription(code)));
    uint64_t expected = 0;
    if (OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected) == OTF2_SUCCESS && count < expected)
        throw ArchiveError(archive.definitions_file() + ": ends after " + std::to_string(count) + " of " +
                           std::to_string(expected) + " definitions");
    OTF2_Reader_CloseGlobalDefReader(reader, global);
    read_properties(reader, definitions);
    const auto format = definitions.properties.find(ARCHIVE_PROPERTY_FORMAT);
    if (format != definitions.properties.end() && format->second != ARCHIVE_FORMAT)
        throw ArchiveError(archive.definitions_file() + ": written in format " + format->second +
                           " by a newer Hopscope; this version reads formats up to " ARCHIVE_FORMAT);
    definitions.requests_tell_waits = format != definitions.properties.end();
    if (definitions.properties.count(ARCHIVE_PROPERTY_VERSION))
        mark_calls_of_tools(definitions);
    definitions.regions[kOffRegion] = {"recording off", "", RegionKind::Pause};
    constexpr OTF2_RegionRef kDense = 1u << 16;
    for (const auto &[ref, region] : definitions.regions)
        if (ref < kDense) {
            definitions.dense_regions.resize(std::max<size_t>(definitions.dense_regions.size(), ref + 1), nullptr);
            definitions.dense_regions[ref] = &region;
        }
    return read;
}

} // namespace hopscope
