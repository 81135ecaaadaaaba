/* The nonblocking forms of all collectives: see collective_forms.h. */
#define NONBLOCKING
#include "wrappers/collectives.c"
#include "wrappers/neighborhoods.c"
