/* Takes the collector out of a process whose MPI library is not the one for which this preload was built. */
#ifndef HOPSCOPE_STEP_ASIDE_H
#define HOPSCOPE_STEP_ASIDE_H

/* Redirects all references to our definitions to those of the program's library, so that no further call reaches us.
 * Handles of other libraries differ in width, so we cannot pass calls on. One rank per host prints the reason on
 * stderr. name: MPI_Init or MPI_Init_thread, the one function whose call has reached us. Returns the library's
 * definition of it; NULL if there is no library. */
void *step_aside(const char *name, const char *reason);

#endif
