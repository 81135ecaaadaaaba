/* Tests that the search finds MPICH's hidden functions in the library's file, and refuses damaged copies of the file.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../engine/expect.h"
#include "native/mpich/calls.h"

static unsigned char *bytes; /* a private copy, which tests damage */
static size_t size;

static bool map(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0)
        return false;
    size = (size_t)status.st_size;
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    close(file);
    return bytes != MAP_FAILED;
}

static bool find(struct mpich_layout *layout, char *reason, size_t capacity) {
    struct mpich_image image;
    snprintf(reason, capacity, "not a library");
    return mpich_image_of_file(&image, bytes, size) && mpich_find_helpers(&image, layout, reason, capacity);
}

static struct mpich_layout layout;
static char reason[200];

static void every_function_is_found_once_and_called(void) {
    EXPECT(find(&layout, reason, sizeof reason), "%s", reason);
    int calls[MPICH_HELPER_COUNT] = {0};
    for (int i = 0; i < layout.call_count; i++)
        calls[layout.calls[i].helper]++;
    for (int h = 0; h < MPICH_HELPER_COUNT; h++) {
        printf("%s at %#lx, %d calls\n", mpich_helper_name(h), (unsigned long)layout.functions[h], calls[h]);
        EXPECT((layout.functions[h] != 0) == (calls[h] > 0), "%s", mpich_helper_name(h));
        for (int previous = 0; previous < h; previous++)
            EXPECT(!layout.functions[h] || layout.functions[h] != layout.functions[previous], "%s is %s",
                   mpich_helper_name(h), mpich_helper_name(previous));
    }
    printf("%d calls\n", layout.call_count);
}

static unsigned char *in_file(const struct mpich_image *image, uint64_t address) {
    for (int i = 0; i < image->count; i++)
        if (address - image->segments[i].begin < image->segments[i].size)
            return (unsigned char *)image->segments[i].bytes + (address - image->segments[i].begin);
    abort();
}

/* Checks that the search refuses the library with this damage. Restores the original bytes. */
static void refused_with(const char *description, unsigned char *place, const void *damage, size_t length) {
    unsigned char original[64];
    struct mpich_layout damaged_layout;
    memcpy(original, place, length);
    memcpy(place, damage, length);
    EXPECT(!find(&damaged_layout, reason, sizeof reason), "%s", description);
    memcpy(place, original, length);
}

static void a_damaged_library_is_refused(void) {
    struct mpich_image image;
    EXPECT(mpich_image_of_file(&image, bytes, size), "whole");
    unsigned char *table = in_file(&image, image.unwinding), *call = in_file(&image, layout.calls[0].address);
    refused_with("no ELF file", bytes, "\0", 1);
    refused_with("unknown encoding of the table", table + 3, "\x1b", 1);
    refused_with("table out of order", table + 12 + 800, "\xff\xff\xff\x7f", 4);
    refused_with("a jump instead of a call", call, "\xe9", 1);

    /* Make a second function use the name MPIC_Recv: replace the first call of MPIC_Send by a lea of that name. */
    const unsigned char *name = NULL;
    for (int i = 0; i < image.count && !name; i++)
        name = memmem(image.segments[i].bytes, image.segments[i].size, "MPIC_Recv", 10);
    for (int i = 0; i < image.count; i++) {
        const struct mpich_segment *s = &image.segments[i];
        if (name < s->bytes || name >= s->bytes + s->size)
            continue;
        uint64_t call_address = layout.calls[0].address, name_address = s->begin + (uint64_t)(name - s->bytes);
        int32_t distance = (int32_t)(name_address - (call_address + 7));
        unsigned char lea[7] = {0x48, 0x8d, 0x05};
        memcpy(lea + 3, &distance, sizeof distance);
        refused_with("two functions mention a name", call, lea, sizeof lea);
    }
    size_t whole_size = size;
    struct mpich_layout cut_layout;
    for (size_t part = 0; part < 7; part++) {
        size = whole_size / 7 * part;
        EXPECT(!find(&cut_layout, reason, sizeof reason), "cut to %zu bytes", size);
    }
    size = whole_size;
    EXPECT(find(&cut_layout, reason, sizeof reason), "%s", reason);
}

static void a_library_without_the_names_is_refused(void) {
    unsigned char *occurrence = bytes;
    while ((occurrence = memmem(occurrence, size - (size_t)(occurrence - bytes), "MPIC_Sendrecv_replace", 22)))
        memcpy(occurrence, "XPIC", 4);
    struct mpich_layout damaged_layout;
    EXPECT(!find(&damaged_layout, reason, sizeof reason) && strstr(reason, "MPIC_Sendrecv_replace"), "%s", reason);
}

int main(int count, char **words) {
    if (count != 2 || !map(words[1])) {
        fprintf(stderr, "usage: %s LIBRARY\n", words[0]);
        return 2;
    }
    every_function_is_found_once_and_called();
    a_damaged_library_is_refused();
    a_library_without_the_names_is_refused();
    return expect_failures > 0;
}
