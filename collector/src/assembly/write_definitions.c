/* Writes the archive's global definitions, as schemas/otf2.md describes them. */
#include <stdlib.h>
#include <string.h>

#include "assembly/archive.h"
#include "assembly/functions.h"
#include "hopscope/hash.h"

struct writing {
    struct run *run;
    OTF2_GlobalDefWriter *writer;
    struct strings *strings;
    bool ok;
};

static uint32_t text(struct writing *w, const char *value) {
    return string_id(w->strings, value);
}

static void check(struct writing *w, OTF2_ErrorCode code) {
    w->ok = w->ok && code == OTF2_SUCCESS;
}

uint64_t location_of(int rank, uint32_t thread) {
    return (uint64_t)(uint32_t)rank | (uint64_t)thread << 32;
}

static void write_clock(struct writing *w) {
    uint64_t started = OTF2_UNDEFINED_TIMESTAMP;
    for (int rank = 0; rank < w->run->rank_count; rank++) {
        int64_t rank_started_ns = w->run->processes[rank].started_ns;
        if (rank_started_ns > 0 && (uint64_t)rank_started_ns < started)
            started = (uint64_t)rank_started_ns;
    }
    check(w, OTF2_GlobalDefWriter_WriteClockProperties(w->writer, 1000000000u, w->run->first_ns,
                                                       w->run->last_ns - w->run->first_ns + 1, started));
    check(w, OTF2_GlobalDefWriter_WriteParadigm(w->writer, OTF2_PARADIGM_MPI, text(w, "MPI"),
                                                OTF2_PARADIGM_CLASS_PROCESS));
    check(w, OTF2_GlobalDefWriter_WriteParadigm(w->writer, OTF2_PARADIGM_MEASUREMENT_SYSTEM, text(w, "Hopscope"),
                                                OTF2_PARADIGM_CLASS_PROCESS));
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[ATTRIBUTE_COUNT] = {
#define ROW(id, word, type, description) {ARCHIVE_ATTRIBUTE(word), description, OTF2_TYPE_##type},
        ARCHIVE_ATTRIBUTES(ROW)
#undef ROW
    };
    for (uint32_t i = 0; i < ATTRIBUTE_COUNT; i++)
        check(w, OTF2_GlobalDefWriter_WriteAttribute(w->writer, i, text(w, attributes[i].name),
                                                     text(w, attributes[i].description), attributes[i].type));
    check(w, OTF2_GlobalDefWriter_WriteParameter(w->writer, PARAMETER_SENDS_SKIPPED, text(w, ARCHIVE_PARAMETER_SENDS),
                                                 OTF2_PARAMETER_TYPE_UINT64));
    check(w, OTF2_GlobalDefWriter_WriteParameter(w->writer, PARAMETER_RECEIVES_SKIPPED,
                                                 text(w, ARCHIVE_PARAMETER_RECEIVES), OTF2_PARAMETER_TYPE_UINT64));
}

static const char *cluster_of(const struct process *process) {
    return process->cluster && *process->cluster ? process->cluster : "unknown";
}

static const char *host_of(const struct process *process) {
    return process->host && *process->host ? process->host : "unknown";
}

static bool aborted(const struct process *process) {
    return process->end_how && strcmp(process->end_how, "abort") == 0;
}

/* Writes the reason why some of a rank's events are missing; ARCHIVE_COMPLETE if no event is missing. */
static void completeness(const struct process *process, struct text *output) {
    if (!process->present || process->spool_count == 0) {
        text_add(output, "no recording of this rank was found");
        return;
    }
    for (size_t i = 0; i < process->spool_count; i++) {
        const struct spool_file *file = &process->spools[i];
        if (file->state == SPOOL_STOPPED) {
            text_add(output, "recording stopped: %s", file->stop_reason);
            return;
        }
        if (file->state != SPOOL_CLOSED) {
            text_add(output, "MPI_Finalize was not reached");
            return;
        }
    }
    if (aborted(process)) {
        text_add(output, "MPI_Abort was called");
        return;
    }
    text_add(output, ARCHIVE_COMPLETE);
}

static void text_property(struct writing *w, uint32_t group, const char *name, const char *value) {
    check(w, OTF2_GlobalDefWriter_WriteLocationGroupProperty(w->writer, group, text(w, name), OTF2_TYPE_STRING,
                                                             (OTF2_AttributeValue){.stringRef = text(w, value)}));
}

