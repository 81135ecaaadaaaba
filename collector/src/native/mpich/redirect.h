/* Redirects the calls of MPICH's helpers, inside its library, to functions of the collector.
 *
 * A call instruction reaches only 2 GB far, and the collector may be farther away. So each call is redirected to a
 * thunk near the library, which jumps to the collector's function. Calls are never redirected back: when there is
 * nothing to record, the collector's functions just call the library's. */
#ifndef HOPSCOPE_MPICH_REDIRECT_H
#define HOPSCOPE_MPICH_REDIRECT_H

#include "mpi/loaded_object.h"
#include "native/mpich/calls.h"

/* Call it when no other thread can be in a collective. replacements: the function for each helper; NULL: its calls stay
 * unchanged. Either changes all calls and returns true, or changes none and returns false with a reason. */
bool mpich_redirect(const struct loaded_object *library, const struct mpich_layout *layout,
                    void *const replacements[MPICH_HELPER_COUNT], char *reason, size_t capacity);

#endif
