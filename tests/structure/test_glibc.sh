#!/bin/bash
# Shows that glibc.sh accepts a library whose symbols are old enough and refuses the others.
# Usage: test_glibc.sh CC NM SCRATCH
set -euo pipefail
cc=$1 nm=$2 scratch=$3/glibc
script=$(dirname "$(realpath "$0")")/glibc.sh
failed=0
mkdir -p "$scratch"

# memcpy's version 2.14 is the current one on x86-64; on other machines it is older.
printf '#include <string.h>\nvoid f(void *a, void *b, unsigned long n);\n%s\n' \
  'void f(void *a, void *b, unsigned long n) { memcpy(a, b, n); }' >"$scratch/library.c"
"$cc" -shared -fPIC -o "$scratch/library.so" "$scratch/library.c"
printf 'int f(void);\nint f(void) { return 1; }\n' >"$scratch/empty.c"
"$cc" -shared -fPIC -nostdlib -o "$scratch/empty.so" "$scratch/empty.c"

# try EXPECTED VERSION LIBRARY
try() {
  local outcome=refused
  bash "$script" "$nm" "$2" "$scratch/$3" >"$scratch/log" && outcome=accepted
  if [ "$outcome" != "$1" ]; then
    printf '%s with bound %s: %s, not %s\n' "$3" "$2" "$outcome" "$1"
    cat "$scratch/log"
    failed=1
  fi
}

try accepted 2.28 library.so
try accepted 10.1 library.so # a number, not a text: 10.1 is above 2.14
try refused 2.1 library.so
try refused 2.28 empty.so
rm -rf "$scratch"
exit "$failed"
