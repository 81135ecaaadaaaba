/* What the user asked of the MPI library's own collectives: the settings that choose their algorithms. */
#ifndef HOPSCOPE_SETTINGS_H
#define HOPSCOPE_SETTINGS_H

/* Defines each setting that the environment or the library says was made, with the text of the files that settings
 * name. As they are now: call it at the end of MPI_Init, on one rank. Changes nothing. */
void settings_define(void);

#endif
