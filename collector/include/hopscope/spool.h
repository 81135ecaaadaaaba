/* The spool: what one thread of one rank recorded, as it lies on disk.
 *
 * DIR/spool/<world rank>.<thread>.spool   header, front, chunk 0, chunk 1, ...; locked by flock(2) while its process
 * lives
 *
 * DIR/spool/<world rank>.defs             one JSON object a line: the definitions that the records refer to
 *
 * The front and every chunk are chunk_bytes of fixed-size records. The newest records are in the front, which is mapped
 * and always the same pages, for a page's first write costs 3 us and a call is 40 bytes; what a killed process has
 * stored there stays. A full front is written behind the chunks there are, and cleared:
 *   write chunk n | flushed = n + 1 | clear the front | front = n + 1
 * So chunks 0 to flushed - 1 are whole, and the front goes on behind them if front == flushed. Else a process died
 * while it cleared it, and everything in it is in the last chunk. Who reads while the process runs copies the front,
 * and knows that it is of one piece if flushed and front are what they were before.
 *
 * Written by src/record, read by src/assembly and by nobody else. Native byte order.
 * A record is valid when its kind is not 0: kind is stored last, so a process that dies in the middle of an
 * append leaves at most that one record unreadable. Unwritten space is zero.
 *
 * Most calls are one record. It is an ENTER until the call is left, and is then completed where it stands: first the
 * bits that the ENTER does not use, then the kind (record/whole_call.h). The record of a message in the call is taken
 * away before that and becomes part of it. A call has a LEAVE of its own if more was recorded in it, if a chunk was
 * begun in it, or if it lasted too long.
 */
#ifndef HOPSCOPE_SPOOL_H
#define HOPSCOPE_SPOOL_H

#include <stdint.h>

#define SPOOL_MAGIC "HOPSPOOL"
#define SPOOL_VERSION 3u
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
    uint32_t state;        /* enum spool_state; SPOOL_OPEN in a file whose process died */
    char stop_reason[256]; /* why recording stopped, a sentence; empty otherwise */
    uint64_t chunk_bytes;  /* whole pages and whole records */
    uint64_t flushed;      /* chunks behind the front */
    uint64_t front;        /* the number that the front's records will have as a chunk */
};

