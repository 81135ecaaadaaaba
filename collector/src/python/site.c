/* Finds the call site of a call through mpi4py: the line of the innermost Python frame whose file is neither mpi4py's
 * own nor frozen into the interpreter. The site's callers are the lines of the next such frames. Each thread caches
 * recent lines, by code object and instruction, and recent call sites, by their lines. Each call site is defined once
 * per process.
 *
 * A code object may have been freed, and another one may now have its address. So the thread also caches a hash of a
 * part of the code object, and compares it each time. */
#include "python/site.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hopscope/hash.h"
#include "log/log.h"
#include "mpi/loaded_object.h"
#include "python/frames/reading.h"
#include "record/definitions.h"

enum { MOST_FRAMES = 64, SITE_SLOTS = 64, SAMPLE = 64 /* bytes at each end */ };

/* Instead of a line's hash: the line is mpi4py's own or frozen, so the search goes on with its caller. */
#define PASSED_OVER UINT64_MAX
/* A flag in the highest bit of a cached line's instruction: this frame would be passed over, but it is used because the
 * thread has no other. */
#define TAKEN_ANYWAY ((uint32_t)1 << 31)

#define NOT_AN_ADDRESS ((uint64_t)1 << 63)

struct cached_line {
    uintptr_t code;
    uint64_t digest, hash; /* hash: of file, function and line */
    uint32_t instruction;
};

struct cached_site {
    uint64_t number; /* a hash of its line and of its callers' lines */
    uint32_t id;
};

static _Thread_local struct cached_line cached_line[SITE_SLOTS] __attribute__((tls_model("initial-exec")));
static _Thread_local struct cached_site cached_site[SITE_SLOTS] __attribute__((tls_model("initial-exec")));

/* Take this lock only with trylock, to avoid a deadlock: the thread that holds it may wait for the interpreter's lock,
 * which the calling thread may hold. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum python_sites allowed;
/* The address range of mpi4py's machine code. bytes 0: mpi4py has not called yet, or lines are not read, so its calls
 * are treated like all others. */
static uintptr_t low;
static size_t bytes;
static char own_files[PATH_MAX]; /* the common beginning of the paths of mpi4py's own sources */
/* WAITING: lines will be read as soon as a thread that may call the interpreter makes an MPI call. */
static enum { UNKNOWN, WAITING, READING, DISABLED } state;
static struct python_interpreter interpreter;
static const struct python_reading *reading; /* NULL until it is loaded */

static void define_outcome(const char *disabled_reason) {
    char version[32];
    snprintf(version, sizeof version, "%lu.%lu.%lu", interpreter.version >> 24, interpreter.version >> 16 & 0xFF,
             interpreter.version >> 8 & 0xFF);
    struct line line;
    line_begin(&line, "python");
    line_text(&line, "version", interpreter.version ? version : NULL);
    line_text(&line, "off", disabled_reason);
    line_end(&line);
    if (disabled_reason && allowed == PYTHON_SITES_REPORTED)
        log_line("lines of Python are not read: %s; calls through mpi4py are shown by its extension module",
                 disabled_reason);
}

static void settle(const char *disabled_reason) {
    define_outcome(disabled_reason);
    if (disabled_reason)
        __atomic_store_n(&bytes, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&state, disabled_reason ? DISABLED : READING, __ATOMIC_RELEASE);
}

static bool is_interpreter_here(void) {
    return dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL;
}

static bool find_interpreter(const char **reason) {
    void *library = loaded_object_beside(PYTHON_LIBRARY);
    reading = library ? dlsym(library, PYTHON_READING) : NULL;
    if (reading)
        return reading->interpreter_find(&interpreter, reason);
    *reason = PYTHON_LIBRARY " is not beside the collector";
    return false;
}

