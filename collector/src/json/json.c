/* The JSON reader: one pass, recursive descent, depth-limited. Every value knows its line and column. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l: the application may have set a locale whose decimal point is a comma */
#endif
#include "json/json.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/utf8.h"

enum { MAX_DEPTH = 128 };

struct parser {
    const char *cursor, *end;
    const char *counted_end; /* `line` and `column` are the position of this character */
    int line, column;        /* from 1; a column is a character, not a byte */
    locale_t c_locale;
    struct json_error *error;
    bool failed;
};

static void count_to(struct parser *p, const char *position) {
    for (; p->counted_end < position; p->counted_end++) {
        if (*p->counted_end == '\n') {
            p->line++;
            p->column = 1;
        } else if (((unsigned char)*p->counted_end & 0xC0) != 0x80) {
            p->column++;
        }
    }
}

/* Reports the first error and ignores later ones, which are its consequences. Returns false. */
__attribute__((format(printf, 4, 5))) static bool fail_at(struct parser *p, int line, int column, const char *format,
                                                          ...) {
    if (p->failed)
        return false;
    p->failed = true;
    if (p->error) {
        p->error->line = line;
        p->error->column = column;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(p->error->message, sizeof p->error->message, format, arguments);
        va_end(arguments);
    }
    return false;
}

static bool fail(struct parser *p, const char *message) {
    count_to(p, p->cursor);
    return fail_at(p, p->line, p->column, "%s", message);
}

static bool unexpected(struct parser *p, const char *expectation) {
    count_to(p, p->cursor);
    if (p->cursor == p->end)
        return fail_at(p, p->line, p->column, "expected %s, but the text ends here", expectation);
    unsigned char c = (unsigned char)*p->cursor;
    if (c > ' ' && c < 0x7F)
        return fail_at(p, p->line, p->column, "expected %s, found '%c'", expectation, c);
    return fail_at(p, p->line, p->column, "expected %s, found byte 0x%02x", expectation, c);
}

static void skip_space(struct parser *p) {
    while (p->cursor < p->end && (*p->cursor == ' ' || *p->cursor == '\t' || *p->cursor == '\n' || *p->cursor == '\r'))
        p->cursor++;
}

static bool at_digit(const struct parser *p) {
    return p->cursor < p->end && *p->cursor >= '0' && *p->cursor <= '9';
}

static char *put_utf8(char *target, uint32_t c) {
    if (c < 0x80) {
        *target++ = (char)c;
    } else if (c < 0x800) {
        *target++ = (char)(0xC0 | (c >> 6));
        *target++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *target++ = (char)(0xE0 | (c >> 12));
        *target++ = (char)(0x80 | ((c >> 6) & 0x3F));
        *target++ = (char)(0x80 | (c & 0x3F));
    } else {
        *target++ = (char)(0xF0 | (c >> 18));
        *target++ = (char)(0x80 | ((c >> 12) & 0x3F));
        *target++ = (char)(0x80 | ((c >> 6) & 0x3F));
        *target++ = (char)(0x80 | (c & 0x3F));
    }
    return target;
}

/* Reads four hexadecimal digits at the cursor. */
static bool parse_hex4(struct parser *p, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < 4; i++, p->cursor++) {
        char c = p->cursor < p->end ? *p->cursor : '\0';
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A' + 10);
        else
            return fail(p, "\\u needs four hexadecimal digits");
        *value = *value << 4 | digit;
    }
    return true;
}

/* Reads the digits after "\u". */
static bool parse_unicode_escape(struct parser *p, char **target) {
    uint32_t c, low;
    if (!parse_hex4(p, &c))
        return false;
    if (c == 0)
        return fail(p, "a string cannot hold the character \\u0000");
    if (c >= 0xDC00 && c <= 0xDFFF)
        return fail(p, "this is the second half of a surrogate pair; the first is missing");
    if (c >= 0xD800 && c <= 0xDBFF) {
        if (p->end - p->cursor < 2 || p->cursor[0] != '\\' || p->cursor[1] != 'u')
            return fail(p, "this is the first half of a surrogate pair; the second is missing");
        p->cursor += 2;
        if (!parse_hex4(p, &low))
            return false;
        if (low < 0xDC00 || low > 0xDFFF)
            return fail(p, "this is the first half of a surrogate pair; the second is missing");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    *target = put_utf8(*target, c);
    return true;
}

static bool parse_escape(struct parser *p, char **target) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (p->cursor == p->end)
        return fail(p, "the text ends inside a string");
    char c = *p->cursor;
    if (c == 'u') {
        p->cursor++;
        return parse_unicode_escape(p, target);
    }
    const char *name = c ? strchr(names, c) : NULL;
    if (!name)
        return fail(p, "unknown escape sequence");
    p->cursor++;
    *(*target)++ = values[name - names];
    return true;
}

