/* The address sanitizer's runtime refuses a process where another library is loaded before it. The collector replaces
 * no function that the runtime intercepts, so the order does not matter to it. A program with options of its own keeps
 * them.
 */
const char *__asan_default_options(void);

__attribute__((visibility("default"), weak)) const char *__asan_default_options(void) {
    return "verify_asan_link_order=0";
}
