/* Whether the program's MPI_Init reached the collector. */
#ifndef HOPSCOPE_UNSEEN_H
#define HOPSCOPE_UNSEEN_H

/* It did. Otherwise one line on stderr, at the end of a process that used MPI, says why nothing was recorded. */
void unseen_not(void);

#endif