/* Reads a string from its opening quote on. Returns the characters, NUL-terminated, or NULL after an error. The caller
 * frees them. */
static char *parse_string(struct parser *p, size_t *length) {
    /* An escape never expands, so the raw text up to the closing quote bounds the length. */
    const char *close = ++p->cursor;
    while (close < p->end && *close != '"')
        close += *close == '\\' && close + 1 < p->end ? 2 : 1;
    char *text = malloc((size_t)(close - p->cursor) + 1), *target = text;
    if (!text) {
        fail(p, "out of memory");
        return NULL;
    }
    for (;;) {
        if (p->cursor == p->end) {
            fail(p, "the text ends inside a string");
            break;
        }
        unsigned char c = (unsigned char)*p->cursor;
        if (c == '"') {
            p->cursor++;
            *target = '\0';
            *length = (size_t)(target - text);
            return text;
        }
        if (c == '\\') {
            p->cursor++;
            if (!parse_escape(p, &target))
                break;
            continue;
        }
        if (c < 0x20) {
            fail(p, "a control character inside a string must be escaped");
            break;
        }
        size_t bytes = utf8_length((const unsigned char *)p->cursor, (size_t)(p->end - p->cursor));
        if (bytes == 0) {
            fail(p, "the text is not UTF-8");
            break;
        }
        memcpy(target, p->cursor, bytes);
        target += bytes;
        p->cursor += bytes;
    }
    free(text);
    return NULL;
}

static bool parse_digits(struct parser *p) {
    if (!at_digit(p))
        return unexpected(p, "a digit");
    while (at_digit(p))
        p->cursor++;
    return true;
}

static bool parse_number(struct parser *p, struct json *value) {
    const char *begin = p->cursor;
    bool integer = true, negative = *p->cursor == '-';
    if (negative)
        p->cursor++;
    const char *digits = p->cursor;
    if (!parse_digits(p))
        return false;
    if (*digits == '0' && p->cursor - digits > 1)
        return fail(p, "a number must not begin with a zero");
    if (p->cursor < p->end && *p->cursor == '.') {
        integer = false;
        p->cursor++;
        if (!parse_digits(p))
            return false;
    }
    if (p->cursor < p->end && (*p->cursor == 'e' || *p->cursor == 'E')) {
        integer = false;
        p->cursor++;
        if (p->cursor < p->end && (*p->cursor == '+' || *p->cursor == '-'))
            p->cursor++;
        if (!parse_digits(p))
            return false;
    }
    value->type = JSON_NUMBER;
    /* strtod needs a NUL-terminated text, so convert a copy. */
    char small[64], *copy = small;
    size_t length = (size_t)(p->cursor - begin);
    if (length >= sizeof small && !(copy = malloc(length + 1)))
        return fail(p, "out of memory");
    memcpy(copy, begin, length);
    copy[length] = '\0';
    value->number = strtod_l(copy, NULL, p->c_locale);
    if (copy != small)
        free(copy);
    uint64_t magnitude = 0;
    const char *digits_end = integer ? p->cursor : digits;
    for (const char *d = digits; d < digits_end; d++) {
        uint64_t digit = (uint64_t)(*d - '0');
        if (magnitude > (UINT64_MAX - digit) / 10) {
            integer = false;
            break;
        }
        magnitude = magnitude * 10 + digit;
    }
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    value->is_integer = integer && magnitude <= limit;
    if (value->is_integer)
        value->integer = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

static bool parse_word(struct parser *p, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(p->end - p->cursor) < length || memcmp(p->cursor, word, length) != 0)
        return unexpected(p, "a value");
    p->cursor += length;
    return true;
}

/* Makes room for one more member. */
static bool grow(struct parser *p, struct json *value, size_t *capacity) {
    if (value->length < *capacity)
        return true;
    size_t new_capacity = *capacity ? *capacity * 2 : 4;
    struct json *items = realloc(value->items, new_capacity * sizeof *items);
    if (!items)
        return fail(p, "out of memory");
    value->items = items;
    if (value->type == JSON_OBJECT) {
        char **keys = realloc(value->keys, new_capacity * sizeof *keys);
        if (!keys)
            return fail(p, "out of memory");
        value->keys = keys;
    }
    *capacity = new_capacity;
    return true;
}

static int compare_keys(const void *a, const void *b) {
    char *const *x = *(char *const *const *)a, *const *y = *(char *const *const *)b;
    int order = strcmp(*x, *y);
    return order ? order : (x > y) - (x < y);
}

