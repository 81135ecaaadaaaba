/* Which builds of MPICH the collector may change: those that were tested. A build is known by the SHA-256 of its file.
 */
#ifndef HOPSCOPE_MPICH_BUILDS_H
#define HOPSCOPE_MPICH_BUILDS_H

#include <stdbool.h>

/* The library file is one of those tested with this release, or in the user's list: lines that begin with the sum, in
 * the file `hopscope/native` of $XDG_CONFIG_HOME or ~/.config, where `hopscope native --verify` adds it. */
bool mpich_build_is_known(const char *library);

#endif
