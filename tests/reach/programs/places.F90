module heat
  implicit none
  include 'mpif.h'
contains
  subroutine advance(x)
    double precision :: x, y
    integer :: e
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e) ! here
    x = y
  end subroutine
end module

program places
  use heat
  double precision :: x
  integer :: e
  x = 1
  call MPI_Init(e)
  call advance(x)
  call MPI_Finalize(e)
end program
