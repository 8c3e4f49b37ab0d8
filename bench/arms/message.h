// What the program prints of files, and how it ends on an error.
#ifndef BENCH_ARMS_MESSAGE_H
#define BENCH_ARMS_MESSAGE_H

#include "sinew/base.h"

#include <string>

// Prints "bench_arms: MESSAGE" to standard error and exits with 2.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char *format, ...);
[[noreturn]] void fail(const sinew_error &error);

// A text of a file as it is printed: its control characters escaped.
std::string shown(const std::string &text);

#endif
