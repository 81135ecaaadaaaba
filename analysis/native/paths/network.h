// Computes when messages between ranks are sent, reach the other host, and are seen by their receivers.
//
// A message to another host passes the interface of the sender's host, then the link from that host to the other, then
// the link that two clusters share, then the latency, then the interface of the receiver's host. Each of them serves
// one message at a time, in the order of arrival; the latency delays every message by the same time. If there are
// gateways, a message also passes their interfaces. Every message also occupies the rank that sends it and the rank
// that receives it.
//
// An emulated machine (collector/src/engine/link_times.c) serves messages in another order. When a message is sent, it
// queues at once for everything before the latency. When it has crossed the latency and its receive is posted, it
// queues for everything behind the latency. If it came before its receive was posted, its service there begins at its
// arrival, unless another message used the server in between.
#pragma once

#include <queue>
#include <vector>

#include "columns.h"

namespace hopscope::paths {

struct Message {
    int32_t src, dst;          // ranks, numbered from 0
    size_t src_host, dst_host; // their hosts
    double bytes;
    double ready;  // the time before which the receiver does not take the message in
    size_t number; // its index among all messages
};

// Times in ns. latency and per_byte: [from host * hosts + to host]; the diagonal is for two ranks of one host.
struct Costs {
    Column<double> latency, per_byte;
    double interface_message, interface_per_byte, rank_message, rank_per_byte;
    bool cut_through = false;
    size_t hosts = 0;
    // For links that clusters share; clusters is 0 if there are none.
    size_t clusters = 0;
    Column<int32_t> cluster;                  // per host
    Column<double> shared_per_byte;           // [from cluster * clusters + to cluster]; 0: no shared link
    Column<int32_t> gateway_from, gateway_to; // [from cluster * clusters + to cluster]: hosts; -1: none
};

// A resource that serves one message at a time, in the order of the calls of serve().
class Server {
  public:
    // Serves a message for `duration`, as soon as it has arrived and the server is free. Returns the time of the end.
    double serve(double arrival, double duration);

  private:
    double busy_until_ = 0;
};

class Network {
  public:
    explicit Network(const Costs &costs);

    // Begins a new computation for ranks 0 .. ranks - 1. Call it before the first send().
    void begin(size_t ranks);
    void send(double t, const Message &message) {
        messages_.push_back(message);
        push(t, {messages_.size() - 1, Stage::sent, 0, 0});
    }
    // Calls handler.sent(message, t) when the sender is done with a message, and handler.visible(message, t) when the
    // receiver sees it. Both may send more messages.
    template <typename Handler> void run(Handler &handler) {
        while (!events_.empty()) {
            Event event = events_.top();
            events_.pop();
            const Message message = messages_[event.progress.message];
            switch (event.progress.stage) {
            case Stage::sent:
                handler.sent(message, hand_over(event));
                break;
            case Stage::at_interface:
                depart(event);
                break;
            case Stage::at_host:
                arrive(event);
                break;
            case Stage::at_rank:
                take_in(event);
                break;
            case Stage::visible:
                handler.visible(message, event.t);
                break;
            }
        }
    }

  private:
    enum class Stage : int8_t { sent, at_interface, at_host, at_rank, visible };
    struct Progress {
        size_t message;
        Stage stage;
        double first, last; // for at_host: the times at which the first and the last byte arrive
    };
    struct Event {
        double t;
        int64_t order; // of two events at the same time, the event with the lower number comes first
        Progress progress;
        // At the same time, at_rank comes first: a rank takes in waiting messages before it acts on the last one.
        bool operator>(const Event &rhs) const {
            if (t != rhs.t)
                return t > rhs.t;
            if ((progress.stage == Stage::at_rank) != (rhs.progress.stage == Stage::at_rank))
                return rhs.progress.stage == Stage::at_rank;
            return order > rhs.order;
        }
    };
    // The times at which a message's first and last byte arrive.
    struct Passage {
        double first, last;
    };

    void push(double t, Progress progress) {
        events_.push({t, order_++, progress});
    }
    double rank_time(double bytes) const {
        return costs_.rank_message + costs_.rank_per_byte * bytes;
    }
    double hand_over(const Event &event);
    void depart(const Event &event);
    void arrive(const Event &event);
    void take_in(const Event &event);
    Passage pass(Server &server, double message_time, double bytes_time, Passage passage) const;
    Passage pass_interface(std::vector<Server> &interfaces, size_t host, double bytes, Passage passage);
    size_t cluster_pair(const Message &message) const;

    const Costs &costs_;
    std::vector<Message> messages_;
    std::vector<double> rank_until_;
    std::vector<Server> outbound_, inbound_, pairs_, shared_;
    std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events_;
    int64_t order_ = 0;
};

// The time, in ns, at which each message is due at its receiver. sent: the time of each send, in ns.
std::vector<double> due_times(const Costs &costs, const std::vector<Message> &messages, const Column<double> &sent);

} // namespace hopscope::paths
