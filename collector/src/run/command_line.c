/* Keeps word boundaries: `./app 'a b'` is not `./app a b`. */
#include "run/command_line.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool needs_quotes(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    return !*word || word[strspn(word, plain)];
}

/* Appends to out at `at`. Returns the new end, or capacity if the text does not fit. */
static size_t append(char *out, size_t capacity, size_t at, const char *text, size_t length) {
    if (at + length >= capacity)
        return capacity;
    memcpy(out + at, text, length);
    return at + length;
}

static size_t append_word(char *out, size_t capacity, size_t at, const char *word) {
    if (!needs_quotes(word))
        return append(out, capacity, at, word, strlen(word));
    at = append(out, capacity, at, "'", 1);
    for (const char *c = word; *c; c++)
        at = *c == '\'' ? append(out, capacity, at, "'\\''", 4) : append(out, capacity, at, c, 1);
    return append(out, capacity, at, "'", 1);
}

void quote_words(char *out, size_t capacity, const char *words, size_t length) {
    size_t end = 0; /* after the last whole word */
    for (size_t i = 0; i < length; i += strlen(words + i) + 1) {
        size_t at = i ? append(out, capacity, end, " ", 1) : 0;
        at = append_word(out, capacity, at, words + i);
        if (at >= capacity)
            break;
        end = at;
    }
    out[end] = '\0';
}

void read_command_line(char *out, size_t capacity) {
    char words[4096];
    out[0] = '\0';
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t length = read(file, words, sizeof words - 1);
    close(file);
    if (length <= 0)
        return;
    words[length] = '\0';
    quote_words(out, capacity, words, (size_t)length);
}
