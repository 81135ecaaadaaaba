#include "record/module.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/definitions.h"

enum { MOST_MODULES = 64, BUILD_ID_BYTES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t bases[MOST_MODULES]; /* base addresses of the defined modules */
static uint32_t count;

/* Adds a module and returns its number; 0 if it was defined already, or if there are too many modules. */
static uint32_t number_of(uintptr_t base) {
    uint32_t number = 0, i = 0;
    pthread_mutex_lock(&lock);
    while (i < count && bases[i] != base)
        i++;
    if (i == count && count < MOST_MODULES) {
        bases[count++] = base;
        number = count;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

struct search {
    uintptr_t address;
    bool is_program;
    char build_id[2 * BUILD_ID_BYTES + 1]; /* hexadecimal; empty if the module has none */
};

static void read_notes(struct search *search, const char *notes, size_t bytes, size_t align) {
    align = align > 4 ? align : 4;
    while (bytes >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)notes;
        size_t name = sizeof *note, id = (name + note->n_namesz + align - 1) & ~(align - 1);
        size_t next = (id + note->n_descsz + align - 1) & ~(align - 1);
        if (id + note->n_descsz > bytes)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
            note->n_descsz <= BUILD_ID_BYTES) {
            for (size_t i = 0; i < note->n_descsz; i++)
                sprintf(search->build_id + 2 * i, "%02x", (unsigned char)notes[id + i]);
            return;
        }
        if (next >= bytes)
            return;
        notes += next;
        bytes -= next;
    }
}

static int read_module(struct dl_phdr_info *info, size_t size, void *opaque) {
    (void)size;
    struct search *search = opaque;
    bool has_address = false;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        has_address |= header->p_type == PT_LOAD && search->address - begin < header->p_memsz;
    }
    if (!has_address)
        return 0;
    search->is_program = !*info->dlpi_name;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_NOTE)
            read_notes(search, (const char *)(info->dlpi_addr + header->p_vaddr), header->p_memsz, header->p_align);
    }
    return 1;
}

void module_define(uintptr_t address, uintptr_t base, const char *name) {
    uint32_t number = number_of(base);
    if (!number)
        return;
    struct search search = {.address = address};
    dl_iterate_phdr(read_module, &search);
    /* For the program itself, `name` is argv[0]. That is no path if the shell found the program in PATH. */
    char path[PATH_MAX];
    bool has_path = realpath(search.is_program ? "/proc/self/exe" : name, path) != NULL;
    struct line line;
    line_begin(&line, "module");
    line_unsigned(&line, "id", number);
    line_text(&line, "name", name);
    line_text(&line, "path", has_path ? path : NULL);
    line_text(&line, "build_id", *search.build_id ? search.build_id : NULL);
    line_end(&line);
}
