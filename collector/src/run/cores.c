#include "run/cores.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_CORES = 8192, MOST_THREADS = 1024, BUSY_SHARE = 10 };

/* Appends `begin` or `begin-end` to a list. Returns the new length of the text, or `capacity` if it does not fit. */
static size_t append_range(char *output, size_t capacity, size_t length_before, int begin, int end) {
    int length = begin == end ? snprintf(output + length_before, capacity - length_before, "%s%d",
                                         length_before ? "," : "", begin)
                              : snprintf(output + length_before, capacity - length_before, "%s%d-%d",
                                         length_before ? "," : "", begin, end);
    return length < 0 || length_before + (size_t)length >= capacity ? capacity : length_before + (size_t)length;
}

void cores_allowed(char *output, size_t capacity) {
    size_t bytes = CPU_ALLOC_SIZE(MOST_CORES), length_before = 0;
    cpu_set_t *allowed = CPU_ALLOC(MOST_CORES);
    output[0] = '\0';
    if (!allowed || sched_getaffinity(0, bytes, allowed) != 0) {
        CPU_FREE(allowed);
        return;
    }
    for (int core = 0, begin = -1; core <= MOST_CORES && length_before < capacity; core++) {
        bool is_allowed = core < MOST_CORES && CPU_ISSET_S((size_t)core, bytes, allowed);
        if (is_allowed && begin < 0)
            begin = core;
        if (!is_allowed && begin >= 0) {
            length_before = append_range(output, capacity, length_before, begin, core - 1);
            begin = -1;
        }
    }
    CPU_FREE(allowed);
    if (length_before >= capacity)
        output[0] = '\0';
}

/* Reads how long a thread has run on a core, and how long it was ready to run but had no core. */
static bool read_thread(const char *thread, int64_t *cpu_ns, int64_t *queued_ns) {
    char path[64 + 256], text[80] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 && sscanf(text, "%" SCNd64 " %" SCNd64, cpu_ns, queued_ns) == 2;
}

bool cores_used(struct core_use *use) {
    int64_t cpu_ns[MOST_THREADS], most_ns = 0;
    int threads = 0;
    *use = (struct core_use){0};
    DIR *entries = opendir("/proc/self/task");
    for (struct dirent *entry; entries && threads < MOST_THREADS && (entry = readdir(entries));) {
        int64_t queued_ns;
        if (entry->d_name[0] == '.' || !read_thread(entry->d_name, &cpu_ns[threads], &queued_ns))
            continue;
        use->cpu_ns += cpu_ns[threads];
        use->queued_ns += queued_ns;
        most_ns = cpu_ns[threads] > most_ns ? cpu_ns[threads] : most_ns;
        threads++;
    }
    if (entries)
        closedir(entries);
    for (int i = 0; i < threads; i++)
        use->busy_threads += cpu_ns[i] >= most_ns / BUSY_SHARE;
    return threads > 0;
}
