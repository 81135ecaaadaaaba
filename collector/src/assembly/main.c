/* hopscope-assemble DIR: creates a run's archive from its spools (assemble.h), or reports the current positions of its
 * ranks (inspect.h). */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assembly/assemble.h"
#include "assembly/inspect.h"

enum { EXIT_WRONG_INPUT = 2 };

static void show_progress(void *context, uint64_t done, uint64_t total) {
    int *last_percent = context;
    int percent = total ? (int)(done * 100 / total) : 100;
    if (percent == *last_percent)
        return;
    *last_percent = percent;
    fprintf(stderr, "\rassembling %3d %% of %llu MB%s", percent, (unsigned long long)(total / 1000000),
            percent == 100 ? "\n" : "");
}

static int show_inspection(const char *directory) {
    struct inspection inspection;
    struct text text = {0};
    char message[600];
    bool ok = inspect(&inspection, directory, message, sizeof message);
    if (ok)
        inspection_json(&inspection, &text);
    if (ok && text.failed)
        snprintf(message, sizeof message, "out of memory");
    ok = ok && !text.failed;
    if (ok)
        ok = fwrite(text.bytes, 1, text.length, stdout) == text.length && fflush(stdout) == 0;
    else
        fprintf(stderr, "hopscope-assemble: %s\n", message);
    text_free(&text);
    inspection_free(&inspection);
    return ok ? 0 : EXIT_WRONG_INPUT;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--inspect") == 0)
        return show_inspection(argv[2]);
    if (argc != 2 || argv[1][0] == '-') {
        bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
        fprintf(help ? stdout : stderr, "usage: hopscope-assemble [--inspect] DIR\n\n"
                                        "Makes the OTF2 archive DIR/traces.otf2 and DIR/run.json from DIR/spool. Exit "
                                        "code 0: there is an archive, perhaps an\n"
                                        "incomplete one (stderr says what is missing). Exit code 2: there is none.\n\n"
                                        "--inspect writes no files and works while the job is still running. It "
                                        "prints, as JSON, where every rank is\n"
                                        "according to its records so far (schemas/inspection.schema.json).\n");
        return help ? 0 : EXIT_WRONG_INPUT;
    }
    char message[4000];
    int last_percent = -1;
    int outcome = hopscope_assemble_with_progress(argv[1], message, sizeof message,
                                                  isatty(STDERR_FILENO) ? show_progress : NULL, &last_percent);
    if (message[0])
        fprintf(stderr, "hopscope-assemble: %s\n", message);
    return outcome == ASSEMBLE_FAILED ? EXIT_WRONG_INPUT : 0;
}
