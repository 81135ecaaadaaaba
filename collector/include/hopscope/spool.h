/* The spool: a file with the records of one thread of one rank, or of several threads that ran one after another.
 *
 * DIR/spool/<world rank>.<thread>.spool   header, front, chunk 0, chunk 1, ...; flock(2)ed while its process lives
 * DIR/spool/<world rank>.defs             one JSON object per line: the definitions that the records refer to
 *
 * The front and every chunk are chunk_bytes long and consist of fixed-size records. The newest records are in the
 * front. The front is memory-mapped, so its records survive when the process is killed. It always uses the same pages,
 * because the first write to a page costs 3 us, and a call's record has only 40 bytes. A full front is appended to the
 * chunks and cleared: write chunk n | flushed = n + 1 | clear the front | front = n + 1 So chunks 0 to flushed - 1 are
 * whole. If front == flushed, the front's records follow those of the chunks. Otherwise the process died while it
 * cleared the front, and all records of the front are also in the last chunk. To read the spool of a running process,
 * copy the front: the copy is consistent if `flushed` and `front` have not changed meanwhile.
 *
 * Only src/record writes it and only src/assembly reads it. Native byte order. A record is valid when its kind is not
 * 0: kind is stored last, so a process that dies in the middle of an append leaves at most that one record unreadable.
 * Unwritten space is zero.
 *
 * Most calls are one record. The record is an ENTER until the call returns, and is then completed in place: first the
 * bits that the ENTER does not use, then the kind (record/whole_call.h). If one message was recorded in the call, that
 * record is first removed and merged into the call's. A call has a separate LEAVE if more records lie in it, if a chunk
 * began in it, or if its duration does not fit 32 bits.
 */
#ifndef HOPSCOPE_SPOOL_H
#define HOPSCOPE_SPOOL_H

#include <stdint.h>

#include "schemas/otf2.h"

#define SPOOL_MAGIC "HOPSPOOL"
#define SPOOL_VERSION 5u
#define SPOOL_HEADER_BYTES 4096u

enum spool_state { SPOOL_OPEN = 0, SPOOL_CLOSED = 1, SPOOL_STOPPED = 2 };

struct spool_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t record_bytes;
    uint32_t world_rank;
    uint32_t thread;
    uint32_t pid;
    uint32_t state;        /* enum spool_state; stays SPOOL_OPEN if the process died */
    char stop_reason[256]; /* why recording stopped, as a sentence; otherwise empty */
    uint64_t chunk_bytes;  /* size of a chunk: whole pages and whole records */
    uint64_t flushed;      /* number of chunks after the front */
    uint64_t front;        /* the chunk number that the front's records will get */
};

