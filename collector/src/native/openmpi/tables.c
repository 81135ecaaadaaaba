/* Finds Open MPI's tables, and proves by messages to itself that requests are laid out as expected. */
#include "native/openmpi/tables.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native/shared/library.h"

struct openmpi_functions openmpi;
void (*openmpi_progress)(void);
struct openmpi_request_layout openmpi_layout;

/* Places of the next nonblocking collective's tag in a communicator, and of an intercommunicator's local communicator;
 * 0: not found. */
static size_t next_tag_at, local_comm_at;

/* By release: the table's size and the places of its functions, in words. Releases that were tested. */
static const struct release {
    const char *words; /* the library's version begins with them */
    size_t table_bytes;
    int add_comm, del_comm, prepare_receive, start_receive, receive, prepare_send, start_send, send, start;
} releases[] = {
    {"Open MPI v4.1.", 0xb8, 4, 5, 6, 7, 8, 9, 10, 11, 14},
    {"Open MPI v5.0.", 0xc0, 4, 5, 7, 8, 9, 10, 11, 12, 15},
};

/* Places of ompi_request_functions, in words; the same in both. */
enum { WAIT = 4, WAIT_ANY = 5, WAIT_ALL = 6, WAIT_SOME = 7, REQUEST_FUNCTIONS = 8 };

static void **table, **request_functions;
static const struct release *release;

static bool give_up(char *reason, size_t capacity, const char *why) {
    snprintf(reason, capacity, "%s", why);
    return false;
}

static const struct release *find_release(void) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    pmpi.Get_library_version(version, &length);
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
        if (strncmp(version, releases[i].words, strlen(releases[i].words)) == 0)
            return &releases[i];
    return NULL;
}

/* A data symbol of the library and its size; NULL if it has none. */
static void **data_symbol(const char *name, size_t *bytes) {
    void *address = mpi_table_of_library(name);
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!address || !dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return NULL;
    *bytes = symbol->st_size;
    return address;
}

static const char *object_of(const void *function) {
    Dl_info info = {0};
    return function && dladdr(function, &info) != 0 ? info.dli_fname : NULL;
}

/* All of them belong to one object: the selected PML's. */
static bool is_of_one_object(void) {
    const int places[] = {release->add_comm,      release->del_comm, release->prepare_receive,
                          release->start_receive, release->receive,  release->prepare_send,
                          release->start_send,    release->send,     release->start};
    const char *first = object_of(table[places[0]]);
    bool same = first != NULL;
    for (size_t i = 1; same && i < sizeof places / sizeof *places; i++) {
        const char *object = object_of(table[places[i]]);
        same = object && strcmp(object, first) == 0;
    }
    return same;
}

enum { LOOKED_AT = 192, OF_A_COMMUNICATOR = 512, PATIENCE = 10000, TAG = 29517 };

/* A receive from this process itself, its message, and what the receive's request looked like before and after. */
struct trial {
    int sent, received;
    MPI_Request request;
    void *before[LOOKED_AT / sizeof(void *)], *after[LOOKED_AT / sizeof(void *)];
};

static bool post(struct trial *trial) {
    trial->sent = 17;
    bool posted = pmpi.Irecv(&trial->received, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &trial->request) == MPI_SUCCESS;
    if (posted)
        memcpy(trial->before, trial->request, sizeof trial->before);
    return posted;
}

