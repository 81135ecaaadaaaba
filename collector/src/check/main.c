/* hopscope-check TREE [RANKS]: what the preload would say of a tree file or of a shape's name, before any job starts.
 * `hopscope run` and `hopscope preload` ask it. Exit code 0 if it can serve, else 2 with a line on stderr. */
#include <stdio.h>
#include <stdlib.h>

#include "plan/request.h"
#include "plan/tree_file.h"

int main(int count, char **words) {
    if (count < 2 || count > 3) {
        fprintf(stderr,
                "usage: hopscope-check TREE [RANKS]    TREE: a tree file, or a shape or an algorithm by name\n");
        return 2;
    }
    static struct requested_text tree;
    char message[1024];
    if (!requested_tree_read(&tree, words[1], "", message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 2;
    }
    struct tree_plan *plan =
        tree_plan_parse(tree.text, tree.length, count > 2 ? atoi(words[2]) : 0, message, sizeof message);
    if (!plan)
        fprintf(stderr, "%s:%s\n", tree.name, message);
    int code = plan ? 0 : 2;
    tree_plan_free(plan);
    free(tree.text);
    return code;
}
