// How the program ends on an error.
#ifndef BENCH_ARMS_MESSAGE_H
#define BENCH_ARMS_MESSAGE_H

#include "sinew/base.h"

// Prints "bench_arms: MESSAGE" to standard error and exits with 2.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char *format, ...);
[[noreturn]] void fail(const sinew_error &error);

#endif
