/* Groups of processes that connect n times at a port and then, by their rank 0s, over a socket. `accept FILE n` and
 * `connect FILE n` are separate jobs; `halves FILE n` is both in one job. told.h describes the output. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "told.h"

/* Writes one line to a file that appears complete. */
static void leave_word(const char *file, const char *word) {
    char draft[512];
    snprintf(draft, sizeof draft, "%s.draft", file);
    FILE *stream = fopen(draft, "w");
    fprintf(stream, "%s\n", word);
    fclose(stream);
    rename(draft, file);
}

static void await_word(const char *file, char *word, int capacity) {
    FILE *stream;
    while (!(stream = fopen(file, "r")))
        usleep(10000);
    check(fgets(word, capacity, stream) != NULL, "the file");
    word[strcspn(word, "\n")] = '\0';
    fclose(stream);
}

static void meet_at_port(MPI_Comm comm, int accepts, const char *file, int times) {
    char port[MPI_MAX_PORT_NAME] = "";
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (accepts && rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        leave_word(file, port);
    } else if (rank == 0) {
        await_word(file, port, sizeof port);
    }
    for (int i = 0; i < times; i++) {
        char name[32];
        MPI_Comm intercomm;
        if (accepts)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, comm, &intercomm);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, comm, &intercomm);
        snprintf(name, sizeof name, "met %d", i);
        use_all(intercomm, accepts, name);
        MPI_Comm_disconnect(&intercomm);
    }
    if (accepts && rank == 0)
        MPI_Close_port(port);
}

static int listening(const char *file) {
    char word[16];
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof place;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    check(bind(door, (struct sockaddr *)&place, sizeof place) == 0 && listen(door, 1) == 0 &&
              getsockname(door, (struct sockaddr *)&place, &length) == 0,
          "a socket");
    snprintf(word, sizeof word, "%d", ntohs(place.sin_port));
    leave_word(file, word);
    int connection = accept(door, NULL, NULL);
    close(door);
    return connection;
}

static int calling(const char *file) {
    char word[16];
    await_word(file, word, sizeof word);
    struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)atoi(word))};
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(connection, (struct sockaddr *)&place, sizeof place) == 0, "a connection");
    return connection;
}

static void join(int listens, const char *file) {
    int connection = listens ? listening(file) : calling(file);
    MPI_Comm intercomm;
    check(MPI_Comm_join(connection, &intercomm) == MPI_SUCCESS && intercomm != MPI_COMM_NULL, "MPI_Comm_join");
    use_all(intercomm, listens, "joined");
    MPI_Comm_disconnect(&intercomm);
    close(connection);
}

int main(int argc, char **argv) {
    int rank, size, first;
    char place[512];
    MPI_Comm comm = MPI_COMM_WORLD;
    pid = (int)getpid();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use(MPI_COMM_WORLD, 0, "world %s", argv[1]);
    use(MPI_COMM_SELF, 0, "MPI_COMM_SELF");
    if (strcmp(argv[1], "halves") == 0) {
        first = rank < size / 2;
        MPI_Comm_split(MPI_COMM_WORLD, first, rank, &comm);
        use(comm, 0, "half");
        MPI_Comm_rank(comm, &rank);
    } else {
        first = strcmp(argv[1], "accept") == 0;
    }
    meet_at_port(comm, first, argv[2], atoi(argv[3]));
    snprintf(place, sizeof place, "%s.socket", argv[2]);
    if (rank == 0)
        join(first, place);
    if (comm != MPI_COMM_WORLD)
        drop(comm);
    MPI_Finalize();
    return 0;
}
