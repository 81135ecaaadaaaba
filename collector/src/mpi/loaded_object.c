#include "mpi/loaded_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The two kinds of relocation by which an object calls functions of other objects. */
#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, ADDRESS_SLOT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, ADDRESS_SLOT = R_AARCH64_GLOB_DAT };
#elif defined(__powerpc64__)
enum { JUMP_SLOT = R_PPC64_JMP_SLOT, ADDRESS_SLOT = R_PPC64_GLOB_DAT };
#elif defined(__riscv)
enum { JUMP_SLOT = R_RISCV_JUMP_SLOT, ADDRESS_SLOT = R_RISCV_64 };
#else
enum { JUMP_SLOT = -1, ADDRESS_SLOT = -1 };
#endif

struct search {
    struct loaded_object *objects;
    int capacity, count;
    bool (*predicate)(const char *path);
};

/* Copies the description of one object. Does nothing else, because the loader holds a lock during this callback, and
 * looking up a symbol would deadlock. */
static int add_object(struct dl_phdr_info *info, size_t size, void *opaque) {
    (void)size;
    struct search *search = opaque;
    if (search->count < search->capacity && search->predicate(info->dlpi_name)) {
        search->objects[search->count++] = (struct loaded_object){
            .path = info->dlpi_name,
            .base = info->dlpi_addr,
            .headers = info->dlpi_phdr,
            .header_count = info->dlpi_phnum,
        };
    }
    return 0;
}

int loaded_objects(struct loaded_object objects[], int capacity, bool (*predicate)(const char *path)) {
    struct search search = {objects, capacity, 0, predicate};
    dl_iterate_phdr(add_object, &search);
    return search.count;
}

bool loaded_object_has(const struct loaded_object *object, const void *address) {
    for (int i = 0; i < object->header_count; i++) {
        const ElfW(Phdr) *header = &object->headers[i];
        ElfW(Addr) begin = object->base + header->p_vaddr, target = (ElfW(Addr))address;
        if (header->p_type == PT_LOAD && target >= begin && target - begin < header->p_memsz)
            return true;
    }
    return false;
}

struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * calls, *references;
    size_t calls_bytes, references_bytes;
};

static const ElfW(Phdr) * header_of(const struct loaded_object *object, uint32_t type) {
    for (int i = 0; i < object->header_count; i++)
        if (object->headers[i].p_type == type)
            return &object->headers[i];
    return NULL;
}

static bool read_tables(const struct loaded_object *object, struct tables *tables) {
    const ElfW(Phdr) *header = header_of(object, PT_DYNAMIC);
    memset(tables, 0, sizeof *tables);
    if (!header)
        return false;
    for (const ElfW(Dyn) *entry = (const void *)(object->base + header->p_vaddr); entry->d_tag != DT_NULL; entry++) {
        ElfW(Addr) address = entry->d_un.d_ptr;
        /* Some loaders do not add the base address to these addresses. */
        const void *section = (const void *)(address < object->base ? address + object->base : address);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            tables->symbols = section;
            break;
        case DT_STRTAB:
            tables->strings = section;
            break;
        case DT_JMPREL:
            tables->calls = section;
            break;
        case DT_PLTRELSZ:
            tables->calls_bytes = entry->d_un.d_val;
            break;
        case DT_RELA:
            tables->references = section;
            break;
        case DT_RELASZ:
            tables->references_bytes = entry->d_un.d_val;
            break;
        case DT_PLTREL:
            if (entry->d_un.d_val != DT_RELA)
                return false;
            break;
        default:
            break;
        }
    }
    return tables->symbols && tables->strings;
}

/* Makes an object's slots writable, or read-only again. The loader may have made them read-only after it stored the
 * addresses. */
static bool make_writable(const struct loaded_object *object, bool writable) {
    const ElfW(Phdr) *header = header_of(object, PT_GNU_RELRO);
    if (!header)
        return true;
    ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    ElfW(Addr) begin = (object->base + header->p_vaddr) & ~(page - 1);
    ElfW(Addr) end = (object->base + header->p_vaddr + header->p_memsz) & ~(page - 1);
    return end <= begin || mprotect((void *)begin, end - begin, writable ? PROT_READ | PROT_WRITE : PROT_READ) == 0;
}

static void redirect(const struct loaded_object *object, const struct tables *tables, const ElfW(Rela) * entries,
                     size_t bytes, replacement *replace, bool *is_writable) {
    for (size_t i = 0; entries && i < bytes / sizeof *entries; i++) {
        int kind = (int)ELF64_R_TYPE(entries[i].r_info);
        if (kind != JUMP_SLOT && kind != ADDRESS_SLOT)
            continue;
        const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(entries[i].r_info)];
        void *target = replace(object, tables->strings + symbol->st_name);
        void **slot = (void **)(object->base + entries[i].r_offset);
        if (!target)
            continue;
        *is_writable = *is_writable || make_writable(object, true);
        if (!*is_writable)
            return;
        __atomic_store_n(slot, target, __ATOMIC_RELEASE);
    }
}

void loaded_object_redirect(const struct loaded_object *object, replacement *replace) {
    struct tables tables;
    bool is_writable = false; /* the object's slots stay as they are if nothing is redirected */
    if (!read_tables(object, &tables))
        return;
    redirect(object, &tables, tables.calls, tables.calls_bytes, replace, &is_writable);
    redirect(object, &tables, tables.references, tables.references_bytes, replace, &is_writable);
    if (is_writable)
        make_writable(object, false);
}

/* In a program that is not position-independent, the address of a library's function may be that of a stub in the
 * program, which does not define the function. */
struct symbol_definition loaded_object_definition(const void *address) {
    Dl_info info;
    ElfW(Sym) *symbol = NULL;
    if (!address || dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || !symbol ||
        symbol->st_shndx == SHN_UNDEF)
        return (struct symbol_definition){0};
    return (struct symbol_definition){info.dli_fname, info.dli_fbase};
}

void *loaded_object_beside(const char *file_name) {
    Dl_info collector_object;
    if (!dladdr((const void *)(void (*)(void))loaded_object_beside, &collector_object) || !collector_object.dli_fname)
        return NULL;
    char path[PATH_MAX];
    const char *slash = strrchr(collector_object.dli_fname, '/');
    int folder = slash ? (int)(slash - collector_object.dli_fname) : 1;
    snprintf(path, sizeof path, "%.*s/%s", folder, slash ? collector_object.dli_fname : ".", file_name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
