/* Clocks that are wrong on purpose, for tests: hosts that are namespaces of one machine share its true clock. */
#ifndef HOPSCOPE_CLOCK_SKEW_H
#define HOPSCOPE_CLOCK_SKEW_H

#include "run/machines.h"

/* skew: HOPSCOPE_CLOCK_SKEW, "host:offset_ns:ppm,..."; NULL: none. Every host then counts as a machine with a clock of
 * its own, that of a named one wrong by so much now and gaining so much per million. Of a text that is none of the kind
 * nothing is taken, with a line on stderr if `speak`. */
void clock_skew_apply(const char *skew, struct machines *machines, bool speak);

/* Once all hosts are known: names those that the text has and the job has not. */
void clock_skew_tell_unknown(const char *skew, const struct machines *machines);

#endif
