/* One pass over all records before the archive is written: are they in order, what is their span, which regions and
 * shadow communicators do they need, and which calls never left. */
#include <stdlib.h>
#include <string.h>

#include "assembly/run.h"
#include "hopscope/functions.h"
#include "hopscope/hash.h"

uint32_t comm_of(const struct process *process, uint32_t id) {
    if (id < 1 || id > process->comm_count)
        return NO_ID;
    const struct comm_definition *definition = &process->comms[id - 1];
    return definition->joined && (definition->key || definition->self) ? definition->merged : NO_ID;
}

bool is_unjoined(const struct process *process, uint32_t id) {
    return id >= 1 && id <= process->comm_count && process->comms[id - 1].foreign && !process->comms[id - 1].joined;
}

static uint32_t site_of(const struct process *process, uint64_t id) {
    return id >= 1 && id <= process->site_count && process->sites[id - 1].module ? process->sites[id - 1].merged
                                                                                 : NO_ID;
}

static const struct name_definition *user_region(const struct process *process, const struct spool_record *begin) {
    bool known = begin->kind == SPOOL_REGION_BEGIN && begin->b >= 1 && begin->b <= process->user_region_count;
    return known ? &process->user_regions[begin->b - 1] : NULL;
}

/* Of an enter, of a collective's request, or of a region of the user's; these come behind all functions. */
static uint64_t region_key(const struct process *process, const struct spool_record *begin, bool refused) {
    const struct name_definition *user = user_region(process, begin);
    uint64_t what = user ? (uint64_t)UINT16_MAX + 1 + user->merged : begin->region | (uint64_t)refused << 15;
    return what << 32 | site_of(process, begin->a);
}

uint32_t region_of(const struct run *run, const struct process *process, const struct spool_record *begin,
                   bool refused) {
    return id_table_find(&run->region_ids, region_key(process, begin, refused));
}

/* UINT64_MAX if the hop refers to no known communicator or tree. */
static uint64_t shadow_key(const struct process *process, const struct spool_record *hop) {
    uint32_t comm = comm_of(process, hop->comm);
    if (comm == NO_ID || hop->region < 1 || hop->region > process->tree_count)
        return UINT64_MAX;
    return (uint64_t)comm << 32 | process->trees[hop->region - 1].merged;
}

uint32_t shadow_of(const struct run *run, const struct process *process, const struct spool_record *hop) {
    uint64_t key = shadow_key(process, hop);
    return key == UINT64_MAX ? NO_ID : id_table_find(&run->shadow_ids, key);
}

size_t depth_after(const struct spool_file *file, const struct index_list *open, const struct spool_record *leave) {
    /* Each begin kind is one below its end kind. */
    for (size_t d = open->count; d > 0; d--) {
        struct spool_record begin = first_of(&file->stored[open->items[d - 1]]);
        bool same_region = leave->kind != SPOOL_LEAVE && leave->kind != SPOOL_STEP_END;
        if (begin.kind == leave->kind - 1 && (same_region || begin.region == leave->region))
            return d - 1;
    }
    return SIZE_MAX;
}

/* Call sites are the same if module and offset are: address space layout does not matter. */
static bool merge_sites(struct run *run) {
    struct id_table ids = {0};
    bool ok = true;
    size_t total = 0;
    for (int rank = 0; rank < run->rank_count; rank++)
        total += run->processes[rank].site_count;
    run->sites = malloc((total ? total : 1) * sizeof *run->sites);
    ok = run->sites != NULL;
    for (int rank = 0; ok && rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        for (size_t i = 0; ok && i < process->site_count; i++) {
            struct site_definition *site = &process->sites[i];
            if (!site->module)
                continue;
            uint64_t key = hash_text(HASH_START, site->module) + site->offset * 0x9E3779B97F4A7C15u;
            uint32_t id;
            while ((id = id_table_find(&ids, key)) != NO_ID &&
                   (run->sites[id].offset != site->offset || strcmp(run->sites[id].module, site->module) != 0))
                key++;
            if (id == NO_ID) {
                id = (uint32_t)run->site_count++;
                run->sites[id] = (struct site){site->module, site->symbol, site->offset};
                ok = id_table_add(&ids, key, id);
            }
            site->merged = id;
        }
    }
    id_table_free(&ids);
    return ok;
}

