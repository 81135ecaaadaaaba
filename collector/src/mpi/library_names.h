/* The names of the MPI library of this flavour, and the part of its file name that no other flavour has. */
#ifndef HOPSCOPE_LIBRARY_NAMES_H
#define HOPSCOPE_LIBRARY_NAMES_H

#include <mpi.h>

/* All parts of file names that only one flavour has. */
#define LIBRARY_FILE_PARTS "libmpi_abi"

/* LIBRARY_FILES: file names for the loader. LIBRARY_WORDS: the library's name in messages. LIBRARY_FILE_PART: the one
 * of LIBRARY_FILE_PARTS that its file name has; "": none. */
#ifdef OMPI_MPI_H
#define LIBRARY_FILES "libmpi.so.40"
#define LIBRARY_WORDS "Open MPI"
#define LIBRARY_FILE_PART ""
#elif defined(MPI_ABI)
/* Any library with the MPI standard's ABI. */
#define LIBRARY_FILES "libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"
#define LIBRARY_WORDS "one with the MPI standard's ABI"
#define LIBRARY_FILE_PART "libmpi_abi"
#else
/* MPICH and ABI-compatible libraries; Debian calls the file libmpich.so.12. */
#define LIBRARY_FILES "libmpich.so.12", "libmpi.so.12"
#define LIBRARY_WORDS "MPICH"
#define LIBRARY_FILE_PART ""
#endif

#endif
