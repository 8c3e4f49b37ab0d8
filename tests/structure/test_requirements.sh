#!/bin/bash
# Shows that requirements.sh finds requirements without a test, and tests of none.
# Usage: test_requirements.sh SCRATCH
set -euo pipefail
script=$(dirname "$(realpath "$0")")/requirements.sh
tree=$1/requirements
failed=0

# try EXPECTED PAGE TEST: requirements of the page, and the text of a test; EXPECTED is the report.
try() {
  rm -rf "$tree"
  mkdir -p "$tree"/{docs,tests,python,web}
  local id found status=0
  for id in $2; do
    echo "| $id | B | Text. |"
  done >"$tree/docs/requirements.md"
  printf '%b\n' "$3" >"$tree/tests/test_a.c"
  found=$(bash "$script" "$tree") || status=$?
  if [ "$found" != "$1" ] || [ "$status" -ne $((${#1} > 0)) ]; then
    printf '%s with %s: %s, exit code %d, not %s\n' "$2" "$3" "$found" "$status" "$1"
    failed=1
  fi
}

try '' 'A1 B12' '// A sum. req: A1\n// req: B12'
try '' 'A1 B12' '// req: A1 B12'
try 'docs/requirements.md: no test names B12' 'A1 B12' '// req: A1'
try 'docs/requirements.md: no test names A1' 'A1 A12' '// req: A12'
try 'a test names C3, which docs/requirements.md has not' 'A1' '// req: A1 C3'
try 'docs/requirements.md: no test names A1' 'A1' '// the requirement A1'

[ "$failed" -eq 0 ]
