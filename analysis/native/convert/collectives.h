/* Joins the calls of single ranks into collectives: calls with the same communicator and sequence number. */
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "reading.h"

namespace hopscope {

struct Call {
    size_t location; /* index into Trace::locations */
    int64_t index;   /* index into its location's calls */
    int32_t rank;
};

struct Collective {
    int64_t id = kNull64;
    int32_t comm;
    int64_t seq;
    int64_t representative_seq; /* like seq, but counts over all communicators with the same representative (comms.h) */
    int64_t first_enter;        /* ticks */
    std::vector<Call> calls;    /* sorted by rank once take() returns the collective */
};

/* Numbers each rank's calls on each communicator, and joins calls with the same number to a collective. Collectives get
 * their ids in the order of their first enters, and are returned in that order. A collective is returned when all its
 * calls have ended, or when its missing calls can no longer come. */
class Collectives {
  public:
    explicit Collectives(Trace &trace);

    /* Adds the calls that began before the horizon, in ticks. Calls whose communicator is unknown become intervals. */
    void number(int64_t horizon);
    /* Assigns those of the MPI library's hops to their calls that could not be assigned when their thread was read. A
     * hop's communicator and the sequence number in its tag name the call. Call it after number(). */
    void file_hops();
    /* Returns the next piece: collectives with about `weight` calls and hops in all. Returns nothing while fewer are
     * there, unless `last` is set. The row of a call names the rank's previous call, so a piece ends only where the
     * previous calls of all its calls lie in it or before it. So pieces do not depend on how much was read at a time.
     */
    std::vector<std::unique_ptr<Collective>> take(int64_t weight, bool last);
    /* Frees the calls, hops and steps of the collectives that take() has returned. */
    void forget_taken();

    uint64_t unplaced() const {
        return unplaced_;
    }

  private:
    struct Key {
        int32_t comm;
        int64_t seq;
        bool operator==(const Key &rhs) const {
            return comm == rhs.comm && seq == rhs.seq;
        }
    };
    struct KeyHash {
        size_t operator()(const Key &key) const {
            return (static_cast<size_t>(key.seq) << 20 ^ static_cast<size_t>(key.comm)) * 0x9e3779b97f4a7c15u;
        }
    };
    /* Names the call that a hop belongs to. seq: the bits of the sequence number that fit into a hop's tag. */
    struct HopKey {
        int32_t rank, comm;
        uint32_t seq;
        bool operator==(const HopKey &rhs) const {
            return rank == rhs.rank && comm == rhs.comm && seq == rhs.seq;
        }
    };
    struct HopKeyHash {
        size_t operator()(const HopKey &key) const {
            return (static_cast<size_t>(key.rank) << 40 ^ static_cast<size_t>(key.comm) << 16 ^ key.seq) *
                   0x9e3779b97f4a7c15u;
        }
    };
    static void sort_calls(Collective &collective);
    void complete_across_threads();
    void place(const Call &call);
    int64_t take_number(int32_t rank, int32_t comm, const CallRecord &record);
    bool exhausted(int32_t rank) const;
    bool read_past(int32_t rank, int64_t time) const;
    template <typename Record> void file_hops(std::vector<Record> &unfiled, size_t location);
    static void file(LocationEvents &location, CallRecord &call, SendRecord hop);
    static void file(LocationEvents &location, CallRecord &call, ReceiveRecord hop);
    bool decided(Collective &collective) const;
    int64_t weight_of(const Collective &collective) const;
    int64_t last_needed_by(const Collective &collective) const;

    Trace &trace_;
    std::vector<std::vector<size_t>> locations_of_; /* per rank: its threads */
    std::vector<int64_t> numbered_;                 /* per location: the number of its first calls that were added */
    std::vector<std::unordered_map<int32_t, int64_t>> next_seq_;  /* per rank: communicator -> next number */
    std::unordered_map<int32_t, int64_t> next_of_representative_; /* representative -> next number */
    std::unordered_map<Key, Collective *, KeyHash> open_;
    std::unordered_map<HopKey, Call, HopKeyHash> latest_; /* only for ranks with several threads, if has_native() */
    std::vector<std::unique_ptr<Collective>> unnumbered_; /* collectives without an id yet */
    std::deque<std::unique_ptr<Collective>> pending_;     /* in the order of their ids */
    std::vector<int64_t> computed_; /* per location: computing time before calls that became intervals */
    int64_t next_id_ = 0, next_taken_ = 0, next_call_id_ = 0;
    size_t ready_ = 0; /* the number of collectives at the front of pending_ that are decided */
    int64_t ready_weight_ = 0, ready_needs_ = -1;
    uint64_t unplaced_ = 0;
};

} // namespace hopscope
