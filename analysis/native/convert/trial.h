/* Reading an archive's anchor and definitions in a process of its own first. */
#pragma once

#include <string>

namespace hopscope {

/* libotf2 takes an anchor at its word: with damaged counts it loops, asks for all memory or crashes. A child finds that
 * out, with bounded time and memory. Throws ArchiveError naming the file that it could not read. */
void try_definitions(const std::string &anchor);

} // namespace hopscope
