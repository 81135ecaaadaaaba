/* Matches the application's point-to-point messages, and makes the table `messages`. */
#pragma once

#include <vector>

#include "piece.h"
#include "waiting_ends.h"

namespace hopscope {

class MessagePieces {
  public:
    explicit MessagePieces(Making &making);

    /* If one thread started a request and another completed it, passes the request's end to the thread that started it.
     */
    void join_threads();
    /* Matches the sends and receives before the horizon, which are final. */
    void match(const Horizon &horizon);
    /* Appends tables of `rows` rows each, as far as there are rows. last: all events were read, so the last table may
     * be shorter. Rows are in the order of the sends. A send whose receive may still come holds back the rows of later
     * sends. */
    void take(size_t rows, bool last, Tables &tables);

    /* For each communicator: true if a message used it. */
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
    struct Send {
        int64_t number; /* index in messages_, or kNotRecorded */
        uint64_t count;
    };
    struct Receive {
        int64_t post, wait_begin, end, bytes;
        uint64_t count; /* number of receives; above 1 only for unrecorded ones */
        uint32_t location;
        bool recorded;
    };
    /* Alone: there is no recorded receive. Needless: a message of a one-sided epoch for which the receiver did not
     * wait, because it had gone on before the send. */
    enum class State : uint8_t { Waiting, Matched, Alone, Needless };
    struct Message {
        MessageKey key;
        int64_t send_begin, send_wait_begin, send_end, bytes;
        int64_t recv_post, recv_wait_begin, recv_end;
        uint32_t src_location, dst_location;
        paths::SendCall send_call;
        State state;
    };
    /* The sends or receives of one key that wait for their counterpart, in matching order. At most one of the lists has
     * entries. */
    struct Waiting {
        Chains<Send>::Chain sends;
        Chains<Receive>::Chain receives;
        bool empty() const {
            return sends.empty() && receives.empty();
        }
    };

    void take_up_sends(int64_t horizon);
    void take_up_receives();
    template <typename Record> bool describe(const Record &record, int32_t self, int32_t &comm, int32_t &peer) const;
    static std::vector<SkippedRecord> take_skipped(LocationEvents &location, int64_t horizon, bool receives);
    void join(Waiting &waiting);
    void give(int64_t end, size_t rows, Tables &tables);

    Making &making_;
    Trace &trace_;
    std::vector<std::vector<size_t>> locations_of_;
    ByKey<Waiting> waiting_;
    Chains<Send> sends_;
    Chains<Receive> receives_;
    Queue<Message> messages_;             /* in the order of their sends */
    int64_t decided_ = 0;                 /* index of the first message whose receive may still come */
    size_t ready_ = 0;                    /* number of matched messages before it that have no row yet */
    std::vector<int64_t> receives_until_; /* per rank: the time up to which its receives have been taken */
    paths::BindingClassifier classifier_;
    std::vector<bool> comm_used_;
    int64_t next_id_ = 0;
    uint64_t unmatched_sends_ = 0, unmatched_receives_ = 0;
};

} // namespace hopscope
