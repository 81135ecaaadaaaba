! Calls MPI through a subroutine of its own.
module heat
  implicit none
  include 'mpif.h'
contains
  subroutine total(x)
    double precision :: x, y
    integer :: e
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e) ! sum
    x = y
  end subroutine

  subroutine advance(x)
    double precision :: x
    call total(x) ! advance sums
    x = x + 1
  end subroutine

  subroutine finish(x)
    double precision :: x
    call total(x) ! finish sums
    x = x / 2
  end subroutine
end module

program own_wrappers
  use heat
  double precision :: x
  integer :: e
  x = 1
  call MPI_Init(e)
  call advance(x)
  call finish(x)
  call MPI_Finalize(e)
end program
