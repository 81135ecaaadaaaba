/* Red-black successive over-relaxation of a square grid, as in the published multi-cluster study.
 *
 *     sor frosty|tridiagonal|random [--size N] [--omega W] [--most ITERATIONS] [--changes FILE]
 *
 * The grid has N x N points, of which the outermost ones never change. N is ten times the number of ranks unless given:
 * the study had 138 ranks with ten rows each. Each rank has a block of rows. An iteration relaxes the red points (row +
 * column is even), then the black ones, each after exchanging border rows with the neighbours. Then an Allreduce of one
 * double adds up |new - old| over all points. The program ends once that sum is below 1e-8 N^2, or after ITERATIONS.
 *
 * Relaxation: new = old + W (mean of the four neighbours - old), in doubles; W is 2 / (1 + sin(pi / (N - 1))) unless
 * given. The study did not publish its factor.
 *
 * The three sets of starting values, with rows and columns from 0:
 *     frosty       27760 in row 0, -273.15 everywhere else
 *     tridiagonal  uniform(row, column) where |row - column| <= 3, 0 elsewhere
 *     random       uniform(row, column) everywhere
 * uniform(row, column) is 10000 u, where u is the upper 53 bits of mix(SEED + (row N + column + 1) STEP) / 2^53, all in
 * unsigned 64-bit arithmetic. SEED is 20040401, STEP 0x9E3779B97F4A7C15, and mix(x) is the finaliser of SplitMix64: x
 * ^= x >> 30; x *= 0xBF58476D1CE4E5B9; x ^= x >> 27; x *= 0x94D049BB133111EB; x ^= x >> 31. So the values do not depend
 * on the number of ranks.
 *
 * --changes writes each rank's own sums, one in each line, into FILE, with the rank in place of %d: these are VALUES
 * for noise_allreduce. Rank 0 prints the mean time of an iteration in ns, N, the iterations and the last sum. On 2
 * ranks, with 20 x 20 points, the three sets take 88, 87 and 83 iterations.
 */
#include "rank_file.h"
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_A_RANK = 10 };

static const double PI = 3.14159265358979323846;
static const uint64_t SEED = 20040401, STEP = 0x9E3779B97F4A7C15;
static const char USAGE[] = "sor frosty|tridiagonal|random [--size N] [--omega W] [--most ITERATIONS] [--changes FILE]";

static int rank, ranks;

struct options {
    const char *data, *changes;
    int size, most_iterations;
    double omega;
};

/* The rank's own rows, with a border row above and below. */
struct grid {
    int size, rows, first_row;
    double *points;
};

