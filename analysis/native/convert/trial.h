/* Tests an archive: reads its anchor and definitions in a separate process first. */
#pragma once

#include <string>

namespace hopscope {

/* Lets a child process read the definitions with limited time and memory. libotf2 trusts an anchor: with damaged counts
 * it loops, asks for all memory or crashes. Throws ArchiveError that names the file that cannot be read. */
void try_definitions(const std::string &anchor);

} // namespace hopscope
