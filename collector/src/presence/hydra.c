#include "presence/hydra.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reads a file of /proc/<process>/ and appends a NUL. Returns the file's length; 0 if there is no such file. */
static size_t read_process_file(int process, const char *name, char *text, size_t capacity) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t length = read(file, text, capacity - 1);
    close(file);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    return (size_t)length;
}

static bool name_of_proxy(int process, char *name, size_t capacity) {
    char arguments[4096];
    const size_t length = read_process_file(process, "cmdline", arguments, sizeof arguments);
    for (const char *word = arguments; word < arguments + length; word += strlen(word) + 1) {
        const char *value = word + strlen(word) + 1;
        if (strcmp(word, "--control-port") == 0 && value < arguments + length) {
            snprintf(name, capacity, "hydra-%s", value);
            return true;
        }
    }
    return false;
}

/* The parent of a process; 0 if it cannot be determined. */
static int parent_of(int process) {
    char process_status[1024];
    int parent = 0;
    if (read_process_file(process, "stat", process_status, sizeof process_status) == 0)
        return 0;
    const char *name_end = strrchr(process_status, ')'); /* the name may contain anything, even parentheses */
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Makes the name from the launcher's address, because Hydra gives its processes no job name. Hydra starts a proxy on
 * each host with this address on the command line, which is equal for all proxies of a job. The proxy is this process's
 * parent or, if a script or a tool such as timeout starts the program, an earlier ancestor. Intel's proxies have no
 * such address, but its Hydra gives each job an identifier. */
bool hydra_name_of_job(char *name, size_t capacity) {
    enum { MOST_ANCESTORS = 32 };
    int process = (int)getppid();
    const int ancestor_limit = getenv("PMI_RANK") ? MOST_ANCESTORS : 1;
    for (int i = 0; i < ancestor_limit && process > 1; i++, process = parent_of(process))
        if (name_of_proxy(process, name, capacity))
            return true;
    const char *job = getenv("I_MPI_HYDRA_UUID");
    if (job && *job)
        snprintf(name, capacity, "hydra-%s", job);
    return job && *job;
}

/* Reads one line from the proxy, byte by byte so that it consumes nothing after the line. Waits up to a minute: if it
 * gave up too early, the MPI library would take this answer for the answer to its own next question. Counts the wait in
 * short slices, so that the time of a suspended job counts as one slice only. */
static bool read_answer(int socket, char *line, size_t capacity) {
    enum { SLICE_MS = 100, SLICES = 600 };
    size_t length = 0;
    for (int slice = 0; slice < SLICES && length < capacity - 1;) {
        struct pollfd ready = {.fd = socket, .events = POLLIN};
        int count = poll(&ready, 1, SLICE_MS);
        if (count == 0)
            slice++;
        if (count == 0 || (count < 0 && errno == EINTR))
            continue;
        ssize_t byte_count = count < 0 ? -1 : read(socket, line + length, 1);
        if (byte_count < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (byte_count != 1)
            return false;
        if (line[length++] == '\n') {
            line[length - 1] = '\0';
            return true;
        }
    }
    return false;
}

bool hydra_name_of_spawned_world(char *name, size_t capacity) {
    static const char question[] = "cmd=get_my_kvsname\n";
    const char *spawned = getenv("PMI_SPAWNED"), *socket = getenv("PMI_FD"), *version = getenv("MPIR_CVAR_PMI_VERSION");
    /* Ask only if the proxy is Hydra's and the library uses PMI-1. Hydra's proxy recognises PMI-1 by the first bytes of
     * each message, and answers in PMI-1. Any other server on PMI_FD, or a library that was configured for PMI-2, may
     * have switched to PMI-2 for the rest of the job. */
    if (!spawned || strcmp(spawned, "1") != 0 || !socket || (version && strcmp(version, "1") != 0) ||
        !hydra_name_of_job(name, capacity))
        return false;
    char answer[1024];
    int file = atoi(socket);
    if (send(file, question, sizeof question - 1, MSG_NOSIGNAL) != (ssize_t)(sizeof question - 1) ||
        !read_answer(file, answer, sizeof answer))
        return false;
    const char *value = strstr(answer, " kvsname=");
    if (strncmp(answer, "cmd=my_kvsname ", 15) != 0 || !value)
        return false;
    value += strlen(" kvsname=");
    snprintf(name, capacity, "hydra-%.*s", (int)strcspn(value, " "), value);
    return true;
}
