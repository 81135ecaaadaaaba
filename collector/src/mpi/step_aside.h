/* Steps aside if this preload was built for another MPI library than the program's. */
#ifndef HOPSCOPE_STEP_ASIDE_H
#define HOPSCOPE_STEP_ASIDE_H

/* Redirects all loaded references from our definitions to that library's, so that calls no longer come here: handles of
 * other libraries differ in width and cannot be passed on. Prints the reason, in a line on stderr of one rank per host.
 * Returns the library's own MPI_Init or MPI_Init_thread, by name, for the one call that has come here. NULL if there is
 * no library. */
void *step_aside(const char *name, const char *reason);

#endif
