/* Hashes of texts and numbers, equal in the preloaded library and in the program that assembles its spools. */
#ifndef HOPSCOPE_HASH_H
#define HOPSCOPE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xCBF29CE484222325u

/* FNV-1a. Start with HASH_START or with the hash of the preceding bytes. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
    return hash;
}

/* hash_bytes for a text. NULL counts as empty. */
static inline uint64_t hash_text(uint64_t hash, const char *text) {
    for (; text && *text; text++)
        hash = hash_bytes(hash, text, 1);
    return hash;
}

/* Combines two words into one, with the finaliser of SplitMix64 (Steele, Lea, Flood 2014). Every bit of the input
 * affects all bits of the result. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word) {
    uint64_t x = (hash ^ word) + 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static inline uint64_t hash_mix_ranks(uint64_t hash, const int *ranks, int count) {
    hash = hash_mix(hash, (uint64_t)count);
    for (int i = 0; i < count; i++)
        hash = hash_mix(hash, (uint64_t)ranks[i]);
    return hash;
}

#endif
