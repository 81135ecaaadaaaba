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

enum { MAX_FILE_BYTES = 1 << 20 };

/* Returns a file's text, which the caller frees. NULL if the file cannot be read or is larger than MAX_FILE_BYTES. */
static char *text_of(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: opening a pipe would otherwise wait */
    struct stat status;
    bool usable = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_FILE_BYTES;
    char *text = usable ? malloc((size_t)status.st_size + 1) : NULL;
    ssize_t length = text ? read(file, text, (size_t)status.st_size) : -1;
    if (file >= 0)
        close(file);
    if (length < 0) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

/* Writes the definition of a setting. request: its text in the environment. value: the library's current value. source:
 * the origin of that value. Each may be NULL, if unknown. names_file: the value is a file's name, so the file's text is
 * added. */
static void define(const char *name, const char *request, const char *value, const char *source, bool names_file) {
    const char *path = value ? value : request;
    char *text = names_file && path && *path ? text_of(path) : NULL;
    struct line line;
    line_begin(&line, "setting");
    line_text(&line, "name", name);
    line_text(&line, "asked", request);
    line_text(&line, "value", value);
    line_text(&line, "source", source);
    line_text(&line, "text", text);
    line_end(&line);
    free(text);
}

#ifdef OMPI_MPI_H

/* Two internal functions of Open MPI that read the variables that MPI_Init has registered. MPI_T could read these too.
 * But if Open MPI's components are separate files, initialising MPI_T loads all of them. That takes 0.2 s and starts
 * drivers that the program does not use. */
typedef int find_variable_function(const char *name, int *index);
typedef int get_variable_function(int index, const void *storage, int *source, const char **file);

static find_variable_function *find_variable_by_name;
static get_variable_function *get_variable;

enum kind { NUMBER, TRUTH, WORDS, FILE_NAME };

/* The words for the values of Open MPI's mca_base_var_source_t. */
static const char *const sources[] = {"default", "command line", "environment", "file", "program", "override"};

static void define_variable(const char *name, enum kind kind) {
    char in_environment[128], digits[32];
    snprintf(in_environment, sizeof in_environment, "OMPI_MCA_%s", name);
    const char *request = getenv(in_environment), *value = NULL, *source = NULL;
    int index, source_index = 0;
    const void *storage = NULL;
    if (find_variable_by_name && get_variable && find_variable_by_name(name, &index) == 0 &&
        get_variable(index, &storage, &source_index, NULL) == 0 && storage) {
        source =
            source_index >= 0 && source_index < (int)(sizeof sources / sizeof *sources) ? sources[source_index] : NULL;
        if (kind == NUMBER)
            snprintf(digits, sizeof digits, "%d", *(const int *)storage);
        else if (kind == TRUTH)
            snprintf(digits, sizeof digits, "%d", *(const bool *)storage);
        value = kind == NUMBER || kind == TRUTH ? digits : *(char *const *)storage;
    }
    if (request || source_index != 0)
        define(name, request, value, source, kind == FILE_NAME);
}

/* Defines the settings of Open MPI's component `han`, which splits an operation into parts inside hosts and between
 * hosts. Its settings choose the form of the operation and the components that run the parts. */
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
    find_variable_by_name = (find_variable_function *)mpi_table_of_library("mca_base_var_find_by_name");
    get_variable = (get_variable_function *)mpi_table_of_library("mca_base_var_get_value");
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

/* Defines the settings of MPICH or Intel MPI. The environment has their values: MPICH takes these variables from
 * nowhere else, and ends the job in MPI_Init if a value is unknown. Intel MPI ignores unknown values. */
void settings_define(void) {
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        bool is_file = ends_with(*entry, length, "_TUNING_JSON_FILE");
        bool is_intels = strncmp(*entry, "I_MPI_ADJUST_", 13) == 0;
        bool is_mpichs = (strncmp(*entry, "MPIR_CVAR_", 10) == 0 || strncmp(*entry, "MPICH_", 6) == 0) &&
                         (is_file || ends_with(*entry, length, "_ALGORITHM"));
        char name[128];
        if ((is_intels || is_mpichs) && length < sizeof name && (*entry)[length] == '=') {
            snprintf(name, sizeof name, "%.*s", (int)length, *entry);
            define(name, *entry + length + 1, NULL, "environment", is_file);
        }
    }
}

#endif
