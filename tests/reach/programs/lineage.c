/* Makes random communicators of every origin from one another: `lineage SEED STEPS THREADS [spawn]`. All processes make
 * the same choices, by the seed. For each communicator every member writes into its file told.<rank>
 *
 *   <token> <made by> <first|second|whole> <the group's members as ranks, found by messages>
 *
 * and calls one MPI_Allreduce of <token> bytes on it. The trace shows the communicator by these bytes, which no other
 * call has. Several THREADS do so at once, each with its own communicators and choices, and at its own pace on each
 * rank. Ranks are those of MPI_COMM_WORLD. With `spawn` it starts a world of the same size, whose ranks follow its own,
 * and makes everything from a communicator of both worlds. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 8, MOST_THREADS = 4, MOST_STEPS = 100, FIRST_TOKEN = 1000 };

static int rank; /* trace-wide */
static FILE *log_file;
static signed char output[FIRST_TOKEN + MOST_THREADS * MOST_STEPS * MOST_RANKS];

/* The state of one thread. Its communicators are numbered by the step that made them. Communicators of the same step
 * have no member in common; a process that is in none of them has MPI_COMM_NULL. */
struct family {
    MPI_Comm comms[MOST_STEPS];
    int freed[MOST_STEPS], steps, thread, worlds, step;
    uint64_t seed, chance; /* equal on all ranks; chance begins anew in each step, because not all ranks take part in
                            * one */
    uint64_t pace;         /* differs between processes */
};

/* SplitMix64 (Steele, Lea, Flood 2014). */
static int random_below(uint64_t *state, int limit) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (int)((x ^ x >> 31) % (uint64_t)limit);
}

static int is_inter(MPI_Comm comm) {
    int inter;
    MPI_Comm_test_inter(comm, &inter);
    return inter;
}

static int lowest(const int *members, int size) {
    int lowest_member = members[0];
    for (int i = 1; i < size; i++)
        lowest_member = members[i] < lowest_member ? members[i] : lowest_member;
    return lowest_member;
}

/* The token consists of the step and the lowest member. */
static void tell(const struct family *family, MPI_Comm comm, const char *maker) {
    int local_ranks[MOST_RANKS], remote_ranks[MOST_RANKS], lists[MOST_RANKS * MOST_RANKS], size, remote = 0,
                                                                                                 inter = is_inter(comm);
    MPI_Comm_size(comm, &size);
    if (inter) {
        MPI_Comm_remote_size(comm, &remote);
        MPI_Allgather(&rank, 1, MPI_INT, remote_ranks, 1, MPI_INT, comm);
        /* The own group is the list that the other group has just received. */
        MPI_Allgather(remote_ranks, remote, MPI_INT, lists, size, MPI_INT, comm);
        memcpy(local_ranks, lists, (size_t)size * sizeof *local_ranks);
    } else {
        MPI_Allgather(&rank, 1, MPI_INT, local_ranks, 1, MPI_INT, comm);
    }
    int first = !inter || lowest(local_ranks, size) < lowest(remote_ranks, remote);
    int token = FIRST_TOKEN + (family->thread * MOST_STEPS + family->step) * MOST_RANKS +
                (first ? lowest(local_ranks, size) : lowest(remote_ranks, remote));
    signed char *input = malloc((size_t)token);
    MPI_Allreduce(output, input, token, MPI_SIGNED_CHAR, MPI_MAX, comm);
    free(input);
    char line[256];
    int used = snprintf(line, sizeof line, "%d %s %s", token, maker, !inter ? "whole" : first ? "first" : "second");
    for (int i = 0; i < size; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %d", local_ranks[i]);
    fprintf(log_file, "%s\n", line);
}

/* A random subset of the members in random order, equal on all ranks. */
static MPI_Group random_group(struct family *family, MPI_Comm comm) {
    int size, ranks[MOST_RANKS];
    MPI_Group comm_group, group;
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    for (int i = size - 1; i > 0; i--) {
        int partner = random_below(&family->chance, i + 1), rank_here = ranks[i];
        ranks[i] = ranks[partner];
        ranks[partner] = rank_here;
    }
    int count = 1 + random_below(&family->chance, size);
    MPI_Comm_group(comm, &comm_group);
    MPI_Group_incl(comm_group, count, ranks, &group);
    MPI_Group_free(&comm_group);
    return group;
}

static void make_dup(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    (void)family;
    MPI_Comm_dup(comm, result);
}

/* Makes two duplicates at a time, and completes them in one order or the other. The second one is freed at once. */
static void make_idup(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    MPI_Request requests[2];
    MPI_Comm second;
    int first = random_below(&family->chance, 2), first_stays = random_below(&family->chance, 2);
    MPI_Comm_idup(comm, first_stays ? result : &second, &requests[0]);
#ifdef OMPI_MAJOR_VERSION
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* Open MPI 4 itself hangs with two of them on some groups */
#endif
    MPI_Comm_idup(comm, first_stays ? &second : result, &requests[1]);
    MPI_Wait(&requests[first], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[!first], MPI_STATUS_IGNORE);
    MPI_Comm_free(&second);
}

static void make_split(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int place, colours = 1 + random_below(&family->chance, 3), shift = random_below(&family->chance, 7),
               falls = shift % 2;
    MPI_Comm_rank(comm, &place);
    int colour = (place * 5 + shift) % (colours + 1);
    MPI_Comm_split(comm, colour == colours ? MPI_UNDEFINED : colour, falls ? -place : place, result);
}

static void make_split_type(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int place, falls = random_below(&family->chance, 2);
    MPI_Comm_rank(comm, &place);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, falls ? -place : place, MPI_INFO_NULL, result);
}

