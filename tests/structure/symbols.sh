#!/bin/bash
# The core depends on libc and libm only, and exports only sinew_ names.
# Usage: symbols.sh NM LIBRARY LIST
# LIBRARY is the shared library; LIST names the symbols it may leave undefined.
set -euo pipefail
nm=$1 library=$2 list=$3
failed=0

undefined=$("$nm" -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
strange=$(comm -23 <(printf '%s\n' "$undefined") <(grep -v '^#' "$list" | sort -u))
if [ -n "$strange" ]; then
  printf 'the core uses what %s does not allow:\n%s\n' "${list##*/}" "$strange"
  failed=1
fi

exported=$("$nm" -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }')
foreign=$(printf '%s\n' "$exported" | grep -v '^sinew_' || true)
if [ -n "$foreign" ]; then
  printf 'the core shows names that are not its own:\n%s\n' "$foreign"
  failed=1
fi
twice=$(printf '%s\n' "$exported" | grep '_avx2$' || true)
if [ -n "$twice" ]; then
  printf 'public functions are compiled for each instruction set (cmake/scalar.cmake):\n%s\n' "$twice"
  failed=1
fi
if ! printf '%s\n' "$exported" | grep -qx sinew_version; then
  echo 'sinew_version is not exported: is this the library?'
  failed=1
fi
exit "$failed"
