/* Finds the helpers by their names. A helper contains an instruction `lea` that loads the address of a string with the
 * helper's name. The table for unwinding exceptions shows which function contains that instruction. If all such
 * instructions for one name are in one function, that function is the helper.
 *
 * Calls of helpers are found by searching the code byte by byte. Bytes inside another instruction may look like a call
 * of a helper, in about one of some thousand libraries. So a build is used only after it was tested (builds.h). */
#include "native/mpich/calls.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    bool required;
} helpers[] = {
#define MPICH_HELPER(name, required) {"MPIC_" #name, required},
    MPICH_HELPERS(MPICH_HELPER)
#undef MPICH_HELPER
};

const char *mpich_helper_name(enum mpich_helper helper) {
    return helpers[helper].name;
}

__attribute__((format(printf, 3, 4))) static bool refuse(char *reason, size_t capacity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, capacity, format, arguments);
    va_end(arguments);
    return false;
}

static bool add_segment(struct mpich_image *image, const ElfW(Phdr) * header, const unsigned char *bytes) {
    if (image->count == MPICH_MOST_SEGMENTS)
        return false;
    image->segments[image->count++] = (struct mpich_segment){
        .bytes = bytes, .begin = header->p_vaddr, .size = header->p_filesz, .code = header->p_flags & PF_X};
    return true;
}

bool mpich_image_of_file(struct mpich_image *image, const unsigned char *bytes, size_t size) {
    ElfW(Ehdr) elf;
    *image = (struct mpich_image){0};
    if (size < sizeof elf)
        return false;
    memcpy(&elf, bytes, sizeof elf);
    if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_type != ET_DYN ||
        elf.e_machine != EM_X86_64 || elf.e_phentsize != sizeof(ElfW(Phdr)) || elf.e_phoff > size ||
        elf.e_phnum > (size - elf.e_phoff) / sizeof(ElfW(Phdr)))
        return false;
    for (int i = 0; i < elf.e_phnum; i++) {
        ElfW(Phdr) header;
        memcpy(&header, bytes + elf.e_phoff + (size_t)i * sizeof header, sizeof header);
        if (header.p_type == PT_GNU_EH_FRAME)
            image->unwinding = header.p_vaddr;
        if (header.p_type != PT_LOAD)
            continue;
        if (header.p_offset > size || header.p_filesz > size - header.p_offset ||
            !add_segment(image, &header, bytes + header.p_offset))
            return false;
    }
    return true;
}

bool mpich_image_of_loaded(struct mpich_image *image, ElfW(Addr) base, const ElfW(Phdr) * headers, int count) {
    *image = (struct mpich_image){0};
    for (int i = 0; i < count; i++) {
        if (headers[i].p_type == PT_GNU_EH_FRAME)
            image->unwinding = headers[i].p_vaddr;
        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_R) &&
            !add_segment(image, &headers[i], (const unsigned char *)base + headers[i].p_vaddr))
            return false;
    }
    return true;
}

/* Points to the `size` bytes at an address. NULL if the image does not contain all of them. */
static const unsigned char *bytes_at(const struct mpich_image *image, uint64_t address, uint64_t size) {
    for (int i = 0; i < image->count; i++) {
        const struct mpich_segment *s = &image->segments[i];
        if (address >= s->begin && address - s->begin <= s->size && size <= s->size - (address - s->begin))
            return s->bytes + (address - s->begin);
    }
    return NULL;
}

