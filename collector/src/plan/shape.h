/* The shapes of trees, in one table. Tree files, names on command lines, messages, the schema, the documents and the
 * tests all use this table.
 *
 * A simple shape computes parents and children from virtual ranks. These count cyclically from the root, which is 0.
 * tree.c handles the two other kinds of shapes.
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
    const char *name;    /* the name in tree files and on command lines */
    const char *same_as; /* for a synonym: the canonical name, under which hops are recorded; NULL: no synonym */
    const char *counts;  /* the meaning of `fan_out`; NULL: the shape has no fan_out */
    const char *meaning; /* the parent of each rank and the order of children, for the documents */
    enum shape_kind kind;
    int fan_out; /* set if the shape's name implies it */
    /* For simple shapes. parent: returns the parent of a rank other than the root. children: writes a rank's children
     * in order and returns their number. */
    int (*parent)(const struct virtual_rank *rank);
    int (*children)(const struct virtual_rank *rank, int *children);
};

/* All shapes. The last row has no name. */
extern const struct shape shapes[];

/* The row with that name; NULL if there is none. */
const struct shape *shape_named(const char *name);

#endif
