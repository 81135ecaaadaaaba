#include "topology/own_memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t fnv1a(uint64_t hash, const void *bytes, size_t count) {
    for (const unsigned char *c = bytes; count > 0; c++, count--)
        hash = (hash ^ *c) * 1099511628211u;
    return hash;
}

uint64_t own_machine(void) {
    char id[64] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0 || read(file, id, sizeof id - 1) <= 0)
        gethostname(id, sizeof id - 1);
    if (file >= 0)
        close(file);
    return fnv1a(14695981039346656037u, id, strlen(id));
}

uint64_t own_memory(void) {
    uint64_t hash = own_machine();
    char name[256] = "";
    struct stat status;
    if (stat("/dev/shm", &status) == 0)
        hash = fnv1a(hash, &status.st_dev, sizeof status.st_dev);
    if (stat("/proc/self/ns/net", &status) == 0)
        hash = fnv1a(hash, &status.st_ino, sizeof status.st_ino);
    gethostname(name, sizeof name - 1);
    return fnv1a(hash, name, strlen(name)) >> 11;
}
