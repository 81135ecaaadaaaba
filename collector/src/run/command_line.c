/* Quotes words so that their boundaries stay visible: `./app 'a b'` is not `./app a b`. */
#include "run/command_line.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool needs_quotes(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    return !*word || word[strspn(word, plain)];
}

/* Appends a text to the first length_before bytes of `output`. Returns the new length, or `capacity` if the text does
 * not fit. */
static size_t append(char *output, size_t capacity, size_t length_before, const char *text, size_t length) {
    if (length_before + length >= capacity)
        return capacity;
    memcpy(output + length_before, text, length);
    return length_before + length;
}

static size_t append_word(char *output, size_t capacity, size_t length_before, const char *word) {
    if (!needs_quotes(word))
        return append(output, capacity, length_before, word, strlen(word));
    length_before = append(output, capacity, length_before, "'", 1);
    for (const char *c = word; *c; c++)
        length_before = *c == '\'' ? append(output, capacity, length_before, "'\\''", 4)
                                   : append(output, capacity, length_before, c, 1);
    return append(output, capacity, length_before, "'", 1);
}

void quote_words(char *output, size_t capacity, const char *words, size_t length) {
    size_t end = 0; /* the position after the last word that fits */
    for (size_t i = 0; i < length; i += strlen(words + i) + 1) {
        size_t length_before = i ? append(output, capacity, end, " ", 1) : 0;
        length_before = append_word(output, capacity, length_before, words + i);
        if (length_before >= capacity)
            break;
        end = length_before;
    }
    output[end] = '\0';
}

void read_command_line(char *output, size_t capacity) {
    char words[4096];
    output[0] = '\0';
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t length = read(file, words, sizeof words - 1);
    close(file);
    if (length <= 0)
        return;
    words[length] = '\0';
    quote_words(output, capacity, words, (size_t)length);
}