/* Decides if lines of Python are read. Call it under the lock. */
static void settle_state(void) {
    const char *reason = NULL;
    if (state == UNKNOWN) {
        if (find_interpreter(&reason))
            __atomic_store_n(&state, WAITING, __ATOMIC_RELEASE);
        else
            settle(reason);
    }
    if (state == WAITING && python_may_call(&interpreter))
        settle(reading->self_test(&interpreter));
}

void python_sites_begin(enum python_sites sites) {
    if (pthread_mutex_trylock(&lock) != 0)
        return;
    allowed = sites;
    if (sites == PYTHON_SITES_OFF)
        __atomic_store_n(&state, DISABLED, __ATOMIC_RELEASE);
    else if (is_interpreter_here())
        settle_state();
    pthread_mutex_unlock(&lock);
}

/* The segment of a loaded object that contains an address. */
struct segment {
    uintptr_t address, low;
    size_t bytes;
};

static int find_segment(struct dl_phdr_info *object, size_t size, void *opaque) {
    (void)size;
    struct segment *segment = opaque;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && segment->address - begin < header->p_memsz) {
            segment->low = begin;
            segment->bytes = header->p_memsz;
            return 1;
        }
    }
    return 0;
}

/* True for the file of mpi4py's extension module: .../mpi4py/MPI.<flavour and build>.so. */
static bool is_mpi4py(const char *file) {
    static const char folder[] = "/mpi4py/", name[] = "MPI.";
    const char *last = strrchr(file, '/');
    size_t length = last ? (size_t)(last + 1 - file) : 0;
    return length >= strlen(folder) && length < sizeof own_files &&
           memcmp(last + 1 - strlen(folder), folder, strlen(folder)) == 0 && strncmp(last + 1, name, strlen(name)) == 0;
}

/* True if this is the first call from mpi4py, and lines of Python are or may later be read. Then notes the range of
 * mpi4py's code. */
