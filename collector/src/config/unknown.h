/* Variables that look like Hopscope's but do not exist. */
#ifndef HOPSCOPE_UNKNOWN_H
#define HOPSCOPE_UNKNOWN_H

/* Prints a line on stderr for each HOPSCOPE_* variable of the environment that is not in variables.h, with the most
 * similar known name. */
void config_tell_unknown(void);

#endif
