// The table of every method on every figure, with room for one more.
#ifndef EXPERIMENTS_EVERY_METHOD_H
#define EXPERIMENTS_EVERY_METHOD_H

#include "experiments/experiments.h"
#include "experiments/study.h"

// The experiment methods.
// @param own a method of the caller's, in the last row of each table; NULL: none
// @return false after a message
bool every_method_run(const own_method *own, const sinew_experiment_options *options);

#endif
