/* Detects programs whose MPI_Init bypasses the collector. */
#ifndef HOPSCOPE_UNSEEN_H
#define HOPSCOPE_UNSEEN_H

/* MPI_Init reached the collector. Otherwise one line on stderr, at the end of a process that used MPI, gives the reason
 * why nothing was recorded. */
void unseen_dismiss(void);

#endif