/* Gives each definition of one process its place among the names of all, which it borrows. */
static bool merge_names(char ***all, size_t *count, struct name_definition *names, size_t name_count) {
    for (size_t i = 0; i < name_count; i++) {
        char *name = names[i].text ? names[i].text : "unknown";
        size_t id = 0;
        while (id < *count && strcmp((*all)[id], name) != 0)
            id++;
        if (id == *count) {
            char **grown = realloc(*all, (*count + 1) * sizeof **all);
            if (!grown)
                return false;
            *all = grown;
            grown[(*count)++] = name;
        }
        names[i].merged = (uint32_t)id;
    }
    return true;
}

static bool merge_all_names(struct run *run) {
    bool ok = true;
    for (int rank = 0; ok && rank < run->rank_count; rank++) {
        struct process *p = &run->processes[rank];
        ok = merge_names(&run->trees, &run->tree_count, p->trees, p->tree_count) &&
             merge_names(&run->user_regions, &run->user_region_count, p->user_regions, p->user_region_count);
    }
    return ok;
}

static bool need_region(struct run *run, const struct process *process, const struct spool_record *begin,
                        bool refused) {
    uint64_t key = region_key(process, begin, refused);
    if (id_table_find(&run->region_ids, key) != NO_ID)
        return true;
    struct region *regions = realloc(run->regions, (run->region_count + 1) * sizeof *regions);
    if (!regions || !id_table_add(&run->region_ids, key, (uint32_t)run->region_count))
        return false;
    run->regions = regions;
    const struct name_definition *user = user_region(process, begin);
    regions[run->region_count++] = (struct region){begin->region, refused, site_of(process, begin->a),
                                                   user ? run->user_regions[user->merged] : NULL};
    return true;
}

static bool need_shadow(struct run *run, const struct process *process, const struct spool_record *hop) {
    uint64_t key = shadow_key(process, hop);
    if (key == UINT64_MAX || id_table_find(&run->shadow_ids, key) != NO_ID)
        return true;
    struct shadow *shadows = realloc(run->shadows, (run->shadow_count + 1) * sizeof *shadows);
    if (!shadows || !id_table_add(&run->shadow_ids, key, (uint32_t)run->shadow_count))
        return false;
    run->shadows = shadows;
    shadows[run->shadow_count++] = (struct shadow){(uint32_t)(key >> 32), (uint32_t)key};
    return true;
}

/* Stable, by time, each record in a place of its own. libotf2 refuses an event earlier than the one before it. */
static bool sort_by_time(struct spool_file *file) {
    struct spool_record *from = malloc((file->records + MOST_IN_ONE) * sizeof *from),
                        *to = malloc(file->records * sizeof *to);
    if (!from || !to) {
        free(from);
        free(to);
        return false;
    }
    size_t records = 0;
    for (size_t i = 0; i < file->count; i++)
        records += records_of(&file->stored[i], from + records);
    file->count = records;
    for (size_t width = 1; width < file->count; width *= 2) {
        for (size_t begin = 0; begin < file->count; begin += 2 * width) {
            size_t middle = begin + width < file->count ? begin + width : file->count;
            size_t end = begin + 2 * width < file->count ? begin + 2 * width : file->count;
            size_t a = begin, b = middle;
            for (size_t out = begin; out < end; out++)
                to[out] = a < middle && (b == end || from[a].ticks <= from[b].ticks) ? from[a++] : from[b++];
        }
        struct spool_record *other = from;
        from = to;
        to = other;
    }
    free(to);
    file->sorted = from;
    file->stored = from;
    return true;
}

