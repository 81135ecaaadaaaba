// Input of a replay: what each lane did, without the time that it spent waiting for others, and the cost of everything.
#pragma once

#include "paths/columns.h"

namespace hopscope::replay {

using paths::Column;

enum class Op : int8_t { send, wait, collective };

struct Program {
    // Operations by lane, in order. ref: message or collective; gap: the lane's own time before the operation; hold:
    // own time of a wait; slot: for a collective, this lane's row in `member`.
    Column<int64_t> first_op; // per lane, one entry more than lanes
    Column<int8_t> op;
    Column<int64_t> ref, gap, hold, slot;
    Column<int32_t> host;    // of each lane
    Column<int64_t> transit; // of each message of the application
    // Collectives. Members are the lanes that have a call, in the order of the communicator.
    Column<int64_t> first_member; // one entry more than collectives
    Column<int32_t> member;
    Column<int32_t> schedule; // the schedule that runs it; -1: its members take their observed own time
    // Collectives as observed. own_time: per member, the time from the last enter that it waited for (or its own enter)
    // to its leave. leads: the ranks that members wait for. The root's position is among the members, -1 for none.
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
// another passes servers: interfaces, links that hosts share, gateways. Each server serves one message at a time, in
// the order of arrival. The latency lies between the near servers and the far servers. A sender is done with an eager
// message after its own time for it, and with a rendezvous when the last byte has passed the near servers.
struct Costs {
    size_t hosts;
    Column<int32_t> link; // [from host * hosts + to host]: a row of the next eleven
    Column<double> latency, per_byte, send, send_per_byte, receive, receive_per_byte;
    Column<double> eager_bytes;                     // a longer message uses rendezvous: it waits for its receive
    Column<double> rts, cts;                        // the latencies of the messages that open a rendezvous
    Column<double> rendezvous, rendezvous_per_byte; // of a rendezvous, instead of latency and per_byte
    // The servers on the way, [from host * hosts + to host] with one entry more. far: the first server beyond the
    // latency.
    Column<int64_t> first_server, far;
    Column<int32_t> server;
    // Each server's time per message and per byte, and its rest after a message, which delays only the next message
    // (LogGP's gap).
    Column<double> service, service_per_byte, rest;
    bool cut_through; // a message's first byte goes on while the others come
    // True: messages travel as over the engine's emulated links (collector/src/engine/transport_emulated.c). In a
    // rendezvous only the sender waits for the receive. A message queues for all near servers at once when it is sent,
    // and for all far servers at once when it has crossed the latency and its receive is posted.
    bool emulates;
    double enter, leave, combine, combine_per_byte, copy, copy_per_byte;
};

} // namespace hopscope::replay
