/* Two threads compute the leads, which are the paths to each collective. A path with many stretches is written to a
 * file from its last stretch to its first, and then read from the file's end into tables. */
#include "walks.h"

#include <algorithm>

#include "../paths/with_another.h"

namespace hopscope {
namespace {

constexpr size_t kMostLeadsAtOnce = 1 << 15;

} // namespace

struct Walks::LongPath {
    LongPath(const paths::Scratch &scratch, paths::Path its_path, int64_t its_collective)
        : path(its_path), collective(its_collective), file(scratch) {}

    paths::Path path;
    int64_t collective;
    paths::ScratchColumn<paths::Stretch> file;
    paths::Column<paths::Stretch> stretches; /* latest first */
    size_t left = 0;
};

Walks::Walks(const paths::History &history, const paths::Scratch &scratch, std::shared_ptr<const Words> words,
             size_t piece_rows, TimeBins &bins, Progress &progress)
    : history_(history), scratch_(scratch), words_(std::move(words)), piece_rows_(piece_rows), bins_(bins),
      progress_(progress), walker_(history), leads_at_once_(kMostLeadsAtOnce) {
    progress_.done = 0;
    progress_.total = history.collectives().size();
}

Walks::~Walks() = default;

bool Walks::next(Tables &tables) {
    if (long_path_)
        next_of_long_path(tables);
    else if (next_lead_ < history_.collectives().size())
        next_leads(tables);
    else if (!walked_run_) {
        begin_long_path(paths::Path::run, -1, [&](const auto &take) {
            walker_.run([&](const paths::Stretch &stretch) {
                bins_.add(stretch);
                take(stretch);
            });
        });
        walked_run_ = true;
    } else
        return false;
    return true;
}

/* Computes the leads of the next collectives, half of them on each thread. If the first thread stops early because its
 * leads are long, the second thread's results are dropped and computed again later. The next batch is then smaller. */
void Walks::next_leads(Tables &tables) {
    const size_t first = next_lead_, end = std::min(history_.collectives().size(), first + leads_at_once_);
    const size_t middle = first + (end - first + 1) / 2;
    paths::Stretches first_half, second_half;
    size_t second_end = middle;
    run_both([&] { second_end = walker_.keep_leads(second_half, middle, end, piece_rows_); },
             [&] { next_lead_ = walker_.keep_leads(first_half, first, middle, piece_rows_); });
    history_.trim();
    add_stretches(first_half, words_, tables);
    if (next_lead_ == middle) {
        add_stretches(second_half, words_, tables);
        next_lead_ = second_end;
    }
    if (next_lead_ == first) {
        begin_long_path(paths::Path::lead, static_cast<int64_t>(first),
                        [&](const auto &take) { walker_.lead(first, take); });
        next_lead_ = first + 1;
    }
    leads_at_once_ =
        next_lead_ == end ? std::min(kMostLeadsAtOnce, 2 * leads_at_once_) : std::max<size_t>(2, leads_at_once_ / 2);
    progress_.done = next_lead_;
}

template <typename Walk> void Walks::begin_long_path(paths::Path path, int64_t collective, const Walk &walk) {
    long_path_ = std::make_unique<LongPath>(scratch_, path, collective);
    walk([&](const paths::Stretch &stretch) {
        if (progress_.cancelled)
            throw Cancelled();
        long_path_->file.add(stretch);
    });
    long_path_->stretches = long_path_->file.finish();
    long_path_->left = long_path_->stretches.size;
}

void Walks::next_of_long_path(Tables &tables) {
    LongPath &path = *long_path_;
    paths::Stretches stretches;
    while (path.left > 0 && stretches.size() < piece_rows_) {
        const auto step = static_cast<int64_t>(path.stretches.size - path.left);
        paths::keep(stretches, path.path, path.collective, path.stretches[--path.left], step);
    }
    path.file.trim();
    add_stretches(stretches, words_, tables);
    if (path.left == 0)
        long_path_.reset();
}

} // namespace hopscope
