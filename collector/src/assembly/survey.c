/* Passes over all records once before the archive is written. Sorts them if they are out of order, and finds their time
 * span, the regions and shadow communicators that they need, and the calls that never returned. */
#include <stdlib.h>
#include <string.h>

#include "assembly/machine_clock.h"
#include "assembly/run.h"
#include "hopscope/functions.h"
#include "hopscope/hash.h"

uint32_t comm_of(const struct process *process, uint32_t id) {
    if (id < 1 || id > process->comm_count)
        return NO_ID;
    const struct comm_definition *definition = &process->comms[id - 1];
    return definition->joined && (definition->key || definition->self) ? definition->merged : NO_ID;
}

uint32_t comm_of_transfer(const struct run *run, const struct process *process, const struct spool_record *transfer) {
    if (transfer->comm)
        return comm_of(process, transfer->comm);
    for (size_t i = 0; i < run->comm_count; i++)
        if (run->comms[i].self)
            return (uint32_t)i;
    return NO_ID;
}

uint32_t hop_peer_of(const struct run *run, const struct process *process, const struct spool_record *hop) {
    uint32_t comm = comm_of(process, hop->comm), peer = (uint32_t)(hop->a >> 32);
    const struct comm *known_comm = comm == NO_ID ? NULL : &run->comms[comm];
    if (!known_comm || (known_comm->inter && known_comm->first_group == 0))
        return NO_ID;
    if (known_comm->self || !known_comm->inter)
        return peer < (uint32_t)(known_comm->self ? 1 : known_comm->size) ? peer : NO_ID;
    int rank = process->comms[hop->comm - 1].rank; /* this process's rank in its own group */
    bool in_first = rank >= 0 && rank < known_comm->first_group && known_comm->members[rank] == process->rank;
    bool to_first = in_first == ((peer & SPOOL_OWN_GROUP) != 0);
    int count = to_first ? known_comm->first_group : known_comm->size - known_comm->first_group;
    peer &= ~SPOOL_OWN_GROUP;
    return peer >= (uint32_t)count ? NO_ID : peer + (to_first ? 0 : (uint32_t)known_comm->first_group);
}

bool is_unjoined(const struct process *process, uint32_t id) {
    return id >= 1 && id <= process->comm_count && process->comms[id - 1].foreign && !process->comms[id - 1].joined;
}

static uint32_t site_of(const struct process *process, const struct spool_record *begin) {
    uint32_t id = (uint32_t)begin->a;
    return id >= 1 && id <= process->site_count && is_known_site(&process->sites[id - 1])
               ? process->sites[id - 1].merged
               : NO_ID;
}

static const struct name_definition *user_region(const struct process *process, const struct spool_record *begin) {
    bool is_known = begin->kind == SPOOL_REGION_BEGIN && begin->b >= 1 && begin->b <= process->user_region_count;
    return is_known ? &process->user_regions[begin->b - 1] : NULL;
}

/* The key of the region that a record begins: an enter, a collective's request or a user region. The numbers of user
 * regions follow those of all functions. */
static uint64_t region_key(const struct process *process, const struct spool_record *begin, bool refused) {
    const struct name_definition *user = user_region(process, begin);
    uint64_t region_number = user ? (uint64_t)UINT16_MAX + 1 + user->merged : begin->region | (uint64_t)refused << 15;
    return region_number << 32 | site_of(process, begin);
}

uint32_t region_of(const struct run *run, const struct process *process, const struct spool_record *begin,
                   bool refused) {
    return id_table_find(&run->region_ids, region_key(process, begin, refused));
}

/* The key of a hop's shadow communicator; UINT64_MAX if the hop's communicator or tree is unknown. */
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
    /* A begin kind and its end kind have consecutive numbers: the end is begin + 1. */
    for (size_t d = open->count; d > 0; d--) {
        struct spool_record begin = first_of(&file->stored[open->items[d - 1]]);
        bool same_region = leave->kind != SPOOL_LEAVE && leave->kind != SPOOL_STEP_END;
        if (begin.kind == leave->kind - 1 && (same_region || begin.region == leave->region))
            return d - 1;
    }
    return SIZE_MAX;
}

