/* Exports batches of a table as Arrow arrays without copying numbers. Every array keeps the table alive, so batches can
 * be released in any order and on any thread. */
#include "arrow_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <new>
#include <stdexcept>

#include "words.h"

namespace hopscope {
namespace {

constexpr int64_t kArrowNullable = 2; /* ARROW_FLAG_NULLABLE */

/* The memory behind one ArrowArray; release_array() frees it. pointers: the array's buffers, which lie in `buffers` or
 * in a column of the table. */
struct ArrayParts {
    std::shared_ptr<const Table> table;
    std::deque<Values<uint8_t>> buffers;
    std::vector<const void *> pointers;

    void add(Values<uint8_t> buffer) {
        buffers.push_back(std::move(buffer));
        pointers.push_back(buffers.back().empty() ? nullptr : buffers.back().data());
    }
    std::vector<std::unique_ptr<ArrowArray>> children;
    std::vector<ArrowArray *> child_pointers;
};

/* The memory behind one ArrowSchema; release_schema() frees it. */
struct SchemaParts {
    std::string name;
    std::vector<std::unique_ptr<ArrowSchema>> children;
    std::vector<ArrowSchema *> child_pointers;
};

struct StreamParts {
    std::shared_ptr<const Table> table;
    int64_t batch_rows;
    int64_t next_row = 0;
    std::string error;
};

void release_array(ArrowArray *array) {
    auto *parts = static_cast<ArrayParts *>(array->private_data);
    for (auto &child : parts->children)
        if (child->release)
            child->release(child.get());
    if (array->dictionary) {
        if (array->dictionary->release)
            array->dictionary->release(array->dictionary);
        delete array->dictionary;
        array->dictionary = nullptr;
    }
    delete parts;
    array->release = nullptr;
}

void release_schema(ArrowSchema *schema) {
    auto *parts = static_cast<SchemaParts *>(schema->private_data);
    for (auto &child : parts->children)
        if (child->release)
            child->release(child.get());
    if (schema->dictionary) {
        if (schema->dictionary->release)
            schema->dictionary->release(schema->dictionary);
        delete schema->dictionary;
        schema->dictionary = nullptr;
    }
    delete parts;
    schema->release = nullptr;
}

void finish_array(ArrowArray *array, std::unique_ptr<ArrayParts> parts, int64_t length, int64_t nulls) {
    for (auto &child : parts->children)
        parts->child_pointers.push_back(child.get());
    std::memset(array, 0, sizeof *array);
    array->length = length;
    array->null_count = nulls;
    array->n_buffers = static_cast<int64_t>(parts->pointers.size());
    array->buffers = parts->pointers.data();
    array->n_children = static_cast<int64_t>(parts->child_pointers.size());
    array->children = parts->child_pointers.data();
    array->release = release_array;
    array->private_data = parts.release();
}

void finish_schema(ArrowSchema *schema, std::unique_ptr<SchemaParts> parts, const char *format, int64_t flags) {
    for (auto &child : parts->children)
        parts->child_pointers.push_back(child.get());
    std::memset(schema, 0, sizeof *schema);
    schema->format = format;
    schema->name = parts->name.c_str();
    schema->flags = flags;
    schema->n_children = static_cast<int64_t>(parts->child_pointers.size());
    schema->children = parts->child_pointers.data();
    schema->release = release_schema;
    schema->private_data = parts.release();
}

template <typename T> Values<uint8_t> bytes_of(const T *values, size_t count) {
    Values<uint8_t> bytes(std::max<size_t>(count * sizeof(T), 1)); /* never empty, because add() gives null for it */
    if (count)
        std::memcpy(bytes.data(), values, count * sizeof(T));
    return bytes;
}

/* One bit for each row of [begin, begin + count): 1 if is_set(row). */
template <typename Is> Values<uint8_t> bitmap(int64_t begin, int64_t count, const Is &is_set) {
    Values<uint8_t> bits(static_cast<size_t>(count / 8 + 1));
    auto bits_of = [&](int64_t first, int64_t end) {
        unsigned byte = 0;
        for (int64_t i = first; i < end; i++)
            byte |= static_cast<unsigned>(is_set(static_cast<size_t>(begin + i))) << (i - first);
        return static_cast<uint8_t>(byte);
    };
    for (int64_t first = 0; first <= count; first += 8)
        bits[static_cast<size_t>(first / 8)] = bits_of(first, std::min(first + 8, count));
    return bits;
}

/* Arrow's validity bitmap for the rows [begin, begin + count): 0 for null. Empty if no row is null. Sets `nulls` to the
 * number of nulls. */
template <typename IsNull>
Values<uint8_t> validity(int64_t begin, int64_t count, int64_t &nulls, const IsNull &is_null) {
    nulls = 0;
    for (int64_t i = 0; i < count; i++)
        nulls += is_null(static_cast<size_t>(begin + i));
    return nulls ? bitmap(begin, count, [&](size_t row) { return !is_null(row); }) : Values<uint8_t>();
}

struct ArrayMaker {
    int64_t begin, count;
    ArrowArray *array;
    const std::shared_ptr<const Table> &table;

