/* Opens archives and turns libotf2's complaints into C++ errors that name the file. */
#pragma once

#include <otf2/otf2.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace hopscope {

/* Replaces each byte that is not valid UTF-8 by '?', because Python and Arrow accept only UTF-8. */
std::string readable(const std::string &text);

/* An archive that cannot be read; the message says what and where. Becomes hopscope.errors.InputError. */
struct ArchiveError : std::runtime_error {
    explicit ArchiveError(const std::string &message) : std::runtime_error(readable(message)) {}
};

/* Makes libotf2 give its errors to take_otf2_error() instead of printing them to stderr. Each thread keeps its first
 * error. */
void collect_otf2_errors();
/* Returns and forgets libotf2's first error on this thread since the last call; `fallback` if there was none. */
std::string take_otf2_error(const std::string &fallback);

/* Takes the lock for opening and closing archives. libotf2 changes global state then, so only one thread at a time may
 * do so. */
std::unique_lock<std::mutex> hold_opening();

/* The path of an archive's global definitions file. anchor: the path of the archive's .otf2 file. */
std::string definitions_file_of(const std::string &anchor);

/* Owns an OTF2_Reader and closes it at the end. Only one thread may use it. */
class Archive {
  public:
    explicit Archive(const std::string &anchor);
    ~Archive();
    Archive(const Archive &) = delete;
    Archive &operator=(const Archive &) = delete;

    OTF2_Reader *reader() const {
        return reader_;
    }
    const std::string &anchor() const {
        return anchor_;
    }
    /* True if the archive's files are not compressed. Only then can the converter see that a file is truncated. */
    bool is_plain() const;
    /* The path of the file with a location's events (extension "evt") or definitions ("def"). */
    std::string location_file(OTF2_LocationRef location, const std::string &extension) const;
    /* The path of the file with the global definitions. */
    std::string definitions_file() const {
        return definitions_file_of(anchor_);
    }

  private:
    std::string anchor_;
    std::string stem_; /* the anchor's path without .otf2 */
    OTF2_Reader *reader_;
};

} // namespace hopscope
