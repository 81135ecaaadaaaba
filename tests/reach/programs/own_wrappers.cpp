/* Calls MPI through inline functions, which the compiler inlines or not. */
#include <mpi.h>
#include <stdexcept>

namespace comm {
inline void barrier() {
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) /* barrier */
        throw std::runtime_error("barrier");
}

template <typename Value> inline Value sum(Value value, MPI_Datatype type) {
    Value total;
    MPI_Allreduce(&value, &total, 1, type, MPI_SUM, MPI_COMM_WORLD); /* sum */
    return total;
}
} // namespace comm

__attribute__((noinline)) double step(double value) {
    comm::barrier();                         /* step waits */
    return 1 + comm::sum(value, MPI_DOUBLE); /* step sums */
}

__attribute__((noinline)) double finish(double value) {
    value = 2 + comm::sum(value, MPI_DOUBLE); /* finish sums */
    comm::barrier();                          /* finish waits */
    return value;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    double value = finish(step(1));
    MPI_Finalize();
    return value < 0;
}
