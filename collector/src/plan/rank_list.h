/* The lists of ranks in a tree file: the members of the communicators to which rules apply. */
#ifndef HOPSCOPE_RANK_LIST_H
#define HOPSCOPE_RANK_LIST_H

#include <stdbool.h>

struct complaint;
struct json;

struct rank_list {
    int *ranks; /* ranks in the job's MPI_COMM_WORLD */
    int size;
};

/* All lists of a file. Equal lists are stored once, so a communicator matches at most one list, and it suffices to
 * compare list numbers. */
struct rank_lists {
    struct rank_list *lists;
    int count;
};

enum { ANY_MEMBERS = -1, OTHER_MEMBERS = -2 };

/* The number of the list with exactly these ranks in this order; OTHER_MEMBERS if there is none. */
int rank_lists_find(const struct rank_lists *lists, const int *ranks, int size);

/* Reads a rule's `members` and sets *number to the number of their list, which is added to `lists` if it is new.
 * `lists` must have room for one more. world_size: number of ranks of the job; 0 if unknown. False with a complaint.
 * Free the lists with rank_lists_clear. */
bool rank_lists_read(struct complaint *complaint, const struct json *members, int world_size, struct rank_lists *lists,
                     int *number);
void rank_lists_clear(struct rank_lists *lists);

#endif
