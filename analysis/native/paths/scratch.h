// Temporary files for data that grows with the trace and is needed again at its end. Values are written to a file
// without a name, which is mapped into memory later. Mapped pages use memory only until trim() releases them; the file
// keeps the data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.h"

namespace hopscope::paths {

// The directory for temporary files. Each file is unlinked at once, so nothing remains however the program ends.
class Scratch {
  public:
    explicit Scratch(std::string directory) : directory_(std::move(directory)) {}
    // Opens an unnamed file for reading and writing. Throws std::system_error.
    int open_file() const;

  private:
    std::string directory_;
};

// A temporary file, and its mapping after map().
class ScratchFile {
  public:
    explicit ScratchFile(const Scratch &scratch) : descriptor_(scratch.open_file()) {}
    ~ScratchFile();
    ScratchFile(const ScratchFile &) = delete;
    ScratchFile &operator=(const ScratchFile &) = delete;

    // append() and map() throw std::system_error.
    void append(const void *data, size_t bytes) {
        write_at(bytes_, data, bytes);
    }
    void write_at(size_t offset, const void *data, size_t bytes);
    void *map();
    void trim() const;

  private:
    int descriptor_;
    size_t bytes_ = 0;
    void *mapping_ = nullptr;
};

// Values that are appended to a temporary file one after another. finish() returns them as a Column.
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

// Values in a temporary file, by group (lane or rank). A group's values lie next to each other, in the order in which
// they were added.
template <typename T> class Grouped {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Grouped(const Scratch &scratch) : file_(scratch) {}

    // Writes all values, then maps the file. counts: the number of values per group. deal(give) must call
    // give(group, value) for every value. Values are written in batches, because to touch a mapped page for the first
    // time takes longer than to fill it.
    template <typename Deal> void fill(const std::vector<size_t> &counts, const Deal &deal) {
        offset_.assign(1, 0);
        for (size_t count : counts)
            offset_.push_back(offset_.back() + count);
        const size_t batch_size = std::clamp<size_t>(kBuffered / sizeof(T) / (counts.size() + 1), 8, 4096);
        std::vector<T> buffer(batch_size * counts.size());
        std::vector<size_t> next(offset_.begin(), offset_.end() - 1), buffered(counts.size(), 0);
        auto flush = [&](size_t group) {
            file_.write_at(next[group] * sizeof(T), &buffer[group * batch_size], buffered[group] * sizeof(T));
            next[group] += std::exchange(buffered[group], 0);
        };
        deal([&](size_t group, const T &value) {
            buffer[group * batch_size + buffered[group]++] = value;
            if (buffered[group] == batch_size)
                flush(group);
        });
        for (size_t group = 0; group < counts.size(); group++)
            flush(group);
        data_ = static_cast<T *>(file_.map());
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
    static constexpr size_t kBuffered = 4u << 20; // bytes, for all groups
    ScratchFile file_;
    T *data_ = nullptr;
    std::vector<size_t> offset_{0};
};

} // namespace hopscope::paths
