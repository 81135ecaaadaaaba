/* Preloaded, it makes a Python say that it is the release after it, whose frames are laid out otherwise. */
#include <stdlib.h>

extern const unsigned long Py_Version;
const unsigned long Py_Version = ANOTHER_VERSION;
