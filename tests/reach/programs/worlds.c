/* Processes of several worlds that start one another. The first argument selects the part. told.h describes the output.
 */
#include "told.h"

static char *own_name;

/* Starts a world of this program with the argument `word`, and sends it its name. */
static MPI_Comm spawn(const char *word, int size, MPI_Comm parent) {
    MPI_Comm inter;
    char *arguments[] = {(char *)word, NULL};
    MPI_Comm_spawn(own_name, arguments, size, MPI_INFO_NULL, 0, parent, &inter, MPI_ERRCODES_IGNORE);
    return inter;
}

/* Gets the pids of the other group's processes. */
static void pids_of_others(MPI_Comm inter, int *pids) {
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, inter);
}

/* Starts a world of two programs, which lives longer than its parents. */
static void spawn_heirs(void) {
    MPI_Comm inter;
    char *commands[] = {own_name, own_name}, *heir[] = {"heir", NULL}, **arguments[] = {heir, heir};
    const int sizes[] = {1, 2};
    const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm_spawn_multiple(2, commands, arguments, sizes, infos, 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    use_all(inter, 1, "heritage");
    pids_of_others(inter, (int[MOST_PROCESSES]){0});
    MPI_Comm_disconnect(&inter);
}

/* Waits until a process has ended. A zombie has ended, too. */
static void wait_for_end_of(int process) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    for (FILE *stat; (stat = fopen(path, "r")); usleep(10000)) {
        int field_count = fscanf(stat, "%*d (%*[^)]) %c", &state);
        fclose(stat);
        if (field_count == 1 && state == 'Z')
            return;
    }
}

static void be_heir(MPI_Comm parent) {
    MPI_Comm duplicate;
    int parents, pids[MOST_PROCESSES];
    use_all(parent, 0, "heritage");
    MPI_Comm_remote_size(parent, &parents);
    pids_of_others(parent, pids);
    MPI_Comm_disconnect(&parent);
    for (int i = 0; i < parents; i++)
        wait_for_end_of(pids[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    use(duplicate, 0, "heirs alone");
    drop(duplicate);
}

/* Every rank of the world starts one process at the same time. */
static void spawn_each(void) {
    MPI_Comm inter = spawn("child", 1, MPI_COMM_SELF);
    use_all(inter, 1, "own");
    MPI_Comm_disconnect(&inter);
}

/* Starts a world that waits forever. */
static void spawn_waiting(void) {
    MPI_Comm inter = spawn("waiting child", 2, MPI_COMM_WORLD);
    use_all(inter, 1, "own");
    MPI_Barrier(inter);
}

static void wait_for_ever(MPI_Comm parent) {
    use_all(parent, 0, "own");
    for (;;)
        pause();
}

/* Starts two worlds, one after the other, and makes an intercommunicator between them, whose ranks do not know each
 * other. */
static void spawn_twice(int siblings) {
    const char *word = siblings ? "sibling" : "apart";
    MPI_Comm first_world = spawn(word, 2, MPI_COMM_WORLD), two = spawn(word, 3, MPI_COMM_WORLD), line, bridge,
             bridge_comm;
    use_all(first_world, 1, "one");
    use_all(two, 1, "two");
    if (siblings) {
        MPI_Intercomm_merge(first_world, 0, &line); /* the parents come first, then this world */
        MPI_Intercomm_merge(two, 0, &bridge);
        MPI_Intercomm_create(line, 0, bridge, 2, 17, &bridge_comm);
        use(bridge_comm, 1, "siblings");
        drop(bridge_comm);
        drop(bridge);
        drop(line);
    }
    MPI_Comm_disconnect(&first_world);
    MPI_Comm_disconnect(&two);
}

static void be_one_of_two(MPI_Comm parent, int siblings) {
    MPI_Comm line, bridge_comm;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use_all(parent, 0, size == 2 ? "one" : "two");
    if (siblings && size == 2) {
        MPI_Intercomm_merge(parent, 1, &line);
        MPI_Intercomm_create(line, 0, MPI_COMM_NULL, 0, 17, &bridge_comm);
        use(bridge_comm, 1, "siblings");
        drop(bridge_comm);
        drop(line);
    } else if (siblings) {
        MPI_Intercomm_merge(parent, 1, &line);
        MPI_Intercomm_create(MPI_COMM_WORLD, 0, line, 0, 17, &bridge_comm);
        use(bridge_comm, 0, "siblings");
        drop(bridge_comm);
        drop(line);
    }
    MPI_Comm_disconnect(&parent);
}

/* Starts a world that starts another one, and makes one communicator of all three. */
static void go_on_to_last(MPI_Comm outer, int is_child) {
    MPI_Comm parents, last, merged;
    use_all(outer, !is_child, "outer");
    MPI_Intercomm_merge(outer, is_child, &parents);
    last = spawn("last", 2, parents);
    use_all(last, 1, "inner");
    MPI_Intercomm_merge(last, 0, &merged);
    use(merged, 0, "all three");
    drop(merged);
    drop(parents);
    MPI_Comm_disconnect(&last);
    MPI_Comm_disconnect(&outer);
}

static void be_last(MPI_Comm parent) {
    MPI_Comm merged;
    use_all(parent, 0, "inner");
    MPI_Intercomm_merge(parent, 1, &merged);
    use(merged, 0, "all three");
    drop(merged);
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv) {
    MPI_Comm parent;
    const char *word = argc > 1 ? argv[1] : "";
    own_name = argv[0];
    pid = (int)getpid();
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    use(MPI_COMM_WORLD, 0, "world %s", word);
    use(MPI_COMM_SELF, 0, "MPI_COMM_SELF");
    if (strcmp(word, "each") == 0) {
        spawn_each();
    } else if (strcmp(word, "waits") == 0) {
        spawn_waiting();
    } else if (strcmp(word, "waiting child") == 0) {
        wait_for_ever(parent);
    } else if (strcmp(word, "twice") == 0) {
        spawn_twice(0);
    } else if (strcmp(word, "siblings") == 0) {
        spawn_twice(1);
    } else if (strcmp(word, "nested") == 0) {
        go_on_to_last(spawn("middle", 2, MPI_COMM_WORLD), 0);
    } else if (strcmp(word, "heirs") == 0) {
        spawn_heirs();
    } else if (strcmp(word, "heir") == 0) {
        be_heir(parent);
    } else if (strcmp(word, "child") == 0) {
        use_all(parent, 0, "own");
        MPI_Comm_disconnect(&parent);
    } else if (strcmp(word, "sibling") == 0) {
        be_one_of_two(parent, 1);
    } else if (strcmp(word, "apart") == 0) {
        be_one_of_two(parent, 0);
    } else if (strcmp(word, "middle") == 0) {
        go_on_to_last(parent, 1);
    } else if (strcmp(word, "last") == 0) {
        be_last(parent);
    }
    MPI_Finalize();
    return 0;
}
