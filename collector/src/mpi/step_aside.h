/* Steps aside if this preload was built for another MPI library than the program's. */
#ifndef HOPSCOPE_STEP_ASIDE_H
#define HOPSCOPE_STEP_ASIDE_H

/* Redirects all loaded references from our definitions to those of the program's library, so that calls no longer come
 * here: handles of other libraries differ in width and cannot be passed on. One rank per host prints the reason on
 * stderr. Returns the library's own MPI_Init or MPI_Init_thread, by name, for the one call that has come here. NULL if
 * there is no library. */
void *step_aside(const char *name, const char *reason);

#endif
