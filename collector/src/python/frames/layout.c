#include "python/frames/layout.h"

#include <stddef.h>
#include <string.h>

enum { MINOR = 0xFFFF0000, PYTHON_3_11 = 0x030B0000, PYTHON_3_12 = 0x030C0000 };

static const struct python_layout of_3_11 = {
    .state_interpreter = 16,
    .state_frame = 56,
    .c_frame = 8,
    .frame_previous = 48,
    .frame_code = 32,
    .frame_instruction = 56,
    .frame_owner = 69,
    .code_first_line = 72,
    .code_file = 112,
    .code_name = 128,
    .code_lines = 136,
    .code_bytecode = 184,
    .text_ascii = 48,
    .text_compact = 72,
};

static const struct python_layout of_3_12 = {
    .state_interpreter = 16,
    .state_frame = 56,
    .c_frame = 0,
    .frame_previous = 8,
    .frame_code = 0,
    .frame_instruction = 56,
    .frame_owner = 70,
    .code_first_line = 68,
    .code_file = 112,
    .code_name = 128,
    .code_lines = 136,
    .code_bytecode = 192,
    .text_ascii = 40,
    .text_compact = 56,
};

/* The positions at which the groups of published numbers begin, for each minor release. The interpreter publishes a
 * list of 64-bit numbers that consists of groups. A new minor release may lengthen each group and add groups. */
static const struct groups {
    unsigned long minor;
    size_t state, frame, code;
} known_groups[] = {
    {0x030D0000, 19, 28, 34},
    {0x030E0000, 22, 31, 39},
};

/* Positions of numbers in the list. The first ones count from the beginning of the list, the others from the beginning
 * of their group. */
enum {
    PUBLISHED_COOKIE,
    PUBLISHED_VERSION,
    PUBLISHED_FREE_THREADED,
    STATE_INTERPRETER = 3,
    STATE_FRAME = 4,
    FRAME_PREVIOUS = 1,
    FRAME_CODE = 2,
    FRAME_INSTRUCTION = 3,
    FRAME_OWNER = 5,
    CODE_FILE = 1,
    CODE_NAME = 3,
    CODE_LINES = 4,
    CODE_FIRST_LINE = 5,
    CODE_BYTECODE = 9,
    MOST_WORDS = 64,
};

static bool read_published(const struct groups *groups, unsigned long version, const void *published,
                           struct python_layout *layout, const char **reason) {
    static const char cookie[] = "xdebugpy";
    uint64_t words[MOST_WORDS];
    memcpy(words, published, sizeof words);
    if (memcmp(&words[PUBLISHED_COOKIE], cookie, sizeof words[0]) != 0 || words[PUBLISHED_VERSION] != version) {
        *reason = "the interpreter publishes no offsets of its own version";
        return false;
    }
    if (words[PUBLISHED_FREE_THREADED]) {
        *reason = "free-threaded builds of Python are not supported";
        return false;
    }
    const uint64_t *state = words + groups->state, *frame = words + groups->frame, *code = words + groups->code;
    *layout = (struct python_layout){
        .state_interpreter = (uint32_t)state[STATE_INTERPRETER],
        .state_frame = (uint32_t)state[STATE_FRAME],
        .c_frame = PYTHON_NO_C_FRAME,
        .frame_previous = (uint32_t)frame[FRAME_PREVIOUS],
        .frame_code = (uint32_t)frame[FRAME_CODE],
        .frame_instruction = (uint32_t)frame[FRAME_INSTRUCTION],
        .frame_owner = (uint32_t)frame[FRAME_OWNER],
        .code_first_line = (uint32_t)code[CODE_FIRST_LINE],
        .code_file = (uint32_t)code[CODE_FILE],
        .code_name = (uint32_t)code[CODE_NAME],
        .code_lines = (uint32_t)code[CODE_LINES],
        .code_bytecode = (uint32_t)code[CODE_BYTECODE],
        .text_ascii = of_3_12.text_ascii,
        .text_compact = of_3_12.text_compact,
    };
    return true;
}

bool python_layout_find(unsigned long version, const void *published, struct python_layout *layout,
                        const char **reason) {
    unsigned long minor = version & MINOR;
    if (sizeof(void *) == 8 && (minor == PYTHON_3_11 || minor == PYTHON_3_12)) {
        *layout = minor == PYTHON_3_11 ? of_3_11 : of_3_12;
        return true;
    }
    for (size_t i = 0; sizeof(void *) == 8 && published && i < sizeof known_groups / sizeof *known_groups; i++)
        if (known_groups[i].minor == minor)
            return read_published(&known_groups[i], version, published, layout, reason);
    *reason = "this release of Python is not known to the collector";
    return false;
}
