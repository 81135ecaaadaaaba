/* Detects programs whose MPI_Init bypasses the collector. */
#ifndef HOPSCOPE_UNSEEN_H
#define HOPSCOPE_UNSEEN_H

/* Call it when MPI_Init has reached the collector. Without this call, a process that used MPI prints one line on stderr
 * when it ends, with the reason why nothing was recorded. */
void unseen_dismiss(void);

#endif
