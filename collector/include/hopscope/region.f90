! Regions that a Fortran program defines in its traces. Compile this file with the program, and write
!
!     use hopscope_region
!     call region_begin("solve")
!     ...
!     call region_end("solve")
!
! There is nothing to link; without the collector the calls do nothing. hopscope/region.h explains them.
module hopscope_region
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: region_begin, region_end

    abstract interface
        subroutine region_function(name) bind(C)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
    end interface

    interface
        ! libc's dlsym. The result is declared as a function's address, because this file looks up only functions.
        function look_up(handle, symbol) bind(C, name="dlsym") result(found)
            import :: c_ptr, c_char, c_funptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: symbol(*)
            type(c_funptr) :: found
        end function
    end interface

contains

    subroutine region_begin(name)
        character(len=*), intent(in) :: name
        call hand_on("hopscope_region_begin", name)
    end subroutine

    subroutine region_end(name)
        character(len=*), intent(in) :: name
        call hand_on("hopscope_region_end", name)
    end subroutine

    subroutine hand_on(symbol, name)
        character(len=*), intent(in) :: symbol, name
        procedure(region_function), pointer :: call_it
        type(c_funptr) :: found
        found = look_up(c_null_ptr, symbol // c_null_char)
        if (.not. c_associated(found)) return
        call c_f_procpointer(found, call_it)
        call call_it(trim(name) // c_null_char)
    end subroutine

end module
