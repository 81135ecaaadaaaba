/* Finds Open MPI's tables of functions. Sends messages from this process to itself to prove that requests have the
 * expected layout. */
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

/* Offsets in the library's communicator struct: of the tag of the next nonblocking collective, and of an
 * intercommunicator's local communicator. 0: not found. */
static size_t next_tag_offset, local_comm_offset;

/* For each tested release: the size of the table mca_pml in bytes, and the positions of its functions in words. */
static const struct release {
    const char *words; /* the first characters of the library's version */
    size_t table_bytes;
    int add_comm, del_comm, prepare_receive, start_receive, receive, prepare_send, start_send, send, start;
} releases[] = {
    {"Open MPI v4.1.", 0xb8, 4, 5, 6, 7, 8, 9, 10, 11, 14},
    {"Open MPI v5.0.", 0xc0, 4, 5, 7, 8, 9, 10, 11, 12, 15},
};

/* Positions of functions in ompi_request_functions, in words. They are the same in both releases. */
enum { WAIT = 4, WAIT_ANY = 5, WAIT_ALL = 6, WAIT_SOME = 7, REQUEST_FUNCTIONS = 8 };

static void **table, **request_functions;
static const struct release *release;

static bool refuse(char *reason, size_t capacity, const char *complaint) {
    snprintf(reason, capacity, "%s", complaint);
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

/* The address of a data symbol of the library. Sets *bytes to its size. NULL if the library has no such symbol. */
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

/* True if all functions of the table are in one shared object, that of the selected PML. Otherwise another tool has
 * replaced some. */
static bool is_of_one_object(void) {
    const int places[] = {release->add_comm,      release->del_comm, release->prepare_receive,
                          release->start_receive, release->receive,  release->prepare_send,
                          release->start_send,    release->send,     release->start};
    const char *first = object_of(table[places[0]]);
    bool is_same = first != NULL;
    for (size_t i = 1; is_same && i < sizeof places / sizeof *places; i++) {
        const char *object = object_of(table[places[i]]);
        is_same = object && strcmp(object, first) == 0;
    }
    return is_same;
}

enum { REQUEST_BYTES = 192, COMM_BYTES = 512, PATIENCE = 10000, TAG = 29517 };

/* A trial: this process receives a message from itself. The struct has the numbers sent and received, and the words of
 * the receive's request before and after the message. */
struct trial {
    int sent, received;
    MPI_Request request;
    void *words_before[REQUEST_BYTES / sizeof(void *)], *words_after[REQUEST_BYTES / sizeof(void *)];
};

static bool post(struct trial *trial) {
    trial->sent = 17;
    bool posted = pmpi.Irecv(&trial->received, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &trial->request) == MPI_SUCCESS;
    if (posted)
        memcpy(trial->words_before, trial->request, sizeof trial->words_before);
    return posted;
}

static bool complete(struct trial *trial) {
    int done = 0;
    if (pmpi.Send(&trial->sent, 1, MPI_INT, 0, TAG, MPI_COMM_SELF) != MPI_SUCCESS)
        return false;
    for (int i = 0; !done && i < PATIENCE; i++)
        if (pmpi.Request_get_status(trial->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    memcpy(trial->words_after, trial->request, sizeof trial->words_after);
    return pmpi.Wait(&trial->request, MPI_STATUS_IGNORE) == MPI_SUCCESS && done && trial->received == trial->sent;
}

/* Finds the offset of the message's status in the request; 0: not found. flag: the word with the completion flag. */
static size_t find_status(const struct trial *trial, size_t flag) {
    for (size_t offset = sizeof(void *); offset < flag * sizeof(void *); offset += sizeof(int)) {
        MPI_Status status;
        memcpy(&status, (const char *)trial->words_after + offset, sizeof status);
        if (status.MPI_SOURCE == 0 && status.MPI_TAG == TAG && status._ucount == sizeof trial->received)
            return offset;
    }
    return 0;
}

/* Finds the offsets of a request's fields. The expected order is: status, completion flag, callback, the callback's
 * data, communicator. */
static bool find_layout(void) {
    struct trial trial = {0};
    if (!post(&trial) || !complete(&trial))
        return false;
    size_t words = REQUEST_BYTES / sizeof(void *), communicator = 0, flag = 0;
    for (size_t i = 2; i < words && !communicator; i++)
        if (trial.words_before[i] == (void *)MPI_COMM_SELF && !trial.words_before[i - 2])
            communicator = i;
    for (size_t i = 0; communicator && i + 2 < communicator; i++) {
        if (trial.words_before[i] || trial.words_after[i] != (void *)1)
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

/* True if the library calls a callback in this field exactly once, and then clears the field. */
static bool prove_callback(void) {
    struct trial trial = {0};
    if (!post(&trial))
        return false;
    struct openmpi_request *request = (void *)trial.request;
    openmpi_completed *callback = note_call;
    memcpy(openmpi_word(request, openmpi_layout.callback), &callback, sizeof callback);
    bool done = complete(&trial);
    return done && calls == 1 && called_with == request && !trial.words_after[openmpi_layout.callback / sizeof(void *)];
}

/* Finds the offset of a communicator's next tag: the only number that each of two nonblocking collectives lowers by
 * one. */
static size_t find_next_tag(void) {
    int32_t snapshots[3][COMM_BYTES / sizeof(int32_t)];
    for (int i = 0; i < 3; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        memcpy(snapshots[i], MPI_COMM_SELF, sizeof snapshots[i]);
        if (i < 2 && (pmpi.Ibarrier(MPI_COMM_SELF, &request) != MPI_SUCCESS ||
                      pmpi.Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS))
            return 0;
    }
    size_t tag_offset = 0;
    for (size_t i = 0; i < sizeof snapshots[0] / sizeof snapshots[0][0]; i++)
        if (snapshots[0][i] < 0 && snapshots[1][i] == snapshots[0][i] - 1 && snapshots[2][i] == snapshots[1][i] - 1) {
            if (tag_offset)
                return 0;
            tag_offset = i * sizeof snapshots[0][0];
        }
    return tag_offset;
}

int openmpi_next_tag(MPI_Comm comm) {
    int32_t tag = 0;
    if (next_tag_offset)
        memcpy(&tag, (const char *)comm + next_tag_offset, sizeof tag);
    return native_is_nonblocking(tag) ? tag : 0;
}

/* Finds the offset of an intercommunicator's local communicator. In the struct it follows the pointers to the local and
 * the remote group, which are equal in an ordinary communicator. */
static size_t find_local_comm(void) {
    MPI_Group group = MPI_GROUP_NULL;
    void *words[COMM_BYTES / sizeof(void *)];
    size_t comm_offset = 0;
    if (pmpi.Comm_group(MPI_COMM_SELF, &group) != MPI_SUCCESS)
        return 0;
    memcpy(words, MPI_COMM_SELF, sizeof words);
    for (size_t i = 0; i + 2 < sizeof words / sizeof *words && !comm_offset; i++)
        if (words[i] == (void *)group && words[i + 1] == (void *)group)
            comm_offset = (i + 2) * sizeof *words;
    pmpi.Group_free(&group);
    return comm_offset;
}

MPI_Comm openmpi_local_comm(MPI_Comm inter) {
    MPI_Comm local = MPI_COMM_NULL;
    if (local_comm_offset)
        memcpy(&local, (const char *)inter + local_comm_offset, sizeof local);
    return local ? local : MPI_COMM_NULL;
}

bool openmpi_prove(char *reason, size_t capacity) {
    size_t table_bytes = 0, function_bytes = 0;
    release = find_release();
    if (!release)
        return refuse(reason, capacity, "this release of Open MPI was not tested");
    table = data_symbol("mca_pml", &table_bytes);
    request_functions = data_symbol("ompi_request_functions", &function_bytes);
    openmpi_progress = (void (*)(void))mpi_table_of_library("opal_progress");
    if (!table || !request_functions || !openmpi_progress)
        return refuse(reason, capacity, "this Open MPI does not export its tables");
    if (table_bytes != release->table_bytes || function_bytes != REQUEST_FUNCTIONS * sizeof(void *))
        return refuse(reason, capacity, "Open MPI's tables have another size than in the release that was tested");
    if (!is_of_one_object())
        return refuse(reason, capacity, "another tool has already replaced functions of Open MPI");
    if (!find_layout() || !prove_callback())
        return refuse(reason, capacity, "a message to this process itself did not complete as expected");
    next_tag_offset = find_next_tag();
    local_comm_offset = find_local_comm();
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

static void store(void **slot, void *function) {
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
}

void openmpi_replace(const struct openmpi_functions *functions) {
    store(&table[release->receive], (void *)functions->receive);
    store(&table[release->start_receive], (void *)functions->start_receive);
    store(&table[release->send], (void *)functions->send);
    store(&table[release->start_send], (void *)functions->start_send);
    store(&table[release->prepare_receive], (void *)functions->prepare_receive);
    store(&table[release->prepare_send], (void *)functions->prepare_send);
    store(&table[release->start], (void *)functions->start);
    store(&table[release->add_comm], (void *)functions->add_comm);
    store(&table[release->del_comm], (void *)functions->del_comm);
    store(&request_functions[WAIT], (void *)functions->wait);
    store(&request_functions[WAIT_ANY], (void *)functions->wait_any);
    store(&request_functions[WAIT_ALL], (void *)functions->wait_all);
    store(&request_functions[WAIT_SOME], (void *)functions->wait_some);
}

void openmpi_restore(void) {
    openmpi_replace(&openmpi);
}
