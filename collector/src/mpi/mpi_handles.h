/* Open MPI's predefined handles: the addresses of these data symbols of its library.
 *
 * X(symbol). Those of Open MPI 4.1's mpi.h except what MPI-3 removed, plus ompi_request_empty, the handle of requests
 * that complete at once. A symbol that a newer library lacks stays NULL: nobody can hold a handle that the library does
 * not have.
 */
#ifndef HOPSCOPE_MPI_HANDLES_H
#define HOPSCOPE_MPI_HANDLES_H

#define OPENMPI_HANDLES(X)                                                                                             \
    X(ompi_message_no_proc)                                                                                            \
    X(ompi_message_null)                                                                                               \
    X(ompi_mpi_2cplex)                                                                                                 \
    X(ompi_mpi_2dblcplex)                                                                                              \
    X(ompi_mpi_2dblprec)                                                                                               \
    X(ompi_mpi_2int)                                                                                                   \
    X(ompi_mpi_2integer)                                                                                               \
    X(ompi_mpi_2real)                                                                                                  \
    X(ompi_mpi_aint)                                                                                                   \
    X(ompi_mpi_byte)                                                                                                   \
    X(ompi_mpi_c_bool)                                                                                                 \
    X(ompi_mpi_c_double_complex)                                                                                       \
    X(ompi_mpi_c_float_complex)                                                                                        \
    X(ompi_mpi_c_long_double_complex)                                                                                  \
    X(ompi_mpi_char)                                                                                                   \
    X(ompi_mpi_character)                                                                                              \
    X(ompi_mpi_comm_null)                                                                                              \
    X(ompi_mpi_comm_self)                                                                                              \
    X(ompi_mpi_comm_world)                                                                                             \
    X(ompi_mpi_complex16)                                                                                              \
    X(ompi_mpi_complex32)                                                                                              \
    X(ompi_mpi_complex8)                                                                                               \
    X(ompi_mpi_count)                                                                                                  \
    X(ompi_mpi_cplex)                                                                                                  \
    X(ompi_mpi_cxx_bool)                                                                                               \
    X(ompi_mpi_cxx_cplex)                                                                                              \
    X(ompi_mpi_cxx_dblcplex)                                                                                           \
    X(ompi_mpi_cxx_ldblcplex)                                                                                          \
    X(ompi_mpi_datatype_null)                                                                                          \
    X(ompi_mpi_dblcplex)                                                                                               \
    X(ompi_mpi_dblprec)                                                                                                \
    X(ompi_mpi_double)                                                                                                 \
    X(ompi_mpi_double_int)                                                                                             \
    X(ompi_mpi_errhandler_null)                                                                                        \
    X(ompi_mpi_errors_are_fatal)                                                                                       \
    X(ompi_mpi_errors_return)                                                                                          \
    X(ompi_mpi_file_null)                                                                                              \
    X(ompi_mpi_float)                                                                                                  \
    X(ompi_mpi_float_int)                                                                                              \
    X(ompi_mpi_group_empty)                                                                                            \
    X(ompi_mpi_group_null)                                                                                             \
    X(ompi_mpi_info_env)                                                                                               \
    X(ompi_mpi_info_null)                                                                                              \
    X(ompi_mpi_int)                                                                                                    \
    X(ompi_mpi_int16_t)                                                                                                \
    X(ompi_mpi_int32_t)                                                                                                \
    X(ompi_mpi_int64_t)                                                                                                \
    X(ompi_mpi_int8_t)                                                                                                 \
    X(ompi_mpi_integer)                                                                                                \
    X(ompi_mpi_integer1)                                                                                               \
    X(ompi_mpi_integer16)                                                                                              \
    X(ompi_mpi_integer2)                                                                                               \
    X(ompi_mpi_integer4)                                                                                               \
    X(ompi_mpi_integer8)                                                                                               \
    X(ompi_mpi_logical)                                                                                                \
    X(ompi_mpi_logical1)                                                                                               \
    X(ompi_mpi_logical2)                                                                                               \
    X(ompi_mpi_logical4)                                                                                               \
    X(ompi_mpi_logical8)                                                                                               \
    X(ompi_mpi_long)                                                                                                   \
    X(ompi_mpi_long_double)                                                                                            \
    X(ompi_mpi_long_int)                                                                                               \
    X(ompi_mpi_long_long_int)                                                                                          \
    X(ompi_mpi_longdbl_int)                                                                                            \
    X(ompi_mpi_offset)                                                                                                 \
    X(ompi_mpi_op_band)                                                                                                \
    X(ompi_mpi_op_bor)                                                                                                 \
    X(ompi_mpi_op_bxor)                                                                                                \
    X(ompi_mpi_op_land)                                                                                                \
    X(ompi_mpi_op_lor)                                                                                                 \
    X(ompi_mpi_op_lxor)                                                                                                \
    X(ompi_mpi_op_max)                                                                                                 \
    X(ompi_mpi_op_maxloc)                                                                                              \
    X(ompi_mpi_op_min)                                                                                                 \
    X(ompi_mpi_op_minloc)                                                                                              \
    X(ompi_mpi_op_no_op)                                                                                               \
    X(ompi_mpi_op_null)                                                                                                \
    X(ompi_mpi_op_prod)                                                                                                \
    X(ompi_mpi_op_replace)                                                                                             \
    X(ompi_mpi_op_sum)                                                                                                 \
    X(ompi_mpi_packed)                                                                                                 \
    X(ompi_mpi_real)                                                                                                   \
    X(ompi_mpi_real16)                                                                                                 \
    X(ompi_mpi_real4)                                                                                                  \
    X(ompi_mpi_real8)                                                                                                  \
    X(ompi_mpi_short)                                                                                                  \
    X(ompi_mpi_short_int)                                                                                              \
    X(ompi_mpi_signed_char)                                                                                            \
    X(ompi_mpi_uint16_t)                                                                                               \
    X(ompi_mpi_uint32_t)                                                                                               \
    X(ompi_mpi_uint64_t)                                                                                               \
    X(ompi_mpi_uint8_t)                                                                                                \
    X(ompi_mpi_unsigned)                                                                                               \
    X(ompi_mpi_unsigned_char)                                                                                          \
    X(ompi_mpi_unsigned_long)                                                                                          \
    X(ompi_mpi_unsigned_long_long)                                                                                     \
    X(ompi_mpi_unsigned_short)                                                                                         \
    X(ompi_mpi_wchar)                                                                                                  \
    X(ompi_mpi_win_null)                                                                                               \
    X(ompi_request_null)                                                                                               \
    X(ompi_request_empty)

#endif
