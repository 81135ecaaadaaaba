#include "plan/rank_list.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/complaint.h"

/* The greatest number of ranks: more than any job has had, but few enough for a bitmap. */
enum { MOST_RANKS = 1 << 24 };

int rank_lists_find(const struct rank_lists *lists, const int *ranks, int size) {
    for (int i = 0; i < lists->count; i++)
        if (lists->lists[i].size == size && memcmp(lists->lists[i].ranks, ranks, (size_t)size * sizeof *ranks) == 0)
            return i;
    return OTHER_MEMBERS;
}

/* Reads one rank, and checks that it is not listed twice. rank_bits: a bit for each rank, set if the rank has been
 * read; zero at first. */
static bool read_rank(struct complaint *c, const struct json *item, int world_size, unsigned char *rank_bits,
                      int *world_rank) {
    int64_t rank = 0;
    if (!read_integer(c, item, "a rank in `members`", 0, MOST_RANKS - 1, &rank))
        return false;
    if (world_size > 0 && rank >= world_size)
        return complain(c, item,
                        "`members` lists rank %d, but the ranks of the job are 0 to %d; remove the rule or start more",
                        (int)rank, world_size - 1);
    unsigned char bit = (unsigned char)(1U << (rank % CHAR_BIT));
    if (rank_bits[rank / CHAR_BIT] & bit)
        return complain(c, item, "`members` lists rank %d twice; list each once, in the communicator's order",
                        (int)rank);
    rank_bits[rank / CHAR_BIT] |= bit;
    *world_rank = (int)rank;
    return true;
}

static bool read_ranks(struct complaint *c, const struct json *members, int world_size, struct rank_list *list) {
    unsigned char *rank_bits = calloc(MOST_RANKS / CHAR_BIT, 1);
    bool is_valid = rank_bits && list->ranks ? true : complain(c, members, "out of memory for %d members", list->size);
    for (int i = 0; i < list->size && is_valid; i++)
        is_valid = read_rank(c, &members->items[i], world_size, rank_bits, &list->ranks[i]);
    free(rank_bits);
    return is_valid;
}

bool rank_lists_read(struct complaint *c, const struct json *members, int world_size, struct rank_lists *lists,
                     int *number) {
    if (!expect_type(c, members, JSON_ARRAY, "`members`"))
        return false;
    if (members->length < 2 || members->length > MOST_RANKS)
        return complain(c, members, "`members` has length %zu; list every rank of the communicator, 2 to %d",
                        members->length, MOST_RANKS);
    struct rank_list list = {malloc(members->length * sizeof *list.ranks), (int)members->length};
    bool is_valid = read_ranks(c, members, world_size, &list);
    *number = is_valid ? rank_lists_find(lists, list.ranks, list.size) : OTHER_MEMBERS;
    if (is_valid && *number == OTHER_MEMBERS) {
        *number = lists->count;
        lists->lists[lists->count++] = list;
    } else {
        free(list.ranks);
    }
    return is_valid;
}

void rank_lists_clear(struct rank_lists *lists) {
    for (int i = 0; i < lists->count; i++)
        free(lists->lists[i].ranks);
    free(lists->lists);
    *lists = (struct rank_lists){0};
}
