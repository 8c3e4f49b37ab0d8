#!/bin/bash
# No name of a file reaches the output of an example or benchmark as a control character.
# Usage: names.sh FOLDER PROGRAM...
# req: D22
set -euo pipefail
folder=$(mktemp -d "$1/names.XXXXXX")
trap 'rm -r "$folder"' EXIT
shift
failed=0

# U+009B begins a control sequence, as ESC [ does; XML allows it and the newline in a name.
csi=$'\xc2\x9b'
robot() {
  echo "<robot name='a${csi}31m'><link name='root'/><link name='x&#10;${csi}2J'/>
    <joint name='j${csi}1m' type='$1'><parent link='root'/><child link='x&#10;${csi}2J'/>
    <origin xyz='0.5 0 0'/><axis xyz='0 0 1'/>
    <limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
}
good=$folder/good$'\x1b[1m'.urdf
bad=$folder/bad$'\x1b[1m'.urdf
robot revolute >"$good"
robot twisted >"$bad"

# A run: some of the names are shown as escapes, none as they are.
try() {
  "$@" >"$folder/shown" 2>&1 || true
  if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$folder/shown"; then
    echo "${1##*/} prints a control character:" && cat -v "$folder/shown"
    failed=1
  elif ! grep -q '\\x1b\|\\u009b' "$folder/shown"; then
    echo "${1##*/} shows no name:" && cat "$folder/shown"
    failed=1
  fi
}

for program; do
  case ${program##*/} in
    read_urdf*) try "$program" "$good" && try "$program" "$bad" ;;
    global*) try "$program" "$bad" x ;;
    workspace*) try "$program" "$bad" ;;
    bench_arms*)
      try "$program" "$good:root:x"$'\n'"${csi}2J" --count 2 --rounds 1
      try "$program" "$bad:root:x"
      try "$program" "$good:root:y${csi}2J"
      ;;
  esac
done
exit $failed
