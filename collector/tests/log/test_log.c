/* Tests that log_line escapes characters in names that would control a terminal or begin another line. */
#include "log/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int failures;

/* Checks that log_line("%s", name) writes `hopscope: `, then `visible`, then a newline, and keeps errno. */
static void check(const char *name, const char *visible) {
    char output[2048] = "", expected[2048];
    int ends[2], terminal = dup(STDERR_FILENO);
    if (terminal < 0 || pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        _exit(2);
    errno = EDOM;
    log_line("%s", name);
    int errno_after = errno;
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    close(ends[1]);
    ssize_t bytes = read(ends[0], output, sizeof output - 1);
    close(ends[0]);
    snprintf(expected, sizeof expected, "hopscope: %s\n", visible);
    if (errno_after != EDOM || bytes != (ssize_t)strlen(expected) || strcmp(output, expected) != 0) {
        fprintf(stderr, "wanted %s     got %s", expected, output);
        failures++;
    }
}

int main(void) {
    check("a name", "a name");
    check("\x1b[31mnever\x1b[0m", "\\x1b[31mnever\\x1b[0m");
    check("\a\r\n\t\x01\x7f", "\\x07\\x0d\\x0a\\x09\\x01\\x7f");
    check("\xc2\x9b"
          "31m\xc2\x80",
          "\\x9b31m\\x80");
    check("d\xc3\xa9j\xc3\x80 \xc2\xa0 \xe2\x82\xac", "d\xc3\xa9j\xc3\x80 \xc2\xa0 \xe2\x82\xac");
    check("\xc2", "\xc2");

    enum { ROOM = 1024 - 11 }; /* a line has at most 1024 bytes, with `hopscope: ` and the newline */
    char name[2000], visible[ROOM + 1];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    memcpy(visible, name, ROOM);
    visible[ROOM] = '\0';
    check(name, visible);
    /* An escape is never cut in two. */
    memset(name, '\x1b', sizeof name - 1);
    for (size_t i = 0; i < ROOM / 4; i++)
        strcpy(visible + 4 * i, "\\x1b");
    check(name, visible);
    return failures != 0;
}
