/* Pairwise exchange serves one partner after the other; linear serves all at once.
 *
 * Pairwise exchange: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in
 * MPICH", International Journal of High Performance Computing Applications 19 (2005). With a power of two of ranks the
 * partner of round k is rank XOR k; otherwise a rank sends to the k-th after it and receives from the k-th before.
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

struct partners {
    int to, from;
};

static struct partners partners_of(const struct schedule_request *r, int round) {
    int size = r->size;
    if ((size & (size - 1)) == 0)
        return (struct partners){r->rank ^ round, r->rank ^ round};
    return (struct partners){(int)(((long)r->rank + round) % size), (int)(((long)r->rank - round + size) % size)};
}

static struct span block(const struct blocks *b, int slot, int rank) {
    return (struct span){slot, b->at[rank], b->length[rank], 0, 0};
}

static bool alltoall(struct schedule *s, const struct schedule_request *r, bool one_by_one) {
    struct sequence q;
    int done = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (int round = 1; round < r->size; round++) {
        struct partners p = partners_of(r, round);
        q.floor = one_by_one ? done : -1;
        q.round = one_by_one ? round - 1 : 0;
        int sent = sequence_send(&q, p.to, block(&r->input, SLOT_INPUT, p.to));
        int received = sequence_receive(&q, p.from, block(&r->output, SLOT_OUTPUT, p.from));
        if (sent >= 0 || received >= 0)
            done = one_by_one ? sequence_both(&q, sent, received) : -1;
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

/* Every rank gets its block from every other and combines them in rank order. It starts with the last, because each
 * further operand goes to the left. */
bool schedule_pairwise_reduce_scatter(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int done = -1, rank = r->rank, size = r->size;
    int64_t units = r->input.length[rank];
    sequence_open(&q, s, r, PARTS + 1, size);
    s->ring_units = units * size;
    /* The last operand is overwritten by the sum. */
    struct span sum = {PARTS, (size - 1) * units, units, size - 1, 1};
    struct span own = {SLOT_INPUT, r->input.at[rank], units, 0, 0};
    for (int round = 1; round < size; round++) {
        struct partners p = partners_of(r, round);
        q.floor = done;
        int sent = sequence_send(&q, p.to, (struct span){SLOT_INPUT, r->input.at[p.to], r->input.length[p.to], 0, 0});
        int received = sequence_receive(&q, p.from, (struct span){PARTS, p.from * units, units, p.from, 1});
        if (sent >= 0 || received >= 0)
            done = sequence_both(&q, sent, received);
        q.round++;
    }
    q.floor = -1;
    if (rank == size - 1)
        sequence_copy(&q, sum, own);
    for (int from = size - 2; from >= 0; from--)
        sequence_combine(&q, from == rank ? own : (struct span){PARTS, from * units, units, from, 1}, sum);
    sequence_wall(&q); /* in place the output overlaps the beginning of the input */
    sequence_copy(&q, (struct span){SLOT_OUTPUT, 0, units, 0, 0}, sum);
    return sequence_close(&q);
}

/* Each member exchanges a message with the root, and only these two need to know its length. */
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
