/* Tests of the JSON reader: accepted and rejected texts, and the position of a reported error. No MPI. */
#include "json/json.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

/* Parses a heap copy of the exact size, so that a sanitizer detects a read beyond its end. */
static struct json *parse(const char *text, struct json_error *error) {
    size_t length = strlen(text);
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    struct json *value = json_parse(copy, length, error);
    free(copy);
    return value;
}

static void refuses(const char *text, int line, int column, const char *part) {
    struct json_error error;
    struct json *value = parse(text, &error);
    if (value || error.line != line || error.column != column || !strstr(error.message, part)) {
        fprintf(stderr, "%s: expected %d:%d ...%s..., got %d:%d %s\n", text, line, column, part, error.line,
                error.column, value ? "a value" : error.message);
        failures++;
    }
    json_free(value);
}

static void values_have_types_and_places(void) {
    struct json_error error;
    struct json *v = parse("{\"a\": [1, -2.5, 1e3, true],\n  \"\xC3\xA4\": null, \"s\": \"x\"}", &error);
    CHECK(v && v->type == JSON_OBJECT && v->length == 3);
    const struct json *a = json_get(v, "a");
    CHECK(a && a->type == JSON_ARRAY && a->length == 4 && a->line == 1 && a->column == 7);
    CHECK(a->items[0].is_integer && a->items[0].integer == 1);
    CHECK(!a->items[1].is_integer && a->items[1].number == -2.5);
    CHECK(!a->items[2].is_integer && a->items[2].number == 1000);
    CHECK(a->items[3].type == JSON_BOOL && a->items[3].boolean);
    const struct json *umlaut = json_get(v, "\xC3\xA4");
    CHECK(umlaut && umlaut->type == JSON_NULL && umlaut->line == 2 && umlaut->column == 8);
    CHECK(!json_get(v, "b") && !json_get(a, "a") && !json_get(NULL, "a"));
    CHECK(strcmp(v->keys[2], "s") == 0);
    json_free(v);
    json_free(NULL);
}

static void integers_keep_64_bits(void) {
    struct json *v = parse("[9223372036854775807, -9223372036854775808, 9223372036854775808, 1e400, -0]", NULL);
    CHECK(v && v->items[0].is_integer && v->items[0].integer == INT64_MAX);
    CHECK(v && v->items[1].is_integer && v->items[1].integer == INT64_MIN);
    CHECK(v && !v->items[2].is_integer && v->items[2].number == 9223372036854775808.0);
    CHECK(v && !v->items[3].is_integer);
    CHECK(v && v->items[4].is_integer && v->items[4].integer == 0);
    json_free(v);
}

static void strings_are_decoded(void) {
    struct json *v = parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e4\\u20AC\\uD83D\\uDE00\"", NULL);
    CHECK(v && strcmp(v->string, "\"\\/\b\f\n\r\tA\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") == 0);
    CHECK(v && v->length == strlen(v->string));
    json_free(v);
}

static void numbers_do_not_depend_on_the_locale(void) {
    /* If no such locale is installed, this only repeats the check in the C locale. */
    setlocale(LC_ALL, "de_DE.UTF-8");
    struct json *v = parse("1.5", NULL);
    CHECK(v && v->number == 1.5);
    json_free(v);
    setlocale(LC_ALL, "C");
}

static void errors_say_where(void) {
    refuses("", 1, 1, "expected a value, but the text ends here");
    refuses("{\"a\": 1,\n \"b\" 2}", 2, 6, "expected ':', found '2'");
    refuses("[1, 2", 1, 6, "expected ',' or ']', but the text ends here");
    refuses("[1, 2,]", 1, 7, "expected a value, found ']'");
    refuses("{a: 1}", 1, 2, "expected a key in double quotes, found 'a'");
    refuses("{\"a\": 1,\n\"b\": 2, \"a\": 3}", 2, 14, "duplicate key \"a\"");
    refuses("01", 1, 3, "zero");
    refuses("1.", 1, 3, "a digit");
    refuses("-", 1, 2, "a digit");
    refuses("nul", 1, 1, "a value");
    refuses("1 2", 1, 3, "the end of the text");
    refuses("\"a\nb\"", 1, 3, "control character");
    refuses("\"abc", 1, 5, "inside a string");
    refuses("\"abc\\", 1, 6, "inside a string");
    refuses("\"\\x\"", 1, 3, "unknown escape");
    refuses("\"\\u12g4\"", 1, 6, "hexadecimal");
    refuses("\"\\ud800\"", 1, 8, "surrogate");
    refuses("\"\\ud800\\u0041\"", 1, 14, "surrogate");
    refuses("\"\\udc00\"", 1, 8, "surrogate");
    refuses("\"\\u0000\"", 1, 8, "\\u0000");
    refuses("\"\xC0\x80\"", 1, 2, "UTF-8");
    refuses("\"\xED\xA0\x80\"", 1, 2, "UTF-8");
}

static void depth_is_limited(void) {
    char deep[2001];
    memset(deep, '[', 2000);
    deep[2000] = '\0';
    refuses(deep, 1, 129, "too deeply");
}

static void quoting_round_trips(void) {
    const char *text = "a\"b\\c\n\t\x01 \xC3\xA4 \xF0\x9F\x98\x80";
    char quoted[200], small[5];
    size_t length = json_quote(quoted, sizeof quoted, text);
    CHECK(length == strlen(quoted));
    struct json *v = parse(quoted, NULL);
    CHECK(v && strcmp(v->string, text) == 0);
    json_free(v);
    CHECK(json_quote(small, sizeof small, text) == length && strlen(small) == 4);
    CHECK(json_quote(NULL, 0, text) == length);
    json_quote(quoted, sizeof quoted, "x\xFFy");
    CHECK(strcmp(quoted, "\"x\\ufffdy\"") == 0);
}

int main(void) {
    values_have_types_and_places();
    integers_keep_64_bits();
    strings_are_decoded();
    numbers_do_not_depend_on_the_locale();
    errors_say_where();
    depth_is_limited();
    quoting_round_trips();
    if (failures)
        fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}
