/* Reads DWARF call frame information (.eh_frame). Understands only the rules that compilers use in nearly all
 * functions: the frame's end is the stack pointer or the frame pointer plus a number, and the caller's registers are
 * saved at fixed distances from that end. */
#include "record/frame_rule.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)

enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16, MOST_STATES = 8 };

/* The pointer encodings (DW_EH_PE_*) that linkers and compilers use on x86-64. */
enum { SIGNED_4 = 0x0B, UNSIGNED_4 = 0x03, FROM_HERE = 0x10, FROM_TABLE = 0x30 };

/* Reads bytes in order. An attempt to read beyond the end sets `failed`, and all values read from then on are 0. */
struct cursor {
    const uint8_t *next, *end;
    bool failed;
};

static uint64_t take_bytes(struct cursor *cursor, size_t bytes) {
    uint64_t value = 0;
    if (cursor->failed || (size_t)(cursor->end - cursor->next) < bytes) {
        cursor->failed = true;
        return 0;
    }
    memcpy(&value, cursor->next, bytes);
    cursor->next += bytes;
    return value;
}

static void skip(struct cursor *cursor, uint64_t bytes) {
    if (cursor->failed || (uint64_t)(cursor->end - cursor->next) < bytes)
        cursor->failed = true;
    else
        cursor->next += bytes;
}

static uint64_t take_number(struct cursor *cursor) {
    uint64_t value = 0, byte = 0x80;
    for (int shift = 0; byte & 0x80; shift += 7) {
        byte = take_bytes(cursor, 1);
        value |= shift < 64 ? (byte & 0x7F) << shift : 0;
    }
    return value;
}

static int64_t take_signed_number(struct cursor *cursor) {
    uint64_t value = 0, byte = 0x80;
    int shift = 0;
    for (; byte & 0x80; shift += 7) {
        byte = take_bytes(cursor, 1);
        value |= shift < 64 ? (byte & 0x7F) << shift : 0;
    }
    if (shift < 64 && byte & 0x40)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* The unwind table of the loaded object (program or library) that contains an address. */
struct table {
    uintptr_t address;
    const uint8_t *header; /* NULL: no object has the address, or its object has no table */
    uintptr_t low, high;   /* the address range of the loaded object */
    struct frame_rule *rule;
};

static int find_table(struct dl_phdr_info *object, size_t size, void *opaque) {
    (void)size;
    struct table *table = opaque;
    uintptr_t low = UINTPTR_MAX, high = 0, header = 0;
    bool has_address = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME)
            header = begin;
        if (segment->p_type != PT_LOAD)
            continue;
        has_address |= (segment->p_flags & PF_X) && table->address - begin < segment->p_memsz;
        low = begin < low ? begin : low;
        high = begin + segment->p_memsz > high ? begin + segment->p_memsz : high;
    }
    if (!has_address)
        return 0;
    table->header = (const uint8_t *)header;
    table->low = low;
    table->high = high;
    table->rule->object = low;
    table->rule->in_program = !*object->dlpi_name;
    return 1;
}

/* The description (FDE) of the function that contains the address, by binary search in the table's sorted index. NULL
 * if there is none. */
static const uint8_t *find_description(const struct table *table) {
    struct cursor cursor = {table->header, (const uint8_t *)table->high, false};
    uint64_t version = take_bytes(&cursor, 1), table_encoding = take_bytes(&cursor, 1),
             count_encoding = take_bytes(&cursor, 1), index_encoding = take_bytes(&cursor, 1);
    if (version != 1 || (table_encoding & 0x0F) != SIGNED_4 || count_encoding != UNSIGNED_4 ||
        index_encoding != (FROM_TABLE | SIGNED_4))
        return NULL;
    take_bytes(&cursor, 4); /* skip the position of the descriptions */
    uint64_t count = take_bytes(&cursor, 4);
    struct entry {
        int32_t function, description; /* distances from the header */
    };
    if (cursor.failed || count == 0 || (uint64_t)(cursor.end - cursor.next) / sizeof(struct entry) < count)
        return NULL;
    const uint8_t *entries = cursor.next;
    struct entry entry;
    uint64_t low = 0, high = count; /* [low, high) has the last entry whose function begins at or before the address */
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        memcpy(&entry, entries + middle * sizeof entry, sizeof entry);
        if ((uintptr_t)table->header + (uintptr_t)(intptr_t)entry.function > table->address)
            high = middle;
        else
            low = middle;
    }
    memcpy(&entry, entries + low * sizeof entry, sizeof entry);
    uintptr_t description = (uintptr_t)table->header + (uintptr_t)(intptr_t)entry.description;
    return description >= table->low && description < table->high ? (const uint8_t *)description : NULL;
}

