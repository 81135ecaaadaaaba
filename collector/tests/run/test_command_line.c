/* Tests that a recorded command line, if it is pasted into a shell, gives the same words. Needs no MPI. */
#include "run/command_line.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect_quoted(size_t capacity, const char *words, size_t length, const char *expected) {
    char quoted[256];
    memset(quoted, '#', sizeof quoted);
    quote_words(quoted, capacity, words, length);
    if (strcmp(quoted, expected) != 0 || quoted[capacity] != '#') {
        fprintf(stderr, "wanted: %s\nfound:  %s\n", expected, quoted);
        failures++;
    }
}

#define EXPECT_QUOTED(words, expected) expect_quoted(200, words, sizeof words, expected)

int main(void) {
    EXPECT_QUOTED("./app\0--size=256\0-n\0"
                  "4\0/a/b_c.d:e,f@%+",
                  "./app --size=256 -n 4 /a/b_c.d:e,f@%+");
    EXPECT_QUOTED("./app\0a b\0", "./app 'a b' ''");
    EXPECT_QUOTED("./my app\0$HOME\0it's\0*", "'./my app' '$HOME' 'it'\\''s' '*'");
    EXPECT_QUOTED("./app\0\"x\"\0a\nb", "./app '\"x\"' 'a\nb'");
    expect_quoted(200, "./app\0cut sho", 13, "./app 'cut sho'");
    /* A text that is cut off consists of whole words, without an open quote. */
    expect_quoted(12, "./app\0a b\0c", 12, "./app 'a b'");
    expect_quoted(11, "./app\0a b\0c", 12, "./app");
    expect_quoted(3, "./app", 6, "");
    expect_quoted(20, "", 0, "");
    return failures ? 1 : 0;
}
