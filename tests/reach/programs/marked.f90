! Marks the phases of a Fortran program, as marked.c does.
program marked
    use mpi
    use hopscope_region
    implicit none
    integer :: rank, total, i, ierror
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    do i = 1, 5
        call region_begin("solve")
        call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        call region_begin("output")
        call region_end("output")
        call region_end("solve")
    end do
    write (*, '(a, i0)') "sum ", total
    call MPI_Finalize(ierror)
end program
