// What a condition mostly is: compilers place the code of the other case apart, so that the code of
// usual calls is short. Nothing else depends on it.
#ifndef SINEW_BASE_LIKELY_H
#define SINEW_BASE_LIKELY_H

#define SINEW_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define SINEW_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
