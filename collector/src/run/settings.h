/* The user's settings that choose the algorithms of the MPI library's own collectives. */
#ifndef HOPSCOPE_SETTINGS_H
#define HOPSCOPE_SETTINGS_H

/* Defines each setting that the environment or the library reports, with the text of the files that settings name. Call
 * it on one rank at the end of MPI_Init, because it reads the settings as they are at that time. Changes nothing. */
void settings_define(void);

#endif
