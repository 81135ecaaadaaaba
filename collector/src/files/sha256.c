#include "files/sha256.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64, ROUNDS = 64, WORDS = 8 };

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static uint32_t big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void add_block(uint32_t hash[WORDS], const unsigned char *bytes) {
    uint32_t w[ROUNDS], v[WORDS];
    for (int i = 0; i < 16; i++)
        w[i] = big_endian(bytes + (size_t)i * 4);
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
    }
    memcpy(v, hash, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t first = v[7] + (rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25)) + choice +
                         constants[i] + w[i];
        uint32_t second = (rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22)) + majority;
        memmove(v + 1, v, (WORDS - 1) * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < WORDS; i++)
        hash[i] += v[i];
}

void sha256(const unsigned char *bytes, size_t size, char text[SHA256_TEXT]) {
    /* The first 32 bits of the fractions of the square roots of the first eight primes. */
    uint32_t hash[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t whole = size / BLOCK * BLOCK, rest = size - whole;
    for (size_t offset = 0; offset < whole; offset += BLOCK)
        add_block(hash, bytes + offset);
    /* The padding: a single bit, zeros, and the number of bits. */
    unsigned char last[2 * BLOCK] = {0};
    size_t length = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    if (rest)
        memcpy(last, bytes + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[length - 1 - i] = (unsigned char)((uint64_t)size * 8 >> (8 * i));
    for (size_t offset = 0; offset < length; offset += BLOCK)
        add_block(hash, last + offset);
    for (int i = 0; i < WORDS; i++)
        snprintf(text + (size_t)i * 8, 9, "%08x", hash[i]);
}

bool sha256_of_file(const char *path, char text[SHA256_TEXT]) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool has_status = fstat(file, &status) == 0;
    size_t size = has_status ? (size_t)status.st_size : 0;
    const unsigned char *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (!has_status || bytes == MAP_FAILED)
        return false;
    sha256(bytes, size, text);
    if (size)
        munmap((void *)bytes, size);
    return true;
}
