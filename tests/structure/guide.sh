#!/bin/bash
# The guide is complete: each program of the cookbook is on its page once, twelve of them at least,
# each is compiled and run by a test; each method of the program has a row in the guide's table; the
# README leads to a program for each of five uses; and no source stands twice in a section of the
# references.
# Usage: guide.sh ROOT SINEW
set -euo pipefail
cd "$1"
sinew=$2
failed=0

fault() {
  echo "$1"
  failed=1
}

count=0
for file in examples/cookbook/*.c; do
  name=$(basename "$file" .c)
  count=$((count + 1))
  found=$(grep -cxF "[$name.c](../$file)" docs/cookbook.md || true)
  [ "$found" -eq 1 ] || fault "docs/cookbook.md: $name.c is there $found times"
  grep -qw "$name" examples/cookbook/CMakeLists.txt || fault "$file is not compiled"
  awk '/IN ITEMS robot_arm/ { on = 1 } on { print } on && /cookbook_/ { exit }' \
    tests/CMakeLists.txt | grep -qw "$name" || fault "$file is not run by a test"
done
[ "$count" -ge 12 ] || fault "$count programs, not 12"

methods=0
while read -r method; do
  [ -n "$method" ] || continue
  methods=$((methods + 1))
  grep -q "^| \`$method\` |" docs/guide.md || fault "docs/guide.md: no row for $method"
done < <("$sinew" solve --help | tr -s ' \n' ' ' |
  sed -E 's/.* --method M [^.]*\. One of ([^.]*)\..*/\1/; s/, /\n/g' && echo)
[ "$methods" -ge 18 ] || fault "sinew solve --help lists $methods methods"

for use in a-robot-arm a-crowd-of-characters a-humanoid-with-priorities a-limb-in-a-game \
  ten-million-poses; do
  grep -q "docs/cookbook.md#$use" README.md || fault "README.md does not lead to $use"
done

# A source has one row in a section.
while read -r row; do
  fault "docs/references.md: two rows in a section: $row"
done < <(awk -F'|' '/^## / { split("", seen) } /^\|/ && seen[$2, $3, $4]++ { print $2 $3 }' \
  docs/references.md)
exit "$failed"