/* Reads the length of a record of .eh_frame and returns a cursor over its contents. */
static struct cursor open_record(const struct table *table, const uint8_t *record) {
    struct cursor cursor = {record, (const uint8_t *)table->high, (uintptr_t)record < table->low};
    uint64_t length = take_bytes(&cursor, 4);
    if (length == UINT32_MAX || length > (uint64_t)(cursor.end - cursor.next))
        cursor.failed = true; /* the form for tables beyond 4 GB, which no program uses */
    else
        cursor.end = cursor.next + length;
    return cursor;
}

/* The data that many functions' descriptions have in common (a CIE of .eh_frame). */
struct shared {
    uint64_t code_unit;
    int64_t data_unit;
    bool has_data, is_signal_frame, is_known;
    struct cursor program;
};

static struct shared read_shared(const struct table *table, const uint8_t *record) {
    struct shared shared = {.program = open_record(table, record)};
    struct cursor *cursor = &shared.program;
    take_bytes(cursor, 4);
    uint64_t version = take_bytes(cursor, 1);
    const char *letters = (const char *)cursor->next;
    while (take_bytes(cursor, 1))
        ;
    shared.code_unit = take_number(cursor);
    shared.data_unit = take_signed_number(cursor);
    uint64_t return_register = version == 1 ? take_bytes(cursor, 1) : take_number(cursor);
    shared.is_known = !cursor->failed && (version == 1 || version == 3) && return_register == RETURN_ADDRESS;
    if (!shared.is_known || *letters != 'z')
        return shared;
    shared.has_data = true;
    uint64_t length = take_number(cursor);
    struct cursor data = *cursor;
    skip(cursor, length);
    shared.is_known = false;
    for (letters++; *letters; letters++) {
        uint64_t encoding = *letters == 'S' ? 0 : take_bytes(&data, 1);
        if (*letters == 'S')
            shared.is_signal_frame = true;
        else if (*letters == 'P')
            skip(&data, (encoding & 0x07) == 0x03 ? 4 : 8);
        else if (*letters == 'R')
            shared.is_known = encoding == (FROM_HERE | SIGNED_4);
    }
    shared.is_known = shared.is_known && !data.failed && !cursor->failed;
    return shared;
}

/* The rules that hold at one instruction of the function. */
struct state {
    uint64_t base; /* number of the register from which the frame's end is computed */
    int64_t size, saved;
    bool is_simple; /* false: a rule is an expression, not base plus a number */
};

struct execution {
    struct state state, initial, stack[MOST_STATES];
    size_t stack_depth;
    uint64_t position; /* bytes from the function's first instruction */
    const struct shared *shared;
};

static void save_register(struct execution *execution, uint64_t number, int64_t distance) {
    if (number == FRAME_POINTER)
        execution->state.saved = distance;
    else if (number == RETURN_ADDRESS && distance != -8)
        execution->state.is_simple = false;
}

static void lose_register(struct execution *execution, uint64_t number) {
    if (number == FRAME_POINTER || number == RETURN_ADDRESS)
        execution->state.is_simple = false;
}

static void restore_register(struct execution *execution, uint64_t number) {
    if (number == FRAME_POINTER)
        execution->state.saved = execution->initial.saved;
}

