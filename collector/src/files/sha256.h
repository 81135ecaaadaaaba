/* SHA-256 (FIPS 180-4), which identifies files. */
#ifndef HOPSCOPE_SHA256_H
#define HOPSCOPE_SHA256_H

#include <stdbool.h>
#include <stddef.h>

enum { SHA256_TEXT = 65 }; /* hexadecimal, with the terminating NUL */

void sha256(const unsigned char *bytes, size_t size, char text[SHA256_TEXT]);
/* Computes a file's hash. Returns false, with errno, if the file cannot be read. */
bool sha256_of_file(const char *path, char text[SHA256_TEXT]);

#endif