enum spool_kind {
    SPOOL_NONE = 0,
    /* Calls. region: enum mpi_function.
     *
     * ENTER: a = call site id, 32 bits (0: unknown).
     *   A collective also has comm, b = seq, and c = root: a rank of the communicator (of the other group on an
     *   intercommunicator) or one of SPOOL_ROOT_*.
     *   A blocking send, receive or probe also has comm, and b = peer << 32 | tag as the call requests them, with
     *   SPOOL_ANY for a wildcard and SPOOL_NOBODY for MPI_PROC_NULL. MPI_Sendrecv has its receive's peer and tag in c.
     *   A call of a window that waits for one rank also has comm (the window) and b, with that rank as peer. The tag is
     *   that of the message that ends the wait or, for a lock's target, enum spool_lock.
     *
     * LEAVE of a collective: comm = reason id (0: no tree was requested, or the tree ran it), a = bytes sent, b = bytes
     * received. c = 1 if the engine ran it, and from bit SPOOL_ALGORITHM_AT on the id of the MPI library's algorithm
     * (0: unknown). c = SPOOL_REFUSED if MPI refused the call, also for nonblocking and persistent forms. */
    SPOOL_ENTER = 1,
    SPOOL_LEAVE = 2,
    /* ENTER of a call that may become one record. BARE has only a. MESSAGE also has comm and b. COLLECTIVE also has
     * comm and the lower 32 bits of b and c, c signed. Ignore all other bits: the process may have died while it turned
     * the ENTER into a whole call. */
    SPOOL_ENTER_BARE = 3,
    SPOOL_ENTER_MESSAGE = 4,
    SPOOL_ENTER_COLLECTIVE = 5,
    /* A whole call: its ENTER, with the ticks from enter to leave in the upper 32 bits of a. CALL: its LEAVE has no
     * fields. CALL_COLLECTIVE: the upper 32 bits of b and c are its LEAVE's a and b. */
    SPOOL_CALL = 6,
    SPOOL_CALL_COLLECTIVE = 7,
    /* Application point-to-point. comm; a = peer (rank of comm) << 32 | tag; b = bytes; c = request id */
    SPOOL_SEND = 10,
    SPOOL_RECV = 11,
    SPOOL_ISEND = 12,
    SPOOL_ISEND_COMPLETE = 13, /* has only c */
    SPOOL_IRECV_POST = 14,     /* comm, a = peer << 32 | tag as requested (see ENTER; persistent: 0), c */
    SPOOL_IRECV = 15,
    SPOOL_REQUEST_CANCELLED = 16, /* has only c */
    /* Collectives that return before they are done. region = function; comm.
     *
     * REQUEST has the time at which the call that began the collective was entered. That call is the nonblocking
     * function, or a start of a persistent request; region is then the function that made the request. a = call site id
     * | reason id (as in LEAVE) << SPOOL_REASON_AT, b = seq, c = request id.
     *
     * COMPLETE lies inside the call that found the collective complete: a = bytes sent, b = bytes received, c = request
     * id | (root + 1) << SPOOL_REQUEST_BITS.
     *
     * The seq of a persistent collective is (number of the request on its communicator, from 1) <<
     * ARCHIVE_PERSISTENT_SHIFT | number of its earlier starts: persistent collectives may start in different orders on
     * different members. */
    SPOOL_COLLECTIVE_REQUEST = 17,
    SPOOL_COLLECTIVE_COMPLETE = 18,
    /* Hops. region = tree id; comm; a = peer << 32 | hop_tag of schemas/otf2.h; b = bytes; c = request id, combined
     * with SPOOL_WAITED in a COMPLETE or IRECV that ended a wait */
    SPOOL_HOP_ISEND = 20,
    SPOOL_HOP_ISEND_COMPLETE = 21,
    SPOOL_HOP_IRECV_POST = 22,
    SPOOL_HOP_IRECV = 23,
    /* Transfers with a request, to or from a window or a file. comm: the window or file; 0: it has one process. a =
     * target << 32 | enum spool_transfer; b = bytes, c = request id. COMPLETE has the same fields and lies in the call
     * that found the transfer complete. */
    SPOOL_TRANSFER = 24,
    SPOOL_TRANSFER_COMPLETE = 25,
    /* Waits and local steps inside the engine. STEP: region = enum spool_step, b = bytes */
    SPOOL_WAIT_BEGIN = 30,
    SPOOL_WAIT_END = 31,
    SPOOL_STEP_BEGIN = 32,
    SPOOL_STEP_END = 33,
    /* The collector's own time: its start in MPI_Init, a new thread's spool, a chunk change, a clock exchange */
    SPOOL_OVERHEAD_BEGIN = 40,
    SPOOL_OVERHEAD_END = 41,
    /* IDLE: no thread uses the spool: from the end of a thread to the creation of the thread that goes on in its spool.
     * A spool may begin with an IDLE of no duration, at the time when its first thread was created. JOIN: this thread
     * waited for the end of another thread that records. */
    SPOOL_IDLE_BEGIN = 42,
    SPOOL_IDLE_END = 43,
    SPOOL_JOIN_BEGIN = 44,
    SPOOL_JOIN_END = 45,
    /* User regions, outside of calls. BEGIN a = call site id, b = id of a region definition. END b */
    SPOOL_REGION_BEGIN = 50,
    SPOOL_REGION_END = 51,
    /* OFF and ON: recording was paused and resumed. a = number of the gap; if the thread merged several gaps, OFF has
     * the first and ON the last.
     *
     * SKIPPED: the number of messages of one peer and tag that a gap left unrecorded. The assembly needs it to match
     * the recorded ones. comm; a = peer << 32 | tag; b = sends << 32 | receives (both 0: ignore the record). c =
     * SPOOL_IN_GAP | the number of the gap in which the messages began. The record directly precedes that gap's ON and
     * has its timestamp. For a receive that ended in a later gap, it precedes the later gap's ON. For a receive that
     * ended in a gap but whose IRECV_POST is recorded, c = its request id.
     */
    SPOOL_OFF = 60,
    SPOOL_ON = 61,
    SPOOL_SKIPPED = 62,
};

