#include "native/shared/outcome.h"

#include "log/log.h"
#include "native/shared/open_collective.h"
#include "native/shared/subject.h"
#include "record/definitions.h"
#include "record/record.h"

void outcome_off(int rank, const char *why_not) {
    if (rank == 0)
        log_line("The MPI library's messages inside collectives are not recorded: %s.", why_not);
    struct line line;
    line_begin(&line, "native");
    line_text(&line, "off", why_not);
    line_end(&line);
}

struct reason {
    const char *text;
    uint32_t id;
};
static struct reason silent = {ARCHIVE_SILENT, 0};
static struct reason left_out = {"left out by HOPSCOPE_NATIVE=every:N", 0};
static struct reason only_nonblocking = {
    "only messages of nonblocking collectives were seen on this rank, and these are not recorded", 0};

static uint32_t id_of(struct reason *reason) {
    return record_define_once(&reason->id, record_define_reason, reason->text);
}

static bool has_messages(const struct comm *comm, bool has_payload) {
    return has_payload && comm && (comm->size > 1 || comm->inter);
}

uint32_t outcome_reason(const struct comm *comm, bool has_payload) {
    struct native_collective collective = native_collective;
    native_collective.set_up = native_collective.silent = false;
    if (collective.set_up)
        return record_define_reason(native_library.set_up);
    if (!collective.silent || !has_messages(comm, has_payload))
        return 0;
    return id_of(subject_is_thinned(comm, collective.seq) ? &left_out
                 : collective.left_out                    ? &only_nonblocking
                                                          : &silent);
}

uint32_t outcome_started_reason(const struct comm *comm, uint64_t seq, bool has_payload) {
    static uint32_t id;
    if (!has_messages(comm, has_payload))
        return 0;
    if (subject_is_thinned(comm, seq))
        return id_of(&left_out);
    return native_library.not_looked_at ? record_define_once(&id, record_define_reason, native_library.not_looked_at)
                                        : 0;
}

void outcome_counts(struct native_losses losses) {
    struct subject_counts counts = subject_counts();
    struct line line;
    line_begin(&line, "native");
    line_unsigned(&line, "unseen", counts.unseen);
    line_unsigned(&line, "internal", counts.internal);
    line_unsigned(&line, "thinned", counts.thinned);
    line_unsigned(&line, "unknown", counts.unknown + losses.unknown);
    line_unsigned(&line, "lost", losses.lost);
    line_end(&line);
}
