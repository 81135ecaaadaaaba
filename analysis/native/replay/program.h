// The input of a replay: the operations of each lane, without the time for which it waited for others, and the costs of
// computing and messages.
#pragma once

#include "paths/columns.h"

namespace hopscope::replay {

using paths::Column;

enum class Op : int8_t { send, wait, collective };

struct Program {
    // Operations, lane after lane, in the order in which the lane does them. ref: the number of the message or
    // collective. gap: the lane's own time before the operation, in ns. hold: the own time of a wait, in ns. slot: for
    // a collective, this lane's row in `member`.
    Column<int64_t> first_op; // per lane, one entry more than lanes
    Column<int8_t> op;
    Column<int64_t> ref, gap, hold, slot;
    Column<int32_t> host;    // of each lane
    Column<int64_t> transit; // time of each message of the application from send to receive, in ns
    // Collectives. Members are the lanes that have a call in the collective, in the order of its communicator.
    Column<int64_t> first_member; // one entry more than collectives
    Column<int32_t> member;
    Column<int32_t> schedule; // per collective: the schedule that runs it; -1: its members take their observed own time
    // For collectives without a schedule. own_time: per member, the time from the last enter that it waited for (or its
    // own enter) to its leave, in ns. leads: which members wait for which (enum Leads). root_position: the root's index
    // among the members; -1 if there is no root.
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
// A rank does one thing at a time: it enters, sends, receives, combines, copies or leaves. A message from one host to
// another passes servers: interfaces, links that hosts share, gateways. Each server serves one message at a time, in
// the order of arrival. A message first passes the near servers, then the latency, then the far servers. A sender is
// done with an eager message after its own time for it, and with a rendezvous when the last byte has passed the near
// servers.
struct Costs {
    size_t hosts;
    Column<int32_t> link; // [from host * hosts + to host]: a row of the next eleven columns
    Column<double> latency, per_byte, send, send_per_byte, receive, receive_per_byte;
    Column<double> eager_bytes;                     // a longer message uses rendezvous: it waits for its receive
    Column<double> rts, cts;                        // the latencies of the messages that open a rendezvous
    Column<double> rendezvous, rendezvous_per_byte; // of a rendezvous, instead of latency and per_byte
    // The servers on the way of each pair of hosts, [from host * hosts + to host]: entries first_server[pair] ..
    // first_server[pair + 1] - 1 of `server`. far: the first entry behind the latency. `server` has numbers of servers.
    Column<int64_t> first_server, far;
    Column<int32_t> server;
    // Per server: its time per message and per byte, and its rest after a message, which delays only the next message
    // (LogGP's gap).
    Column<double> service, service_per_byte, rest;
    bool cut_through; // true: a message's first byte goes on while its other bytes still come
    // True: messages travel as over the engine's emulated links (collector/src/engine/transport_emulated.c). There a
    // message leaves at once even in a rendezvous, in which only the sender waits for the receive's post. When a
    // message is sent, it queues for all near servers at once. When it has crossed the latency and its receive is
    // posted, it queues for all far servers at once.
    bool emulates;
    double enter, leave, combine, combine_per_byte, copy, copy_per_byte;
};

} // namespace hopscope::replay
