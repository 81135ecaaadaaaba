/* Merges the call sites of all processes, each with the callers that tell it apart.
 *
 * If a program calls MPI through a wrapper function of its own, the call site in the wrapper is always the same, and
 * only the wrapper's callers tell the calls apart. A function counts as a wrapper if all its recorded calls come from
 * one address, and its callers are then used if there are several. A wrapper's caller may be a wrapper, too. */
#include <stdlib.h>
#include <string.h>

#include "assembly/run.h"
#include "hopscope/hash.h"
#include "schemas/otf2.h"

/* A set of keys. For each it has the first value with which the key was noted, and if there were other values. */
struct forks {
    struct id_table ids;
    struct fork {
        uint64_t first;
        bool has_several;
    } *items;
    size_t count, room;
};

static bool note(struct forks *forks, uint64_t key, uint64_t value) {
    uint32_t id = id_table_find(&forks->ids, key);
    if (id != NO_ID) {
        forks->items[id].has_several |= forks->items[id].first != value;
        return true;
    }
    if (forks->count == forks->room) {
        size_t room = forks->room ? 2 * forks->room : 64;
        struct fork *items = realloc(forks->items, room * sizeof *items);
        if (!items)
            return false;
        forks->items = items;
        forks->room = room;
    }
    forks->items[forks->count] = (struct fork){value, false};
    return id_table_add(&forks->ids, key, (uint32_t)forks->count++);
}

static bool has_several(const struct forks *forks, uint64_t key) {
    uint32_t id = id_table_find(&forks->ids, key);
    return id != NO_ID && forks->items[id].has_several;
}

static void free_forks(struct forks *forks) {
    id_table_free(&forks->ids);
    free(forks->items);
}

/* The hash of an address in machine code, or of a line of Python. */
static uint64_t hash_of_address(const struct site_definition *site) {
    if (site->file)
        return hash_mix(hash_text(hash_text(HASH_START, site->file), site->symbol), (uint64_t)site->line);
    return hash_mix(hash_text(HASH_START, site->module), site->offset);
}

static bool has_function(const struct site_definition *site) {
    return site->file || site->begin != UINT64_MAX;
}

static uint64_t hash_of_function(const struct site_definition *site) {
    if (site->file)
        return hash_text(hash_text(HASH_START, site->file), site->symbol);
    return hash_mix(hash_text(HASH_START, site->module), site->begin);
}

enum { MOST_LINKS = MOST_CALLERS + 1 };

/* Fills `links` with a call site and its callers, the nearest first. Returns their number. */
static size_t chain_of(const struct process *process, const struct site_definition *site,
                       const struct site_definition *links[MOST_LINKS]) {
    size_t length = 0;
    if (!is_known_site(site))
        return 0;
    links[length++] = site;
    for (size_t i = 0; i < site->caller_count; i++) {
        uint32_t id = site->callers[i];
        if (id < 1 || id > process->frame_count || !is_known_site(&process->frames[id - 1]))
            break;
        links[length++] = &process->frames[id - 1];
    }
    return length;
}

/* Data about all chains of callers. functions: the addresses from which each function calls. followers: the callers
 * that follow each beginning of a chain. */
struct callers {
    struct forks functions, followers;
};

static bool survey_chain(struct callers *callers, const struct site_definition *const *links, size_t length) {
    uint64_t chain = HASH_START;
    for (size_t i = 0; i < length; i++) {
        uint64_t address = hash_of_address(links[i]);
        chain = hash_mix(chain, address);
        uint64_t next = i + 1 < length ? hash_of_address(links[i + 1]) : 0;
        if (!note(&callers->functions, hash_of_function(links[i]), address) || !note(&callers->followers, chain, next))
            return false;
    }
    return true;
}

/* The number of callers of a call site, the nearest first, that are needed to tell its calls apart. */
static size_t count_telling_callers(const struct callers *callers, const struct site_definition *const *links,
                                    size_t length) {
    uint64_t chain = HASH_START;
    size_t count = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        chain = hash_mix(chain, hash_of_address(links[i]));
        if (!has_function(links[i]) || has_several(&callers->functions, hash_of_function(links[i])))
            break;
        if (has_several(&callers->followers, chain))
            count = i + 1;
    }
    return count;
}