/* Finds the index of each of a process's names among the distinct names of all processes, and adds new names. The texts
 * still belong to the process. */
static bool merge_names(char ***merged_names, size_t *count, struct name_definition *names, size_t name_count) {
    for (size_t i = 0; i < name_count; i++) {
        char *name = names[i].text ? names[i].text : "unknown";
        size_t id = 0;
        while (id < *count && strcmp((*merged_names)[id], name) != 0)
            id++;
        if (id == *count) {
            char **grown = realloc(*merged_names, (*count + 1) * sizeof **merged_names);
            if (!grown)
                return false;
            *merged_names = grown;
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
    regions[run->region_count++] =
        (struct region){begin->region, refused, site_of(process, begin), user ? run->user_regions[user->merged] : NULL};
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

/* Returns the first index in [begin, end) whose record is later than `ticks`; if is_inclusive, not earlier than
 * `ticks`. `end` if there is none. */
static size_t first_after(const struct spool_record *records, size_t begin, size_t end, uint64_t ticks,
                          bool is_inclusive) {
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (records[middle].ticks > ticks || (is_inclusive && records[middle].ticks == ticks))
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* Merges two neighbouring ranges of records, each of which is in time order. Moves only the records in the time that
 * both ranges cover. */
static bool merge(struct spool_record *records, size_t begin, size_t middle, size_t end) {
    if (records[middle - 1].ticks <= records[middle].ticks)
        return true;
    begin = first_after(records, begin, middle, records[middle].ticks, false);
    end = first_after(records, middle, end, records[middle - 1].ticks, true);
    size_t count = middle - begin, a = 0, b = middle;
    struct spool_record *left = malloc(count * sizeof *left);
    if (!left)
        return false;
    memcpy(left, records + begin, count * sizeof *left);
    for (size_t target = begin; a < count; target++)
        records[target] = b == end || left[a].ticks <= records[b].ticks ? left[a++] : records[b++];
    free(left);
    return true;
}

/* Copies the expanded records and sorts them stably by time, because libotf2 refuses an event earlier than its
 * predecessor. Records are out of order only within a call: a message that is recorded after the MPI function has
 * returned has the time of the enter, but the library's own messages in that function were recorded before it. */
static bool sort_by_time(struct spool_file *file) {
    struct spool_record *sorted = malloc((file->records + MAX_STORED_RECORDS) * sizeof *sorted);
    size_t records = 0;
    if (!sorted)
        return false;
    file->sorted = sorted;
    for (size_t i = 0; i < file->count; i++)
        records += records_of(&file->stored[i], sorted + records);
    file->stored = sorted;
    file->count = records;
    for (size_t width = 1; width < records; width *= 2)
        for (size_t middle = width; middle < records; middle += 2 * width)
            if (!merge(sorted, middle - width, middle, records - middle > width ? middle + width : records))
                return false;
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

/* Notes a collective that MPI refused. The calls of a thread do not nest, so the indices come in ascending order. */
static bool note_refused(struct run *run, const struct process *process, struct spool_file *file, size_t index) {
    struct spool_record enter = first_of(&file->stored[index]);
    return index_list_add(&file->refused, index) && need_region(run, process, &enter, true);
}

static bool note_waited(struct spool_file *file, uint64_t request) {
    uint64_t id = request & ~SPOOL_WAITED;
    return id == request || id_table_find(&file->waited, id) != NO_ID || id_table_add(&file->waited, id, 0);
}

/* Marks the window or file of a transfer, so that the archive defines it. */
static void note_transfer(struct run *run, const struct process *process, const struct spool_record *record) {
    uint32_t comm = comm_of_transfer(run, process, record);
    if (comm == NO_ID)
        return;
    if (is_of_file(record))
        run->comms[comm].file = 0;
    else
        run->comms[comm].window = 0;
}

/* Numbers windows and files in the order of their communicators. */
static void number_objects(struct run *run) {
    uint32_t windows = 0, files = 0;
    for (size_t i = 0; i < run->comm_count; i++) {
        struct comm *comm = &run->comms[i];
        comm->window = comm->window == NO_ID ? NO_ID : windows++;
        comm->file = comm->file == NO_ID ? NO_ID : files++;
    }
}

/* Processes one record. index: its position in the file, or that of the whole call from which it was expanded. */
static bool survey_record(struct run *run, const struct process *process, struct spool_file *file, size_t index,
                          const struct spool_record *record, struct index_list *open) {
    switch (record->kind) {
    case SPOOL_ENTER:
    case SPOOL_REGION_BEGIN:
        return index_list_add(open, index) && need_region(run, process, record, false);
    case SPOOL_TRANSFER:
        note_transfer(run, process, record);
        return true;
    case SPOOL_COLLECTIVE_REQUEST:
        return need_region(run, process, record, false);
    case SPOOL_WAIT_BEGIN:
    case SPOOL_STEP_BEGIN:
    case SPOOL_OVERHEAD_BEGIN:
    case SPOOL_JOIN_BEGIN:
        return index_list_add(open, index);
    case SPOOL_IDLE_BEGIN:
        open->count = 0; /* everything that is still open ends with the thread */
        return index_list_add(open, index);
    case SPOOL_LEAVE:
    case SPOOL_WAIT_END:
    case SPOOL_STEP_END:
    case SPOOL_OVERHEAD_END:
    case SPOOL_IDLE_END:
    case SPOOL_JOIN_END:
    case SPOOL_REGION_END: {
        size_t depth = depth_after(file, open, record);
        if (depth == SIZE_MAX)
            return true;
        if (record->kind == SPOOL_OVERHEAD_END) {
            const struct machine *machine = &run->machines[process->machine];
            run->overhead_ns += machine_clock_ns(machine, record->ticks) -
                                machine_clock_ns(machine, file->stored[open->items[depth]].ticks);
        }
        open->count = depth;
        if (record->kind == SPOOL_LEAVE && record->c == SPOOL_REFUSED)
            return note_refused(run, process, file, open->items[depth]);
        return true;
    }
    case SPOOL_HOP_ISEND_COMPLETE:
        return note_waited(file, record->c);
    case SPOOL_HOP_IRECV:
        return note_waited(file, record->c) && need_shadow(run, process, record);
    case SPOOL_HOP_ISEND:
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
        struct spool_record records[MAX_STORED_RECORDS];
        size_t count = records_of(&file->stored[i], records);
        for (size_t r = 0; r < count && ok; r++)
            ok = survey_record(run, process, file, i, &records[r], &open);
    }
    for (size_t i = 0; ok && i < open.count; i++)
        if (first_of(&file->stored[open.items[i]]).kind == SPOOL_ENTER)
            ok = index_list_add(&file->open_enters, open.items[i]);
    index_list_free(&open);
    struct machine *machine = &run->machines[process->machine];
    uint64_t first = machine_clock_ns(machine, file->stored[0].ticks);
    uint64_t last = machine_clock_ns(machine, last_ticks_of(&file->stored[file->count - 1]));
    machine->first_ns = first < machine->first_ns ? first : machine->first_ns;
    machine->last_ns = last > machine->last_ns ? last : machine->last_ns;
    run->stored_count += file->count;
    run->threads++;
    spool_file_rest(file);
    return ok;
}

bool survey(struct run *run) {
    if (!merge_sites(run) || !merge_all_names(run))
        return false;
    for (size_t i = 0; i < run->comm_count; i++)
        run->comms[i].window = run->comms[i].file = NO_ID;
    for (int rank = 0; rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        if (!process->present)
            continue;
        for (size_t i = 0; i < process->spool_count; i++)
            if (!survey_file(run, process, &process->spools[i]))
                return false;
    }
    number_objects(run);
    return true;
}
