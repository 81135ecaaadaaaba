/* The application's point-to-point messages: MPI's matching order, and their rows. */
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "piece.h"

namespace hopscope {

class MessagePieces {
  public:
    explicit MessagePieces(Making &making);

    /* Hands ends of requests that one thread started and another completed to the thread that started them. */
    void join_threads();
    /* Takes up what is final before the horizon and matches it. */
    void match(const Horizon &horizon);
    /* Appends the rows of the next piece, `rows` at a time; nothing while there are fewer, unless it is the last. A
     * send keeps its place among the rows until its receive is there. */
    void take(size_t rows, bool last, Tables &out);

    /* Communicators that messages travelled on. */
    const std::vector<bool> &comm_used() const {
        return comm_used_;
    }
    uint64_t unmatched_sends() const {
        return unmatched_sends_;
    }
    uint64_t unmatched_receives() const {
        return unmatched_receives_;
    }

  private:
    static constexpr int64_t kNotRecorded = -1;
    struct Key {
        int32_t comm, src, dst;
        uint32_t tag;
        bool operator==(const Key &other) const {
            return comm == other.comm && src == other.src && dst == other.dst && tag == other.tag;
        }
    };
    struct KeyHash {
        size_t operator()(const Key &key) const {
            const auto a = static_cast<uint64_t>(static_cast<uint32_t>(key.src)) << 32 | static_cast<uint32_t>(key.dst);
            const auto b = static_cast<uint64_t>(static_cast<uint32_t>(key.comm)) << 32 | key.tag;
            return (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
        }
    };
    struct Receive {
        int64_t post, wait_begin, end, bytes;
        size_t location;
        uint64_t count; /* more than one only of those that are not recorded */
        bool recorded;
    };
    enum class State { Waiting, Matched, Alone };
    struct Message {
        Key key;
        SendRecord send;
        size_t location;
        Receive receive;
        State state;
    };
    /* Ends of one key that wait for the other, in the order in which they match. Only one of the two is not empty. */
    struct Waiting {
        struct Send {
            int64_t number; /* of the message, or kNotRecorded */
            uint64_t count;
        };
        std::deque<Send> sends;
        std::deque<Receive> receives;
    };

    void take_up_sends(int64_t horizon);
    void take_up_receives();
    template <typename Record> bool describe(const Record &record, int32_t self, int32_t &comm, int32_t &peer) const;
    static std::vector<SkippedRecord> take_skipped(LocationEvents &location, int64_t horizon, bool receives);
    void join(Waiting &waiting);
    void give(const std::vector<Message> &messages, Tables &out);

    Making &making_;
    Trace &trace_;
    std::vector<std::vector<size_t>> locations_of_;
    std::unordered_map<Key, Waiting, KeyHash> waiting_;
    Queue<Message> messages_; /* in the order of their rows */
    std::vector<Message> ready_;
    std::vector<int64_t> receives_until_; /* of each rank: what was taken up */
    paths::Judge judge_;
    std::vector<bool> comm_used_;
    int64_t next_id_ = 0;
    uint64_t unmatched_sends_ = 0, unmatched_receives_ = 0;
};

} // namespace hopscope
