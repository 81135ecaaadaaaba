/* Out of the way of a program whose MPI library is another one than this preload was built for. */
#ifndef HOPSCOPE_STEP_ASIDE_H
#define HOPSCOPE_STEP_ASIDE_H

/* Turns the references of all that is loaded from our definitions to those of that library, so that its calls no
 * longer come here: handles of other libraries have another width and cannot be handed on. Says why, in a line on
 * stderr of one rank of each host. Returns the library's own MPI_Init or MPI_Init_thread, by that name, to hand the one
 * call on to that has come here; NULL if there is no library. */
void *step_aside(const char *name, const char *why);

#endif
