/* Redirects the calls of MPICH's helpers, inside its library, to functions of the collector.
 *
 * The distance in a call instruction covers 2 GB, and the collector may be farther away. So each call leads to a thunk
 * near the library, which jumps on. The calls stay redirected: the functions pass them on when there is nothing to
 * record. */
#ifndef HOPSCOPE_MPICH_REDIRECT_H
#define HOPSCOPE_MPICH_REDIRECT_H

#include "mpi/loaded_object.h"
#include "native/mpich/calls.h"

/* Call it when no other thread can be in a collective. replacements: by helper; NULL leaves a helper's calls unchanged.
 * Changes all calls; or changes none, returns false and gives a reason. */
bool mpich_redirect(const struct loaded_object *library, const struct mpich_layout *layout,
                    void *const replacements[MPICH_HELPER_COUNT], char *reason, size_t capacity);

#endif
