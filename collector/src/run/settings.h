/* Records the user's settings that choose the algorithms of the MPI library's own collectives. */
#ifndef HOPSCOPE_SETTINGS_H
#define HOPSCOPE_SETTINGS_H

/* Writes a definition for each setting in the environment or in the library. If the setting's value is the name of a
 * file, adds the file's text. Call it on one rank at the end of MPI_Init, when the library has read its settings. */
void settings_define(void);

#endif
