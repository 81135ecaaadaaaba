/* Files of an archive that break off. libotf2 reads in chunks and does not look how much of the last one was there:
 * what it takes for events beyond the end is whatever lay in that memory. So the end is looked at before. */
#pragma once

#include <cstdint>
#include <string>

namespace hopscope {

/* True if a file of definitions or events ends as OTF2 ends files. True as well where there is no such file. */
bool has_end(const std::string &file);

/* How many events of an event file that breaks off are whole, from the frames of the records in its last chunk.
 * `chunk_bytes` as the archive says it. */
uint64_t whole_events(const std::string &file, uint64_t chunk_bytes);

} // namespace hopscope