static void number_property(struct writing *w, uint32_t group, const char *name, int64_t value) {
    check(w, OTF2_GlobalDefWriter_WriteLocationGroupProperty(w->writer, group, text(w, name), OTF2_TYPE_INT64,
                                                             (OTF2_AttributeValue){.int64 = value}));
}

static void write_rank(struct writing *w, const struct process *process, uint32_t node) {
    struct text output = {0};
    uint32_t group = (uint32_t)process->rank;
    text_add(&output, ARCHIVE_RANK "%d", process->rank);
    check(w, OTF2_GlobalDefWriter_WriteLocationGroup(w->writer, group, text(w, output.bytes ? output.bytes : ""),
                                                     OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                                     OTF2_UNDEFINED_LOCATION_GROUP));
    text_free(&output);
    number_property(w, group, ARCHIVE_PROPERTY_WORLD, process->world);
    number_property(w, group, ARCHIVE_PROPERTY_WORLD_RANK, process->world_rank);
    if (process->present) {
        number_property(w, group, ARCHIVE_PROPERTY_PID, process->pid);
        number_property(w, group, ARCHIVE_PROPERTY_CORE, process->core);
        if (process->cores && *process->cores)
            text_property(w, group, ARCHIVE_PROPERTY_CORES, process->cores);
        if (process->busy_threads) {
            number_property(w, group, ARCHIVE_PROPERTY_BUSY_THREADS, process->busy_threads);
            number_property(w, group, ARCHIVE_PROPERTY_CPU_NS, process->cpu_ns);
            number_property(w, group, ARCHIVE_PROPERTY_QUEUED_NS, process->queued_ns);
        }
        if (process->computing_ns) {
            number_property(w, group, ARCHIVE_PROPERTY_COMPUTING_NS, process->computing_ns);
            number_property(w, group, ARCHIVE_PROPERTY_COMPUTING_ON_CORE_NS, process->computing_on_core_ns);
            number_property(w, group, ARCHIVE_PROPERTY_COMPUTING_QUEUED_NS, process->computing_queued_ns);
            number_property(w, group, ARCHIVE_PROPERTY_COMPUTING_CPU_NS, process->computing_cpu_ns);
        }
        if (process->memory)
            number_property(w, group, ARCHIVE_PROPERTY_MEMORY, process->memory);
        text_property(w, group, ARCHIVE_PROPERTY_CLOCK_HOST, w->run->machines[process->machine].name);
    }
    completeness(process, &output);
    text_property(w, group, ARCHIVE_PROPERTY_COMPLETE, output.bytes ? output.bytes : "");
    text_free(&output);
    /* The first thread of a rank always gets a location, because it is the location that represents the rank in
     * communicators. */
    bool has_first = false;
    for (size_t i = 0; i <= process->spool_count; i++) {
        bool missing_first = i == process->spool_count;
        if (missing_first && has_first)
            break;
        uint32_t thread = missing_first ? 0 : process->spools[i].thread;
        has_first = has_first || thread == 0;
        text_add(&output, thread ? "Thread %u" : "Main thread", thread);
        check(w, OTF2_GlobalDefWriter_WriteLocation(
                     w->writer, location_of(process->rank, thread), text(w, output.bytes ? output.bytes : ""),
                     OTF2_LOCATION_TYPE_CPU_THREAD, missing_first ? 0 : process->spools[i].events_written, group));
        text_free(&output);
    }
}

/* The nodes of OTF2's system tree, one for each distinct text. They get ids in the order of their first use. */
struct nodes {
    struct node {
        uint32_t parent;
        const char *name, *kind;
    } *items;
    uint32_t count;
};

static uint32_t node_of(struct writing *w, struct nodes *nodes, uint32_t parent, const char *name, const char *kind) {
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct node *node = &nodes->items[i];
        if (node->parent == parent && strcmp(node->name, name) == 0 && strcmp(node->kind, kind) == 0)
            return i + 1;
    }
    struct node *items = realloc(nodes->items, (nodes->count + 1) * sizeof *items);
    if (!items) {
        w->ok = false;
        return 0;
    }
    nodes->items = items;
    items[nodes->count++] = (struct node){parent, name, kind};
    uint32_t id = nodes->count;
    check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->writer, id, text(w, name), text(w, kind), parent));
    if (strcmp(kind, ARCHIVE_CLASS_HOST) == 0)
        check(w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w->writer, id, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    return id;
}