/* Flags in the kind of a whole call into which the record of one message or request was merged. The lower eight bits
 * are the kind of the merged record. AT_ENTER or AT_LEAVE: the merged record has the timestamp of the enter or of the
 * leave. Both flags: it is an ISEND, and its ISEND_COMPLETE was merged too.
 *
 * Fields if the enter was BARE: comm = that of the merged record, b = its a, c = its b | its c << 32. AS_ASKED: the
 * enter was a MESSAGE. Then b = the merged record's a, c = its b | SPOOL_ASKED_ANY_* for each half of the enter's b
 * that was SPOOL_ANY. */
enum { SPOOL_AT_ENTER = 0x100, SPOOL_AT_LEAVE = 0x200, SPOOL_AS_ASKED = 0x400, SPOOL_KIND_INSIDE = 0xFF };

#define SPOOL_ASKED_ANY_PEER ((uint64_t)1 << 63)
#define SPOOL_ASKED_ANY_TAG ((uint64_t)1 << 62)

/* Marks a collective whose arguments the MPI library refused. Nobody waits for it, and the next collective gets the
 * same seq. */
#define SPOOL_REFUSED 2

enum { SPOOL_ALGORITHM_AT = 32 };

#define SPOOL_IN_GAP ((uint64_t)1 << 63)
#define SPOOL_WAITED ((uint64_t)1 << 63)

/* A flag in the peer of a hop on an intercommunicator: the peer is in the recording rank's own group. */
#define SPOOL_OWN_GROUP ((uint32_t)1 << 31)

#define SPOOL_ANY UINT32_MAX
#define SPOOL_NOBODY (UINT32_MAX - 1)

/* Values of a root that is not a rank. NONE: the collective has no root. The others occur on intercommunicators. SELF:
 * the caller is the root. THIS_GROUP: another member of the caller's group is the root. */
#define SPOOL_ROOT_NONE UINT64_MAX
#define SPOOL_ROOT_SELF (UINT64_MAX - 1)
#define SPOOL_ROOT_THIS_GROUP (UINT64_MAX - 2)

enum { SPOOL_REQUEST_BITS = 40, SPOOL_REASON_AT = 32 };

/* The lock that a call acquires, or that it needs to have. */
enum spool_lock { SPOOL_LOCK_SHARED, SPOOL_LOCK_EXCLUSIVE, SPOOL_LOCK_HELD };

enum spool_step { SPOOL_STEP_COMBINE = 1, SPOOL_STEP_COPY = 2 };

/* Transfers of windows, then those of files. */
enum spool_transfer {
    SPOOL_PUT,
    SPOOL_GET,
    SPOOL_ACCUMULATE,
    SPOOL_GET_ACCUMULATE,
    SPOOL_READ,
    SPOOL_READ_ALL,
    SPOOL_WRITE,
    SPOOL_WRITE_ALL
};

struct spool_record {
    uint64_t ticks; /* time, in ticks of the machine's counter; never less than the previous record's */
    uint16_t kind;
    uint16_t region;
    uint32_t comm; /* id of a comm definition of this process */
    uint64_t a, b, c;
};

