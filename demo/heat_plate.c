/* Computes the temperatures of a plate by red-black over-relaxation: an MPI program that does not know Hopscope.
 *
 * Each rank has a block of the square plate's rows. The plate's upper edge is hot, the others are cold. Every iteration
 * relaxes the red points, then the black ones, each after exchanging border rows with both neighbours. It ends with an
 * MPI_Allreduce of the largest change anywhere, which decides if the program continues.
 *
 * For experiments, a delay of known size can be added: --sleep-ms replaces the work of every rank by a sleep of that
 * length (sleeping ranks do not compete for cores), --late-rank makes one rank take --late-ms longer, and --no-halo
 * leaves the exchange out, so that the Allreduce is the only communication.
 */
#define _GNU_SOURCE
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    int size, iterations, late_rank;
    double tolerance, late_ms, sleep_ms;
    bool halo, quiet;
};

struct plate {
    int rows, columns, first_row; /* own rows, without the two border rows around them */
    double *points;               /* rows + 2 by columns */
};

static const double RELAXATION = 1.9;

static void sleep_ms(double ms) {
    if (ms <= 0)
        return;
    struct timespec left = {(time_t)(ms / 1e3), (long)(fmod(ms, 1e3) * 1e6)};
    while (nanosleep(&left, &left) != 0) {
    }
}

static bool number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

static const char USAGE[] = "usage: heat_plate [--size N] [--iterations N] [--tolerance X] [--sleep-ms MS]\n"
                            "                  [--late-rank RANK --late-ms MS] [--no-halo] [--quiet]\n";

static bool read_options(int argc, char **argv, struct options *o) {
    *o = (struct options){.size = 512, .iterations = 100, .late_rank = -1, .tolerance = 1e-6, .halo = true};
    for (int i = 1; i < argc; i++) {
        double value;
        if (strcmp(argv[i], "--no-halo") == 0) {
            o->halo = false;
            continue;
        }
        if (strcmp(argv[i], "--quiet") == 0) {
            o->quiet = true;
            continue;
        }
        if (i + 1 == argc || !number(argv[i + 1], &value))
            return false;
        if (strcmp(argv[i], "--size") == 0)
            o->size = (int)value;
        else if (strcmp(argv[i], "--iterations") == 0)
            o->iterations = (int)value;
        else if (strcmp(argv[i], "--tolerance") == 0)
            o->tolerance = value;
        else if (strcmp(argv[i], "--sleep-ms") == 0)
            o->sleep_ms = value;
        else if (strcmp(argv[i], "--late-rank") == 0)
            o->late_rank = (int)value;
        else if (strcmp(argv[i], "--late-ms") == 0)
            o->late_ms = value;
        else
            return false;
        i++;
    }
    return o->size >= 3 && o->iterations >= 1;
}

static bool make_plate(struct plate *plate, int size, int rank, int ranks) {
    int share = size / ranks, rest = size % ranks;
    plate->rows = share + (rank < rest);
    plate->columns = size;
    plate->first_row = rank * share + (rank < rest ? rank : rest);
    plate->points = calloc((size_t)(plate->rows + 2) * (size_t)size, sizeof *plate->points);
    if (plate->points == NULL)
        return false;
    if (rank == 0) /* the hot edge is above row 0 */
        for (int column = 0; column < size; column++)
            plate->points[column] = 100.0;
    return true;
}

/* Sends the first row up and the last row down, and receives the neighbours' rows into the border rows. */
static void exchange_borders(struct plate *plate, int rank, int ranks) {
    int upper_rank = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int lower_rank = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    int n = plate->columns;
    double *p = plate->points;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(p + (size_t)(plate->rows + 1) * (size_t)n, n, MPI_DOUBLE, lower_rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(p, n, MPI_DOUBLE, upper_rank, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(p + n, n, MPI_DOUBLE, upper_rank, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(p + (size_t)plate->rows * (size_t)n, n, MPI_DOUBLE, lower_rank, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
}

/* Relaxes the points of one colour (0 red, 1 black) and returns the largest change. */
static double relax(struct plate *plate, int colour) {
    int n = plate->columns;
    double largest = 0;
    for (int row = 1; row <= plate->rows; row++) {
        double *points = plate->points + (size_t)row * (size_t)n;
        int start = 1 + (plate->first_row + row + colour) % 2;
        for (int column = start; column < n - 1; column += 2) {
            double mean = (points[column - n] + points[column + n] + points[column - 1] + points[column + 1]) / 4;
            double change = RELAXATION * (mean - points[column]);
            points[column] += change;
            largest = fmax(largest, fabs(change));
        }
    }
    return largest;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    struct options o;
    struct plate plate;
    if (!read_options(argc, argv, &o)) {
        if (rank == 0)
            fputs(USAGE, stderr);
        MPI_Finalize();
        return 2;
    }
    if (!make_plate(&plate, o.size, rank, ranks)) {
        fprintf(stderr, "heat_plate: rank %d: no memory for its part of a plate of size %d\n", rank, o.size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    double start = MPI_Wtime(), residual = 0;
    int iteration = 0;
    do {
        double change = 0;
        for (int colour = 0; colour < 2; colour++) {
            if (o.halo)
                exchange_borders(&plate, rank, ranks);
            if (o.sleep_ms > 0)
                sleep_ms(o.sleep_ms / 2);
            else
                change = fmax(change, relax(&plate, colour));
        }
        if (o.sleep_ms > 0)
            change = fmax(relax(&plate, 0), relax(&plate, 1));
        if (rank == o.late_rank)
            sleep_ms(o.late_ms);
        MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        iteration++;
        if (rank == 0 && !o.quiet && iteration % 5 == 0) {
            printf("iteration %d of %d residual %.6g\n", iteration, o.iterations, residual);
            fflush(stdout);
        }
    } while (residual > o.tolerance && iteration < o.iterations);
    double seconds = MPI_Wtime() - start;

    if (rank == 0)
        printf("iterations=%d residual=%.17g seconds=%.6f ms_per_iteration=%.3f\n", iteration, residual, seconds,
               1e3 * seconds / iteration);
    free(plate.points);
    MPI_Finalize();
    return 0;
}
