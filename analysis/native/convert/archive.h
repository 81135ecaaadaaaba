/* Opens archives and turns libotf2's complaints into C++ errors that name the file. */
#pragma once

#include <otf2/otf2.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace hopscope {

/* The text, with '?' in place of every byte that is not UTF-8: Python and Arrow accept nothing else. */
std::string readable(const std::string &text);

/* An archive that cannot be read; the message says what and where. Becomes hopscope.errors.InputError. */
struct ArchiveError : std::runtime_error {
    explicit ArchiveError(const std::string &message) : std::runtime_error(readable(message)) {}
};

/* Keeps this thread's first complaint from now on. Without a callback libotf2 prints to stderr. */
void collect_otf2_errors();
/* The first complaint of this thread since the last call, or `fallback`. Clears it. */
std::string take_otf2_error(const std::string &fallback);

/* Takes the lock for opening archives. libotf2 sets up global state when it opens one, so only one thread may open at a
 * time. */
std::unique_lock<std::mutex> hold_opening();

/* The path of the global definitions file that belongs to an anchor. */
std::string definitions_file_of(const std::string &anchor);

/* Owns one OTF2_Reader and closes its handle. A reader belongs to one thread. */
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
    /* True if files are uncompressed. Only then can their ends be checked. */
    bool is_plain() const;
    /* The file with a location's events or definitions (extension "evt" or "def"). */
    std::string location_file(OTF2_LocationRef location, const std::string &extension) const;
    /* The file with the global definitions. */
    std::string definitions_file() const {
        return definitions_file_of(anchor_);
    }

  private:
    std::string anchor_;
    std::string stem_; /* the anchor's path without .otf2 */
    OTF2_Reader *reader_;
};

} // namespace hopscope
