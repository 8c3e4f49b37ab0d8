#!/bin/bash
# The program fingerprint prints the same line for a case every time, alone or among others, prints
# as many numbers as it counts, and lists its cases.
# Usage: fingerprint.sh PROGRAM FOLDER
set -euo pipefail
program=$1
folder=$2/fingerprint
rm -rf "$folder"
mkdir -p "$folder"
cases=(kinematics/arm6.urdf update/y/sdls update/arm7/limits solve/arm6/default
  global/two-link/best/-1-lanes all/two-link/1-lanes batch/two-link-seeds crowd/y/default)
failed=0

fault() {
  echo "$*"
  failed=1
}

"$program" "${cases[@]}" >"$folder/first.txt"
"$program" "${cases[@]}" >"$folder/second.txt"
cmp "$folder/first.txt" "$folder/second.txt" || fault 'the second run differs from the first'
"$program" --list "${cases[@]}" >"$folder/names.txt"
cut -d' ' -f1 "$folder/first.txt" | cmp - "$folder/names.txt" ||
  fault '--list and a run have different names'

# 7 methods with limits; each width of batches and crowds; the others once.
[ "$(wc -l <"$folder/names.txt")" -eq 22 ] || fault "there are $(wc -l <"$folder/names.txt") cases"
[ -z "$("$program" --list | sort | uniq -d)" ] || fault 'two cases have one name'

# Different cases, different numbers
awk '{ print $2 }' "$folder/first.txt" >"$folder/hashes.txt"
[ "$(sort -u "$folder/hashes.txt" | wc -l)" -gt 12 ] || fault 'many cases have the same hash'

while read -r name hash count; do
  [ "$hash" = skipped ] && continue
  [ "$("$program" "$name")" = "$name $hash $count" ] || fault "$name differs when run alone"
  "$program" --print "$name" >"$folder/values.txt"
  [ "$(wc -l <"$folder/values.txt")" -eq "$count" ] || fault "$name: --print shows not $count values"
  [ "$count" -ge 50 ] || fault "$name: only $count values"
done <"$folder/first.txt"

status=0
"$program" no/such/case 2>"$folder/error.txt" || status=$?
[ $status -eq 2 ] || fault "no/such/case: exit code $status"
exit $failed
