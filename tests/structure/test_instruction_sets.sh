#!/bin/bash
# Shows that instruction_sets.sh refuses a function without its line in the header of names, a line
# of no use, and a function of one set only.
# Usage: test_instruction_sets.sh CC NM SCRATCH
set -euo pipefail
cc=$1 nm=$2 scratch=$3/instruction_sets
script=$(dirname "$(realpath "$0")")/instruction_sets.sh
failed=0
mkdir -p "$scratch"
cat >"$scratch/source.c" <<'END'
int sinew_f(void);
int sinew_g(void);
int sinew_f(void) { return 1; }
int sinew_g(void) { return sinew_f(); }
#ifdef ONE_SET
int sinew_one(void);
int sinew_one(void) { return 2; }
#endif
END

# try EXPECTED TEXT BASE_FLAG NAME...: a header of these names. TEXT is in what is printed.
try() {
  local expected=$1 text=$2 flag=$3 outcome=refused name
  shift 3
  for name in "$@"; do
    echo "#define $name ${name}_avx2"
  done >"$scratch/names.h"
  "$cc" "$flag" -c -o "$scratch/base.o" "$scratch/source.c"
  "$cc" -include "$scratch/names.h" -c -o "$scratch/avx2.o" "$scratch/source.c"
  bash "$script" "$nm" "$scratch/names.h" "$scratch/base.o" -- "$scratch/avx2.o" \
    >"$scratch/log" && outcome=accepted
  if [ "$outcome" != "$expected" ] || { [ -n "$text" ] && ! grep -q -- "$text" "$scratch/log"; }; then
    printf '%s: %s, not %s\n' "$*" "$outcome" "$expected"
    cat "$scratch/log"
    failed=1
  fi
}

try refused 'wants a line of each' -UONE_SET sinew_f
try refused 'sinew_g' -UONE_SET sinew_f
try refused 'does not define' -UONE_SET sinew_f sinew_g sinew_h
try refused 'one instruction set only' -DONE_SET sinew_f sinew_g
try accepted '' -UONE_SET sinew_f sinew_g
rm -rf "$scratch"
exit "$failed"
