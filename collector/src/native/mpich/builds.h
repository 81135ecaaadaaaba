/* The builds of MPICH whose code the collector may change in memory, because they were tested. The SHA-256 of the
 * library file identifies a build. */
#ifndef HOPSCOPE_MPICH_BUILDS_H
#define HOPSCOPE_MPICH_BUILDS_H

#include <stdbool.h>

/* True if this release of Hopscope was tested with the library file, or if the user's list contains it. The list is the
 * file `hopscope/native` in $XDG_CONFIG_HOME or ~/.config. Each of its lines begins with the hash of a library file;
 * `hopscope native --verify` adds lines. */
bool mpich_build_is_known(const char *library);

#endif
