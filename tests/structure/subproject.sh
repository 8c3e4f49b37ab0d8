#!/bin/bash
# As a subfolder of another project sinew builds only its libraries: no program, test or example.
# Usage: subproject.sh SOURCE SCRATCH CC
set -euo pipefail
source=$1 scratch=$2/subproject cc=$3

rm -rf "$scratch"
cmake -G Ninja -S "$source/tests/structure/subproject" -B "$scratch" -DSINEW_SOURCE="$source" \
  -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build "$scratch" >/dev/null
"$scratch/other"

programs=$(find "$scratch" -type f -perm -u+x -not -path '*/CMakeFiles/*' -not -name '*.so*' \
  -printf '%f\n')
if [ "$programs" != other ]; then
  printf 'built beside the libraries:\n%s\n' "$programs"
  exit 1
fi
rm -rf "$scratch"