static bool complete(struct trial *trial) {
    int done = 0;
    if (pmpi.Send(&trial->sent, 1, MPI_INT, 0, TAG, MPI_COMM_SELF) != MPI_SUCCESS)
        return false;
    for (int i = 0; !done && i < PATIENCE; i++)
        if (pmpi.Request_get_status(trial->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    memcpy(trial->after, trial->request, sizeof trial->after);
    return pmpi.Wait(&trial->request, MPI_STATUS_IGNORE) == MPI_SUCCESS && done && trial->received == trial->sent;
}

/* The status of the message, as MPI_Status has it; 0: not found. */
static size_t find_status(const struct trial *trial, size_t flag) {
    for (size_t at = sizeof(void *); at < flag * sizeof(void *); at += sizeof(int)) {
        MPI_Status status;
        memcpy(&status, (const char *)trial->after + at, sizeof status);
        if (status.MPI_SOURCE == 0 && status.MPI_TAG == TAG && status._ucount == sizeof trial->received)
            return at;
    }
    return 0;
}

/* The head of a request is: status, flag of completion, callback, its data, communicator. */
static bool find_layout(void) {
    struct trial trial = {0};
    if (!post(&trial) || !complete(&trial))
        return false;
    size_t words = LOOKED_AT / sizeof(void *), communicator = 0, flag = 0;
    for (size_t i = 2; i < words && !communicator; i++)
        if (trial.before[i] == (void *)MPI_COMM_SELF && !trial.before[i - 2])
            communicator = i;
    for (size_t i = 0; communicator && i + 2 < communicator; i++) {
        if (trial.before[i] || trial.after[i] != (void *)1)
            continue;
        if (flag)
            return false;
        flag = i;
    }
    size_t status = find_status(&trial, flag);
    openmpi_layout = (struct openmpi_request_layout){.complete = flag * sizeof(void *),
                                                     .callback = (communicator - 2) * sizeof(void *),
                                                     .data = (communicator - 1) * sizeof(void *),
                                                     .source = status + offsetof(MPI_Status, MPI_SOURCE),
                                                     .received = status + offsetof(MPI_Status, _ucount)};
    return communicator && flag && status;
}

static struct openmpi_request *called_with;
static int calls;

static int note_call(struct openmpi_request *request) {
    called_with = request;
    calls++;
    return 0;
}

/* The library calls what lies there, once, and forgets it. */
static bool prove_callback(void) {
    struct trial trial = {0};
    if (!post(&trial))
        return false;
    struct openmpi_request *request = (void *)trial.request;
    openmpi_completed *ours = note_call;
    memcpy(openmpi_word(request, openmpi_layout.callback), &ours, sizeof ours);
    bool done = complete(&trial);
    return done && calls == 1 && called_with == request && !trial.after[openmpi_layout.callback / sizeof(void *)];
}

/* The number that two nonblocking collectives in a row each lower by one. */
static size_t find_next_tag(void) {
    int32_t was[3][OF_A_COMMUNICATOR / sizeof(int32_t)];
    for (int i = 0; i < 3; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        memcpy(was[i], MPI_COMM_SELF, sizeof was[i]);
        if (i < 2 && (pmpi.Ibarrier(MPI_COMM_SELF, &request) != MPI_SUCCESS ||
                      pmpi.Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS))
            return 0;
    }
    size_t found = 0;
    for (size_t i = 0; i < sizeof was[0] / sizeof was[0][0]; i++)
        if (was[0][i] < 0 && was[1][i] == was[0][i] - 1 && was[2][i] == was[1][i] - 1) {
            if (found)
                return 0;
            found = i * sizeof was[0][0];
        }
    return found;
}

int openmpi_next_tag(MPI_Comm comm) {
    int32_t tag = 0;
    if (next_tag_at)
        memcpy(&tag, (const char *)comm + next_tag_at, sizeof tag);
    return native_is_nonblocking(tag) ? tag : 0;
}

/* It follows the two groups, which in other communicators are the same one. */
static size_t find_local_comm(void) {
    MPI_Group group = MPI_GROUP_NULL;
    void *words[OF_A_COMMUNICATOR / sizeof(void *)];
    size_t found = 0;
    if (pmpi.Comm_group(MPI_COMM_SELF, &group) != MPI_SUCCESS)
        return 0;
    memcpy(words, MPI_COMM_SELF, sizeof words);
    for (size_t i = 0; i + 2 < sizeof words / sizeof *words && !found; i++)
        if (words[i] == (void *)group && words[i + 1] == (void *)group)
            found = (i + 2) * sizeof *words;
    pmpi.Group_free(&group);
    return found;
}

MPI_Comm openmpi_local_comm(MPI_Comm inter) {
    MPI_Comm local = MPI_COMM_NULL;
    if (local_comm_at)
        memcpy(&local, (const char *)inter + local_comm_at, sizeof local);
    return local ? local : MPI_COMM_NULL;
}

bool openmpi_prove(char *reason, size_t capacity) {
    size_t table_bytes = 0, function_bytes = 0;
    release = find_release();
    if (!release)
        return give_up(reason, capacity, "this release of Open MPI was not tested");
    table = data_symbol("mca_pml", &table_bytes);
    request_functions = data_symbol("ompi_request_functions", &function_bytes);
    openmpi_progress = (void (*)(void))mpi_table_of_library("opal_progress");
    if (!table || !request_functions || !openmpi_progress)
        return give_up(reason, capacity, "this Open MPI does not export its tables");
    if (table_bytes != release->table_bytes || function_bytes != REQUEST_FUNCTIONS * sizeof(void *))
        return give_up(reason, capacity, "Open MPI's tables have another size than in the release that was tested");
    if (!is_of_one_object())
        return give_up(reason, capacity, "another tool has already replaced functions of Open MPI");
    if (!find_layout() || !prove_callback())
        return give_up(reason, capacity, "a message to this process itself did not complete as expected");
    next_tag_at = find_next_tag();
    local_comm_at = find_local_comm();
    openmpi = (struct openmpi_functions){.receive = (openmpi_receive *)table[release->receive],
                                         .start_receive = (openmpi_start_receive *)table[release->start_receive],
                                         .send = (openmpi_send *)table[release->send],
                                         .start_send = (openmpi_start_send *)table[release->start_send],
                                         .prepare_receive = (openmpi_start_receive *)table[release->prepare_receive],
                                         .prepare_send = (openmpi_start_send *)table[release->prepare_send],
                                         .start = (openmpi_start *)table[release->start],
                                         .add_comm = (openmpi_comm_change *)table[release->add_comm],
                                         .del_comm = (openmpi_comm_change *)table[release->del_comm],
                                         .wait = (openmpi_wait *)request_functions[WAIT],
                                         .wait_any = (openmpi_wait_any *)request_functions[WAIT_ANY],
                                         .wait_all = (openmpi_wait_all *)request_functions[WAIT_ALL],
                                         .wait_some = (openmpi_wait_some *)request_functions[WAIT_SOME]};
    return true;
}

static void put(void **place, void *function) {
    __atomic_store_n(place, function, __ATOMIC_RELEASE);
}

void openmpi_replace(const struct openmpi_functions *ours) {
    put(&table[release->receive], (void *)ours->receive);
    put(&table[release->start_receive], (void *)ours->start_receive);
    put(&table[release->send], (void *)ours->send);
    put(&table[release->start_send], (void *)ours->start_send);
    put(&table[release->prepare_receive], (void *)ours->prepare_receive);
    put(&table[release->prepare_send], (void *)ours->prepare_send);
    put(&table[release->start], (void *)ours->start);
    put(&table[release->add_comm], (void *)ours->add_comm);
    put(&table[release->del_comm], (void *)ours->del_comm);
    put(&request_functions[WAIT], (void *)ours->wait);
    put(&request_functions[WAIT_ANY], (void *)ours->wait_any);
    put(&request_functions[WAIT_ALL], (void *)ours->wait_all);
    put(&request_functions[WAIT_SOME], (void *)ours->wait_some);
}

void openmpi_restore(void) {
    openmpi_replace(&openmpi);
}
