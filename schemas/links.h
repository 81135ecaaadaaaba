/* The classes of links between two ranks: the words in the column hops.link, and the classes that a topology file may
 * emulate. For C and C++. `hopscope.native._paths` exports them to Python, and with the text of the conditions to SQL.
 */
#ifndef HOPSCOPE_SCHEMAS_LINKS_H
#define HOPSCOPE_SCHEMAS_LINKS_H

#include <iso646.h> /* for `and`: SQL has no && */
#include <stdbool.h>

/* The classes from near to far. Two ranks have the first class whose condition is true. Two clusters may have hosts of
 * the same name, so the conditions also compare the clusters. X(ID, word, condition) */
#define LINK_CLASSES(X)                                                                                                \
    X(SELF, self, one_rank == other_rank)                                                                              \
    X(SHM, shm, one_host == other_host and one_cluster == other_cluster)                                               \
    X(LAN, lan, one_cluster == other_cluster)                                                                          \
    X(WAN, wan, one_cluster != other_cluster)

#define LINK_ID(id, word, condition) LINK_##id,
#define LINK_WORD(id, word, condition) #word,
#define LINK_TEST(id, word, condition)                                                                                 \
    if (condition)                                                                                                     \
        return LINK_##id;

enum link_class { LINK_CLASSES(LINK_ID) LINK_CLASS_COUNT };

/* The words by class, followed by NULL. */
static const char *const link_words[] = {LINK_CLASSES(LINK_WORD) 0};

/* The link class of two ranks. Any numbers will do for hosts and clusters, if different ones have different numbers. */
static inline enum link_class link_class_of(int one_rank, int one_host, int one_cluster, int other_rank, int other_host,
                                            int other_cluster) {
    LINK_CLASSES(LINK_TEST)
    return LINK_WAN;
}

#undef LINK_ID
#undef LINK_WORD
#undef LINK_TEST

#endif
