/* The distance of two ranks: the word in hops.link, and the class of a link to emulate. For C and C++ alike.
 * `hopscope.native._paths` exports it to Python and, with the conditions as written here, to SQL.
 */
#ifndef HOPSCOPE_SCHEMAS_LINKS_H
#define HOPSCOPE_SCHEMAS_LINKS_H

#include <iso646.h> /* for `and`: SQL has no && */
#include <stdbool.h>

/* Classes from near to far. The class of two ranks is the first whose condition holds. Host names may repeat in other
 * clusters, so the conditions compare the cluster, too. X(ID, word, condition) */
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

/* The link class of two ranks. Numbers of hosts and clusters may be any that tell them apart. */
static inline enum link_class link_class_of(int one_rank, int one_host, int one_cluster, int other_rank, int other_host,
                                            int other_cluster) {
    LINK_CLASSES(LINK_TEST)
    return LINK_WAN;
}

#undef LINK_ID
#undef LINK_WORD
#undef LINK_TEST

#endif