/* Sorts instead of comparing all pairs, so that a hostile file cannot make it slow. */
static bool refuse_duplicates(struct parser *p, const struct json *object) {
    if (object->length < 2)
        return true;
    char ***sorted = malloc(object->length * sizeof *sorted);
    if (!sorted)
        return fail(p, "out of memory");
    for (size_t i = 0; i < object->length; i++)
        sorted[i] = &object->keys[i];
    qsort(sorted, object->length, sizeof *sorted, compare_keys);
    for (size_t i = 1; i < object->length; i++) {
        if (strcmp(*sorted[i - 1], *sorted[i]) == 0) {
            const struct json *second = &object->items[sorted[i] - object->keys];
            fail_at(p, second->line, second->column, "duplicate key \"%.60s\"", *sorted[i]);
            break;
        }
    }
    free(sorted);
    return !p->failed;
}

static bool parse_value(struct parser *p, struct json *value, int depth);

/* Parses one `"key":` of an object and appends the key; the value follows. */
static bool parse_key(struct parser *p, struct json *object) {
    if (p->cursor == p->end || *p->cursor != '"')
        return unexpected(p, "a key in double quotes");
    size_t length;
    char *key = parse_string(p, &length);
    if (!key)
        return false;
    object->keys[object->length] = key;
    object->items[object->length] = (struct json){0};
    object->length++; /* from here on json_free frees the key */
    skip_space(p);
    if (p->cursor == p->end || *p->cursor != ':')
        return unexpected(p, "':'");
    p->cursor++;
    return true;
}

/* Reads an array or object from its opening bracket on. */
static bool parse_container(struct parser *p, struct json *value, int depth) {
    bool object = *p->cursor == '{';
    char close = object ? '}' : ']';
    if (depth >= MAX_DEPTH)
        return fail(p, "arrays and objects are nested too deeply");
    value->type = object ? JSON_OBJECT : JSON_ARRAY;
    p->cursor++;
    skip_space(p);
    if (p->cursor < p->end && *p->cursor == close) {
        p->cursor++;
        return true;
    }
    size_t capacity = 0;
    for (;;) {
        skip_space(p);
        if (!grow(p, value, &capacity))
            return false;
        if (object) {
            if (!parse_key(p, value))
                return false;
        } else {
            value->items[value->length++] = (struct json){0};
        }
        if (!parse_value(p, &value->items[value->length - 1], depth + 1))
            return false;
        skip_space(p);
        if (p->cursor < p->end && *p->cursor == ',') {
            p->cursor++;
            continue;
        }
        if (p->cursor == p->end || *p->cursor != close)
            return unexpected(p, object ? "',' or '}'" : "',' or ']'");
        p->cursor++;
        return object ? refuse_duplicates(p, value) : true;
    }
}

static bool parse_value(struct parser *p, struct json *value, int depth) {
    skip_space(p);
    count_to(p, p->cursor);
    value->line = p->line;
    value->column = p->column;
    if (p->cursor == p->end)
        return unexpected(p, "a value");
    switch (*p->cursor) {
    case '{':
    case '[':
        return parse_container(p, value, depth);
    case '"':
        value->type = JSON_STRING;
        value->string = parse_string(p, &value->length);
        return value->string != NULL;
    case 't':
        value->type = JSON_BOOL;
        value->boolean = true;
        return parse_word(p, "true");
    case 'f':
        value->type = JSON_BOOL;
        return parse_word(p, "false");
    case 'n':
        return parse_word(p, "null");
    default:
        if (*p->cursor == '-' || at_digit(p))
            return parse_number(p, value);
        return unexpected(p, "a value");
    }
}

struct json *json_parse(const char *text, size_t length, struct json_error *error) {
    if (error)
        *error = (struct json_error){0};
    struct parser p = {
        .cursor = text, .end = text + length, .counted_end = text, .line = 1, .column = 1, .error = error};
    struct json *value = calloc(1, sizeof *value);
    p.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!value || !p.c_locale) {
        fail(&p, "out of memory");
        goto out;
    }
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        p.cursor = p.counted_end = text + 3;
    if (parse_value(&p, value, 0)) {
        skip_space(&p);
        if (p.cursor != p.end)
            unexpected(&p, "the end of the text");
    }
out:
    if (p.c_locale)
        freelocale(p.c_locale);
    if (!p.failed)
        return value;
    json_free(value);
    return NULL;
}

static void release_members(struct json *value) {
    if (value->type == JSON_ARRAY || value->type == JSON_OBJECT) {
        for (size_t i = 0; i < value->length; i++) {
            release_members(&value->items[i]);
            if (value->keys)
                free(value->keys[i]);
        }
    }
    free(value->keys);
    free(value->items);
    free(value->string);
}

void json_free(struct json *value) {
    if (!value)
        return;
    release_members(value);
    free(value);
}

const struct json *json_get(const struct json *object, const char *key) {
    if (!object || object->type != JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->length; i++)
        if (strcmp(object->keys[i], key) == 0)
            return &object->items[i];
    return NULL;
}
