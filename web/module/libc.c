// What the module replaces of libc, so that it imports nothing: there is no environment, no file
// and no process.
#define _GNU_SOURCE
#include "libc.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void abort(void) {
  __builtin_trap();
}

void *malloc(size_t size) {
  return web_heap_take(size);
}

void free(void *memory) {
  web_heap_release(memory);
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    return NULL;
  void *memory = web_heap_take(bytes);
  return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

extern char __heap_base; // where the linker's data end

char *web_heap_grow(size_t size) {
  const size_t page = 65536;
  if (size == 0)
    return &__heap_base;
  // The first page of the heap may be partly there: it is never less than what is asked for.
  const size_t pages = (size + page - 1) / page;
  const size_t before = __builtin_wasm_memory_grow(0, pages);
  return before != (size_t)-1 ? (char *)((before + pages) * page) : NULL;
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
  return web_print(text, size, format, arguments);
}

int snprintf(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = web_print(text, size, format, arguments);
  va_end(arguments);
  return length;
}

// sinew_decimal_read() never asks for the end.
double strtod_l(const char *restrict text, char **restrict text_end, locale_t locale) {
  (void)text_end;
  (void)locale;
  return web_decimal_value(text);
}

double strtod(const char *restrict text, char **restrict text_end) {
  return strtod_l(text, text_end, NULL);
}

// There is the C locale only.
locale_t newlocale(int mask, const char *name, locale_t base) {
  static int c_locale;
  (void)mask;
  (void)name;
  (void)base;
  return (locale_t)&c_locale;
}

void freelocale(locale_t locale) {
  (void)locale;
}