static void make_create(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    MPI_Group group = random_group(family, comm);
    MPI_Comm_create(comm, group, result);
    MPI_Group_free(&group);
}

static void make_create_group(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int place, tag = random_below(&family->chance, 100);
    MPI_Group group = random_group(family, comm);
    MPI_Group_rank(group, &place);
    *result = MPI_COMM_NULL;
    if (place != MPI_UNDEFINED)
        MPI_Comm_create_group(comm, group, tag, result);
    MPI_Group_free(&group);
}

static void make_cart(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int size, dims[2] = {0, 0}, periods[2] = {0, 1};
    MPI_Comm_size(comm, &size);
    size -= size > 1 ? random_below(&family->chance, 2) : 0; /* sometimes one rank is left out */
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, random_below(&family->chance, 2), result);
}

static void make_rows(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    MPI_Comm grid;
    int keep[2] = {0, 1}, size, dims[2] = {0, 0}, periods[2] = {0, 0};
    keep[0] = random_below(&family->chance, 2);
    MPI_Comm_size(comm, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, keep, result);
    MPI_Comm_free(&grid);
}

/* Each rank is a neighbour of the next one. */
static void make_graph(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int size, index[MOST_RANKS], edges[2 * MOST_RANKS];
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI_Graph_create(comm, size, index, edges, random_below(&family->chance, 2), result);
}

static void make_dist_graph(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int place, size, degree = 1, count = 1;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &size);
    int next = (place + 1) % size, previous = (place + size - 1) % size;
    if (random_below(&family->chance, 2) || family->worlds > 1) /* MPICH 5 itself hangs in the other function */
        MPI_Dist_graph_create_adjacent(comm, 1, &previous, &degree, 1, &next, &degree, MPI_INFO_NULL, 0, result);
    else
        MPI_Dist_graph_create(comm, 1, &place, &count, &next, &degree, MPI_INFO_NULL, 0, result);
}

/* Makes an intercommunicator between two halves, or the communicator that merges them. */
static void make_inter(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int place, size, tag = random_below(&family->chance, 50), merges = random_below(&family->chance, 2);
    MPI_Comm half, inter;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &size);
    *result = MPI_COMM_NULL;
    if (size == 1)
        return;
    int low = place < size / 2;
    MPI_Comm_split(comm, low, place, &half);
    MPI_Intercomm_create(half, 0, comm, low ? size / 2 : 0, tag, &inter);
    MPI_Comm_free(&half);
    if (!merges) {
        *result = inter;
        return;
    }
    MPI_Intercomm_merge(inter, low, result);
    MPI_Comm_free(&inter);
}

static void make_merge(struct family *family, MPI_Comm comm, MPI_Comm *result) {
    int remote_lowest, local_lowest, high = random_below(&family->chance, 2);
    MPI_Allreduce(&rank, &remote_lowest, 1, MPI_INT, MPI_MIN, comm); /* lowest of the other group */
    MPI_Allreduce(&remote_lowest, &local_lowest, 1, MPI_INT, MPI_MIN, comm);
    MPI_Intercomm_merge(comm, (local_lowest < remote_lowest) == high, result);
}