static int32_t int32_at(const unsigned char *bytes) {
    int32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* The library's functions in ascending order, from the table for unwinding exceptions. Each is a pair of 32-bit
 * distances from the beginning of the table; the first is that of the function. */
struct functions {
    const unsigned char *pairs;
    uint64_t base;
    uint32_t count;
};
enum { VERSION = 1, UINT32 = 0x03, SORTED_DISTANCES = 0x3b, TABLE_HEAD = 12, PAIR = 8 };

static uint64_t function_begin(const struct functions *functions, uint32_t i) {
    return functions->base + (uint64_t)(int64_t)int32_at(functions->pairs + (size_t)i * PAIR);
}

static bool read_functions(const struct mpich_image *image, struct functions *functions) {
    const unsigned char *head = bytes_at(image, image->unwinding, TABLE_HEAD);
    if (!image->unwinding || !head || head[0] != VERSION || head[2] != UINT32 || head[3] != SORTED_DISTANCES)
        return false;
    *functions = (struct functions){.base = image->unwinding, .count = (uint32_t)int32_at(head + 8)};
    functions->pairs = bytes_at(image, image->unwinding + TABLE_HEAD, (uint64_t)functions->count * PAIR);
    if (!functions->pairs || !functions->count)
        return false;
    for (uint32_t i = 1; i < functions->count; i++)
        if (function_begin(functions, i - 1) >= function_begin(functions, i))
            return false;
    return true;
}

/* Returns the address of the function that contains an address; 0 if no function contains it. */
static uint64_t function_around(const struct functions *functions, uint64_t address) {
    uint32_t low = 0, high = functions->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (function_begin(functions, middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? function_begin(functions, low - 1) : 0;
}

/* The addresses of strings that are helpers' names. A name may occur several times. Intel MPI has them in the segment
 * of its code. */
enum { MOST_NAMES = 64 };
struct names {
    int count;
    struct name {
        uint64_t address;
        enum mpich_helper helper;
    } names[MOST_NAMES];
};

static bool find_names(const struct mpich_image *image, struct names *names) {
    names->count = 0;
    for (int i = 0; i < image->count; i++) {
        const struct mpich_segment *s = &image->segments[i];
        const unsigned char *position = s->bytes, *end = s->bytes + s->size;
        while ((position = memmem(position, (size_t)(end - position), "MPIC_", 5))) {
            for (int h = 0; h < MPICH_HELPER_COUNT; h++) {
                size_t size = strlen(helpers[h].name) + 1;
                if ((size_t)(end - position) < size || memcmp(position, helpers[h].name, size) != 0)
                    continue;
                if (names->count == MOST_NAMES)
                    return false;
                names->names[names->count++] = (struct name){s->begin + (uint64_t)(position - s->bytes), h};
            }
            position++;
        }
    }
    return names->count > 0;
}

/* True for a `lea` with a RIP-relative address. Its bytes are: the prefix REX.W, 0x8d, one byte for the register, and
 * four bytes for the distance from the instruction's end. */
enum { LEA_BYTES = 7 };
static bool is_lea(const unsigned char *bytes) {
    return bytes[1] == 0x8d && (bytes[0] & 0xfb) == 0x48 && (bytes[2] & 0xc7) == 0x05;
}

static uint64_t target(const struct mpich_segment *s, uint64_t offset, int length) {
    return s->begin + offset + (uint64_t)length + (uint64_t)(int64_t)int32_at(s->bytes + offset + length - 4);
}

/* Finds, for each helper's name, the function that loads the address of the name. False if two functions load one
 * name. */
static bool find_mentions(const struct mpich_segment *code, const struct functions *functions,
                          const struct names *names, uint64_t function_begins[]) {
    uint64_t low = UINT64_MAX, high = 0;
    for (int i = 0; i < names->count; i++) {
        low = names->names[i].address < low ? names->names[i].address : low;
        high = names->names[i].address > high ? names->names[i].address : high;
    }
    for (uint64_t offset = 0; offset + LEA_BYTES <= code->size; offset++) {
        if (!is_lea(code->bytes + offset))
            continue;
        uint64_t target_address = target(code, offset, LEA_BYTES);
        for (int i = 0; target_address >= low && target_address <= high && i < names->count; i++) {
            uint64_t *function = &function_begins[names->names[i].helper];
            uint64_t function_begin_address = function_around(functions, code->begin + offset);
            if (names->names[i].address != target_address)
                continue;
            if (!function_begin_address || (*function && *function != function_begin_address))
                return false;
            *function = function_begin_address;
        }
    }
    return true;
}

static int helper_at(const struct mpich_layout *layout, uint64_t address) {
    for (int h = 0; h < MPICH_HELPER_COUNT; h++)
        if (layout->functions[h] && layout->functions[h] == address)
            return h;
    return -1;
}

enum { CALL = 0xe8, JUMP = 0xe9, CALL_BYTES = 5, CONDITIONAL = 0x0f, CONDITIONAL_BYTES = 6 };

/* Finds the calls of the helpers. False if anything other than a call, such as a jump, leads to a helper, or if two
 * calls overlap. */
static bool find_calls(const struct mpich_segment *code, struct mpich_layout *layout) {
    uint64_t low = UINT64_MAX, high = 0;
    for (int h = 0; h < MPICH_HELPER_COUNT; h++) {
        uint64_t begin = layout->functions[h];
        low = begin && begin < low ? begin : low;
        high = begin > high ? begin : high;
    }
    uint64_t next_free_offset = 0;
    for (uint64_t offset = 0; offset + LEA_BYTES <= code->size; offset++) {
        const unsigned char *bytes = code->bytes + offset;
        int length = bytes[0] == CALL || bytes[0] == JUMP                   ? CALL_BYTES
                     : bytes[0] == CONDITIONAL && (bytes[1] & 0xf0) == 0x80 ? CONDITIONAL_BYTES
                     : is_lea(bytes)                                        ? LEA_BYTES
                                                                            : 0;
        uint64_t target_address = length ? target(code, offset, length) : 0;
        int helper = target_address >= low && target_address <= high ? helper_at(layout, target_address) : -1;
        if (helper < 0)
            continue;
        if (bytes[0] != CALL || offset < next_free_offset || layout->call_count == MPICH_MOST_CALLS)
            return false;
        layout->calls[layout->call_count++] = (struct mpich_call){code->begin + offset, helper};
        next_free_offset = offset + CALL_BYTES;
    }
    return true;
}

bool mpich_find_helpers(const struct mpich_image *image, struct mpich_layout *layout, char *reason, size_t capacity) {
    *layout = (struct mpich_layout){0};
    struct functions functions;
    struct names names;
    const struct mpich_segment *code = NULL;
    for (int i = 0; i < image->count; i++) {
        if (image->segments[i].code && code)
            return refuse(reason, capacity, "its code is in several segments");
        if (image->segments[i].code)
            code = &image->segments[i];
    }
    if (!code || !read_functions(image, &functions))
        return refuse(reason, capacity, "it has no table of its functions");
    if (!find_names(image, &names) || !find_mentions(code, &functions, &names, layout->functions))
        return refuse(reason, capacity, "the names of MPIC_ functions are not in one function each");
    for (int h = 0; h < MPICH_HELPER_COUNT; h++)
        if (helpers[h].required && !layout->functions[h])
            return refuse(reason, capacity, "%s was not found", helpers[h].name);
    for (int h = 0; h < MPICH_HELPER_COUNT; h++)
        if (layout->functions[h] && helper_at(layout, layout->functions[h]) != h)
            return refuse(reason, capacity, "%s and another helper are one function", helpers[h].name);
    if (!find_calls(code, layout))
        return refuse(reason, capacity, "something other than a call leads to an MPIC_ function");
    for (int i = 0; i < layout->call_count; i++)
        if (!function_around(&functions, layout->calls[i].address))
            return refuse(reason, capacity, "a call of %s lies outside all functions",
                          helpers[layout->calls[i].helper].name);
    return true;
}
