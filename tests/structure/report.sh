#!/bin/bash
# The demo's report is written, complete, and needs no other file.
# Usage: report.sh PROGRAM MODELS FOLDER; 77 where gnuplot is missing
set -euo pipefail
command -v gnuplot >/dev/null || { echo 'skipped: there is no gnuplot' && exit 77; }
folder=$3/report
mkdir -p "$folder"
"$1" "$2" "$folder" >"$folder/table.txt"
page=$folder/report.html

expect() {
  local found
  found=$(grep -cE "$2" "$1" || true)
  [ "$found" -eq "$3" ] && return
  echo "$1: '$2' is there $found times, not $3"
  exit 1
}

expect "$folder/table.txt" '^(arm|skeleton) .* converged ' 2
expect "$folder/table.txt" '^(arm|skeleton)-far .* out_of_reach ' 2
expect "$page" '<svg' 4
expect "$page" '</svg>' 4
expect "$page" '</html>' 1
# Only links within the page, and the names of XML's own vocabularies
expect "$page" '<(script|link|img|iframe)|@import|url\(http' 0
expect "$page" 'href="[^#]' 0
