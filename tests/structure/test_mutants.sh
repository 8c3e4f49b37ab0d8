#!/bin/bash
# Shows what tools/mutants changes, what it does not, and what it says of each mutant, on a small
# project of its own.
# Usage: test_mutants.sh ROOT SCRATCH
set -euo pipefail
tree=$2/mutants
failed=0

rm -rf "$tree"
mkdir -p "$tree/tools" "$tree/part"
cp "$1/tools/mutants" "$1/tools/mutants.awk" "$tree/tools"
cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
enable_testing()
add_executable(test_part test.c part/part.c)
add_test(NAME part COMMAND ${SINEW_TEST_RUNNER} $<TARGET_FILE:test_part>)
set_tests_properties(part PROPERTIES LABELS program)
END
cat >"$tree/part/part.c" <<'END'
// 1 < 2 in a comment
#define MOST 1 + 2
/* and
   3 < 4 */
const char *sinew_text = "1 < 2 \" && '\\' 0"; // 5
int sinew_least(int a, int b) {
  return a < b ? a : b;
}
int sinew_sum(const int *values, int count) {
  int sum[1] = {7};
  sum[0] = 0;
  while (count > 0)
    sum[0] += values[--count];
  return sum[0];
}
int sinew_both(int a, int b) {
  return a && (b || !a);
}
int sinew_one(unsigned n) {
  while (n != 1)
    n >>= 1;
  return (int)n;
}
END
cat >"$tree/test.c" <<'END'
int sinew_least(int a, int b);
int sinew_sum(const int *values, int count);
int sinew_both(int a, int b);
int sinew_one(unsigned n);
int main(void) {
  const int values[4] = {0, 1, 2, 3};
  return sinew_least(1, 2) != 1 || sinew_sum(values + 1, 3) != 6 || !sinew_both(3, 3) ||
         sinew_one(4) != 1;
}
END

# expect EXIT CASE ARGUMENT...: tools/mutants ends so; prints its output where it does not.
expect() {
  local code=0 wanted=$1 what=$2
  shift 2
  "$tree/tools/mutants" --shared '' "$@" >"$tree.log" 2>&1 || code=$?
  if [ "$code" -ne "$wanted" ]; then
    echo "$what: exit code $code and not $wanted"
    cat "$tree.log"
    failed=1
  fi
}

# has TEXT...: these are lines of the output.
has() {
  local line
  for line in "$@"; do
    if ! grep -qxF -- "$line" "$tree.log"; then
      echo "the output lacks: $line"
      cat "$tree.log"
      failed=1
    fi
  done
}

# ends TEXT: a line of the output ends so, behind the mutant's number.
ends() {
  if ! sed 's/^[^ ]* [^ ]* //' "$tree.log" | grep -qxF -- "$1"; then
    echo "the output lacks: $1"
    cat "$tree.log"
    failed=1
  fi
}

expect 0 'a list' --list --count all part
if ! diff "$tree.log" - <<'END'; then
part/part.c:7: a < b -> a >= b
part/part.c:7: a < b -> a <= b
part/part.c:10: {7}; -> {8};
part/part.c:11: sum[0] = 0; -> ;
part/part.c:11: sum[0] -> sum[1]
part/part.c:11: = 0; -> = 1;
part/part.c:12: while (count > 0) -> while (!(count > 0))
part/part.c:12: (count > 0) -> (count >= 0)
part/part.c:12: (count > 0) -> (count <= 0)
part/part.c:12: > 0) -> > 1)
part/part.c:13: sum[0] += values[--count]; -> ;
part/part.c:13: sum[0] -> sum[1]
part/part.c:13: sum[0] += values[--count]; -> sum[0] -= values[--count];
part/part.c:13: values[--count]; -> values[++count];
part/part.c:14: sum[0]; -> sum[1];
part/part.c:17: a && (b -> a || (b
part/part.c:17: (b || !a); -> (b && !a);
part/part.c:17: || !a); -> || a);
part/part.c:20: while (n != 1) -> while (!(n != 1))
part/part.c:20: (n != 1) -> (n == 1)
part/part.c:20: != 1) -> != 0)
part/part.c:21: n >>= 1; -> ;
part/part.c:21: n >>= 1; -> n <<= 1;
part/part.c:21: >>= 1; -> >>= 0;
END
  echo 'a list that differs'
  failed=1
fi
cp "$tree.log" "$tree.all"

expect 0 'some of them' --list --count 5 part/part.c
cp "$tree.log" "$tree.some"
expect 0 'the same seed' --list --count 5 --seed 1 part
cmp "$tree.log" "$tree.some" || failed=1
if [ "$(grep -cxFf "$tree.all" "$tree.some")" -ne 5 ]; then
  echo 'others than all' && failed=1
fi
expect 0 'another seed' --list --count 5 --seed 2 part
if cmp -s "$tree.log" "$tree.some"; then
  echo 'another seed, the same mutants' && failed=1
fi

before=$(cd "$tree" && cat CMakeLists.txt test.c part/* tools/* | cksum)
expect 1 'a run' --count all --seconds 2 part/part.c:10 part/part.c:12 part/part.c:17 part/part.c:21
has 'part/part.c:12: (count > 0) -> (count >= 0)' \
  'part/part.c:17: a && (b -> a || (b' \
  'part/part.c:17: || !a); -> || a);' \
  '10 mutants: 7 killed, 3 survive; 1 more change no program, 0 do not compile'
ends '{7}; -> {8};: changes no program'
ends '(count > 0) -> (count >= 0): survives'
ends 'n >>= 1; -> n <<= 1;: killed by the time limit of part'
ends '(b || !a); -> (b && !a);: killed by part'
expect 0 'no survivor' --count all part/part.c:20
[ "$before" = "$(cd "$tree" && cat CMakeLists.txt test.c part/* tools/* | cksum)" ] || failed=1

cp "$tree/test.c" "$tree.test.c"
# What a mutant leaves in the folder of the tests' files does not make others fail; what it leaves
# elsewhere ends the run.
while read -r exit_code folder; do
  cat >"$tree/test.c" <<END
#include <stdio.h>
int sinew_least(int a, int b);
int main(void) {
  FILE *left = fopen("$folder/left", "r");
  if (left == NULL && sinew_least(1, 2) != 1)
    fopen("$folder/left", "w");
  return left != NULL || sinew_least(1, 2) != 1;
}
END
  expect "$exit_code" "files left in $folder" --count all part/part.c:7
done <<'END'
1 tests/scratch
2 .
END
cp "$tree.test.c" "$tree/test.c"
rm "$tree/build/mutants/tree/build/left"

for wrong in '' '--count 0 part' '--seed x part' '--count' 'nothing' 'tools' '/tmp' '../mutants' \
  'part/part.c:2' '--wrong part'; do
  # shellcheck disable=SC2086
  expect 2 "wrong usage: $wrong" $wrong
done
expect 2 'a test that does not exist' --tests nothing part
sed -i 's/!= 6/!= 5/' "$tree/test.c"
expect 2 'a test that fails without a change' part
sed -i '1i #error' "$tree/test.c"
expect 2 'a build that fails' part

rm -rf "$tree" "$tree".*
exit "$failed"