enum spool_kind {
    SPOOL_NONE = 0,
    /* Calls. region: enum mpi_function. ENTER a = call site id (0 unknown), 32 bits of it; of a collective also comm,
     * and b = seq, c = root: a rank of the communicator (of an intercommunicator's other group) or one of SPOOL_ROOT_*.
     * LEAVE of a collective: comm = reason id (0: not asked for, or done by the tree), a = bytes sent, b = bytes
     * received, c = 1 if the engine ran it; of any form of one c = SPOOL_REFUSED if it was none. ENTER of a blocking
     * send, receive or probe: comm, b = peer << 32 | tag as asked for (c = of a Sendrecv's receive), in which SPOOL_ANY
     * stands for MPI_ANY_SOURCE and MPI_ANY_TAG, SPOOL_NOBODY for MPI_PROC_NULL. */
    SPOOL_ENTER = 1,
    SPOOL_LEAVE = 2,
    /* ENTER of a call that may become one record. What is not named is no part of it: it may be half a completion.
     * BARE has only a. MESSAGE also comm and b. COLLECTIVE also comm, and of b and c the lower 32 bits, c signed. */
    SPOOL_ENTER_BARE = 3,
    SPOOL_ENTER_MESSAGE = 4,
    SPOOL_ENTER_COLLECTIVE = 5,
    /* A whole call: as its ENTER, and the upper 32 bits of a = ticks from its enter to its leave. CALL: LEAVE has no
     * fields. CALL_COLLECTIVE: the upper 32 bits of b and c are LEAVE's a and b. */
    SPOOL_CALL = 6,
    SPOOL_CALL_COLLECTIVE = 7,
    /* Application point-to-point. comm; a = peer (rank of comm) << 32 | tag; b = bytes; c = request id */
    SPOOL_SEND = 10,
    SPOOL_RECV = 11,
    SPOOL_ISEND = 12,
    SPOOL_ISEND_COMPLETE = 13, /* only c */
    SPOOL_IRECV_POST = 14,     /* comm, a = peer << 32 | tag as asked for (see ENTER; persistent: 0), c */
    SPOOL_IRECV = 15,
    SPOOL_REQUEST_CANCELLED = 16, /* only c */
    /* Collectives that return before they are done. region = function; comm. REQUEST, stamped as the enter of the call
     * that began it, which is a nonblocking function's own or a start of a persistent request (region then is the
     * function that made the request): a = call site id, b = seq, c = request id. COMPLETE, inside the call that found
     * it complete: a = bytes sent, b = bytes received, c = request id | (root + 1) << SPOOL_REQUEST_BITS.
     * The seq of a persistent one is (number of the request on its communicator, from 1) << SPOOL_PERSISTENT_SHIFT |
     * earlier starts of it: persistent collectives may start in different orders on different members. */
    SPOOL_COLLECTIVE_REQUEST = 17,
    SPOOL_COLLECTIVE_COMPLETE = 18,
    /* Hops. region = tree id; comm; a = peer << 32 | hop tag (schemas/otf2.md); b = bytes; c = request id */
    SPOOL_HOP_ISEND = 20,
    SPOOL_HOP_ISEND_COMPLETE = 21,
    SPOOL_HOP_IRECV_POST = 22,
    SPOOL_HOP_IRECV = 23,
    /* Inside the engine. STEP region = enum spool_step, b = bytes */
    SPOOL_WAIT_BEGIN = 30,
    SPOOL_WAIT_END = 31,
    SPOOL_STEP_BEGIN = 32,
    SPOOL_STEP_END = 33,
    /* The collector's own time: a chunk change */
    SPOOL_OVERHEAD_BEGIN = 40,
    SPOOL_OVERHEAD_END = 41,
    /* Regions of the user's, outside of calls. BEGIN a = call site id, b = id of a region definition. END b */
    SPOOL_REGION_BEGIN = 50,
    SPOOL_REGION_END = 51,
    /* Recording was stopped and went on: a = number of the gap, of several that the thread took for one the first and
     * the last. SKIPPED: messages that are not recorded, and that the others are counted by. comm; a = peer << 32 |
     * tag; b = sends << 32 | receives; c = SPOOL_IN_GAP | the number of the gap in which they began (before its ON,
     * with its stamp; a receive that ended later: where it ended), or the request id of a receive whose IRECV_POST is
     * recorded and which ended in a gap. */
    SPOOL_OFF = 60,
    SPOOL_ON = 61,
    SPOOL_SKIPPED = 62,
};

/* A whole call in which a message or request was recorded: the kind of that record, and one of the first two, which
 * say its stamp; both, of an ISEND: its ISEND_COMPLETE followed. A BARE enter is then its comm; b = its a, c = its b |
 * its c << 32. With SPOOL_AS_ASKED the enter is a MESSAGE: b = its a, c = its b | SPOOL_ASKED_ANY_*, where the enter's
 * b has SPOOL_ANY instead. */
enum { SPOOL_AT_ENTER = 0x100, SPOOL_AT_LEAVE = 0x200, SPOOL_AS_ASKED = 0x400, SPOOL_KIND_INSIDE = 0xFF };

#define SPOOL_ASKED_ANY_PEER ((uint64_t)1 << 63)
#define SPOOL_ASKED_ANY_TAG ((uint64_t)1 << 62)

/* The MPI library refused a collective's arguments, so nobody waits for it: its seq is the next one's too. */
#define SPOOL_REFUSED 2

#define SPOOL_IN_GAP ((uint64_t)1 << 63)

