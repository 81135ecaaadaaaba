// Input of a replay: what each lane did, without the time it spent waiting for others, and what everything costs.
#pragma once

#include "paths/columns.h"

namespace hopscope::replay {

using paths::Column;

enum class Op : int8_t { send, wait, collective };

struct Program {
    // Operations by lane, in order. ref: message or collective; gap: own time before it; hold: own time of a wait;
    // slot: for a collective, this lane's row in `member`.
    Column<int64_t> first_op; // per lane, one entry more than lanes
    Column<int8_t> op;
    Column<int64_t> ref, gap, hold, slot;
    Column<int32_t> host;    // of each lane
    Column<int64_t> transit; // of each message of the application's
    // Collectives: members are lanes in the order of the communicator, only those that have a call.
    Column<int64_t> first_member; // one entry more than collectives
    Column<int32_t> member;
    Column<int32_t> schedule; // which one runs it; -1: it takes what it took when it was observed
    // Collectives as observed: time from the last enter waited for (or the own one) to the leave, per member; the ranks
    // that members wait for; and the root's position among the members, -1 for none.
    Column<int64_t> own_time;
    Column<int8_t> leads;
    Column<int32_t> root_position;
    size_t lanes() const {
        return host.size;
    }
    size_t collectives() const {
        return schedule.size;
    }
};

// Times in ns, sizes in bytes.
//
// A rank does one thing at a time: it enters, sends, receives, combines, copies, leaves. A message from one host to
// another passes servers, each of which serves one message at a time in the order in which they come: interfaces,
// links that hosts share, gateways. Between the near ones and the far ones lies the latency. A sender is done with a
// message after its own time for it; with one that is announced, when its last byte has passed the near servers.
struct Costs {
    size_t hosts;
    Column<int32_t> link; // [from host * hosts + to host]: a row of the next eleven
    Column<double> latency, per_byte, send, send_per_byte, receive, receive_per_byte;
    Column<double> eager_bytes;                     // a longer message waits in a rendezvous for its receive
    Column<double> rts, cts;                        // the latencies of the messages that open it
    Column<double> rendezvous, rendezvous_per_byte; // its own transfer, instead of latency and per_byte
    // The servers on the way, [from host * hosts + to host] with one entry more; far: the first beyond the latency.
    Column<int64_t> first_server, far;
    Column<int32_t> server;
    // Each server's time per message and per byte; and its rest after a message, which delays only the next one
    // (LogGP's gap).
    Column<double> service, service_per_byte, rest;
    bool cut_through; // a message's first byte goes on while the others come
    // Messages go as over the engine's emulated links (collector/src/engine/transport_emulated.c). Of one that is
    // announced, only the sender waits for the receive. A sender takes its turn at all near servers when it sends, and
    // a receiver at all far ones when the message is there and its receive is posted.
    bool emulates;
    double enter, leave, combine, combine_per_byte, copy, copy_per_byte;
};

} // namespace hopscope::replay