/* The names of the worlds, allocated once for the whole system tree, whose nodes keep pointers to them. */
static char **name_worlds(const struct run *run) {
    char **names = calloc(run->world_count + 1, sizeof *names);
    for (size_t i = 0; names && i < run->world_count; i++) {
        struct text name = {0};
        text_add(&name, "world %zu", i);
        names[i] = name.bytes;
    }
    return names;
}

static void write_system_tree(struct writing *w) {
    struct nodes nodes = {0};
    char **worlds = name_worlds(w->run);
    w->ok = w->ok && worlds;
    check(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(w->writer, 0, text(w, "machine"), text(w, ARCHIVE_CLASS_MACHINE),
                                                      OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    check(w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w->writer, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    for (int rank = 0; rank < w->run->rank_count && w->ok; rank++) {
        const struct process *process = &w->run->processes[rank];
        uint32_t node = node_of(w, &nodes, 0, cluster_of(process), ARCHIVE_CLASS_CLUSTER);
        node = node_of(w, &nodes, node, host_of(process), ARCHIVE_CLASS_HOST);
        if (w->run->world_count > 1 && worlds[process->world])
            node = node_of(w, &nodes, node, worlds[process->world], ARCHIVE_CLASS_WORLD);
        write_rank(w, process, node);
    }
    for (size_t i = 0; worlds && i < w->run->world_count; i++)
        free(worlds[i]);
    free(worlds);
    free(nodes.items);
}

static void write_regions(struct writing *w) {
    uint32_t empty = text(w, "");
    for (size_t i = 0; i < w->run->region_count; i++) {
        const struct region *region = &w->run->regions[i];
        const struct site *site = region->site == NO_ID ? NULL : &w->run->sites[region->site];
        uint32_t line = site && site->place->file && site->place->line > 0 ? (uint32_t)site->place->line : 0;
        struct text place = {0}, description = {0};
        if (site) {
            text_add_place(&place, site);
            text_add_function(&description, site);
        }
        struct text own_regions = {0};
        text_add(&own_regions, region->refused ? "%s" ARCHIVE_REFUSED : "%s",
                 region->user_name ? region->user_name : function_name(region->function));
        uint32_t name = text(w, own_regions.bytes ? own_regions.bytes : "");
        text_free(&own_regions);
        check(w, OTF2_GlobalDefWriter_WriteRegion(
                     w->writer, (uint32_t)i, name, name, description.bytes ? text(w, description.bytes) : empty,
                     region->user_name ? OTF2_REGION_ROLE_CODE
                     : region->refused ? OTF2_REGION_ROLE_FUNCTION
                                       : function_role(region->function),
                     region->user_name ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
                     place.bytes ? text(w, place.bytes) : empty, line, line));
        text_free(&place);
        text_free(&description);
    }
    static const struct {
        const char *name;
        OTF2_RegionRole role;
    } own_regions[OWN_REGION_COUNT] = {
        [OWN_HOP_WAIT] = {ARCHIVE_REGION_HOP_WAIT, OTF2_REGION_ROLE_DATA_TRANSFER},
        [OWN_COMBINE] = {ARCHIVE_REGION_COMBINE, OTF2_REGION_ROLE_FUNCTION},
        [OWN_COPY] = {ARCHIVE_REGION_COPY, OTF2_REGION_ROLE_FUNCTION},
        [OWN_OVERHEAD] = {ARCHIVE_REGION_OVERHEAD, OTF2_REGION_ROLE_ARTIFICIAL},
        [OWN_IDLE] = {ARCHIVE_REGION_IDLE, OTF2_REGION_ROLE_ARTIFICIAL},
        [OWN_JOIN] = {ARCHIVE_REGION_JOIN, OTF2_REGION_ROLE_FUNCTION},
    };
    for (uint32_t i = 0; i < OWN_REGION_COUNT; i++) {
        uint32_t name = text(w, own_regions[i].name);
        check(w, OTF2_GlobalDefWriter_WriteRegion(w->writer, (uint32_t)w->run->region_count + i, name, name, empty,
                                                  own_regions[i].role, OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                                                  OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
}

/* The archive's groups. Group 0 holds all locations, and group 1 belongs to MPI_COMM_SELF. Every other group is a list
 * of members, and no two have the same list. */
struct groups {
    struct id_table ids;
    struct members {
        const int *ranks;
        int count;
    } *items;
    uint32_t count;
};

enum { GROUP_LOCATIONS, GROUP_SELF, GROUP_FIRST };

static uint32_t group_of(struct writing *w, struct groups *groups, const int *ranks, int count) {
    uint64_t key = hash_mix_ranks(HASH_START, ranks, count);
    uint32_t id;
    while ((id = id_table_find(&groups->ids, key)) != NO_ID &&
           (groups->items[id].count != count || memcmp(groups->items[id].ranks, ranks, (size_t)count * sizeof *ranks)))
        key++;
    if (id != NO_ID)
        return id + GROUP_FIRST;
    struct members *items = realloc(groups->items, (groups->count + 1) * sizeof *items);
    uint64_t *members = malloc((size_t)(count ? count : 1) * sizeof *members);
    if (items)
        groups->items = items;
    if (!items || !members || !id_table_add(&groups->ids, key, groups->count)) {
        free(members);
        w->ok = false;
        return OTF2_UNDEFINED_GROUP;
    }
    items[groups->count] = (struct members){ranks, count};
    for (int i = 0; i < count; i++)
        members[i] = (uint64_t)ranks[i];
    check(w, OTF2_GlobalDefWriter_WriteGroup(w->writer, groups->count + GROUP_FIRST, text(w, ""),
                                             OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                             (uint32_t)count, members));
    free(members);
    return groups->count++ + GROUP_FIRST;
}

static void write_comm(struct writing *w, struct groups *groups, uint32_t id, const struct comm *comm) {
    uint32_t name = text(w, comm->name ? comm->name : "");
    uint32_t parent = comm->parent == NO_ID ? OTF2_UNDEFINED_COMM : comm->parent;
    if (comm->inter && comm->first_group > 0) {
        uint32_t first = group_of(w, groups, comm->members, comm->first_group);
        uint32_t second = group_of(w, groups, comm->members + comm->first_group, comm->size - comm->first_group);
        check(w, OTF2_GlobalDefWriter_WriteInterComm(w->writer, id, name, first, second, parent, OTF2_COMM_FLAG_NONE));
        return;
    }
    uint32_t group = comm->self ? (uint32_t)GROUP_SELF : group_of(w, groups, comm->members, comm->size);
    check(w, OTF2_GlobalDefWriter_WriteComm(w->writer, id, name, group, parent, OTF2_COMM_FLAG_NONE));
}

static void write_comms(struct writing *w) {
    struct run *run = w->run;
    struct groups groups = {0};
    uint64_t *locations = malloc((size_t)(run->rank_count ? run->rank_count : 1) * sizeof *locations);
    if (!locations) {
        w->ok = false;
        return;
    }
    for (int rank = 0; rank < run->rank_count; rank++)
        locations[rank] = location_of(rank, 0);
    check(w, OTF2_GlobalDefWriter_WriteGroup(w->writer, GROUP_LOCATIONS, text(w, ""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)run->rank_count,
                                             locations));
    check(w, OTF2_GlobalDefWriter_WriteGroup(w->writer, GROUP_SELF, text(w, ""), OTF2_GROUP_TYPE_COMM_SELF,
                                             OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL));
    for (uint32_t i = 0; i < run->comm_count && w->ok; i++)
        write_comm(w, &groups, i, &run->comms[i]);
    for (uint32_t i = 0; i < run->shadow_count && w->ok; i++) {
        struct text name = {0};
        const char *tree = run->trees[run->shadows[i].tree];
        bool native = strncmp(tree, ARCHIVE_NATIVE, strlen(ARCHIVE_NATIVE)) == 0;
        text_add(&name, "%s%s", native ? "" : ARCHIVE_HOPS, tree);
        struct comm shadow = run->comms[run->shadows[i].comm];
        shadow.name = name.bytes;
        shadow.parent = run->shadows[i].comm;
        shadow.inter = false; /* its hops also go between members of one group */
        write_comm(w, &groups, (uint32_t)run->comm_count + i, &shadow);
        text_free(&name);
    }
    free(locations);
    free(groups.items);
    id_table_free(&groups.ids);
}

bool write_definitions(struct run *run, OTF2_GlobalDefWriter *writer, struct strings *strings) {
    struct writing w = {.run = run, .writer = writer, .strings = strings, .ok = true};
    write_clock(&w);
    write_system_tree(&w);
    write_regions(&w);
    write_comms(&w);
    return w.ok && write_transfer_definitions(run, writer, strings);
}
