/* Truncated archive files. libotf2 reads whole chunks and does not check how much of the last one is in the file: what
 * lies in memory beyond the file's end passes for events. So the converter checks the end first. */
#pragma once

#include <cstdint>
#include <string>

namespace hopscope {

/* True if a definition or event file ends as OTF2 ends files. Also true if the file does not exist. */
bool has_end(const std::string &file);

/* Counts the whole events of a truncated event file, from the frames of the records in its last chunk. `chunk_bytes`
 * comes from the archive. */
uint64_t whole_events(const std::string &file, uint64_t chunk_bytes);

} // namespace hopscope
