/* The builds of MPICH that the collector may change, because they were tested. A build is identified by the SHA-256 of
 * its library file. */
#ifndef HOPSCOPE_MPICH_BUILDS_H
#define HOPSCOPE_MPICH_BUILDS_H

#include <stdbool.h>

/* True if this release was tested with the library file, or if the user's list contains the file. The list is the file
 * `hopscope/native` of $XDG_CONFIG_HOME or ~/.config; its lines begin with a hash, and `hopscope native --verify` adds
 * them. */
bool mpich_build_is_known(const char *library);

#endif
