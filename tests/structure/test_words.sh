#!/bin/bash
# Shows that words.sh finds words in comments, messages and documents, and only there.
# Usage: test_words.sh SCRATCH
set -euo pipefail
script=$(dirname "$(realpath "$0")")/words.sh
tree=$1/words
failed=0

# try EXPECTED FILE TEXT: one file with this text; EXPECTED is the report, or '' if it is accepted.
try() {
  rm -rf "$tree"
  mkdir -p "$tree"/{cli,src,cmake}
  printf '%b\n' "$3" >"$tree/$2"
  local found status=0
  found=$(bash "$script" "$tree") || status=$?
  if [ "$found" != "$1" ] || [ "$status" -ne $((${#1} > 0)) ]; then
    printf '%s with %s: %s, exit code %d, not %s\n' "$2" "$3" "$found" "$status" "$1"
    failed=1
  fi
}

# Comments
try 'cli/a.c:1: shall -> must, should, may' cli/a.c '// The tip shall move.'
try 'cli/a.c:2: shall -> must, should, may' cli/a.c 'int a; // one\nint b; // Shall it?'
try 'cli/a.h:2: shall -> must, should, may' cli/a.h '/* The tip\n   shall move. */ int shall;'
try 'cli/a.cpp:3: local least -> local minimum' cli/a.cpp 'int a;\n// It is a local\n// least.'
try 'cmake/a.cmake:1: shall -> must, should, may' cmake/a.cmake 'set(a b) # It shall.'
try '' cli/a.c '// The shallow marshall'
try '' cli/a.c 'int shall = a.shall; // its value'

# Messages
try 'cli/a.c:1: shall -> must, should, may' cli/a.c 'puts("the tip shall move");'
try 'cli/a.c:1: shall -> must, should, may' cli/a.c 'puts("a \\\\"b\\\\" shall move");'
try '' cli/a.c 'set("shall");'

try '' cli/a.c 'puts("an axis but no --look-at here");'
try 'cli/a.c:1: look at -> used, read, checked' cli/a.c 'puts("--tip: look at it");'

# Documents
try 'a.md:2: looked at -> used, read, checked' a.md 'A file\nis looked at.'
# shellcheck disable=SC2016 # code in a document
try '' a.md 'The field `shall`.\n```\nshall\n```'
try '' requirements.md 'The tip shall move.'

[ "$failed" -eq 0 ]