static bool find_mpi4py(uintptr_t address) {
    Dl_info info;
    struct segment segment = {.address = address - 1};
    if (!dladdr((void *)(address - 1), &info) || !info.dli_fname || !is_mpi4py(info.dli_fname) ||
        !dl_iterate_phdr(find_segment, &segment) || pthread_mutex_trylock(&lock) != 0)
        return false;
    if (allowed != PYTHON_SITES_OFF)
        settle_state();
    bool first = !bytes && (state == WAITING || state == READING);
    if (first) {
        memcpy(own_files, info.dli_fname, (size_t)(strrchr(info.dli_fname, '/') + 1 - info.dli_fname));
        __atomic_store_n(&low, segment.low, __ATOMIC_RELAXED);
        __atomic_store_n(&bytes, segment.bytes, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return first;
}

static bool reads_frames(void) {
    int current = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(current == READING, 1))
        return true;
    if (current != WAITING || !python_may_call(&interpreter) || pthread_mutex_trylock(&lock) != 0)
        return false;
    settle_state();
    pthread_mutex_unlock(&lock);
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == READING;
}

/* Hashes one word: adds both halves of a product. The products of several words do not depend on one another, so the
 * processor computes them in parallel. */
static uint64_t folded(uint64_t word, uint64_t position) {
    unsigned __int128 product = (unsigned __int128)(word ^ 0x9E3779B97F4A7C15u) * (0xBF58476D1CE4E5B9u + 2 * position);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t sum_of(uint64_t hash, uintptr_t address, size_t count) {
    uint64_t word = 0;
    size_t offset = 0;
    for (; offset + sizeof word <= count; offset += sizeof word) {
        memcpy(&word, (const void *)(address + offset), sizeof word);
        hash += folded(word, offset);
    }
    word = 0;
    memcpy(&word, (const void *)(address + offset), count - offset);
    return hash + folded(word, count);
}

static uint64_t sample(uint64_t hash, uintptr_t address, size_t count) {
    hash = hash_mix(hash, count);
    if (count <= 2 * SAMPLE)
        return sum_of(hash, address, count);
    return sum_of(sum_of(hash, address, SAMPLE) << 1, address + count - SAMPLE, SAMPLE);
}

static uint64_t digest_of(const struct python_code *code) {
    uint64_t hash = sample((uint32_t)code->first_line, code->file.characters, code->file.count * code->file.width);
    hash = sample(hash, code->name.characters, code->name.count * code->name.width);
    return sample(hash, code->lines, code->lines_bytes);
}

/* Copies a text. NULL if memory runs out or the text is not readable. The caller frees the copy. */
static char *copy_of(const struct python_text *text) {
    size_t room = text->count * 4 + 1;
    char *copy = malloc(room);
    if (copy && reading->text_copy(&interpreter.reader, text, copy, room) == 0) {
        free(copy);
        return NULL;
    }
    return copy;
}

static bool is_passed_over(const char *file) {
    static const char frozen[] = "<frozen ";
    return strncmp(file, own_files, strlen(own_files)) == 0 || strncmp(file, frozen, strlen(frozen)) == 0;
}

/* The frames of a call site, the innermost first. */
struct lines {
    struct python_code code[CALL_SITE_DEPTH];
    uint64_t hash[CALL_SITE_DEPTH];
    int count;
};

/* Adds a line's file, number and function to a definition. */
static void describe(struct line *line, const struct python_code *code) {
    char *file = copy_of(&code->file), *name = copy_of(&code->name);
    /* The file's path is relative if the program was started by a relative path. */
    char *absolute_path = !file || *file == '/' || *file == '<' ? NULL : realpath(file, NULL);
    line_text(line, "file", absolute_path ? absolute_path : file);
    line_number(line, "line", reading->line(&interpreter.reader, code));
    line_text(line, "function", name);
    free(absolute_path);
    free(file);
    free(name);
}

/* The id of a caller's definition. Writes the definition at its first use. */
static uint32_t define_caller(const struct python_code *code, uint64_t hash) {
    bool fresh;
    uint32_t id = call_site_caller(hash_mix(HASH_START, hash) | NOT_AN_ADDRESS, &fresh);
    if (!fresh)
        return id;
    struct line line;
    line_begin(&line, "frame");
    line_unsigned(&line, "id", id);
    describe(&line, code);
    line_end(&line);
    return id;
}

/* Writes the definition of a call site, once per process. 0 if recording is off. */
static uint32_t define(const struct lines *lines, uint64_t number) {
    int saved_errno = errno;
    bool fresh;
    uint32_t id = call_site_number(number, &fresh);
    if (fresh) {
        int callers[CALL_SITE_DEPTH], count = 0;
        for (int i = 1; i < lines->count; i++)
            callers[count++] = (int)define_caller(&lines->code[i], lines->hash[i]);
        struct line line;
        line_begin(&line, "call_site");
        line_unsigned(&line, "id", id);
        describe(&line, &lines->code[0]);
        if (count > 0)
            line_ranks(&line, "callers", callers, count);
        line_end(&line);
    }
    errno = saved_errno;
    return id;
}

/* The hash of a line, or PASSED_OVER; 0 if memory runs out or the code is not readable. is_fallback: never
 * PASSED_OVER. */
static uint64_t hash_of_code(const struct python_code *code, bool is_fallback) {
    int saved_errno = errno;
    char *file = copy_of(&code->file), *name = copy_of(&code->name);
    uint64_t hash = 0;
    if (file && name && !is_fallback && is_passed_over(file))
        hash = PASSED_OVER;
    else if (file && name)
        hash = hash_mix(hash_mix(hash_text(HASH_START, file), hash_text(HASH_START, name)),
                        (uint32_t)reading->line(&interpreter.reader, code)) |
               NOT_AN_ADDRESS;
    free(file);
    free(name);
    errno = saved_errno;
    return hash;
}

static uint64_t hash_of_line(const struct python_code *code, bool is_fallback) {
    uint32_t instruction = code->instruction | (is_fallback ? TAKEN_ANYWAY : 0);
    uint64_t digest = digest_of(code);
    uint64_t slot = (code->address >> 4 ^ instruction >> 1) * 0x9E3779B97F4A7C15u >> 32;
    struct cached_line *entry = &cached_line[slot % SITE_SLOTS];
    if (__builtin_expect(entry->code == code->address && entry->instruction == instruction && entry->digest == digest,
                         1))
        return entry->hash;
    uint64_t hash = hash_of_code(code, is_fallback);
    if (hash)
        *entry = (struct cached_line){code->address, digest, hash, instruction};
    return hash;
}

static void add_line(struct lines *lines, const struct python_code *code, uint64_t hash) {
    lines->code[lines->count] = *code;
    lines->hash[lines->count++] = hash;
}

static uint32_t site_of_lines(const struct lines *lines) {
    uint64_t number = lines->hash[0];
    for (int i = 1; i < lines->count; i++)
        number = hash_mix(number, lines->hash[i]) | NOT_AN_ADDRESS;
    struct cached_site *entry = &cached_site[(number ^ number >> 32) % SITE_SLOTS];
    if (__builtin_expect(entry->number == number, 1))
        return entry->id;
    uint32_t id = define(lines, number);
    if (id)
        *entry = (struct cached_site){number, id};
    return id;
}

/* The call site that belongs to the thread's Python frames. 0 if the thread runs no Python code, or code of another
 * interpreter. */
static uint32_t site_of_frame(void) {
    const struct python_reader *reader = &interpreter.reader;
    if (!interpreter.Py_IsInitialized())
        return 0;
    struct lines lines = {.count = 0};
    struct python_code code, nearest = {0};
    uintptr_t frame = reading->innermost(reader, (uintptr_t)interpreter.PyGILState_GetThisThreadState());
    for (int i = 0; frame && i < MOST_FRAMES && lines.count < CALL_SITE_DEPTH; i++) {
        if (reading->read_code(reader, frame, &code)) {
            uint64_t hash = hash_of_line(&code, false);
            if (!hash && lines.count == 0)
                return 0;
            if (!hash)
                break;
            if (hash != PASSED_OVER)
                add_line(&lines, &code, hash);
            else if (!nearest.address)
                nearest = code;
        }
        frame = reading->caller(reader, frame);
    }
    if (lines.count == 0 && nearest.address) {
        uint64_t hash = hash_of_line(&nearest, true);
        if (hash)
            add_line(&lines, &nearest, hash);
    }
    return lines.count > 0 ? site_of_lines(&lines) : 0;
}

/* The call site of a call from mpi4py. If no line is readable, it is the address in mpi4py. That is remembered under
 * ~address, so that call_site_known does not find it and every later call tries again to read the line. */
static uint32_t site_in_mpi4py(uintptr_t address) {
    uint32_t id = reads_frames() ? site_of_frame() : 0;
    if (id)
        return id;
    const struct call_site_step *step = call_site_step(~address, 0);
    if (step)
        return step->id;
    id = call_site_without_callers(address);
    if (id)
        call_site_remember(~address, id);
    return id;
}

uint32_t python_site_look_up(const void *call_frame) {
    uintptr_t address = call_position_of(call_frame).address;
    size_t size = __atomic_load_n(&bytes, __ATOMIC_ACQUIRE);
    if (size && address - __atomic_load_n(&low, __ATOMIC_RELAXED) < size)
        return site_in_mpi4py(address);
    if (!size && __atomic_load_n(&state, __ATOMIC_ACQUIRE) != DISABLED && find_mpi4py(address))
        return site_in_mpi4py(address);
    if (!own_stack.high) {
        own_stack_find();
        uint32_t id = call_site_known(call_frame);
        if (id)
            return id;
    }
    return call_site_look_up(call_frame);
}
