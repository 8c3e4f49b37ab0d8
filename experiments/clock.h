// The time, for measurements.
#ifndef EXPERIMENTS_CLOCK_H
#define EXPERIMENTS_CLOCK_H

// Microseconds since some moment; never runs backwards.
double clock_microseconds(void);

#endif
