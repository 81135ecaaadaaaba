#include "run/settings.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/mpi_table.h"
#include "record/definitions.h"

enum { LARGEST_FILE = 1 << 20 };

/* NULL: it cannot be read, or is larger than that. The caller frees it. */
static char *text_of(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe would wait for a writer */
    struct stat about;
    bool usable = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= LARGEST_FILE;
    char *text = usable ? malloc((size_t)about.st_size + 1) : NULL;
    ssize_t length = text ? read(file, text, (size_t)about.st_size) : -1;
    if (file >= 0)
        close(file);
    if (length < 0) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

/* asked: in the environment; value: what the library holds; source: who it has that from. NULL: not known. */
static void define(const char *name, const char *asked, const char *value, const char *source, bool names_file) {
    const char *path = value ? value : asked;
    char *text = names_file && path && *path ? text_of(path) : NULL;
    struct line line;
    line_begin(&line, "setting");
    line_text(&line, "name", name);
    line_text(&line, "asked", asked);
    line_text(&line, "value", value);
    line_text(&line, "source", source);
    line_text(&line, "text", text);
    line_end(&line);
    free(text);
}

#ifdef OMPI_MPI_H

/* Open MPI's variables could also be read through MPI_T. But initialising that loads every component that is installed,
 * 0.2 s and the start of drivers that the program does not use, where components are files of their own. These two
 * functions only look at what MPI_Init has registered. */
typedef int find_variable(const char *name, int *index);
typedef int look_at_variable(int index, const void *storage, int *source, const char **file);

static find_variable *find;
static look_at_variable *look;

enum kind { NUMBER, TRUTH, WORDS, FILE_NAME };

/* The library's mca_base_var_source_t. */
static const char *const sources[] = {"default", "command line", "environment", "file", "program", "override"};

static void define_variable(const char *name, enum kind kind) {
    char in_environment[128], digits[32];
    snprintf(in_environment, sizeof in_environment, "OMPI_MCA_%s", name);
    const char *asked = getenv(in_environment), *value = NULL, *source = NULL;
    int index, from = 0;
    const void *storage = NULL;
    if (find && look && find(name, &index) == 0 && look(index, &storage, &from, NULL) == 0 && storage) {
        source = from >= 0 && from < (int)(sizeof sources / sizeof *sources) ? sources[from] : NULL;
        if (kind == NUMBER)
            snprintf(digits, sizeof digits, "%d", *(const int *)storage);
        else if (kind == TRUTH)
            snprintf(digits, sizeof digits, "%d", *(const bool *)storage);
        value = kind == NUMBER || kind == TRUTH ? digits : *(char *const *)storage;
    }
    if (asked || from != 0)
        define(name, asked, value, source, kind == FILE_NAME);
}

/* han runs an operation by others inside hosts and between them: in which form, and which component runs those. */
static void define_han(void) {
    static const char *const operations[] = {"allgather", "allreduce", "barrier", "bcast", "gather", "reduce"};
    static const struct {
        const char *name;
        enum kind kind;
    } parameters[] = {
        {"coll_han_use_%s_algorithm", NUMBER},
        {"coll_han_use_simple_%s", TRUTH},
        {"coll_han_%s_dynamic_intra_node_module", NUMBER},
        {"coll_han_%s_dynamic_inter_node_module", NUMBER},
        {"coll_han_%s_dynamic_global_communicator_module", NUMBER},
    };
    define_variable("coll_han_priority", NUMBER);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++) {
            char name[96];
            snprintf(name, sizeof name, parameters[k].name, operations[i]);
            define_variable(name, parameters[k].kind);
        }
}

void settings_define(void) {
    static const char *const operations[] = {
        "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv",      "barrier",
        "bcast",     "exscan",     "gather",    "reduce",   "reduce_scatter", "reduce_scatter_block",
        "scan",      "scatter",
    };
    static const char *const details[] = {"", "_segmentsize", "_chain_fanout", "_tree_fanout"};
    find = (find_variable *)mpi_table_of_library("mca_base_var_find_by_name");
    look = (look_at_variable *)mpi_table_of_library("mca_base_var_get_value");
    define_variable("coll", WORDS);
    define_variable("coll_tuned_priority", NUMBER);
    define_variable("coll_tuned_use_dynamic_rules", TRUTH);
    define_variable("coll_tuned_dynamic_rules_filename", FILE_NAME);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (size_t k = 0; k < sizeof details / sizeof *details; k++) {
            char name[96];
            snprintf(name, sizeof name, "coll_tuned_%s_algorithm%s", operations[i], details[k]);
            define_variable(name, NUMBER);
        }
    define_han();
}

#else

static bool ends_with(const char *text, size_t length, const char *end) {
    return length >= strlen(end) && memcmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* MPICH takes these variables from the environment alone, and ends the job in MPI_Init if it does not know a value. */
void settings_define(void) {
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        bool is_file = ends_with(*entry, length, "_TUNING_JSON_FILE");
        bool is_ours = strncmp(*entry, "MPIR_CVAR_", 10) == 0 || strncmp(*entry, "MPICH_", 6) == 0;
        char name[128];
        if (is_ours && length < sizeof name && (*entry)[length] == '=' &&
            (is_file || ends_with(*entry, length, "_ALGORITHM"))) {
            snprintf(name, sizeof name, "%.*s", (int)length, *entry);
            define(name, *entry + length + 1, NULL, "environment", is_file);
        }
    }
}

#endif
