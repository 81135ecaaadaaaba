/* A table under construction: named columns of equal length, with the types that schemas/tables prescribes.
 *
 * Null is stored as the smallest integer, which is never a real value. So a column is one flat vector until its export.
 */
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../paths/block_pool.h"

namespace hopscope {

constexpr int64_t kNull64 = std::numeric_limits<int64_t>::min();
constexpr int32_t kNull32 = std::numeric_limits<int32_t>::min();

/* The values of a column. */
template <typename T> using Values = PooledVector<T>;

struct Int64Column {
    Values<int64_t> values;
};

struct Int32Column {
    Values<int32_t> values;
};

/* Booleans: 0, 1, or -1 for null. */
struct BoolColumn {
    Values<int8_t> values;
};

/* Strings, as indices into the table's `words`; -1 for null. */
struct StringColumn {
    Values<int32_t> codes;
};

/* Lists of integers. The list of row i is values[offsets[i] .. offsets[i + 1]). */
struct Int32ListColumn {
    std::vector<int32_t> offsets{0};
    std::vector<int32_t> values;

    void add(const std::vector<int32_t> &row) {
        values.insert(values.end(), row.begin(), row.end());
        offsets.push_back(static_cast<int32_t>(values.size()));
    }
};

using ColumnData = std::variant<Int64Column, Int32Column, BoolColumn, StringColumn, Int32ListColumn>;

struct Column {
    std::string name;
    bool nullable;
    std::unique_ptr<ColumnData> data; /* on the heap, because builders keep references while columns are added */
};

class Words;

class Table {
  public:
    /* rows: the number of rows to reserve memory for. */
    explicit Table(std::shared_ptr<const Words> its_words, size_t rows = 0)
        : words(std::move(its_words)), expected_rows(rows) {}

    std::vector<Column> columns;
    std::shared_ptr<const Words> words; /* the strings that the string columns refer to */

    template <typename T> T &column(const std::string &name, bool nullable = false) {
        columns.push_back({name, nullable, std::make_unique<ColumnData>(T{})});
        return std::get<T>(*columns.back().data);
    }
    Values<int64_t> &int64(const std::string &name, bool nullable = false) {
        return with_room(column<Int64Column>(name, nullable).values);
    }
    Values<int32_t> &int32(const std::string &name, bool nullable = false) {
        return with_room(column<Int32Column>(name, nullable).values);
    }
    Values<int8_t> &boolean(const std::string &name, bool nullable = false) {
        return with_room(column<BoolColumn>(name, nullable).values);
    }
    Values<int32_t> &string(const std::string &name, bool nullable = false) {
        return with_room(column<StringColumn>(name, nullable).codes);
    }
    int64_t rows() const;

  private:
    template <typename T> T &with_room(T &values) const {
        values.reserve(expected_rows);
        return values;
    }

    size_t expected_rows;
};

} // namespace hopscope
