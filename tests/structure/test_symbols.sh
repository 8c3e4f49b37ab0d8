#!/bin/bash
# Shows that symbols.sh refuses a library that prints exports a private name, or a function
# once for each instruction set.
# Usage: test_symbols.sh CC NM LIST SCRATCH
set -euo pipefail
cc=$1 nm=$2 list=$3 scratch=$4/symbols
script=$(dirname "$(realpath "$0")")/symbols.sh
failed=0
mkdir -p "$scratch"

# try EXPECTED CODE: a library of sinew_version() and one more function.
try() {
  printf '#include <stdio.h>\nint sinew_version(void);\nint sinew_version(void) { return 1; }\n%s\n' \
    "$2" >"$scratch/library.c"
  "$cc" -shared -fPIC -o "$scratch/library.so" "$scratch/library.c"
  local outcome=refused
  bash "$script" "$nm" "$scratch/library.so" "$list" >"$scratch/log" && outcome=accepted
  if [ "$outcome" != "$1" ]; then
    printf '%s: %s, not %s\n' "$2" "$outcome" "$1"
    cat "$scratch/log"
    failed=1
  fi
}

try accepted 'void sinew_f(void) {}'
try refused 'void sinew_f(void) { puts("hello"); }'
try refused 'void f(void) {}'
try refused 'void sinew_f_avx2(void) {}'
rm -rf "$scratch"
exit "$failed"
