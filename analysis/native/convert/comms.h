/* Communicators as the dataset numbers them, and their members. */
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
    std::vector<int32_t> members;   /* trace-wide ranks */
    int32_t second_group = kNull32; /* of an intercommunicator: where it begins in members */
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

    /* The number of a communicator as `rank` sees it; every rank's MPI_COMM_SELF has its own. A shadow communicator has
     * the number of the one it serves. -1 if unknown. */
    int32_t number(OTF2_CommRef ref, int32_t rank) const;
    /* The trace-wide rank of `peer` (a rank of the communicator, or of the other group of an intercommunicator) as
     * `rank` addresses it; -1 if there is none. */
    int32_t peer_rank(int32_t comm, int32_t rank, uint32_t peer) const;
    /* The trace-wide rank of the member at this place: where a hop's peer is. -1 if there is none. */
    int32_t member(int32_t comm, uint32_t place) const;
    /* The index of a trace-wide rank among the members; -1 if it is not one. */
    int32_t rank_in(int32_t comm, int32_t rank) const;

    const std::vector<Comm> &list() const {
        return comms_;
    }
    /* The first communicator of the same members in the same order and, if the program named this one, of the same
     * name. Programs that make communicators anew in every step so have one of each kind in the dataset. */
    int32_t representative(int32_t comm) const {
        return representatives_[static_cast<size_t>(comm)];
    }
    /* True if the representative stands for others too. */
    bool has_equals(int32_t comm) const {
        return has_equals_[static_cast<size_t>(representative(comm))];
    }
    /* The number of communicators before the ranks' own MPI_COMM_SELFs, of which only used ones count. */
    size_t named_count() const {
        return named_count_;
    }
    /* Null for the application's communicators. */
    const Shadow *shadow(OTF2_CommRef ref) const {
        const Reference *reference = references_.find(ref);
        return reference ? reference->shadow : nullptr;
    }
    /* In no particular order. */
    std::vector<const Shadow *> shadows() const;
    /* True if the MPI library's own messages travel on any of them. */
    bool has_native() const {
        return has_native_;
    }

  private:
    /* The meaning of a reference. A shadow communicator has that of its parent. */
    struct Reference {
        int32_t number = -1;
        bool is_self = false; /* the number is rank 0's; those of other ranks follow */
        const Shadow *shadow = nullptr;
    };

    std::vector<int32_t> members_of(const Definitions &definitions, const Ranks &ranks, OTF2_GroupRef ref) const;
    void find_representatives();

    std::vector<Comm> comms_;
    std::vector<std::unordered_map<int32_t, int32_t>> places_; /* per communicator: rank -> index */
    std::vector<int32_t> representatives_;                     /* per communicator */
    std::vector<bool> has_equals_;                             /* per communicator that represents any */
    RefTable<Reference> references_;
    size_t named_count_ = 0;
    bool has_native_ = false;
    std::unordered_map<OTF2_CommRef, Shadow> shadows_;
};

} // namespace hopscope
