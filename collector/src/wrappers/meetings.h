/* What makers of communicators know of their kind by heart. */
#ifndef HOPSCOPE_MEETINGS_H
#define HOPSCOPE_MEETINGS_H

#include <stdint.h>

/* Members give the same text, a tag or a port, which tells several communicators apart. NULL is as the empty text. */
uint64_t hash_of_text(const char *text);

#endif