    template <typename T> void fixed(const Values<T> &values, T null) const {
        auto parts = std::make_unique<ArrayParts>();
        int64_t nulls = 0;
        parts->add(validity(begin, count, nulls, [&](size_t row) { return values[row] == null; }));
        parts->table = table;
        parts->pointers.push_back(values.data() + begin);
        finish_array(array, std::move(parts), count, nulls);
    }
    void operator()(const Int64Column &column) const {
        fixed(column.values, kNull64);
    }
    void operator()(const Int32Column &column) const {
        fixed(column.values, kNull32);
    }
    void operator()(const BoolColumn &column) const {
        auto parts = std::make_unique<ArrayParts>();
        int64_t nulls = 0;
        parts->add(validity(begin, count, nulls, [&](size_t row) { return column.values[row] < 0; }));
        parts->add(bitmap(begin, count, [&](size_t row) { return column.values[row] > 0; }));
        finish_array(array, std::move(parts), count, nulls);
    }
    /* Exports strings as indices into a dictionary, which has only the words that occur in these rows. */
    void operator()(const StringColumn &column) const {
        auto parts = std::make_unique<ArrayParts>();
        int64_t nulls = 0;
        parts->add(validity(begin, count, nulls, [&](size_t row) { return column.codes[row] < 0; }));
        const Words &words = *table->words;
        std::vector<int32_t> place(words.size(), -1), used;
        Values<uint8_t> indices(static_cast<size_t>(count) * sizeof(int32_t));
        auto *index = reinterpret_cast<int32_t *>(indices.data());
        for (int64_t i = 0; i < count; i++) {
            const int32_t code = column.codes[static_cast<size_t>(begin + i)];
            if (code < 0) {
                index[i] = 0;
                continue;
            }
            int32_t &its_place = place[static_cast<size_t>(code)];
            if (its_place < 0) {
                its_place = static_cast<int32_t>(used.size());
                used.push_back(code);
            }
            index[i] = its_place;
        }
        parts->add(std::move(indices));
        finish_array(array, std::move(parts), count, nulls);
        array->dictionary = new ArrowArray;
        auto dictionary = std::make_unique<ArrayParts>();
        std::vector<int32_t> offsets{0};
        Values<uint8_t> text;
        for (int32_t code : used) {
            const std::string &word = words[code];
            text.insert(text.end(), word.begin(), word.end());
            if (text.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
                throw std::length_error("more than 2 GiB of text in one batch");
            offsets.push_back(static_cast<int32_t>(text.size()));
        }
        if (text.empty())
            text.push_back(0);
        dictionary->add({});
        dictionary->add(bytes_of(offsets.data(), offsets.size()));
        dictionary->add(std::move(text));
        finish_array(array->dictionary, std::move(dictionary), static_cast<int64_t>(used.size()), 0);
    }
    void operator()(const Int32ListColumn &column) const {
        auto parts = std::make_unique<ArrayParts>();
        std::vector<int32_t> offsets(column.offsets.begin() + begin, column.offsets.begin() + begin + count + 1);
        const int32_t first = offsets.front();
        for (auto &offset : offsets)
            offset -= first;
        auto child = std::make_unique<ArrowArray>();
        auto child_parts = std::make_unique<ArrayParts>();
        child_parts->add({});
        child_parts->add(bytes_of(column.values.data() + first, static_cast<size_t>(offsets.back())));
        finish_array(child.get(), std::move(child_parts), offsets.back(), 0);
        parts->add({});
        parts->add(bytes_of(offsets.data(), offsets.size()));
        parts->children.push_back(std::move(child));
        finish_array(array, std::move(parts), count, 0);
    }
};

std::unique_ptr<ArrowSchema> column_schema(const Column &column) {
    auto schema = std::make_unique<ArrowSchema>();
    auto parts = std::make_unique<SchemaParts>();
    parts->name = column.name;
    const char *formats[] = {"l", "i", "b", "i", "+l"}; /* Arrow's names of ColumnData's types, in their order */
    if (std::holds_alternative<Int32ListColumn>(*column.data)) {
        auto item = std::make_unique<ArrowSchema>();
        auto item_parts = std::make_unique<SchemaParts>();
        item_parts->name = "item";
        finish_schema(item.get(), std::move(item_parts), "i", kArrowNullable);
        parts->children.push_back(std::move(item));
    }
    finish_schema(schema.get(), std::move(parts), formats[column.data->index()], column.nullable ? kArrowNullable : 0);
    if (std::holds_alternative<StringColumn>(*column.data)) {
        schema->dictionary = new ArrowSchema;
        finish_schema(schema->dictionary, std::make_unique<SchemaParts>(), "u", 0);
    }
    return schema;
}

int failed(ArrowArrayStream *stream, const std::exception &problem) {
    static_cast<StreamParts *>(stream->private_data)->error = problem.what();
    return dynamic_cast<const std::bad_alloc *>(&problem) ? ENOMEM : EINVAL;
}

int get_schema(ArrowArrayStream *stream, ArrowSchema *schema) {
    try {
        auto parts = std::make_unique<SchemaParts>();
        for (const Column &column : static_cast<StreamParts *>(stream->private_data)->table->columns)
            parts->children.push_back(column_schema(column));
        finish_schema(schema, std::move(parts), "+s", 0);
        return 0;
    } catch (const std::exception &problem) {
        return failed(stream, problem);
    }
}

int get_next(ArrowArrayStream *stream, ArrowArray *array) {
    auto *state = static_cast<StreamParts *>(stream->private_data);
    try {
        const int64_t left = state->table->rows() - state->next_row;
        if (left <= 0) {
            std::memset(array, 0, sizeof *array); /* an array without a release function marks the end */
            return 0;
        }
        const int64_t count = std::min(left, state->batch_rows);
        auto parts = std::make_unique<ArrayParts>();
        parts->add({});
        for (const Column &column : state->table->columns) {
            auto child = std::make_unique<ArrowArray>();
            std::visit(ArrayMaker{state->next_row, count, child.get(), state->table}, *column.data);
            parts->children.push_back(std::move(child));
        }
        finish_array(array, std::move(parts), count, 0);
        state->next_row += count;
        return 0;
    } catch (const std::exception &problem) {
        return failed(stream, problem);
    }
}

const char *get_last_error(ArrowArrayStream *stream) {
    return static_cast<StreamParts *>(stream->private_data)->error.c_str();
}

void release_stream(ArrowArrayStream *stream) {
    delete static_cast<StreamParts *>(stream->private_data);
    stream->release = nullptr;
}

} // namespace

int64_t Table::rows() const {
    if (columns.empty())
        return 0;
    const ColumnData &first = *columns.front().data;
    if (auto *column = std::get_if<Int64Column>(&first))
        return static_cast<int64_t>(column->values.size());
    if (auto *column = std::get_if<Int32Column>(&first))
        return static_cast<int64_t>(column->values.size());
    if (auto *column = std::get_if<StringColumn>(&first))
        return static_cast<int64_t>(column->codes.size());
    throw std::logic_error("the first column of a table must be of integers or strings");
}

void export_stream(std::shared_ptr<const Table> table, int64_t batch_rows, ArrowArrayStream *stream) {
    stream->private_data = new StreamParts{std::move(table), batch_rows, 0, {}};
    stream->get_schema = get_schema;
    stream->get_next = get_next;
    stream->get_last_error = get_last_error;
    stream->release = release_stream;
}

} // namespace hopscope
