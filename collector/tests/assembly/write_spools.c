/* write_spools DIR < SCRIPT: creates DIR/spool from text, for tests of the assembly. One instruction per line:
 *
 *   def RANK JSON                     a line of RANK.defs
 *   cut-def RANK TEXT                 an unfinished line: the process died while writing
 *   spool RANK THREAD STATE [REASON]  a spool for the following records; STATE is open, closed or stopped
 *   TICKS KIND [FIELD=VALUE]...       a record. KIND as in spool.h without SPOOL_; FIELD is region (an MPI function,
 *                                     COMBINE, COPY or a number), comm, a, b, c, or peer and tag (which make a)
 *   cut-record                        half a record, whose kind is not written yet
 *   room RECORDS                      unwritten space, as posix_fallocate leaves it
 *   bytes TEXT                        these bytes, unchanged */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hopscope/functions.h"
#include "hopscope/spool.h"

static const struct {
    const char *name;
    int kind;
} kinds[] = {
    {"ENTER", SPOOL_ENTER},
    {"LEAVE", SPOOL_LEAVE},
    {"ENTER_BARE", SPOOL_ENTER_BARE},
    {"ENTER_MESSAGE", SPOOL_ENTER_MESSAGE},
    {"ENTER_COLLECTIVE", SPOOL_ENTER_COLLECTIVE},
    {"CALL", SPOOL_CALL},
    {"CALL_COLLECTIVE", SPOOL_CALL_COLLECTIVE},
    {"CALL_SEND", SPOOL_SEND | SPOOL_AT_ENTER | SPOOL_AS_ASKED},
    {"CALL_RECV", SPOOL_RECV | SPOOL_AT_LEAVE | SPOOL_AS_ASKED},
    {"CALL_ISEND", SPOOL_ISEND | SPOOL_AT_ENTER},
    {"CALL_ISEND_DONE", SPOOL_ISEND | SPOOL_AT_ENTER | SPOOL_AT_LEAVE},
    {"CALL_ISEND_COMPLETE", SPOOL_ISEND_COMPLETE | SPOOL_AT_LEAVE},
    {"CALL_IRECV_POST", SPOOL_IRECV_POST | SPOOL_AT_ENTER},
    {"CALL_IRECV", SPOOL_IRECV | SPOOL_AT_LEAVE},
    {"SEND", SPOOL_SEND},
    {"RECV", SPOOL_RECV},
    {"ISEND", SPOOL_ISEND},
    {"ISEND_COMPLETE", SPOOL_ISEND_COMPLETE},
    {"IRECV_POST", SPOOL_IRECV_POST},
    {"IRECV", SPOOL_IRECV},
    {"REQUEST_CANCELLED", SPOOL_REQUEST_CANCELLED},
    {"TRANSFER", SPOOL_TRANSFER},
    {"TRANSFER_COMPLETE", SPOOL_TRANSFER_COMPLETE},
    {"HOP_ISEND", SPOOL_HOP_ISEND},
    {"HOP_ISEND_COMPLETE", SPOOL_HOP_ISEND_COMPLETE},
    {"HOP_IRECV_POST", SPOOL_HOP_IRECV_POST},
    {"HOP_IRECV", SPOOL_HOP_IRECV},
    {"WAIT_BEGIN", SPOOL_WAIT_BEGIN},
    {"WAIT_END", SPOOL_WAIT_END},
    {"STEP_BEGIN", SPOOL_STEP_BEGIN},
    {"STEP_END", SPOOL_STEP_END},
    {"OVERHEAD_BEGIN", SPOOL_OVERHEAD_BEGIN},
    {"OVERHEAD_END", SPOOL_OVERHEAD_END},
    {"IDLE_BEGIN", SPOOL_IDLE_BEGIN},
    {"IDLE_END", SPOOL_IDLE_END},
    {"JOIN_BEGIN", SPOOL_JOIN_BEGIN},
    {"JOIN_END", SPOOL_JOIN_END},
    {"UNKNOWN", 99},
};

static const char *const functions[] = {"",
#define NAME(name, ...) "MPI_" #name,
#define NAMES(name, nonblocking, ...) "MPI_" #name, "MPI_" #nonblocking, "MPI_" #name "_init",
                                        MPI_FUNCTIONS(NAME, NAMES)
#undef NAME
#undef NAMES
};

static void die(const char *complaint, const char *word) {
    fprintf(stderr, "write_spools: %s: %s\n", complaint, word);
    exit(2);
}

static FILE *open_in(const char *dir, const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/spool/%s", dir, name);
    FILE *file = fopen(path, mode);
    if (!file)
        die("cannot open", path);
    return file;
}

static uint64_t number(const char *text) {
    for (size_t i = 1; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(text, functions[i]) == 0)
            return i;
    if (strcmp(text, "COMBINE") == 0)
        return SPOOL_STEP_COMBINE;
    if (strcmp(text, "COPY") == 0)
        return SPOOL_STEP_COPY;
    if (strcmp(text, "none") == 0)
        return UINT64_MAX;
    char *end;
    uint64_t value = strtoull(text, &end, 0);
    if (*end)
        die("no number", text);
    return value;
}

