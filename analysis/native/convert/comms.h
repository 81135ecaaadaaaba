/* Numbers the communicators of an archive as in the dataset, and finds their members. */
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
    int32_t second_group = kNull32; /* of an intercommunicator: the index in members at which it begins */
    int32_t parent = kNull32;
};

/* A communicator of the trace that has only hops. parent: the communicator whose collectives the hops belong to. */
struct Shadow {
    OTF2_CommRef parent;
    std::string tree;
    bool native; /* true if its hops are the MPI library's own messages */
};

class Comms {
  public:
    Comms(const Definitions &definitions, const Ranks &ranks);

    /* The dataset's number of a communicator; -1 if unknown. For MPI_COMM_SELF the number depends on the rank. A shadow
     * communicator has the number of the communicator whose hops it carries. */
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
    /* The first communicator with the same members in the same order. If the program named `comm`, the name must be the
     * same, too. If a program makes a new communicator in every step, all of them have the same representative. */
    int32_t representative(int32_t comm) const {
        return representatives_[static_cast<size_t>(comm)];
    }
    /* True if another communicator has the same representative. */
    bool has_equals(int32_t comm) const {
        return has_equals_[static_cast<size_t>(representative(comm))];
    }
    /* The number of communicators before the ranks' MPI_COMM_SELFs, which come last. The dataset lists an MPI_COMM_SELF
     * only if it was used. */
    size_t named_count() const {
        return named_count_;
    }
    /* The shadow communicator that `ref` names; null if it names a communicator of the application. */
    const Shadow *shadow(OTF2_CommRef ref) const {
        const Reference *reference = references_.find(ref);
        return reference ? reference->shadow : nullptr;
    }
    /* The shadow communicators, in no particular order. */
    std::vector<const Shadow *> shadows() const;
    /* True if the trace has a shadow communicator for the MPI library's own messages. */
    bool has_native() const {
        return has_native_;
    }

  private:
    /* The communicator that an OTF2 reference names. A shadow communicator has the number of its parent. */
    struct Reference {
        int32_t number = -1;
        bool is_self = false; /* `number` is that of rank 0's MPI_COMM_SELF; the other ranks' numbers follow */
        const Shadow *shadow = nullptr;
    };

    std::vector<int32_t> members_of(const Definitions &definitions, const Ranks &ranks, OTF2_GroupRef ref) const;
    void find_representatives();

    std::vector<Comm> comms_;
    std::vector<std::unordered_map<int32_t, int32_t>> places_; /* per communicator: rank -> index */
    std::vector<int32_t> representatives_;                     /* per communicator: its representative */
    std::vector<bool> has_equals_; /* per representative: true if it represents other communicators, too */
    RefTable<Reference> references_;
    size_t named_count_ = 0;
    bool has_native_ = false;
    std::unordered_map<OTF2_CommRef, Shadow> shadows_;
};

} // namespace hopscope
