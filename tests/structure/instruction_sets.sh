#!/bin/bash
# The scalar code is compiled for two instruction sets, whose functions have names of their own:
# each that the baseline's objects define has a line in the header of names, and no line is left
# over. Without its line the same function would be defined twice.
# Usage: instruction_sets.sh NM HEADER BASE_OBJECT... -- AVX2_OBJECT...
set -euo pipefail
nm=$1 header=$2
shift 2
base_objects=()
while [ "$1" != -- ]; do
  base_objects+=("$1")
  shift
done
shift
failed=0

# defined OBJECT...: the names of what they define for others
defined() {
  "$nm" --extern-only --defined-only --format=posix "$@" | awk 'NF > 2 { print $1 }' | sort -u
}

# complain NAMES TEXT
complain() {
  if [ -n "$1" ]; then
    printf '%s:\n%s\n' "$2" "$1"
    failed=1
  fi
}

base=$(defined "${base_objects[@]}")
avx2=$(defined "$@")
names=$(sed -n 's/^#define \(sinew_[a-z0-9_]*\) \1_avx2$/\1/p' "$header" | sort -u)
if [ -z "$base" ] || [ -z "$avx2" ]; then
  echo 'the objects define nothing: are they the scalar code?'
  exit 1
fi

complain "$(comm -12 <(printf '%s\n' "$base") <(printf '%s\n' "$avx2"))" \
  "defined for both instruction sets under one name; ${header##*/} wants a line of each, '#define NAME NAME_avx2'"
complain "$(comm -13 <(printf '%s\n' "$base") <(printf '%s\n' "$names"))" \
  "${header##*/} has lines for what the scalar code does not define"
complain "$(comm -3 <(printf '%s\n' "$base" | sed 's/$/_avx2/' | sort) \
  <(printf '%s\n' "$avx2" | sed '/_avx2$/!s/$/_avx2/' | sort) | tr -d '\t')" \
  'defined for one instruction set only'
exit "$failed"
