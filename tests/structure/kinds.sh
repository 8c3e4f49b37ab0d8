#!/bin/bash
# Each kind of task and of objective has a program of less than 60 lines in examples/ that names it.
# Usage: kinds.sh ROOT
set -euo pipefail
cd "$1"

missing=0
programs=$(find examples -name '*.c' -exec awk 'END { if (FNR < 60) print FILENAME }' {} \;)
kinds=$(grep -ohE '^  SINEW_(TASK|OBJECTIVE)_[A-Z_]+' include/sinew/task.h include/sinew/objective.h |
  grep -v '_COUNT$')
[ "$(wc -w <<<"$kinds")" -ge 17 ] || { echo "kinds.sh: the headers name too few kinds" && exit 1; }
for kind in $kinds; do
  # shellcheck disable=SC2086 # names of programs have no blanks
  if ! grep -qw "$kind" $programs; then
    echo "$kind: no example of less than 60 lines"
    missing=1
  fi
done
exit "$missing"
