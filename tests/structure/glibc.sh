#!/bin/bash
# A library needs no newer glibc than the version given: then a program or a Python wheel built here
# also runs on a distribution of that age.
# Usage: glibc.sh NM VERSION LIBRARY ...
# Prints each symbol whose version is above VERSION and exits with 1.
set -euo pipefail
nm=$1 bound=$2
shift 2
failed=0

for library in "$@"; do
  needed=$("$nm" -D --undefined-only "$library" | grep -oE '[^ ]+@+GLIBC_[0-9.]+' || true)
  if [ -z "$needed" ]; then
    echo "${library##*/} needs no symbol of glibc: was it built with glibc?"
    failed=1
  fi
  while IFS= read -r symbol; do
    version=${symbol##*GLIBC_}
    newest=$(printf '%s\n%s\n' "$bound" "$version" | sort -V | tail -n 1)
    if [ "$newest" != "$bound" ]; then
      echo "${library##*/} needs $symbol, which is newer than glibc $bound"
      failed=1
    fi
  done <<<"$needed"
done
exit "$failed"
