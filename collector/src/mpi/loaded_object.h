/* A shared object of this process: its name, and the slots in which the loader stored the addresses of referenced
 * symbols. */
#ifndef HOPSCOPE_LOADED_OBJECT_H
#define HOPSCOPE_LOADED_OBJECT_H

#include <link.h>
#include <stdbool.h>

struct loaded_object {
    const char *path; /* the loader's name of the object; empty for the program itself */
    ElfW(Addr) base;
    const ElfW(Phdr) * headers;
    int header_count;
};

/* Fills objects[] with the loaded objects for whose path the predicate is true, in the loader's order. Returns their
 * number, at most `capacity`. */
int loaded_objects(struct loaded_object objects[], int capacity, bool (*predicate)(const char *path));

/* True if the address is inside the object. */
bool loaded_object_has(const struct loaded_object *object, const void *address);

struct symbol_definition {
    const char *path; /* of the object that defines the symbol; NULL: none does */
    const void *base;
};

/* Finds the object that defines the function at an address. */
struct symbol_definition loaded_object_definition(const void *address);

/* Loads a shared object from the collector's own folder. Returns its handle; NULL on failure, with the reason in
 * dlerror(). */
void *loaded_object_beside(const char *file_name);

/* A function that returns the new target of an object's reference to a symbol; NULL: keep the old target. */
typedef void *replacement(const struct loaded_object *object, const char *symbol);

/* Redirects the object's references to functions of other objects, as `replace` decides for each. */
void loaded_object_redirect(const struct loaded_object *object, replacement *replace);

#endif
