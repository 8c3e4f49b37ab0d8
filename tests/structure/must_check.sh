#!/bin/bash
# Compilers warn where a result is ignored, in C17 and in C++17, for every function of the public
# headers that returns a sinew_result.
# Usage: must_check.sh CC CXX INCLUDE
set -euo pipefail
cc=$1 cxx=$2 include=$3
failed=0

if grep -nE '^SINEW_API sinew_result' "$include"/sinew/*.h; then
  echo 'these are not declared with SINEW_MUST_CHECK'
  failed=1
fi
unit='#include "sinew/sinew.h"
void ignore(sinew_solver *solver);
void ignore(sinew_solver *solver) { sinew_solver_set_gains(solver, 0); }'
for compiler in "$cc -std=c17 -xc" "$cxx -std=c++17 -xc++"; do
  # shellcheck disable=SC2086 # the compiler and its flags
  if $compiler -I"$include" -Werror -S -o /dev/null - <<<"$unit" 2>/dev/null; then
    echo "${compiler##*/}: an ignored result is not warned of"
    failed=1
  fi
  # shellcheck disable=SC2086
  $compiler -I"$include" -Werror -S -o /dev/null - <<<"${unit/sinew_solver_set_gains/return (void)!sinew_solver_set_gains}"
done
exit "$failed"