static bool in_order(const struct spool_file *file) {
    uint64_t last = 0;
    for (size_t i = 0; i < file->count; i++) {
        uint64_t first = file->stored[i].ticks;
        if (first < last)
            return false;
        last = last_ticks_of(&file->stored[i]);
        if (last < first)
            return false;
    }
    return true;
}

/* Calls of a thread do not nest, so their indices come in order. */
static bool note_refused(struct run *run, const struct process *process, struct spool_file *file, size_t index) {
    struct spool_record enter = first_of(&file->stored[index]);
    return index_list_add(&file->refused, index) && need_region(run, process, &enter, true);
}

/* record: one of those in this place of the file. */
static bool survey_record(struct run *run, const struct process *process, struct spool_file *file, size_t index,
                          const struct spool_record *record, struct index_list *open) {
    switch (record->kind) {
    case SPOOL_ENTER:
    case SPOOL_REGION_BEGIN:
        return index_list_add(open, index) && need_region(run, process, record, false);
    case SPOOL_COLLECTIVE_REQUEST:
        return need_region(run, process, record, false);
    case SPOOL_WAIT_BEGIN:
    case SPOOL_STEP_BEGIN:
    case SPOOL_OVERHEAD_BEGIN:
        return index_list_add(open, index);
    case SPOOL_LEAVE:
    case SPOOL_WAIT_END:
    case SPOOL_STEP_END:
    case SPOOL_OVERHEAD_END:
    case SPOOL_REGION_END: {
        size_t depth = depth_after(file, open, record);
        if (depth == SIZE_MAX)
            return true;
        if (record->kind == SPOOL_OVERHEAD_END) {
            const struct machine *machine = &run->machines[process->machine];
            run->overhead_ns +=
                clock_map_ns(machine, record->ticks) - clock_map_ns(machine, file->stored[open->items[depth]].ticks);
        }
        open->count = depth;
        if (record->kind == SPOOL_LEAVE && record->c == SPOOL_REFUSED)
            return note_refused(run, process, file, open->items[depth]);
        return true;
    }
    case SPOOL_HOP_ISEND:
    case SPOOL_HOP_IRECV:
        return need_shadow(run, process, record);
    default:
        return true;
    }
}

static bool survey_file(struct run *run, const struct process *process, struct spool_file *file) {
    if (file->count == 0)
        return true;
    if (!in_order(file) && !sort_by_time(file))
        return false;
    struct index_list open = {0};
    bool ok = true;
    for (size_t i = 0; i < file->count && ok; i++) {
        struct spool_record records[MOST_IN_ONE];
        size_t count = records_of(&file->stored[i], records);
        for (size_t r = 0; r < count && ok; r++)
            ok = survey_record(run, process, file, i, &records[r], &open);
    }
    for (size_t i = 0; ok && i < open.count; i++)
        if (first_of(&file->stored[open.items[i]]).kind == SPOOL_ENTER)
            ok = index_list_add(&file->open_enters, open.items[i]);
    index_list_free(&open);
    struct machine *machine = &run->machines[process->machine];
    uint64_t first = clock_map_ns(machine, file->stored[0].ticks);
    uint64_t last = clock_map_ns(machine, last_ticks_of(&file->stored[file->count - 1]));
    machine->first_ns = first < machine->first_ns ? first : machine->first_ns;
    machine->last_ns = last > machine->last_ns ? last : machine->last_ns;
    run->places += file->count;
    run->threads++;
    spool_file_rest(file);
    return ok;
}

bool survey(struct run *run) {
    if (!merge_sites(run) || !merge_all_names(run))
        return false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        if (!process->present)
            continue;
        for (size_t i = 0; i < process->spool_count; i++)
            if (!survey_file(run, process, &process->spools[i]))
                return false;
    }
    return true;
}
