#!/bin/bash
# No file of the project names a path of one machine.
# Usage: paths.sh ROOT
set -euo pipefail
cd "$1"

folders=()
for folder in include src formats scenes experiments cli python bench fuzz examples tests docs cmake tools; do
  [ -d "$folder" ] && folders+=("$folder")
done

# A path from the root of a file system at the start of a string, a word or an argument. The
# interpreters' paths and the null device are the same everywhere.
if grep -rnIE "(^|[\"'=( ])/(home|work|root|tmp|usr|opt|mnt|srv|var|Users)/" "${folders[@]}" \
  --include='*.c' --include='*.h' --include='*.txt' --include='*.cmake' --include='*.sh' \
  --include='*.py' --include='*.md' --include='*.csv' --include='*.toml' | grep -vE '#!/usr/bin/'; then
  echo 'these lines name paths of one machine'
  exit 1
fi
