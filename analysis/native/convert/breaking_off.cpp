/* Reads OTF2's file format. A chunk begins with a mark, the byte order, and the numbers of its first and last event.
 * Its records follow, and each begins with a type byte. A timestamp then has 8 bytes. Any other record then has a
 * length and as many bytes. Types from 10 on are events. */
#include "breaking_off.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <vector>

namespace hopscope {
namespace {

constexpr unsigned char kEndOfChunk = 1, kEndOfFile = 2, kChunk = 3, kTimestamp = 5, kFirstEvent = 10;
constexpr unsigned char kLongRecord = 0xff; /* a length byte that means: the next 8 bytes have the length */
constexpr size_t kNumber = 8, kChunkHeader = 2 + 2 * kNumber;
constexpr uint64_t kMostChunkBytes = uint64_t{1} << 30;

/* The 8-byte number at a position, in either byte order. A number with bits in the upper half must be swapped, because
 * event numbers and lengths stay below 2^32. */
uint64_t number_at(const std::vector<unsigned char> &bytes, size_t position) {
    uint64_t number;
    std::memcpy(&number, bytes.data() + position, kNumber);
    return number >> 32 ? __builtin_bswap64(number) : number;
}

/* The number of complete events in `bytes`, the beginning of a chunk. */
uint64_t count_events(const std::vector<unsigned char> &bytes) {
    uint64_t count = 0;
    size_t position = kChunkHeader;
    while (position + 2 <= bytes.size() && bytes[position] != kEndOfChunk && bytes[position] != kEndOfFile) {
        const unsigned char type = bytes[position];
        if (type == kTimestamp) {
            position += 1 + kNumber;
            continue;
        }
        uint64_t length = bytes[position + 1];
        position += 2;
        if (length == kLongRecord) {
            if (position + kNumber > bytes.size())
                break;
            length = number_at(bytes, position);
            position += kNumber;
        }
        if (length > bytes.size() - position)
            break;
        position += length;
        count += type >= kFirstEvent;
    }
    return count;
}

} // namespace

bool has_end(const std::string &file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return true;
    std::array<char, 2> last{};
    stream.seekg(-2, std::ios::end);
    stream.read(last.data(), last.size());
    return stream && last[0] == kEndOfFile && last[1] == kEndOfChunk;
}

uint64_t whole_events(const std::string &file, uint64_t chunk_bytes) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    const auto size = static_cast<uint64_t>(std::max<std::streamoff>(stream.tellg(), 0));
    if (!stream || chunk_bytes <= kChunkHeader || chunk_bytes > kMostChunkBytes || size <= kChunkHeader)
        return 0;
    uint64_t start = (size - 1) / chunk_bytes * chunk_bytes;
    if (size - start <= kChunkHeader)
        start -= chunk_bytes; /* the last chunk's header is cut off: use the chunk before */
    std::vector<unsigned char> bytes(std::min(chunk_bytes, size - start));
    stream.seekg(static_cast<std::streamoff>(start));
    stream.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const uint64_t first = number_at(bytes, 2);
    if (!stream || bytes[0] != kChunk || first == 0)
        return 0;
    return first - 1 + count_events(bytes);
}

} // namespace hopscope
