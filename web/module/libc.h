// Small parts of libc for the module, in place of those of wasi-libc, which have 15 KB with gzip:
// long double, wide characters, streams and bins of blocks are not needed here.
#ifndef SINEW_WEB_LIBC_H
#define SINEW_WEB_LIBC_H

#include <stdarg.h>
#include <stddef.h>

// The double nearest to a decimal number, ties to even: digits, at most 100, then optionally an
// exponent as in "e-12". No sign, point, or white space, which sinew_decimal_read() has taken.
double web_decimal_value(const char *text);

#define WEB_DECIMAL_SIZE 16 // for web_decimal_text()

// A number as %g prints it: 6 significant digits, rounded from the exact value, ties to even.
void web_decimal_text(double value, char text[WEB_DECIMAL_SIZE]);

// vsnprintf() for %d, %u, %c, %s, %g and %%, with the lengths z, l and ll for d and u, and a
// precision of %s: what the messages of the library have. Stops at any other.
int web_print(char *text, size_t size, const char *format, va_list arguments);

// Blocks of memory, 16-byte aligned; NULL where there is no more. A block of 0 bytes has an
// address.
void *web_heap_take(size_t size);
void web_heap_release(void *block);

// Memory for the heap, which grows upwards: at least size more bytes, and the address behind them;
// NULL where there is no more. The first call has size 0 and returns where the heap begins.
char *web_heap_grow(size_t size);

#endif