static struct spool_record record_of(char *ticks, char *rest) {
    struct spool_record record = {.ticks = strtoull(ticks, NULL, 0)};
    char *word = strtok(rest, " ");
    for (size_t i = 0; word && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].name) == 0)
            record.kind = (uint16_t)kinds[i].kind;
    if (!record.kind)
        die("no kind of record", word ? word : ticks);
    while ((word = strtok(NULL, " "))) {
        char *value = strchr(word, '=');
        if (!value)
            die("no FIELD=VALUE", word);
        *value++ = '\0';
        uint64_t n = number(value);
        if (strcmp(word, "region") == 0)
            record.region = (uint16_t)n;
        else if (strcmp(word, "comm") == 0)
            record.comm = (uint32_t)n;
        else if (strcmp(word, "a") == 0)
            record.a = n;
        else if (strcmp(word, "b") == 0)
            record.b = n;
        else if (strcmp(word, "c") == 0)
            record.c = n;
        else if (strcmp(word, "peer") == 0)
            record.a |= n << 32;
        else if (strcmp(word, "tag") == 0)
            record.a |= n & UINT32_MAX;
        else
            die("no field", word);
    }
    return record;
}

static FILE *begin_spool(const char *dir, char *words) {
    unsigned rank, thread;
    char state[16], name[64];
    int used = 0;
    if (sscanf(words, "%u %u %15s %n", &rank, &thread, state, &used) < 3)
        die("no spool RANK THREAD STATE", words);
    struct spool_header header = {
        .version = SPOOL_VERSION,
        .header_bytes = SPOOL_HEADER_BYTES,
        .record_bytes = sizeof(struct spool_record),
        .world_rank = rank,
        .thread = thread,
        .pid = 100 + rank,
        .state = strcmp(state, "closed") == 0    ? SPOOL_CLOSED
                 : strcmp(state, "stopped") == 0 ? SPOOL_STOPPED
                                                 : SPOOL_OPEN,
    };
    memcpy(header.magic, SPOOL_MAGIC, sizeof header.magic);
    snprintf(header.stop_reason, sizeof header.stop_reason, "%s", used ? words + used : "");
    static char page[SPOOL_HEADER_BYTES];
    memset(page, 0, sizeof page);
    memcpy(page, &header, sizeof header);
    snprintf(name, sizeof name, "%u.%u.spool", rank, thread);
    FILE *file = open_in(dir, name, "w");
    fwrite(page, 1, sizeof page, file);
    return file;
}

/* Writes the header. All records are in the front, which is as large as they need: whole pages and whole records. */
static bool end_spool(FILE *file) {
    enum { UNIT = 20480 };
    if (!file)
        return true;
    long behind_header = ftell(file) - (long)SPOOL_HEADER_BYTES;
    uint64_t chunk_bytes = behind_header > 0 ? (uint64_t)(behind_header + UNIT - 1) / UNIT * UNIT : UNIT;
    fseek(file, offsetof(struct spool_header, chunk_bytes), SEEK_SET);
    fwrite(&chunk_bytes, sizeof chunk_bytes, 1, file);
    return fclose(file) == 0;
}

static void define(const char *dir, char *words, const char *end) {
    char name[64], *rest;
    unsigned long rank = strtoul(words, &rest, 10);
    snprintf(name, sizeof name, "%lu.defs", rank);
    FILE *file = open_in(dir, name, "a");
    fprintf(file, "%s%s", rest + strspn(rest, " "), end);
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc != 2)
        die("usage", "write_spools DIR < SCRIPT");
    char path[4096];
    snprintf(path, sizeof path, "%s/spool", argv[1]);
    mkdir(argv[1], 0777);
    mkdir(path, 0777);
    FILE *spool = NULL;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char *verb = line + strspn(line, " ");
        if (!*verb || *verb == '#')
            continue;
        char *rest = verb + strcspn(verb, " ");
        if (*rest)
            *rest++ = '\0';
        if (strcmp(verb, "def") == 0) {
            define(argv[1], rest, "\n");
        } else if (strcmp(verb, "cut-def") == 0) {
            define(argv[1], rest, "");
        } else if (strcmp(verb, "spool") == 0) {
            end_spool(spool);
            spool = begin_spool(argv[1], rest);
        } else if (!spool) {
            die("a record before any spool", verb);
        } else if (strcmp(verb, "cut-record") == 0) {
            struct spool_record half = {.ticks = 77, .comm = 1};
            fwrite(&half, sizeof half / 2, 1, spool);
        } else if (strcmp(verb, "room") == 0) {
            struct spool_record empty_record = {0};
            for (uint64_t n = number(rest); n > 0; n--)
                fwrite(&empty_record, sizeof empty_record, 1, spool);
        } else if (strcmp(verb, "bytes") == 0) {
            fputs(rest, spool);
        } else {
            struct spool_record record = record_of(verb, rest);
            fwrite(&record, sizeof record, 1, spool);
        }
    }
    free(line);
    return end_spool(spool) ? 0 : 2;
}
