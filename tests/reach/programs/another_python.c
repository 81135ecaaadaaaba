/* When preloaded, it makes a Python claim to be the next release, whose frames have another layout. */
#include <stdlib.h>

extern const unsigned long Py_Version;
const unsigned long Py_Version = ANOTHER_VERSION;
