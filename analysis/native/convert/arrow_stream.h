/* Exports the converter's tables through the Arrow C stream interface, which needs no Arrow library. */
#pragma once

#include <cstdint>
#include <memory>

#include "columns.h"

/* The structures of the Arrow C data and stream interfaces, copied from Arrow's specification. */
extern "C" {
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *schema);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *array);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
}

namespace hopscope {

/* Fills `stream` with a stream over `table` in batches of at most `batch_rows` rows. The table lives until all arrays
 * of the stream are released. */
void export_stream(std::shared_ptr<const Table> table, int64_t batch_rows, ArrowArrayStream *stream);

} // namespace hopscope
