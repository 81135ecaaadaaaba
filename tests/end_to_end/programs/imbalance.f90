! Rank 1 works 7 ms before each Allreduce, and the others 5 ms. Work is sleep, so that ranks may share cores.
program imbalance
    use mpi
    use iso_c_binding, only: c_int
    implicit none
    interface
        function usleep(microseconds) bind(c) result(code)
            import :: c_int
            integer(c_int), value :: microseconds
            integer(c_int) :: code
        end function
    end interface
    integer :: rank, error, iteration
    integer(c_int) :: code
    double precision :: part, whole
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    do iteration = 1, 30
        code = usleep(merge(7000, 5000, rank == 1))
        part = rank
        call MPI_Allreduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    call MPI_Finalize(error)
end program
