/* Reads an archive's anchor and definitions in a separate process first. */
#pragma once

#include <string>

namespace hopscope {

/* libotf2 trusts an anchor: with damaged counts it loops, asks for all memory or crashes. A child process tries it with
 * limited time and memory. Throws ArchiveError naming the file that it could not read. */
void try_definitions(const std::string &anchor);

} // namespace hopscope
