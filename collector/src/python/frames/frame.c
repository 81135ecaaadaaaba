#include "python/frames/frame.h"

#include <stdlib.h>

#include "python/frames/location_table.h"

enum {
    ALIGNMENT = 8,
    STACK_TAGS = 3,        /* mask: from 3.14 on, the two lowest bits of a frame's references show ownership */
    FIRST_WITHOUT_CODE = 3 /* frames with this owner number or a greater one stand for C code */
};

/* Limits that no text or bytecode of a program reaches. Larger sizes are misread. */
#define MOST_CHARACTERS ((size_t)1 << 16)
#define MOST_BYTES ((size_t)1 << 26)

static bool is_object(const struct python_reader *reader, uintptr_t object, uintptr_t type) {
    return object && object % ALIGNMENT == 0 && memory_word(reader->memory, object + PYTHON_OBJECT_TYPE) == type;
}

uintptr_t python_innermost(const struct python_reader *reader, uintptr_t state) {
    const struct python_layout *layout = &reader->layout;
    if (!state || memory_word(reader->memory, state + layout->state_interpreter) != reader->interpreter)
        return 0;
    uintptr_t frame = memory_word(reader->memory, state + layout->state_frame);
    if (layout->c_frame != PYTHON_NO_C_FRAME && frame)
        frame = frame % ALIGNMENT == 0 ? memory_word(reader->memory, frame + layout->c_frame) : 0;
    return frame % ALIGNMENT == 0 ? frame : 0;
}

uintptr_t python_caller(const struct python_reader *reader, uintptr_t frame) {
    uintptr_t previous = memory_word(reader->memory, frame + reader->layout.frame_previous);
    return previous % ALIGNMENT == 0 ? previous : 0;
}

bool python_read_text(const struct python_reader *reader, uintptr_t object, struct python_text *text) {
    uint32_t state;
    if (!is_object(reader, object, reader->text_type) ||
        !memory_read(reader->memory, object + PYTHON_TEXT_STATE, &state, sizeof state))
        return false;
    /* The bit fields of the state, from the lowest bit on: interned:2, kind:3, compact:1, ascii:1. */
    uint32_t width = state >> 2 & 7;
    bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    *text = (struct python_text){
        .characters = object + (ascii ? reader->layout.text_ascii : reader->layout.text_compact),
        .count = memory_word(reader->memory, object + PYTHON_TEXT_LENGTH),
        .width = width,
    };
    return compact && (width == 1 || width == 2 || width == 4) && text->count < MOST_CHARACTERS;
}

bool python_read_code(const struct python_reader *reader, uintptr_t frame, struct python_code *code) {
    const struct python_layout *layout = &reader->layout;
    int memory = reader->memory;
    uint8_t owner;
    if (!memory_read(memory, frame + layout->frame_owner, &owner, sizeof owner) || owner >= FIRST_WITHOUT_CODE)
        return false;
    uintptr_t address = memory_word(memory, frame + layout->frame_code) & ~(uintptr_t)STACK_TAGS;
    if (!is_object(reader, address, reader->code_type))
        return false;
    uintptr_t offset = memory_word(memory, frame + layout->frame_instruction) - (address + layout->code_bytecode);
    if (offset / 2 >= memory_word(memory, address + PYTHON_OBJECT_SIZE) || offset > UINT32_MAX)
        return false;
    uintptr_t lines = memory_word(memory, address + layout->code_lines);
    if (!is_object(reader, lines, reader->bytes_type))
        return false;
    *code = (struct python_code){
        .address = address,
        .instruction = (uint32_t)offset,
        .lines = lines + PYTHON_BYTES_DATA,
        .lines_bytes = memory_word(memory, lines + PYTHON_OBJECT_SIZE),
    };
    return code->lines_bytes < MOST_BYTES &&
           memory_read(memory, address + layout->code_first_line, &code->first_line, sizeof code->first_line) &&
           python_read_text(reader, memory_word(memory, address + layout->code_file), &code->file) &&
           python_read_text(reader, memory_word(memory, address + layout->code_name), &code->name);
}

/* Writes a character in UTF-8. Returns the number of bytes: 1 to 4. */
static size_t encode(uint32_t character, char output[4]) {
    if (character >= 0xDC80 && character <= 0xDCFF) { /* Python's code for a byte that was not UTF-8 */
        output[0] = (char)(character & 0xFF);
        return 1;
    }
    size_t further_bytes = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0x00, 0xC0, 0xE0, 0xF0};
    for (size_t i = further_bytes; i > 0; i--, character >>= 6)
        output[i] = (char)(0x80 | (character & 0x3F));
    output[0] = (char)(first[further_bytes] | character);
    return further_bytes + 1;
}

size_t python_text_copy(const struct python_reader *reader, const struct python_text *text, char *output, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < text->count; i++) {
        uint8_t byte;
        uint16_t half;
        uint32_t character;
        uintptr_t address = text->characters + i * text->width;
        void *target = text->width == 1 ? (void *)&byte : text->width == 2 ? (void *)&half : (void *)&character;
        if (!memory_read(reader->memory, address, target, text->width))
            return 0;
        character = text->width == 1 ? byte : text->width == 2 ? half : character;
        char bytes[4];
        size_t count = character > 0x10FFFF ? 0 : encode(character, bytes);
        if (used + count < room)
            memcpy(output + used, bytes, count);
        used += count;
    }
    if (room)
        output[used < room ? used : room - 1] = '\0';
    return used;
}

int python_line(const struct python_reader *reader, const struct python_code *code) {
    if (reader->memory == MEMORY_DIRECT)
        return location_table_line((const uint8_t *)code->lines, code->lines_bytes, code->first_line,
                                   code->instruction);
    uint8_t *table = malloc(code->lines_bytes + 1);
    int line = -1;
    if (table && memory_read(reader->memory, code->lines, table, code->lines_bytes))
        line = location_table_line(table, code->lines_bytes, code->first_line, code->instruction);
    free(table);
    return line;
}