/* Runs an instruction that has no operand in its first byte (DWARF 5, 6.4.2). False if the instruction is unknown. */
static bool take_extended(struct execution *execution, struct cursor *cursor, uint64_t code) {
    struct state *state = &execution->state;
    int64_t unit = execution->shared->data_unit;
    uint64_t number;
    switch (code) {
    case 0x00: /* nop */
        return true;
    case 0x02: /* advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        execution->position += take_bytes(cursor, (size_t)1 << (code - 2)) * execution->shared->code_unit;
        return true;
    case 0x05: /* offset_extended */
        number = take_number(cursor);
        save_register(execution, number, (int64_t)take_number(cursor) * unit);
        return true;
    case 0x06: /* restore_extended */
        restore_register(execution, take_number(cursor));
        return true;
    case 0x07: /* undefined: used for the return address of the outermost frame */
        lose_register(execution, take_number(cursor));
        return true;
    case 0x08: /* same_value */
        number = take_number(cursor);
        if (number == FRAME_POINTER)
            state->saved = 0;
        return true;
    case 0x09: /* register */
        lose_register(execution, take_number(cursor));
        take_number(cursor);
        return true;
    case 0x0A: /* remember_state */
        if (execution->stack_depth == MOST_STATES)
            return false;
        execution->stack[execution->stack_depth++] = *state;
        return true;
    case 0x0B: /* restore_state */
        if (execution->stack_depth == 0)
            return false;
        *state = execution->stack[--execution->stack_depth];
        return true;
    case 0x0C: /* def_cfa */
        state->base = take_number(cursor);
        state->size = (int64_t)take_number(cursor);
        return true;
    case 0x0D: /* def_cfa_register */
        state->base = take_number(cursor);
        return true;
    case 0x0E: /* def_cfa_offset */
        state->size = (int64_t)take_number(cursor);
        return true;
    case 0x0F: /* def_cfa_expression: stays in force until the next def_cfa; def_cfa_offset alone cannot replace it */
        state->base = UINT64_MAX;
        skip(cursor, take_number(cursor));
        return true;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        lose_register(execution, take_number(cursor));
        skip(cursor, take_number(cursor));
        return true;
    case 0x11: /* offset_extended_sf */
        number = take_number(cursor);
        save_register(execution, number, take_signed_number(cursor) * unit);
        return true;
    case 0x12: /* def_cfa_sf */
        state->base = take_number(cursor);
        state->size = take_signed_number(cursor) * unit;
        return true;
    case 0x13: /* def_cfa_offset_sf */
        state->size = take_signed_number(cursor) * unit;
        return true;
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
        lose_register(execution, take_number(cursor));
        take_number(cursor);
        return true;
    case 0x2E: /* GNU_args_size */
        take_number(cursor);
        return true;
    default:
        return false;
    }
}

/* Runs the instructions that apply up to a position in the function. False if one of them is not understood. */
static bool run_program(struct execution *execution, struct cursor cursor, uint64_t target) {
    while (!cursor.failed && cursor.next < cursor.end) {
        uint64_t code = take_bytes(&cursor, 1), operand = code & 0x3F;
        if (code >> 6 == 1)
            execution->position += operand * execution->shared->code_unit;
        else if (code >> 6 == 2)
            save_register(execution, operand, (int64_t)take_number(&cursor) * execution->shared->data_unit);
        else if (code >> 6 == 3)
            restore_register(execution, operand);
        else if (!take_extended(execution, &cursor, code))
            return false;
        if (execution->position > target)
            return !cursor.failed;
    }
    return !cursor.failed;
}

static bool is_usable(const struct state *state) {
    bool has_base = state->base == STACK_POINTER || state->base == FRAME_POINTER;
    bool has_size = state->size >= 8 && state->size <= INT32_MAX && state->size % 8 == 0;
    bool is_saved = state->saved <= -16 && state->saved >= INT16_MIN && state->saved % 8 == 0;
    return state->is_simple && has_base && has_size && (state->saved == 0 || is_saved);
}

bool frame_rule_find(uintptr_t return_address, struct frame_rule *rule) {
    *rule = (struct frame_rule){0};
    struct table table = {.address = return_address - 1, .rule = rule};
    if (!dl_iterate_phdr(find_table, &table) || !table.header)
        return false;
    const uint8_t *description = find_description(&table);
    if (!description)
        return false;
    struct cursor cursor = open_record(&table, description);
    const uint8_t *field = cursor.next;
    uint64_t distance = take_bytes(&cursor, 4);
    if (cursor.failed || distance == 0 || distance > (uintptr_t)field - table.low)
        return false;
    struct shared shared = read_shared(&table, field - distance);
    if (!shared.is_known)
        return false;
    field = cursor.next;
    rule->function = (uintptr_t)field + (uintptr_t)(intptr_t)(int32_t)take_bytes(&cursor, 4);
    uint64_t bytes = take_bytes(&cursor, 4);
    if (cursor.failed || table.address - rule->function >= bytes)
        return false;
    if (shared.has_data)
        skip(&cursor, take_number(&cursor));
    struct execution execution = {.state = {.base = STACK_POINTER, .size = 8, .is_simple = true}, .shared = &shared};
    uint64_t position = table.address - rule->function;
    if (shared.is_signal_frame || !run_program(&execution, shared.program, UINT64_MAX))
        return true;
    execution.initial = execution.state;
    execution.position = 0;
    if (!run_program(&execution, cursor, position) || !is_usable(&execution.state))
        return true;
    rule->size = (int32_t)execution.state.size;
    rule->saved = (int16_t)execution.state.saved;
    rule->from_frame_pointer = execution.state.base == FRAME_POINTER;
    rule->leads_on = true;
    return true;
}

#else

bool frame_rule_find(uintptr_t return_address, struct frame_rule *rule) {
    (void)return_address;
    *rule = (struct frame_rule){0};
    return false;
}

#endif
