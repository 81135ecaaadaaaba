/* Opens archives and turns libotf2's complaints into C++ errors that name the file. */
#pragma once

#include <otf2/otf2.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace hopscope {

/* The text with every byte that is not UTF-8 replaced by '?': Python and Arrow accept nothing else. */
std::string readable(const std::string &text);

/* The archive cannot be read; says what and where. Becomes hopscope.errors.InputError. */
struct ArchiveError : std::runtime_error {
    explicit ArchiveError(const std::string &message) : std::runtime_error(readable(message)) {}
};

/* libotf2 prints to stderr unless it has a callback; from now on this thread's first complaint is kept. */
void collect_otf2_errors();
/* The first complaint of this thread since the last call, or `fallback`. Clears it. */
std::string take_otf2_error(const std::string &fallback);

/* libotf2 sets up global state when it opens an archive, so only the thread that holds this may open one. */
std::unique_lock<std::mutex> hold_opening();

/* The global definitions file that belongs to an anchor. */
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
    /* True if files are uncompressed, so that their ends can be checked. */
    bool is_plain() const;
    /* The file with a location's events or definitions (extension "evt" or "def"). */
    std::string location_file(OTF2_LocationRef location, const std::string &extension) const;
    /* The file with the global definitions. */
    std::string definitions_file() const {
        return definitions_file_of(anchor_);
    }

  private:
    std::string anchor_;
    std::string stem_; /* the anchor without .otf2 */
    OTF2_Reader *reader_;
};

} // namespace hopscope
