#include "record/call_site.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hopscope/hash.h"
#include "record/definitions.h"
#include "record/frame_rule.h"
#include "record/module.h"
#include "record/record.h"

/* A bit that is set in numbers that are not addresses. */
#define NOT_AN_ADDRESS ((uintptr_t)1 << 63)

struct call_site_step call_site_steps[CALL_SITE_STEPS];

struct numbered {
    uintptr_t number;
    uint32_t id;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct numbered *table; /* open addressing; the size is a power of two */
static size_t capacity, used;
static uint32_t sites, frames; /* the latest ids */

static struct numbered *slot_of(struct numbered *entries, size_t size, uintptr_t number) {
    size_t i = (number * 0x9E3779B97F4A7C15u >> 20) & (size - 1);
    while (entries[i].number && entries[i].number != number)
        i = (i + 1) & (size - 1);
    return &entries[i];
}

static bool grow(void) {
    size_t size = capacity ? capacity * 2 : 256;
    struct numbered *larger = calloc(size, sizeof *larger);
    if (!larger)
        return false;
    for (size_t i = 0; i < capacity; i++)
        if (table[i].number)
            *slot_of(larger, size, table[i].number) = table[i];
    free(table);
    table = larger;
    capacity = size;
    return true;
}

/* The id of a number; a new number gets the id ++*latest, and *fresh is set. 0 if recording is off or memory runs out.
 */
static uint32_t id_of(uintptr_t number, uint32_t *latest, bool *fresh) {
    *fresh = false;
    if (!record_is_on())
        return 0;
    int saved_errno = errno;
    uint32_t id = 0;
    pthread_mutex_lock(&lock);
    if (used * 2 < capacity || grow()) {
        struct numbered *entry = slot_of(table, capacity, number);
        *fresh = !entry->number;
        if (*fresh) {
            *entry = (struct numbered){number, ++*latest};
            used++;
        }
        id = entry->id;
    }
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
    return id;
}

uint32_t call_site_number(uintptr_t number, bool *fresh) {
    return id_of(number, &sites, fresh);
}

uint32_t call_site_caller(uintptr_t number, bool *fresh) {
    return id_of(number, &frames, fresh);
}

/* A chain of callers. length: number of links that belong to the call site. steps: number of links that call_site_known
 * must compare; one more than `length` if the link after the last shows that the chain ends. */
struct chain {
    struct chain_link {
        uintptr_t address;
        uint64_t inner;
        struct frame_rule rule;
        bool has_rule;
    } links[CALL_SITE_DEPTH];
    int length, steps;
    bool is_cut; /* the walk stopped at the end of the stack; another call with the same addresses may get further */
};

static uint64_t outer_of(const struct chain_link *link) {
    return hash_mix(link->inner, link->address) | 2; /* neither 0 nor CALL_SITE_ALONE */
}

/* Follows the callers up the stack, at the positions that the unwind table names. The address sanitizer would report
 * these reads, because they are outside of this function's variables. */
__attribute__((no_sanitize("address"))) static struct chain read_chain(const void *call_frame) {
    struct chain chain = {0};
    struct call_position position = call_position_of(call_frame);
    uint64_t inner = own_stack_has(position.stack) ? 0 : CALL_SITE_ALONE;
    for (;;) {
        struct chain_link *link = &chain.links[chain.steps++];
        *link = (struct chain_link){.address = position.address, .inner = inner};
        link->has_rule = frame_rule_find(position.address, &link->rule);
        const struct frame_rule *rule = &link->rule;
        if (chain.length > 0 && (!link->has_rule || (rule->object != link[-1].rule.object && !rule->in_program)))
            return chain;
        chain.length++;
        if (inner == CALL_SITE_ALONE || !rule->leads_on || chain.length == CALL_SITE_DEPTH)
            return chain;
        if (!call_position_leave(&position, rule->size, rule->saved, rule->from_frame_pointer)) {
            chain.is_cut = true;
            return chain;
        }
        inner = outer_of(link);
    }
}

/* Adds the position of a link's call instruction. Uses the last byte of that instruction, because the return address
 * after it may belong to the next source line. */
static void describe(struct line *line, const struct chain_link *link, const Dl_info *info) {
    uintptr_t base = info->dli_fname ? (uintptr_t)info->dli_fbase : 0;
    line_text(line, "module", info->dli_fname);
    line_unsigned(line, "offset", link->address - 1 - base);
    if (link->has_rule && info->dli_fname)
        line_unsigned(line, "begin", link->rule.function - base);
    line_text(line, "symbol", info->dli_sname);
}

static Dl_info object_of(const struct chain_link *link) {
    Dl_info info = {0};
    if (dladdr((const void *)(link->address - 1), &info) == 0)
        info.dli_fname = info.dli_sname = NULL;
    return info;
}

static void define_module(const struct chain_link *link, const Dl_info *info) {
    if (info->dli_fname)
        module_define(link->address - 1, (uintptr_t)info->dli_fbase, info->dli_fname);
}

/* The id of a caller's definition. Writes the definition at its first use. */
static uint32_t define_frame(const struct chain_link *link) {
    bool fresh;
    uint32_t id = call_site_caller(hash_mix(HASH_START, link->address) | NOT_AN_ADDRESS, &fresh);
    if (!fresh)
        return id;
    Dl_info info = object_of(link);
    struct line line;
    line_begin(&line, "frame");
    line_unsigned(&line, "id", id);
    describe(&line, link, &info);
    line_end(&line);
    define_module(link, &info);
    return id;
}

static void define(uint32_t id, const struct chain *chain) {
    int callers[CALL_SITE_DEPTH], count = 0;
    for (int i = 1; i < chain->length; i++)
        callers[count++] = (int)define_frame(&chain->links[i]);
    Dl_info info = object_of(&chain->links[0]);
    struct line line;
    line_begin(&line, "call_site");
    line_unsigned(&line, "id", id);
    describe(&line, &chain->links[0], &info);
    if (count > 0)
        line_ranks(&line, "callers", callers, count);
    line_end(&line);
    define_module(&chain->links[0], &info);
}

static uintptr_t number_of(const struct chain *chain) {
    const struct chain_link *last = &chain->links[chain->length - 1];
    return chain->length == 1 ? last->address : (outer_of(last) | NOT_AN_ADDRESS);
}

/* Adds a step to the table. Call it under the lock. Returns NULL if all slots for its hash are taken; such call sites
 * are then looked up at each call. */
static struct call_site_step *add_step(const struct call_site_step *step) {
    size_t slot = call_site_slot(step->address, step->inner);
    for (size_t probe = 0; probe < CALL_SITE_PROBES; probe++) {
        struct call_site_step *entry = &call_site_steps[(slot + probe) % CALL_SITE_STEPS];
        if (entry->address == step->address && entry->inner == step->inner)
            return entry;
        if (entry->address)
            continue;
        size_t key = offsetof(struct call_site_step, inner);
        memcpy((char *)entry + key, (const char *)step + key, sizeof *step - key);
        __atomic_store_n(&entry->address, step->address, __ATOMIC_RELEASE);
        return entry;
    }
    return NULL;
}

static void remember(const struct chain *chain, uint32_t id) {
    struct call_site_step *inner_step = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < chain->steps; i++) {
        const struct chain_link *link = &chain->links[i];
        bool is_last = i == chain->steps - 1;
        if (is_last && chain->is_cut)
            break;
        struct call_site_step *step = add_step(&(struct call_site_step){
            .address = link->address,
            .inner = link->inner,
            .outer = outer_of(link),
            .size = link->rule.size,
            .saved = link->rule.saved,
            .from_frame_pointer = link->rule.from_frame_pointer,
            .is_last = is_last,
            .id = is_last ? id : 0,
        });
        if (inner_step && step && !inner_step->next)
            __atomic_store_n(&inner_step->next, step, __ATOMIC_RELEASE);
        inner_step = step;
    }
    pthread_mutex_unlock(&lock);
}

static uint32_t id_of_chain(const struct chain *chain) {
    bool fresh;
    uint32_t id = call_site_number(number_of(chain), &fresh);
    if (fresh)
        define(id, chain);
    return id;
}

uint32_t call_site_without_callers(uintptr_t address) {
    int saved_errno = errno;
    struct chain chain = {.links = {{.address = address}}, .length = 1};
    chain.links[0].has_rule = frame_rule_find(address, &chain.links[0].rule);
    uint32_t id = id_of_chain(&chain);
    errno = saved_errno;
    return id;
}

uint32_t call_site_look_up(const void *call_frame) {
    int saved_errno = errno;
    own_stack_find();
    struct chain chain = read_chain(call_frame);
    uint32_t id = id_of_chain(&chain);
    if (id)
        remember(&chain, id);
    errno = saved_errno;
    return id;
}

void call_site_remember(uintptr_t address, uint32_t id) {
    pthread_mutex_lock(&lock);
    add_step(&(struct call_site_step){.address = address, .is_last = true, .id = id});
    pthread_mutex_unlock(&lock);
}
