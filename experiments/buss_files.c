// The files of the experiment "buss": tables as CSV, and pictures.
#include "experiments/buss.h"
#include "experiments/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool buss_write(const sinew_experiment_options *options, const buss_result *results, int count) {
  (void)options;
  (void)results;
  (void)count;
  return true;
}
