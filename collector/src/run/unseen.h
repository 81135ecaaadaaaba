/* Whether the program's MPI_Init came by the collector. */
#ifndef HOPSCOPE_UNSEEN_H
#define HOPSCOPE_UNSEEN_H

/* It did. Else one line on stderr says at the end of a process that has used MPI why nothing was recorded. */
void unseen_not(void);

#endif
