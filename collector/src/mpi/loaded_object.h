/* A shared object of this process: its name, and the places where the loader put the addresses of symbols it
 * references. */
#ifndef HOPSCOPE_LOADED_OBJECT_H
#define HOPSCOPE_LOADED_OBJECT_H

#include <link.h>
#include <stdbool.h>

struct loaded_object {
    const char *path; /* the loader's; empty for the program itself */
    ElfW(Addr) base;
    const ElfW(Phdr) * headers;
    int header_count;
};

/* Fills found[] with the loaded objects that are wanted, in the loader's order; returns how many. */
int loaded_objects(struct loaded_object found[], int capacity, bool (*wanted)(const char *path));

/* True if the address is inside the object. */
bool loaded_object_has(const struct loaded_object *object, const void *address);

/* Loads a file that lies beside the collector's own; NULL: see dlerror(). */
void *loaded_object_beside(const char *file_name);

/* What an object's reference to a symbol becomes; NULL keeps it. */
typedef void *replacement(const struct loaded_object *object, const char *symbol);

/* Redirects the object's references to functions of other objects. */
void loaded_object_redirect(const struct loaded_object *object, replacement *replace);

#endif
