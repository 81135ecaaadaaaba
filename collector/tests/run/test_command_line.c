/* A recorded command line can be pasted into a shell and still means the same. No MPI. */
#include "run/command_line.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void is(size_t capacity, const char *words, size_t length, const char *wanted) {
    char out[256];
    memset(out, '#', sizeof out);
    quote_words(out, capacity, words, length);
    if (strcmp(out, wanted) != 0 || out[capacity] != '#') {
        fprintf(stderr, "wanted: %s\nfound:  %s\n", wanted, out);
        failures++;
    }
}

#define IS(words, wanted) is(200, words, sizeof words, wanted)

int main(void) {
    IS("./app\0--size=256\0-n\0"
       "4\0/a/b_c.d:e,f@%+",
       "./app --size=256 -n 4 /a/b_c.d:e,f@%+");
    IS("./app\0a b\0", "./app 'a b' ''");
    IS("./my app\0$HOME\0it's\0*", "'./my app' '$HOME' 'it'\\''s' '*'");
    IS("./app\0\"x\"\0a\nb", "./app '\"x\"' 'a\nb'");
    is(200, "./app\0cut sho", 13, "./app 'cut sho'");
    /* Whole words only, never an open quote. */
    is(12, "./app\0a b\0c", 12, "./app 'a b'");
    is(11, "./app\0a b\0c", 12, "./app");
    is(3, "./app", 6, "");
    is(20, "", 0, "");
    return failures ? 1 : 0;
}
