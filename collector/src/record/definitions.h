/* The .defs file of this process: one JSON object per line, each line written as a whole (see hopscope/spool.h). */
#ifndef HOPSCOPE_DEFINITIONS_H
#define HOPSCOPE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens directory/spool/<world rank>.defs. Returns 0 or an errno. `failed` is called with the reason if a line cannot
 * be written. */
typedef void definitions_failed(const char *reason);
int definitions_open(const char *directory, int world_rank, definitions_failed *failed);
void definitions_close(void);
/* Reopens the file after the end of recording, if it still exists, to append lines after its "end" line. */
void definitions_reopen(const char *directory, int world_rank);

/* A line of the .defs file that is being composed. If memory runs out, line_end drops the whole line. */
struct line {
    char *text;
    size_t length, capacity;
    bool failed;
};

/* Writes {"def":"kind" */
void line_begin(struct line *line, const char *kind);
/* Each of these adds ,"key":<value> */
void line_text(struct line *line, const char *key, const char *value); /* value NULL: writes null */
void line_number(struct line *line, const char *key, int64_t value);
void line_unsigned(struct line *line, const char *key, uint64_t value);
void line_real(struct line *line, const char *key, double value);  /* must be >= 0; three decimals */
void line_key(struct line *line, const char *key, uint64_t value); /* hexadecimal, as a string */
void line_boolean(struct line *line, const char *key, bool value);
void line_ranks(struct line *line, const char *key, const int *ranks, int count); /* ranks NULL: writes null */
/* Adds }, writes the line and frees it. Keeps errno. */
void line_end(struct line *line);

#endif
