/* Finds the call in which each rank of a run is now, or was when it died. `hopscope inspect` shows it. */
#ifndef HOPSCOPE_INSPECT_H
#define HOPSCOPE_INSPECT_H

#include "assembly/run.h"

/* The last collective that a rank entered on a communicator. */
struct last_collective {
    uint32_t comm; /* index into run.comms */
    uint64_t seq, enter_ns;
    uint16_t function;
    uint64_t root; /* a rank, or SPOOL_ROOT_* */
    bool is_open;
    bool started; /* nonblocking or persistent: it continues after its call has returned */
};

/* The state of a thread at its last record. Times are corrected to the reference machine's clock. */
struct thread_state {
    uint32_t thread;
    size_t records;
    struct spool_record call; /* ENTER of the outermost open call; SPOOL_NONE: outside MPI */
    uint64_t call_ns;
    struct spool_record last; /* ENTER of the last completed call; SPOOL_NONE: none */
    uint64_t last_enter_ns, last_leave_ns;
    bool waits; /* it is in the engine, which waits for messages */
    uint64_t wait_ns;
    struct spool_record *open; /* receives and sends that are not complete, in order */
    uint64_t *open_ns;
    size_t open_count, open_room;
    struct spool_record *locks; /* ENTERs of MPI_Win_lock, for the locks that it has */
    size_t lock_count, lock_room;
};

struct rank_state {
    struct thread_state *threads;
    size_t thread_count;
    struct last_collective *collectives; /* the open ones, and the last finished one of each communicator */
    size_t collective_count;
    bool alive, is_observable; /* alive: its process still exists; is_observable: this machine can check that */
};

struct inspection {
    struct run run;
    struct rank_state *ranks; /* run.rank_count entries */
    uint64_t first_ns, last_ns;
    bool has_clock; /* now_ns is known, because the run has processes on this machine */
    uint64_t now_ns;
};

/* Reads DIR/spool, even while the collector writes it. Returns false with a message if there is nothing to report. Free
 * the inspection in both cases. */
bool inspect(struct inspection *inspection, const char *directory, char *message, size_t capacity);
void inspection_json(const struct inspection *inspection, struct text *output);
void inspection_free(struct inspection *inspection);

#endif