#define KINDS(makers) ((int)(sizeof(makers) / sizeof *(makers)))

struct maker {
    const char *name;
    void (*make)(struct family *family, MPI_Comm comm, MPI_Comm *result);
};

static const struct maker of_one_group[] = {
    {"dup", make_dup},
    {"idup", make_idup},
    {"split", make_split},
    {"cart", make_cart},
    {"create", make_create},
    {"create_group", make_create_group},
    {"rows", make_rows},
    {"graph", make_graph},
    {"dist_graph", make_dist_graph},
    {"inter", make_inter},
    {"split_type", make_split_type},
};
static const struct maker of_two_groups[] = {{"dup", make_dup}, {"merge", make_merge}, {"idup", make_idup}};

static void make_one(struct family *family) {
    int parent;
    family->chance = family->seed * MOST_STEPS + (uint64_t)family->step;
    do
        parent = family->step - 1 - random_below(&family->chance, family->step < 8 ? family->step : 8);
    while (family->freed[parent]);
    int frees = random_below(&family->chance, 4) == 0 && parent > 0;
    MPI_Comm comm = family->comms[parent], *result = &family->comms[family->step];
    *result = MPI_COMM_NULL;
    if (comm != MPI_COMM_NULL) {
        int inter = is_inter(comm);
        int kinds = inter ? KINDS(of_two_groups) : KINDS(of_one_group);
        const struct maker *maker = &(inter ? of_two_groups : of_one_group)[random_below(&family->chance, kinds)];
        maker->make(family, comm, result);
        if (*result != MPI_COMM_NULL)
            tell(family, *result, maker->name);
        if (frees)
            MPI_Comm_free(&family->comms[parent]);
    }
    family->freed[parent] = frees;
}

static void *make_all(void *argument) {
    struct family *family = argument;
    tell(family, family->comms[0], "base");
    for (family->step = 1; family->step < family->steps; family->step++) {
        usleep((useconds_t)random_below(&family->pace, 500));
        make_one(family);
    }
    for (int i = 0; i < family->steps; i++)
        if (family->comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&family->comms[i]);
    return NULL;
}

/* Merges a spawned world and its parent, by the intercommunicator of both. */
static MPI_Comm both_worlds(char **argv, MPI_Comm *inter) {
    MPI_Comm merged;
    int count, spawned = strcmp(argv[4], "spawned") == 0;
    char *words[] = {argv[1], argv[2], argv[3], "spawned", NULL};
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (spawned)
        MPI_Comm_get_parent(inter);
    else
        MPI_Comm_spawn(argv[0], words, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(*inter, spawned, &merged);
    return merged;
}

int main(int argc, char **argv) {
    static struct family families[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    int provided, count = argc >= 4 ? atoi(argv[3]) : 0, steps = count ? atoi(argv[2]) : 0;
    int level = count > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm inter = MPI_COMM_NULL, world = argc == 5 ? both_worlds(argv, &inter) : MPI_COMM_WORLD;
    int size;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (count < 1 || count > MOST_THREADS || steps > MOST_STEPS || size > MOST_RANKS || provided < level) {
        fprintf(stderr, "lineage SEED STEPS THREADS [spawn]; threads need MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    char name[32];
    snprintf(name, sizeof name, "told.%d", rank);
    log_file = fopen(name, "w");
    setvbuf(log_file, NULL, _IOLBF, 0);
    for (int i = 0; i < count; i++) {
        families[i].thread = i;
        families[i].steps = steps;
        families[i].worlds = argc == 5 ? 2 : 1;
        families[i].seed = strtoull(argv[1], NULL, 10) * MOST_THREADS + (uint64_t)i;
        families[i].pace = families[i].seed * MOST_RANKS + (uint64_t)rank;
        MPI_Comm_dup(world, &families[i].comms[0]);
    }
    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, make_all, &families[i]);
    make_all(&families[0]);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    if (inter != MPI_COMM_NULL) {
        MPI_Comm_free(&world);
        MPI_Comm_disconnect(&inter);
    }
    fclose(log_file);
    MPI_Finalize();
    return 0;
}
