#!/bin/bash
# The README is true: its program is examples/reach.c, its commands print what it shows, its links
# lead to files, and the paths it names exist.
# Usage: readme.sh ROOT FOLDER, where FOLDER has the programs sinew and reach
set -euo pipefail
cd "$1"
programs=$2
failed=0

# shellcheck disable=SC2317 # called by eval
sinew() {
  "$programs/sinew" "$@"
}

# Times, errors of rounding, and the number of steps of all lanes together differ from machine to
# machine.
steady() {
  sed -E 's/[0-9.]+ us/T us/; s/after [0-9]+ steps/after N steps/; s/[0-9.]+e-[0-9]+/E/g; s/ +/ /g'
}

# The lines between the first fence that matches and its end.
block() {
  awk -v fence="$1" '!inside && $0 == fence { inside = 1; next } /^```$/ { if (inside) exit } inside' \
    README.md
}

compare() {
  diff -u <(printf '%s\n' "$2") <(printf '%s\n' "$3") && return
  echo "README.md: $1 differs from the files or the output"
  failed=1
}

compare 'the program' "$(block '```c')" "$(cat examples/reach.c)"
# The program as it stands there, which examples/CMakeLists.txt compiles
if [ "$(block '```c' | wc -l)" -ge 35 ]; then
  echo "README.md: the program has 35 lines or more"
  failed=1
fi
compare "the program's output" "$(block '```text')" "$("$programs/reach")"

# A console block: commands after "$ ", and the output of each.
shown=$(block '```console')
printed=$(
  grep '^\$ ' <<<"$shown" | while read -r _ command; do
    echo "\$ $command"
    eval "$command"
  done
)
compare 'a console block' "$(steady <<<"$shown")" "$(steady <<<"$printed")"

# Links to files, here and in docs/
for page in README.md CONTRIBUTING.md docs/*.md; do
  while read -r link; do
    if [ ! -e "$(dirname "$page")/$link" ]; then
      echo "$page: there is no $link"
      failed=1
    fi
  done < <(grep -oE '\]\([^)#]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^https?:' || true)
done

# Files and folders that they name. NAME stands for a name to choose.
folders='bench|cli|cmake|docs|examples|experiments|formats|fuzz|include|models|scenes|src|tests|threads|tools'
for page in README.md CONTRIBUTING.md docs/*.md; do
  while read -r path; do
    if [ ! -e "$path" ] && [ ! -e "src/$path" ]; then
      echo "$page: there is no $path"
      failed=1
    fi
  done < <(grep -oE "\`(($folders)/|[a-z]+/[a-z_/]+\.[ch])[A-Za-z0-9_./-]*\`" "$page" | tr -d '\`' |
    grep -v NAME | sort -u || true)
done
exit "$failed"
