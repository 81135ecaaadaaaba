/* Fuzz test of the assembly and the inspection: they must read any bytes as a rank's files, or report the error.
 *
 * The input consists of a mode, the length and the bytes of 0.defs, and the bytes of 0.0.spool. The files of a second
 * rank are valid. A spool with a broken header is refused at once and tests little, so a valid header is written unless
 * the mode says otherwise. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly/assemble.h"
#include "assembly/functions.h"
#include "assembly/inspect.h"

/* The smallest possible chunk: whole pages and whole records. */
enum { CHUNK_BYTES = 20480 };

static char directory[64];

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position) {
    (void)status, (void)kind, (void)position;
    return remove(path);
}

static void clean(void) {
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *name, const void *bytes, size_t length) {
    char path[128];
    snprintf(path, sizeof path, "%s/spool/%s", directory, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, bytes, length) != (ssize_t)length)
        abort();
    close(file);
}

static void write_whole_rank(void) {
    static const char definitions[] =
        "{\"def\":\"process\",\"world_rank\":1,\"world_size\":2,\"pid\":1,\"core\":0,\"clock_host\":\"n1\",\"host\":"
        "\"n1\",\"cluster\":\"c\",\"tick_source\":\"monotonic\",\"mode\":\"observe\"}\n"
        "{\"def\":\"comm\",\"id\":1,\"key\":\"01\",\"parent\":\"00\",\"name\":\"MPI_COMM_WORLD\",\"size\":2,\"rank\":1,"
        "\"members\":null,\"inter\":false}\n";
    struct spool_record records[] = {
        {10, SPOOL_ENTER, FUNCTION_MPI_Barrier, 1, 0, 0, UINT64_MAX},
        {20, SPOOL_LEAVE, FUNCTION_MPI_Barrier, 0, 0, 0, 0},
        {30, SPOOL_ENTER, FUNCTION_MPI_Barrier, 1, 0, 1, UINT64_MAX},
    };
    static char page[SPOOL_HEADER_BYTES + sizeof records];
    struct spool_header header = {.version = SPOOL_VERSION,
                                  .header_bytes = SPOOL_HEADER_BYTES,
                                  .record_bytes = sizeof(struct spool_record),
                                  .chunk_bytes = CHUNK_BYTES,
                                  .world_rank = 1};
    memcpy(header.magic, SPOOL_MAGIC, sizeof header.magic);
    memcpy(page, &header, sizeof header);
    memcpy(page + SPOOL_HEADER_BYTES, records, sizeof records);
    write_file("1.defs", definitions, sizeof definitions - 1);
    write_file("1.0.spool", page, sizeof page);
}

/* Writes the rank's files. If mode & 1, the header too comes from the input. Otherwise the next bits of the mode give
 * the number of chunks, and if the front continues after them, if the file has its full length, and if the process has
 * ended. Some records are in the front. */
static void write_rank_of(const uint8_t *data, size_t size, uint8_t mode) {
    size_t definitions = (size_t)data[0] << 8 | data[1];
    data += 2;
    size -= 2;
    definitions = definitions < size ? definitions : size;
    write_file("0.defs", data, definitions);
    data += definitions;
    size -= definitions;
    size_t room = size > sizeof(struct spool_header) ? size : sizeof(struct spool_header);
    char *spool = calloc(1, room + SPOOL_HEADER_BYTES + 3 * CHUNK_BYTES);
    size_t length = size;
    if (mode & 1) {
        memcpy(spool, data, size);
    } else {
        struct spool_header header = {.version = SPOOL_VERSION,
                                      .header_bytes = SPOOL_HEADER_BYTES,
                                      .record_bytes = sizeof(struct spool_record),
                                      .chunk_bytes = CHUNK_BYTES,
                                      .flushed = mode >> 2 & 1,
                                      .front = mode >> 3 & 1,
                                      .state = mode >> 5 & 3};
        memcpy(header.magic, SPOOL_MAGIC, sizeof header.magic);
        memcpy(spool, &header, sizeof header);
        size_t in_front = header.flushed ? size / 2 : size;
        memcpy(spool + SPOOL_HEADER_BYTES, data, in_front);
        length = SPOOL_HEADER_BYTES + in_front;
        if (header.flushed) {
            length = SPOOL_HEADER_BYTES + CHUNK_BYTES;
            memcpy(spool + length, data + in_front, size - in_front);
            length += mode & 16 ? CHUNK_BYTES : size - in_front;
        }
    }
    write_file("0.0.spool", spool, length);
    free(spool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[128], message[2000];
    if (size < 3)
        return 0;
    if (!directory[0]) {
        snprintf(directory, sizeof directory, "/dev/shm/hopscope-fuzz-%d", (int)getpid());
        atexit(clean);
    }
    clean();
    snprintf(path, sizeof path, "%s/spool", directory);
    mkdir(directory, 0700);
    mkdir(path, 0700);
    write_whole_rank();
    write_rank_of(data + 1, size - 1, data[0]);
    struct inspection inspection;
    struct text text = {0};
    if (inspect(&inspection, directory, message, sizeof message))
        inspection_json(&inspection, &text);
    inspection_free(&inspection);
    text_free(&text);
    /* Only some inputs make an archive, because that takes a hundred times longer than the rest. */
    if (data[0] & 2 && hopscope_assemble(directory, message, sizeof message) == ASSEMBLE_FAILED && !message[0]) {
        fprintf(stderr, "fuzz_spools: no archive, and no message\n");
        abort();
    }
    return 0;
}
