/* Options for the address sanitizer's runtime, if the program has none of its own. By default the runtime ends a
 * process in which another library is loaded before it, as the collector is. That check is not needed here: the
 * collector replaces no function that the runtime intercepts. */
const char *__asan_default_options(void);

__attribute__((visibility("default"), weak)) const char *__asan_default_options(void) {
    return "verify_asan_link_order=0";
}
