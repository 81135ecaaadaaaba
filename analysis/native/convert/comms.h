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

    /* The number of a communicator as `rank` sees it; every rank's MPI_COMM_SELF has its own number. A shadow
     * communicator has the number of the communicator that it serves. -1 if unknown. */
    int32_t number(OTF2_CommRef ref, int32_t rank) const;
    /* The trace-wide rank of `peer` (a rank of the communicator, or of the other group of an intercommunicator) as
     * `rank` addresses it; -1 if there is none. */
    int32_t peer_rank(int32_t comm, int32_t rank, uint32_t peer) const;
    /* The trace-wide rank of the member at an index of the communicator; -1 if there is none. Hops name their peers
     * by this index. */
    int32_t member(int32_t comm, uint32_t place) const;
    /* The index of a trace-wide rank among the members; -1 if it is not a member. */
    int32_t rank_in(int32_t comm, int32_t rank) const;

    const std::vector<Comm> &list() const {
        return comms_;
    }
    /* The first communicator with the same members in the same order and, if the program named this one, with the same
     * name. So a program that makes new communicators in every step has one representative of each kind. */
    int32_t representative(int32_t comm) const {
        return representatives_[static_cast<size_t>(comm)];
    }
    /* True if the representative stands for other communicators too. */
    bool has_equals(int32_t comm) const {
        return has_equals_[static_cast<size_t>(representative(comm))];
    }
    /* The number of communicators that come before the ranks' own MPI_COMM_SELFs. The dataset has only the
     * MPI_COMM_SELFs that were used. */
    size_t named_count() const {
        return named_count_;
    }
    /* The shadow communicator of this reference; null for the application's communicators. */
    const Shadow *shadow(OTF2_CommRef ref) const {
        const Reference *reference = references_.find(ref);
        return reference ? reference->shadow : nullptr;
    }
    /* The shadow communicators, in no particular order. */
    std::vector<const Shadow *> shadows() const;
    /* True if the MPI library's own messages travel on a shadow communicator. */
    bool has_native() const {
        return has_native_;
    }

  private:
    /* The communicator that a reference means. A shadow communicator has the number of its parent. */
    struct Reference {
        int32_t number = -1;
        bool is_self = false; /* the number is that of rank 0's MPI_COMM_SELF; those of other ranks follow */
        const Shadow *shadow = nullptr;
    };

    std::vector<int32_t> members_of(const Definitions &definitions, const Ranks &ranks, OTF2_GroupRef ref) const;
    void find_representatives();

    std::vector<Comm> comms_;
    std::vector<std::unordered_map<int32_t, int32_t>> places_; /* per communicator: rank -> index */
    std::vector<int32_t> representatives_;                     /* per communicator */
    std::vector<bool> has_equals_; /* per representative: true if it stands for others, too */
    RefTable<Reference> references_;
    size_t named_count_ = 0;
    bool has_native_ = false;
    std::unordered_map<OTF2_CommRef, Shadow> shadows_;
};

} // namespace hopscope
