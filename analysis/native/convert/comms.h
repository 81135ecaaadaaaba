/* Communicators as the dataset numbers them, and who their members are. */
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "definitions.h"
#include "ranks.h"
#include "ref_table.h"

namespace hopscope {

struct Comm {
    std::string name;
    std::vector<int32_t> members; /* trace-wide ranks */
    int32_t first_remote = -1;    /* of an intercommunicator: where the second group begins in members */
    int32_t parent = kNull32;
};

/* A communicator that only hops travel on. */
struct Shadow {
    OTF2_CommRef parent;
    std::string tree;
    bool native; /* the MPI library's own messages */
};

class Comms {
  public:
    Comms(const Definitions &definitions, const Ranks &ranks);

    /* The number of a communicator as `rank` sees it; MPI_COMM_SELF is another one for every rank. A shadow
     * communicator has the number of the one it serves. -1 if there is no such. */
    int32_t number(OTF2_CommRef ref, int32_t rank) const;
    /* The trace-wide rank of `peer` (a rank of the communicator, or of the other side's group for an
     * intercommunicator) as `rank` addresses it; -1 if there is none. */
    int32_t peer_rank(int32_t comm, int32_t rank, uint32_t peer) const;
    /* The place of a trace-wide rank among the members; -1 if it is none. */
    int32_t rank_in(int32_t comm, int32_t rank) const;

    const std::vector<Comm> &all() const {
        return comms_;
    }
    /* How many come before the ranks' own MPI_COMM_SELFs, of which only those that are used count. */
    size_t named() const {
        return named_;
    }
    /* Null for communicators of the application. */
    const Shadow *shadow(OTF2_CommRef ref) const {
        const Known *known = known_.find(ref);
        return known ? known->shadow : nullptr;
    }
    /* In no order. */
    std::vector<const Shadow *> shadows() const;

  private:
    /* What a reference stands for: a shadow communicator, for what its parent does. */
    struct Known {
        int32_t number = -1;
        bool is_self = false; /* the number is rank 0's; the others' follow */
        const Shadow *shadow = nullptr;
    };

    std::vector<int32_t> members_of(const Definitions &definitions, const Ranks &ranks, OTF2_GroupRef ref) const;

    std::vector<Comm> comms_;
    std::vector<std::unordered_map<int32_t, int32_t>> places_; /* rank -> place, per communicator */
    RefTable<Known> known_;
    size_t named_ = 0;
    std::unordered_map<OTF2_CommRef, Shadow> shadows_;
};

} // namespace hopscope