static bool find_telling_callers(struct run *run) {
    struct callers callers = {0};
    bool ok = true;
    for (int pass = 0; pass < 2; pass++)
        for (int rank = 0; ok && rank < run->rank_count; rank++) {
            struct process *process = &run->processes[rank];
            for (size_t i = 0; ok && i < process->site_count; i++) {
                const struct site_definition *links[MOST_LINKS];
                size_t length = chain_of(process, &process->sites[i], links);
                if (pass == 0)
                    ok = survey_chain(&callers, links, length);
                else
                    process->sites[i].caller_count = count_telling_callers(&callers, links, length);
            }
        }
    free_forks(&callers.functions);
    free_forks(&callers.followers);
    return ok;
}

static bool is_same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* True if both are the same place in the program, even if modules were loaded at different addresses. For a line of
 * Python the function's name counts too, because one line may belong to several functions. */
static bool is_same_place(const struct site_definition *a, const struct site_definition *b) {
    return a->offset == b->offset && a->line == b->line && is_same_text(a->module, b->module) &&
           is_same_text(a->file, b->file) && (!a->file || is_same_text(a->symbol, b->symbol));
}

static bool is_same_site(const struct site *a, const struct site *b) {
    if (!is_same_place(a->place, b->place) || a->caller_count != b->caller_count)
        return false;
    for (size_t i = 0; i < a->caller_count; i++)
        if (!is_same_place(a->callers[i], b->callers[i]))
            return false;
    return true;
}

static uint64_t key_of_site(const struct site *site) {
    uint64_t key = hash_of_address(site->place);
    for (size_t i = 0; i < site->caller_count; i++)
        key = hash_mix(key, hash_of_address(site->callers[i]));
    return key;
}

static struct site site_of(const struct process *process, const struct site_definition *definition) {
    struct site site = {.place = definition, .caller_count = definition->caller_count};
    for (size_t i = 0; i < site.caller_count; i++)
        site.callers[i] = &process->frames[definition->callers[i] - 1];
    return site;
}

bool merge_sites(struct run *run) {
    struct id_table ids = {0};
    size_t total = 0;
    for (int rank = 0; rank < run->rank_count; rank++)
        total += run->processes[rank].site_count;
    run->sites = malloc((total ? total : 1) * sizeof *run->sites);
    bool ok = run->sites != NULL && find_telling_callers(run);
    for (int rank = 0; ok && rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        for (size_t i = 0; ok && i < process->site_count; i++) {
            struct site_definition *definition = &process->sites[i];
            if (!is_known_site(definition))
                continue;
            struct site site = site_of(process, definition);
            uint64_t key = key_of_site(&site);
            uint32_t id;
            while ((id = id_table_find(&ids, key)) != NO_ID && !is_same_site(&run->sites[id], &site))
                key++;
            if (id == NO_ID) {
                id = (uint32_t)run->site_count++;
                run->sites[id] = site;
                ok = id_table_add(&ids, key, id);
            }
            definition->merged = id;
        }
    }
    id_table_free(&ids);
    return ok;
}

void text_add_place(struct text *output, const struct site *site) {
    const struct site_definition *place = site->place;
    if (place->file) {
        text_add(output, "%s", place->file);
        return;
    }
    text_add(output, "%s+0x%llx", place->module, (unsigned long long)place->offset);
    for (size_t i = 0; i < site->caller_count; i++)
        text_add(output, ARCHIVE_FROM "%s+0x%llx", site->callers[i]->module,
                 (unsigned long long)site->callers[i]->offset);
}

void text_add_function(struct text *output, const struct site *site) {
    const struct site_definition *place = site->place;
    if (!place->symbol || !*place->symbol)
        return;
    text_add(output, ARCHIVE_CALLED_FROM "%s", place->symbol);
    for (size_t i = 0; place->file && i < site->caller_count; i++)
        text_add(output, ARCHIVE_FROM "%s (%s:%lld)", site->callers[i]->symbol, site->callers[i]->file,
                 (long long)site->callers[i]->line);
}