static void fail(const char *reason, const char *detail) {
    fprintf(stderr, "sor: rank %d: %s%s\n", rank, reason, detail);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static struct options read_options(int argc, char **argv) {
    struct options o = {.size = ROWS_A_RANK * ranks, .most_iterations = 1000000};
    if (argc < 2 || argc % 2 != 0)
        fail("usage: ", USAGE);
    o.data = argv[1];
    for (int i = 2; i < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (strcmp(name, "--size") == 0)
            o.size = atoi(value);
        else if (strcmp(name, "--omega") == 0)
            o.omega = atof(value);
        else if (strcmp(name, "--most") == 0)
            o.most_iterations = atoi(value);
        else if (strcmp(name, "--changes") == 0)
            o.changes = value;
        else
            fail("usage: ", USAGE);
    }
    if (o.size < 3 || o.size < ranks)
        fail("the grid needs three rows, and one for each rank", "");
    if (o.omega == 0)
        o.omega = 2 / (1 + sin(PI / (o.size - 1)));
    return o;
}

static double uniform(uint64_t index) {
    uint64_t x = SEED + (index + 1) * STEP;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    x ^= x >> 31;
    return 10000 * ((double)(x >> 11) / 9007199254740992.0);
}

static double start_value(const struct options *o, int row, int column) {
    if (strcmp(o->data, "frosty") == 0)
        return row == 0 ? 27760 : -273.15;
    if (strcmp(o->data, "tridiagonal") == 0 && abs(row - column) > 3)
        return 0;
    return uniform((uint64_t)row * (uint64_t)o->size + (uint64_t)column);
}

static double *row_of(const struct grid *grid, int row) {
    return grid->points + (size_t)(row + 1) * (size_t)grid->size;
}

static struct grid make_grid(const struct options *o) {
    int share = o->size / ranks, rest = o->size % ranks;
    struct grid grid = {.size = o->size, .rows = share + (rank < rest)};
    grid.first_row = rank * share + (rank < rest ? rank : rest);
    grid.points = calloc((size_t)(grid.rows + 2) * (size_t)o->size, sizeof(double));
    if (grid.points == NULL)
        fail("no memory for the grid", "");
    if (strcmp(o->data, "frosty") && strcmp(o->data, "tridiagonal") && strcmp(o->data, "random"))
        fail("usage: ", USAGE);
    for (int row = 0; row < grid.rows; row++)
        for (int column = 0; column < grid.size; column++)
            row_of(&grid, row)[column] = start_value(o, grid.first_row + row, column);
    return grid;
}

static void exchange_borders(const struct grid *grid) {
    int upper_rank = rank > 0 ? rank - 1 : MPI_PROC_NULL, lower_rank = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    int n = grid->size;
    MPI_Request requests[4];
    MPI_Irecv(row_of(grid, -1), n, MPI_DOUBLE, upper_rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row_of(grid, grid->rows), n, MPI_DOUBLE, lower_rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row_of(grid, 0), n, MPI_DOUBLE, upper_rank, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row_of(grid, grid->rows - 1), n, MPI_DOUBLE, lower_rank, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Relaxes the points of one colour (0 red, 1 black) and returns the sum of their changes. */
static double relax(const struct grid *grid, int colour, double omega) {
    double sum = 0;
    for (int local_row = 0; local_row < grid->rows; local_row++) {
        int row = grid->first_row + local_row;
        if (row == 0 || row == grid->size - 1)
            continue;
        const double *upper_row = row_of(grid, local_row - 1), *lower_row = row_of(grid, local_row + 1);
        double *points = row_of(grid, local_row);
        for (int column = 2 - (row + colour) % 2; column < grid->size - 1; column += 2) {
            double mean = (upper_row[column] + lower_row[column] + points[column - 1] + points[column + 1]) / 4;
            double change = omega * (mean - points[column]);
            points[column] += change;
            sum += fabs(change);
        }
    }
    return sum;
}

/* Opens the file that --changes names, for this rank; NULL without --changes. */
static FILE *open_changes(const char *pattern) {
    char path[PATH_BYTES];
    if (pattern == NULL)
        return NULL;
    if (strstr(pattern, "%d") == NULL || !rank_file(pattern, rank, path))
        fail("--changes needs a path with %d for the rank, not ", pattern);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail("cannot write ", path);
    return file;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct options o = read_options(argc, argv);
    struct grid grid = make_grid(&o);
    FILE *changes = open_changes(o.changes);

    double epsilon = 1e-8 * o.size * o.size, sum = 0, begin = MPI_Wtime();
    int iterations = 0;
    do {
        double change = 0;
        for (int colour = 0; colour < 2; colour++) {
            exchange_borders(&grid);
            change += relax(&grid, colour, o.omega);
        }
        if (changes)
            fprintf(changes, "%.17g\n", change);
        MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        iterations++;
    } while (sum >= epsilon && iterations < o.most_iterations);
    double seconds = MPI_Wtime() - begin;

    if (rank == 0)
        printf("ns=%.1f size=%d iterations=%d omega=%.17g change=%.17g\n", 1e9 * seconds / iterations, o.size,
               iterations, o.omega, sum);
    if (changes)
        fclose(changes);
    free(grid.points);
    MPI_Finalize();
    return 0;
}
