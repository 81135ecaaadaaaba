/* Finds truncated archive files. libotf2 reads a file in chunks of equal size. If the last chunk is cut off, libotf2
 * does not notice, and takes the memory beyond the data for events. So the converter checks the end of a file first. */
#pragma once

#include <cstdint>
#include <string>

namespace hopscope {

/* True if a definition or event file ends with OTF2's end marks, or if it does not exist. */
bool has_end(const std::string &file);

/* The number of complete events in a truncated event file: the events before its last chunk, which the chunk's header
 * tells, and those of the last chunk. chunk_bytes: the archive's chunk size. */
uint64_t whole_events(const std::string &file, uint64_t chunk_bytes);

} // namespace hopscope
