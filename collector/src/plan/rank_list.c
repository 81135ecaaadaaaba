#include "plan/rank_list.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/complaint.h"

/* More ranks than any job has had, and few enough to have a bit each. */
enum { MOST_RANKS = 1 << 24 };

int rank_lists_find(const struct rank_lists *lists, const int *ranks, int size) {
    for (int i = 0; i < lists->count; i++)
        if (lists->lists[i].size == size && memcmp(lists->lists[i].ranks, ranks, (size_t)size * sizeof *ranks) == 0)
            return i;
    return OTHER_MEMBERS;
}

/* seen: a bit for each rank, all zero. */
static bool read_rank(struct complaint *c, const struct json *item, int world_size, unsigned char *seen, int *out) {
    int64_t rank = 0;
    if (!read_integer(c, item, "a rank in `members`", 0, MOST_RANKS - 1, &rank))
        return false;
    if (world_size > 0 && rank >= world_size)
        return complain(c, item,
                        "`members` lists rank %d, but the ranks of the job are 0 to %d; remove the rule or start more",
                        (int)rank, world_size - 1);
    unsigned char bit = (unsigned char)(1U << (rank % CHAR_BIT));
    if (seen[rank / CHAR_BIT] & bit)
        return complain(c, item, "`members` lists rank %d twice; list each once, in the communicator's order",
                        (int)rank);
    seen[rank / CHAR_BIT] |= bit;
    *out = (int)rank;
    return true;
}

static bool read_ranks(struct complaint *c, const struct json *members, int world_size, struct rank_list *list) {
    unsigned char *seen = calloc(MOST_RANKS / CHAR_BIT, 1);
    bool fine = seen && list->ranks ? true : complain(c, members, "out of memory for %d members", list->size);
    for (int i = 0; i < list->size && fine; i++)
        fine = read_rank(c, &members->items[i], world_size, seen, &list->ranks[i]);
    free(seen);
    return fine;
}

bool rank_lists_read(struct complaint *c, const struct json *members, int world_size, struct rank_lists *lists,
                     int *number) {
    if (!expect_type(c, members, JSON_ARRAY, "`members`"))
        return false;
    if (members->length < 2 || members->length > MOST_RANKS)
        return complain(c, members, "`members` has length %zu; list every rank of the communicator, 2 to %d",
                        members->length, MOST_RANKS);
    struct rank_list list = {malloc(members->length * sizeof *list.ranks), (int)members->length};
    bool fine = read_ranks(c, members, world_size, &list);
    *number = fine ? rank_lists_find(lists, list.ranks, list.size) : OTHER_MEMBERS;
    if (fine && *number == OTHER_MEMBERS) {
        *number = lists->count;
        lists->lists[lists->count++] = list;
    } else {
        free(list.ranks);
    }
    return fine;
}

void rank_lists_clear(struct rank_lists *lists) {
    for (int i = 0; i < lists->count; i++)
        free(lists->lists[i].ranks);
    free(lists->lists);
    *lists = (struct rank_lists){0};
}
