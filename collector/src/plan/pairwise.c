/* Pairwise exchange: each rank exchanges with one partner after another. Linear: each rank exchanges with all others at
 * once.
 *
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH", International
 * Journal of High Performance Computing Applications 19 (2005). If the number of ranks is a power of two, the partner
 * of round k is rank XOR k; otherwise a rank sends to the k-th rank after it and receives from the k-th rank before it.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

struct partners {
    int receiver, sender;
};

static struct partners partners_of(const struct schedule_request *r, int round) {
    int size = r->size;
    if ((size & (size - 1)) == 0)
        return (struct partners){r->rank ^ round, r->rank ^ round};
    return (struct partners){(int)(((long)r->rank + round) % size), (int)(((long)r->rank - round + size) % size)};
}

static struct span block(const struct blocks *b, int slot, int rank) {
    return (struct span){slot, b->positions[rank], b->lengths[rank], 0, 0};
}

static bool alltoall(struct schedule *s, const struct schedule_request *r, bool is_pairwise) {
    struct sequence q;
    int round_end = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (int round = 1; round < r->size; round++) {
        struct partners p = partners_of(r, round);
        q.floor = is_pairwise ? round_end : -1;
        q.round = is_pairwise ? round - 1 : 0;
        int send = sequence_send(&q, p.receiver, block(&r->input, SLOT_INPUT, p.receiver));
        int receive = sequence_receive(&q, p.sender, block(&r->output, SLOT_OUTPUT, p.sender));
        if (send >= 0 || receive >= 0)
            round_end = is_pairwise ? sequence_join(&q, send, receive) : -1;
    }
    q.floor = -1;
    sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), block(&r->input, SLOT_INPUT, r->rank));
    return sequence_close(&q);
}

bool schedule_pairwise_alltoall(struct schedule *s, const struct schedule_request *r) {
    return alltoall(s, r, true);
}

bool schedule_linear_alltoall(struct schedule *s, const struct schedule_request *r) {
    return alltoall(s, r, false);
}

enum { PARTS = SLOT_OTHER };

/* Every rank receives every other rank's operand for its block, and combines the operands in rank order. It starts with
 * the last rank's, because a combination puts the new operand to the left of the sum. */
bool schedule_pairwise_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int round_end = -1, rank = r->rank, size = r->size;
    int64_t units = r->input.lengths[rank];
    sequence_open(&q, s, r, PARTS + 1, size);
    s->ring_units = units * size;
    /* The sum overwrites the last rank's operand. */
    struct span sum = {PARTS, (size - 1) * units, units, size - 1, 1};
    struct span own_block = {SLOT_INPUT, r->input.positions[rank], units, 0, 0};
    for (int round = 1; round < size; round++) {
        struct partners p = partners_of(r, round);
        q.floor = round_end;
        int send = sequence_send(
            &q, p.receiver,
            (struct span){SLOT_INPUT, r->input.positions[p.receiver], r->input.lengths[p.receiver], 0, 0});
        int receive = sequence_receive(&q, p.sender, (struct span){PARTS, p.sender * units, units, p.sender, 1});
        if (send >= 0 || receive >= 0)
            round_end = sequence_join(&q, send, receive);
        q.round++;
    }
    q.floor = -1;
    if (rank == size - 1)
        sequence_copy(&q, sum, own_block);
    for (int partner = size - 2; partner >= 0; partner--)
        sequence_combine(&q, partner == rank ? own_block : (struct span){PARTS, partner * units, units, partner, 1},
                         sum);
    sequence_wall(&q); /* with MPI_IN_PLACE, the output overlaps the beginning of the input */
    sequence_copy(&q, (struct span){SLOT_OUTPUT, 0, units, 0, 0}, sum);
    return sequence_close(&q);
}

/* Each member sends one message to the root. Only these two ranks need to know the message's length. */
bool schedule_linear_gather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    q.role = ROLE_UP;
    for (int rank = 0; rank < r->size && r->rank == r->root; rank++)
        if (rank != r->root)
            sequence_receive(&q, rank, block(&r->output, SLOT_OUTPUT, rank));
    if (r->rank != r->root)
        sequence_send(&q, r->root, block(&r->input, SLOT_INPUT, r->rank));
    else if (!r->in_place)
        sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), block(&r->input, SLOT_INPUT, r->rank));
    return sequence_close(&q);
}

bool schedule_linear_scatter(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    q.role = ROLE_DOWN;
    for (int rank = 0; rank < r->size && r->rank == r->root; rank++)
        if (rank != r->root)
            sequence_send(&q, rank, block(&r->input, SLOT_INPUT, rank));
    if (r->rank != r->root)
        sequence_receive(&q, r->root, block(&r->output, SLOT_OUTPUT, r->rank));
    else if (!r->in_place)
        sequence_copy(&q, block(&r->output, SLOT_OUTPUT, r->rank), block(&r->input, SLOT_INPUT, r->rank));
    return sequence_close(&q);
}
