/* Redirects the calls of MPICH's helpers, inside its library, to functions of the collector.
 *
 * The distance in a call instruction covers 2 GB and the collector may be farther away, so each call leads to a thunk
 * near the library that jumps on. Nothing undoes it: the functions pass calls on when they have nothing to record. */
#ifndef HOPSCOPE_MPICH_REDIRECT_H
#define HOPSCOPE_MPICH_REDIRECT_H

#include "mpi/loaded_object.h"
#include "native/mpich/calls.h"

/* Call it when no other thread can be in a collective. replacements: by helper; NULL leaves its calls alone. Changes
 * all calls, or none and gives a reason. */
bool mpich_redirect(const struct loaded_object *library, const struct mpich_layout *layout,
                    void *const replacements[MPICH_HELPER_COUNT], char *reason, size_t capacity);

#endif
