/* Variables that look like Hopscope's and are not. */
#ifndef HOPSCOPE_UNKNOWN_H
#define HOPSCOPE_UNKNOWN_H

/* For each HOPSCOPE_* of the environment that is not in variables.h one line on stderr, with the name that is probably
 * meant. */
void config_tell_unknown(void);

#endif
