// What grows with the trace and is needed once more at the end goes to files of no name, not to memory: written in
// order, then mapped. Pages of a mapping count as memory only until trim() gives them back; the file keeps them.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.h"

namespace hopscope::paths {

// Where the files are made. Each is unlinked at once, so nothing is left however the program ends.
class Scratch {
  public:
    explicit Scratch(std::string directory) : directory_(std::move(directory)) {}
    // A descriptor for reading and writing. Throws std::system_error.
    int open_file() const;

  private:
    std::string directory_;
};

// A file with its descriptor and, later, its mapping.
class ScratchFile {
  public:
    explicit ScratchFile(const Scratch &scratch) : descriptor_(scratch.open_file()) {}
    ~ScratchFile();
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;

    // All throw std::system_error; reserve() finds a full disk, where touching a mapping would end the program.
    void append(const void *data, size_t bytes);
    void reserve(size_t bytes);
    void *map();
    void trim() const;

  private:
    int descriptor_;
    size_t bytes_ = 0;
    void *mapping_ = nullptr;
};

// Values appended one after another; a Column when all are there.
template <typename T> class ScratchColumn {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit ScratchColumn(const Scratch &scratch) : file_(scratch) {}
    void add(const T *values, size_t count) {
        if (count < kBuffered) {
            buffer_.insert(buffer_.end(), values, values + count);
            if (buffer_.size() >= kBuffered)
                flush();
        } else {
            flush();
            file_.append(values, count * sizeof(T));
        }
        size_ += count;
    }
    void add(const Column<T> &column) {
        add(column.data, column.size);
    }
    void add(const T &value) {
        add(&value, 1);
    }
    size_t size() const {
        return size_;
    }
    Column<T> finish() {
        flush();
        buffer_.shrink_to_fit();
        return {static_cast<const T *>(file_.map()), size_};
    }
    void trim() const {
        file_.trim();
    }

  private:
    static constexpr size_t kBuffered = (1u << 18) / sizeof(T);
    void flush() {
        if (!buffer_.empty())
            file_.append(buffer_.data(), buffer_.size() * sizeof(T));
        buffer_.clear();
    }

    ScratchFile file_;
    std::vector<T> buffer_;
    size_t size_ = 0;
};

// Values dealt to groups (lanes or ranks): those of one group side by side, in the order in which they were dealt.
template <typename T> class Grouped {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Grouped(const Scratch &scratch) : file_(scratch) {}

    // deal(give) calls give(group, value) for every value; it is called twice and has to give the same both times.
    template <typename Deal> void fill(size_t groups, const Deal &deal) {
        offset_.assign(groups + 1, 0);
        deal([&](size_t group, const T &) { offset_[group + 1]++; });
        for (size_t group = 0; group < groups; group++)
            offset_[group + 1] += offset_[group];
        file_.reserve(offset_.back() * sizeof(T));
        data_ = static_cast<T *>(file_.map());
        std::vector<size_t> next(offset_.begin(), offset_.end() - 1);
        deal([&](size_t group, const T &value) { data_[next[group]++] = value; });
    }
    T *begin(size_t group) const {
        return data_ + offset_[group];
    }
    T *end(size_t group) const {
        return data_ + offset_[group + 1];
    }
    size_t groups() const {
        return offset_.size() - 1;
    }
    void trim() const {
        file_.trim();
    }

  private:
    ScratchFile file_;
    T *data_ = nullptr;
    std::vector<size_t> offset_{0};
};

} // namespace hopscope::paths
