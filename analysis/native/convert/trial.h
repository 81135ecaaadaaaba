/* Tests if an archive's anchor and definitions can be read, in a separate process. */
#pragma once

#include <string>

namespace hopscope {

/* Lets a child process read the definitions with limited time and memory, because libotf2 trusts the counts in an
 * archive: if they are damaged, it may never finish, ask for all memory or crash. Throws ArchiveError, which names the
 * file that cannot be read. */
void try_definitions(const std::string &anchor);

} // namespace hopscope