/* In the tag of a partitioned message, which matches none but such. */
#define SPOOL_PARTITIONED ((uint32_t)1 << 31)

#define SPOOL_ANY UINT32_MAX
#define SPOOL_NOBODY (UINT32_MAX - 1)

/* Beside ranks: no root; and on an intercommunicator the caller itself, or another one of its group. */
#define SPOOL_ROOT_NONE UINT64_MAX
#define SPOOL_ROOT_SELF (UINT64_MAX - 1)
#define SPOOL_ROOT_THIS_GROUP (UINT64_MAX - 2)

enum { SPOOL_REQUEST_BITS = 40, SPOOL_PERSISTENT_SHIFT = 32 };

enum spool_step { SPOOL_STEP_COMBINE = 1, SPOOL_STEP_COPY = 2 };

struct spool_record {
    uint64_t ticks; /* of the machine's counter; never smaller than in the record before */
    uint16_t kind;
    uint16_t region;
    uint32_t comm; /* id of a comm definition of this process */
    uint64_t a, b, c;
};

/* Lines of the .defs file (ids are per process, from 1; 64-bit keys are hexadecimal strings):
 * {"def":"process","world_rank":0,"world_size":8,"pid":1,"core":0,"clock_host":"n1","host":"a0","cluster":"A",
 *  "command":"./heat ...","mpi_library":"Open MPI v4.1.4 ...","started_ns":<unix time>,"thread_level":0,
 *  "mode":"tree","record":"all","tick_source":"tsc","presence":"complete","tree_file":"<text>","topology_file":"<text>",
 *  "event_cost_ns":12.5,"job":"hydra-n1_4711","boot":"<kernel's id>","spawned":false,"thread_multiple":false}
 *     again later in the file: fields given again replace the earlier ones. Of a spawned one also "parent_rank", the
 *     spawning root's rank in its world, -1 unknown. Where another tool has an MPI_Finalize before the collector's
 *     "finalize_goes_to", its object. Behind the end, "began_again": true, if MPI was used by sessions once more
 * {"def":"comm","id":1,"key":"9f..","parent":"00..","name":"MPI_COMM_WORLD","size":8,"rank":0,"members":[0,1,..],"inter":false}
 *     members as world ranks, from rank 0 of the communicator only, null elsewhere; key is equal on all members. Of an
 *     intercommunicator ("inter":true) size, rank and members are those of the local group, and rank 0 of each side
 * adds "remote":[..], the other group. Where processes of other worlds are in it, or in what it was made of, every
 * member writes the lists, by numbers of its own: world ranks, and from world_size on those of other worlds
 * (members.h); key is then this process's own, and there are "origin":"merge","salt":"..","nth":1, how many like it
 * with this one. If it was made by two groups that meet ("origin" spawn, parent, accept, connect, join, intercomm),
 * also "leads":true in one process of each, there with "began" and "ended" (ticks of the call), "place" (a hash of port
 * or connection), "peer" (definition of the leaders' communicator, 0: none) and "peer_rank"
 * {"def":"comm_name","id":1,"name":"rows"}
 * {"def":"call_site","id":1,"module":"/home/u/heat","offset":4660,"symbol":"main"}
 * {"def":"tree","id":1,"name":"binomial-mpich"}
 * {"def":"reason","id":1,"text":"intercommunicator"}
 * {"def":"region","id":1,"name":"solve"}
 * {"def":"clock","ticks":1,"monotonic_ns":2}            a calibration pair; at start, at chunk changes, at the end
 * {"def":"round_trip","ref_send":1,"here_recv":2,"here_send":3,"ref_recv":4,"ref_host":"n1","spread_ns":10.5}
 *     raw ticks of the fastest round trip between the reference process and this one; spread_ns is how much the
 *     fastest few disagree about the offset
 * {"def":"end","ticks":1,"how":"finalize"}              last line of a process that ended well
 */

#endif
