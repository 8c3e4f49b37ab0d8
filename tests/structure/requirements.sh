#!/bin/bash
# Each requirement of docs/requirements.md has a test, and tests name no others: a comment
# "req: A1 B2" in a source of tests/, python/ or web/.
# Usage: requirements.sh ROOT
set -euo pipefail
cd "$1"
page=$(sed -nE 's/^\| ([A-Z][0-9]+) \| .*/\1/p' docs/requirements.md | sort -u)
named=$(grep -rhoE '\breq:( [A-Z][0-9]+)+' tests python web --include='*.c' --include='*.h' \
  --include='*.cpp' --include='*.sh' --include='*.py' --include='*.ts' --include='*.mjs' \
  --exclude-dir=node_modules --exclude='*requirements.sh' 2>/dev/null |
  grep -oE '[A-Z][0-9]+' | sort -u || true)
failed=0
while read -r id; do
  [ -n "$id" ] && echo "docs/requirements.md: no test names $id" && failed=1
done < <(comm -23 <(echo "$page") <(echo "$named"))
while read -r id; do
  [ -n "$id" ] && echo "a test names $id, which docs/requirements.md has not" && failed=1
done < <(comm -13 <(echo "$page") <(echo "$named"))
exit "$failed"
