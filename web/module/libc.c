// What the module replaces of libc, so that it imports nothing: there is no environment, no file
// and no process.
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void abort(void) {
  __builtin_trap();
}

// libc prints on stderr, before it stops, that it was linked without long double.

char __stderr_FILE[256];

int fputs(const char *text, FILE *file) {
  (void)text;
  (void)file;
  return 0;
}

// For the format %m, which nothing uses.
char *strerror(int number) {
  static char none[] = "";
  (void)number;
  return none;
}

// There is the C locale only, and strtod_l() ignores its locale.
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
