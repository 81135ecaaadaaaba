/* The shapes of trees, in one table. Tree files, names on command lines, messages, the schema, the documents and the
 * tests all use it.
 *
 * A simple shape is arithmetic on virtual ranks, which count cyclically from the root (0). tree.c composes the other
 * two kinds of shapes.
 */
#ifndef HOPSCOPE_SHAPE_H
#define HOPSCOPE_SHAPE_H

enum tree_direction { TREE_REDUCE, TREE_BROADCAST };

enum shape_kind { SHAPE_SIMPLE, SHAPE_HIERARCHICAL, SHAPE_EXPLICIT };

/* A virtual rank v, among `size` virtual ranks. */
struct virtual_rank {
    int v, size, fan_out;
    enum tree_direction direction;
};

struct shape {
    const char *name;    /* in tree files and on command lines */
    const char *same_as; /* for a synonym: the canonical name, under which it is recorded */
    const char *counts;  /* the meaning of `fan_out`; NULL: the shape has none */
    const char *meaning; /* for people: the parent of each rank, and the order of children */
    enum shape_kind kind;
    int fan_out; /* set if the name implies it */
    /* For simple shapes. parent: the parent of a rank other than the root. children: writes a rank's children in order
     * and returns their number. */
    int (*parent)(const struct virtual_rank *rank);
    int (*children)(const struct virtual_rank *rank, int *children);
};

/* All shapes. The last row has no name. */
extern const struct shape shapes[];

/* The row with that name; NULL if there is none. */
const struct shape *shape_named(const char *name);

#endif