/* Lines of the .defs file (ids are per process, from 1; 64-bit keys are hexadecimal strings):
 * {"def":"process","world_rank":0,"world_size":8,"pid":1,"core":0,"cores":"0-3,8","clock_host":"n1","host":"a0",
 *  "cluster":"A","command":"./heat ...","mpi_library":"Open MPI v4.1.4 ...","started_ns":<unix time>,"thread_level":0,
 *  "mode":"tree","record":"all","tick_source":"tsc","presence":"complete","tree_file":"<text>","topology_file":"<text>",
 *  "event_cost_ns":12.5,"job":"hydra-n1_4711","boot":"<kernel's id>","spawned":false,"thread_multiple":false}
 *     may be repeated later in the file: repeated fields replace earlier ones. A spawned process also has
 *     "parent_rank", the spawning root's rank in its world, -1 unknown. If another tool's MPI_Finalize precedes the
 *     collector's: "finalize_goes_to", that tool's object. At the end: "busy_threads", "cpu_ns", "queued_ns"
 *     (run/cores.h), "computing_ns", "computing_on_core_ns", "computing_queued_ns", "computing_cpu_ns"
 *     (run/core_samples.h). After the end: "began_again": true, if sessions came later
 * {"def":"comm","id":1,"key":"9f..","parent":"00..","name":"MPI_COMM_WORLD","size":8,"rank":0,"members":[0,1,..],"inter":false}
 *     members are world ranks, written by the communicator's rank 0 only, null elsewhere; key is equal on all members.
 *     For an intercommunicator ("inter":true) size, rank and members are the local group's, and rank 0 of each side
 *     adds "remote":[..], the other group. If it, or one it was made from, has processes of other worlds, every member
 *     writes the lists in its own numbers: world ranks, and from world_size on processes of other worlds (members.h).
 *     key is then this process's own, and there are "origin":"merge","salt":"..","nth":1: how many equal ones it has
 *     made, with this one. If two groups met to make it ("origin" spawn, parent, accept, connect, join, intercomm), one
 *     process of each has "leads":true, with "began" and "ended" (ticks of the call), "place" (a hash of port or
 *     connection), "peer" (definition of the leaders' communicator, 0: none) and "peer_rank"
 * {"def":"comm_name","id":1,"name":"rows"}
 * {"def":"call_site","id":1,"module":"/home/u/heat","offset":4660,"begin":4600,"symbol":"sum","callers":[1]}
 *     begin: the function's, missing if unknown. callers: up to two definitions of this form, the nearest caller first
 * {"def":"frame","id":1,"module":"/home/u/heat","offset":4712,"begin":4696,"symbol":"main"}
 * {"def":"call_site","id":2,"file":"/home/u/solve.py","line":42,"function":"Solver.step"}
 *     a line of Python that called through mpi4py, -1: unknown, and the function's qualified name
 * {"def":"python","version":"3.11.7","off":null}
 *     off: why lines of Python are not read; the definition is missing if none were asked for
 * {"def":"module","id":1,"name":"./heat","path":"/home/u/heat","build_id":"6b21.."}
 *     a program or library that call sites name; its file, and the GNU build id in hexadecimal, null: it has none
 * {"def":"tree","id":1,"name":"binomial-mpich"}
 * {"def":"reason","id":1,"text":"intercommunicator"}
 * {"def":"algorithm","id":1,"name":"recursivedoubling"}
 * {"def":"region","id":1,"name":"solve"}
 * {"def":"clock","ticks":1,"monotonic_ns":2}            a calibration pair; at start, at chunk changes, at the end
 * {"def":"round_trip","ref_send":1,"here_recv":2,"here_send":3,"ref_recv":4,"ref_host":"n1","spread_ns":10.5}
 *     raw ticks of the fastest round trip between the reference process and this one; spread_ns is how much the
 *     fastest few disagree about the offset
 * {"def":"setting","name":"coll_tuned_bcast_algorithm","asked":"binomial","value":"6","source":"environment","text":null}
 *     a setting of the MPI library that selects algorithms of its collectives; rank 0 only. asked: its text in the
 *     environment; value: its value in the library; source: the origin of that value (default, environment, file,
 *     program, override, command line); text: the text of the file that the value names. null: unknown
 * {"def":"end","ticks":1,"how":"finalize"}              last line of a process that ended normally
 */

#endif
