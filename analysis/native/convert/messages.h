/* The application's point-to-point messages: MPI's matching order, and the rows of the table. */
#pragma once

#include <vector>

#include "piece.h"
#include "waiting_ends.h"

namespace hopscope {

class MessagePieces {
  public:
    explicit MessagePieces(Making &making);

    /* Passes the end of a request that another thread completed to the thread that started it. */
    void join_threads();
    /* Matches the sends and receives that are final before the horizon. */
    void match(const Horizon &horizon);
    /* Appends the rows of the next piece, `rows` at a time. Appends nothing while there are fewer, unless it is the
     * last piece. A send keeps its place in row order until its receive arrives. */
    void take(size_t rows, bool last, Tables &tables);

    /* The communicators on which messages travelled, by number. */
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
        int64_t number; /* number of the message, or kNotRecorded */
        uint64_t count;
    };
    struct Receive {
        int64_t post, wait_begin, end, bytes;
        uint64_t count; /* above 1 only for unrecorded receives */
        uint32_t location;
        bool recorded;
    };
    /* Needless: of an epoch whose other side did not wait, as it had gone on before. */
    enum class State : uint8_t { Waiting, Matched, Alone, Needless };
    struct Message {
        MessageKey key;
        int64_t send_begin, send_wait_begin, send_end, bytes;
        int64_t recv_post, recv_wait_begin, recv_end;
        uint32_t src_location, dst_location;
        paths::SendCall send_call;
        State state;
    };
    /* Ends of one key that wait for the other end, in matching order. At most one of the two lists has entries. */
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
    Queue<Message> messages_;             /* in row order */
    int64_t decided_ = 0;                 /* number of the first message that may still get a receive */
    size_t ready_ = 0;                    /* number of messages before it that become rows */
    std::vector<int64_t> receives_until_; /* per rank: the time until which its receives have been taken */
    paths::BindingClassifier classifier_;
    std::vector<bool> comm_used_;
    int64_t next_id_ = 0;
    uint64_t unmatched_sends_ = 0, unmatched_receives_ = 0;
};

} // namespace hopscope
