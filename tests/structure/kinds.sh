#!/bin/bash
# Each kind of task and of objective, and each other way to say what a figure should do, has a program
# of less than 60 lines in examples/ that names it. All programs of examples/, kinds/
# and cookbook/ are so short; those of kinds/ are compiled, run by a test and named in
# docs/tasks.md.
# Usage: kinds.sh ROOT
set -euo pipefail
cd "$1"

missing=0
programs=$(find examples -name '*.c' -exec awk 'END { if (FNR < 60) print FILENAME }' {} \;)
kinds=$(grep -ohE '^  SINEW_(TASK|OBJECTIVE)_[A-Z_]+' include/sinew/task.h include/sinew/objective.h |
  grep -v '_COUNT$')
[ "$(wc -w <<<"$kinds")" -ge 17 ] || { echo "kinds.sh: the headers name too few kinds" && exit 1; }
for kind in $kinds hard frame_link weight_axes cone_angle influence sinew_support_polygon \
  sinew_solver_set_accelerations sinew_solver_set_margins sinew_solver_bound sinew_solver_hard_row; do
  # shellcheck disable=SC2086 # names of programs have no blanks
  if ! grep -qw "$kind" $programs; then
    echo "$kind: no example of less than 60 lines"
    missing=1
  fi
done

for file in examples/*.c examples/kinds/*.c examples/cookbook/*.c; do
  lines=$(wc -l <"$file")
  [ "$lines" -lt 60 ] || { echo "$file has $lines lines, not less than 60" && missing=1; }
done
for file in examples/kinds/*.c; do
  name=$(basename "$file" .c)
  grep -qF "[$name.c](../$file)" docs/tasks.md || { echo "docs/tasks.md: no $name.c" && missing=1; }
  for list in examples/kinds/CMakeLists.txt tests/CMakeLists.txt; do
    awk '/IN ITEMS drill/ { on = 1 } on { print } on && /\)$/ { exit }' $list | grep -qw "$name" ||
      { echo "$list: no $name" && missing=1; }
  done
done
exit "$missing"
