/* Dissemination: in round k every rank sends all data that it has to the rank at distance 2^k. Works for any number of
 * ranks.
 *
 * Barrier: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", International Journal of
 * Parallel Programming 17 (1988). Allgather and alltoall: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby,
 * "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing Systems", IEEE Transactions on
 * Parallel and Distributed Systems 8 (1997).
 */
#include "plan/algorithm.h"
#include "plan/sequence.h"

static int wrapped_rank(const struct schedule_request *r, long rank) {
    return (int)(((rank % r->size) + r->size) % r->size);
}

bool schedule_dissemination_barrier(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int arrivals = -1;
    sequence_open(&q, s, r, SLOT_OTHER, 0);
    for (long distance = 1; distance < r->size; distance *= 2) {
        int signal = sequence_signal(&q, wrapped_rank(r, r->rank + distance));
        sequence_after(&q, signal, arrivals);
        int arrival = sequence_await(&q, wrapped_rank(r, r->rank - distance));
        arrivals = sequence_join(&q, arrivals, arrival);
        q.round++;
    }
    return sequence_close(&q);
}

/* Slots. ROTATED: all blocks in rank order, but beginning with this rank's own. SENT and RECEIVED: packed messages. */
enum { ROTATED = SLOT_OTHER, SENT, RECEIVED };

/* Blocks [first, end) of ROTATED. */
static struct span rotated(const struct schedule_request *r, int first, int end) {
    const struct blocks *b = &r->output;
    int64_t offset = 0, length = 0;
    for (int i = 0; i < end; i++)
        *(i < first ? &offset : &length) += b->lengths[wrapped_rank(r, (long)r->rank + i)];
    return (struct span){ROTATED, offset, length, first, end - first};
}

bool schedule_bruck_allgather(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    const struct blocks *input = &r->input, *output = &r->output;
    int rank = r->rank, size = r->size;
    struct span own_block = {SLOT_INPUT, input->positions ? input->positions[rank] : 0, output->lengths[rank], 0, 0};
    if (r->in_place)
        own_block = (struct span){SLOT_OUTPUT, output->positions[rank], output->lengths[rank], rank, 1};
    sequence_open(&q, s, r, ROTATED + 1, size);
    s->ring_units = rotated(r, 0, size).length;
    sequence_copy(&q, rotated(r, 0, 1), own_block);
    for (int block_count = 1; block_count < size; block_count *= 2) {
        int count = block_count < size - block_count ? block_count : size - block_count;
        sequence_send(&q, wrapped_rank(r, (long)rank - block_count), rotated(r, 0, count));
        sequence_receive(&q, wrapped_rank(r, (long)rank + block_count), rotated(r, block_count, block_count + count));
        q.round++;
    }
    /* Copies the blocks into rank order: those of this rank and the ranks above it, then those of the ranks below it.
     */
    struct span upper = rotated(r, 0, size - rank), lower = rotated(r, size - rank, size);
    sequence_copy(&q, (struct span){SLOT_OUTPUT, output->positions[rank], upper.length, rank, size - rank}, upper);
    sequence_copy(&q, (struct span){SLOT_OUTPUT, output->positions[0], lower.length, 0, rank}, lower);
    return sequence_close(&q);
}

/* Packs the blocks of one message, or unpacks them. These are the blocks with this bit in their number, so each group
 * of `bit` consecutive blocks is copied as a whole. */
static int64_t pack(struct sequence *q, const struct schedule_request *r, int bit, int slot, bool packs) {
    int64_t unit = r->output.lengths[0], position = 0;
    for (long first = bit; first < r->size; first += 2L * bit) {
        int count = (int)(first + bit <= r->size ? bit : r->size - first);
        struct span packed = {slot, position, count * unit, 0, 1},
                    unpacked = {ROTATED, first * unit, count * unit, (int)first, count};
        if (packs)
            sequence_copy(q, packed, unpacked);
        else
            sequence_copy(q, unpacked, packed);
        position += count * unit;
    }
    return position;
}

static int64_t packed_length(const struct schedule_request *r, int bit) {
    int64_t units = 0;
    for (int i = 0; i < r->size; i++)
        units += i & bit ? r->output.lengths[0] : 0;
    return units;
}

/* In MPI_Alltoall, all blocks have the same length. */
bool schedule_bruck_alltoall(struct schedule *s, const struct schedule_request *r) {
    struct sequence q;
    int rank = r->rank, size = r->size;
    int64_t unit = r->output.lengths[0], first = (int64_t)(size - rank) * unit, rest = (int64_t)rank * unit;
    sequence_open(&q, s, r, RECEIVED + 1, size);
    s->ring_units = unit * size;
    sequence_copy(&q, (struct span){ROTATED, 0, first, 0, size - rank},
                  (struct span){SLOT_INPUT, r->input.positions[rank], first, rank, size - rank});
    sequence_copy(&q, (struct span){ROTATED, first, rest, size - rank, rank},
                  (struct span){SLOT_INPUT, r->input.positions[0], rest, 0, rank});
    for (long bit = 1; bit < size; bit *= 2) {
        int64_t length = packed_length(r, (int)bit);
        pack(&q, r, (int)bit, SENT, true);
        sequence_send(&q, wrapped_rank(r, rank + bit), (struct span){SENT, 0, length, 0, 1});
        sequence_receive(&q, wrapped_rank(r, rank - bit), (struct span){RECEIVED, 0, length, 0, 1});
        pack(&q, r, (int)bit, RECEIVED, false);
        q.round++;
    }
    /* Block i has now come from the rank at distance i below this one. */
    for (int i = 0; i < size; i++) {
        int source = wrapped_rank(r, (long)rank - i);
        sequence_copy(&q, (struct span){SLOT_OUTPUT, r->output.positions[source], unit, source, 1},
                      (struct span){ROTATED, i * unit, unit, i, 1});
    }
    return sequence_close(&q);
}
