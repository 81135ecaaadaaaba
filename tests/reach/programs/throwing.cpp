/* C++ exceptions through and around MPI calls: out of the program's own error handler, inside an operation, past
 * incomplete messages, in destructors that call MPI while the stack unwinds, and in a thread. Runs on two ranks; each
 * prints the exceptions that it caught and the results of its sums. */
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

int rank, size;

struct Failed : std::runtime_error {
    explicit Failed(int code) : std::runtime_error("an MPI call failed") {
        MPI_Error_class(code, &error_class);
    }
    int error_class = 0;
};

void throws(MPI_Comm *, int *code, ...) {
    throw Failed(*code);
}

/* A communicator whose errors are exceptions. The end of its scope frees it. */
class Communicator {
  public:
    explicit Communicator(MPI_Comm parent) {
        MPI_Errhandler handler;
        MPI_Comm_dup(parent, &comm);
        MPI_Comm_create_errhandler(throws, &handler);
        MPI_Comm_set_errhandler(comm, handler);
        MPI_Errhandler_free(&handler);
    }
    ~Communicator() {
        MPI_Barrier(MPI_COMM_WORLD); /* members leave together */
        MPI_Comm_free(&comm);
    }
    Communicator(const Communicator &) = delete;
    Communicator &operator=(const Communicator &) = delete;
    MPI_Comm comm = MPI_COMM_NULL;
};

/* Waits for incomplete requests when its scope ends, normally or by an exception. */
class Pending {
  public:
    ~Pending() {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    std::vector<MPI_Request> requests;
};

int sum_of_all(MPI_Comm comm) {
    int sum = 0, value = rank + 1;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* Receives a message that is too long, which every MPI library detects. */
void receive_too_much(MPI_Comm comm, int partner) {
    int sent[4] = {1, 2, 3, 4}, buffer[1] = {0};
    Pending pending;
    pending.requests.resize(1);
    MPI_Isend(sent, 4, MPI_INT, partner, 5, comm, &pending.requests[0]);
    MPI_Recv(buffer, 1, MPI_INT, partner, 5, comm, MPI_STATUS_IGNORE);
}

void out_of_a_message(MPI_Comm comm) {
    for (int i = 0; i < 3; i++) {
        try {
            receive_too_much(comm, 1 - rank);
            std::printf("%d nothing thrown\n", rank);
        } catch (const Failed &failed) {
            std::printf("%d message: truncated %d\n", rank, failed.error_class == MPI_ERR_TRUNCATE);
        }
        std::printf("%d sum %d\n", rank, sum_of_all(comm));
    }
}

/* Rank 1 has room for half of the data. The communicator is unusable afterwards. */
void out_of_a_collective() {
    int values[8] = {0};
    try {
        Communicator duplicate(MPI_COMM_WORLD);
        sum_of_all(duplicate.comm);
        MPI_Bcast(values, rank == 0 ? 8 : 4, MPI_INT, 0, duplicate.comm);
        std::printf("%d broadcast without an error\n", rank);
    } catch (const Failed &) {
        std::printf("%d broadcast failed\n", rank);
    }
}

void adds_with_exceptions(void *operand, void *inout, int *count, MPI_Datatype *) {
    for (int i = 0; i < *count; i++) {
        try {
            throw static_cast<int *>(operand)[i];
        } catch (int value) {
            static_cast<int *>(inout)[i] += value;
        }
    }
}

void inside_an_operation(MPI_Comm comm) {
    MPI_Op op;
    int values[3] = {rank, 10 * rank, 7}, sum[3] = {0};
    MPI_Op_create(adds_with_exceptions, 1, &op);
    MPI_Allreduce(values, sum, 3, MPI_INT, op, comm);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : sum, sum, 3, MPI_INT, op, 0, comm);
    MPI_Op_free(&op);
    std::printf("%d by an operation %d %d %d\n", rank, sum[0], sum[1], sum[2]);
}

void past_what_is_under_way(MPI_Comm comm) {
    int value = -1, sum = 0;
    try {
        Pending pending;
        pending.requests.resize(3);
        MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 6, comm, &pending.requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 6, comm, &pending.requests[1]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &pending.requests[2]);
        receive_too_much(comm, 1 - rank);
    } catch (const Failed &) {
        std::printf("%d while messages were under way: got %d, sum %d\n", rank, value, sum);
    }
}

void in_a_thread() {
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            Communicator duplicate(MPI_COMM_SELF);
            receive_too_much(duplicate.comm, 0);
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    try {
        std::rethrow_exception(thrown);
    } catch (const Failed &failed) {
        std::printf("%d from a thread: truncated %d\n", rank, failed.error_class == MPI_ERR_TRUNCATE);
    }
}

} // namespace

int main(int argc, char **argv) {
    int provided;
    bool threads = argc > 1; /* some MPI libraries may not permit it: a thread that throws keeps their lock */
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    {
        Communicator duplicate(MPI_COMM_WORLD);
        out_of_a_message(duplicate.comm);
        inside_an_operation(duplicate.comm);
        past_what_is_under_way(duplicate.comm);
    }
    out_of_a_collective();
    if (threads && provided == MPI_THREAD_MULTIPLE)
        in_a_thread();
    std::printf("%d sum at the end %d\n", rank, sum_of_all(MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
