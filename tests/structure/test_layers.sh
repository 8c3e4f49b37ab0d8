#!/bin/bash
# Shows that tools/layers draws what the includes say, and what it refuses: each case changes a
# small tree of its own.
# Usage: test_layers.sh ROOT SCRATCH
set -euo pipefail
layers=$1/tools/layers
tree=$2/layers
failed=0

# expect EXIT MESSAGE CASE: tools/layers --check on the tree ends so and prints that.
expect() {
  local code=0
  "$layers" --check "$tree" >"$tree.log" 2>&1 || code=$?
  if [ "$code" -ne "$1" ] || { [ -n "$2" ] && ! grep -qF -- "$2" "$tree.log"; }; then
    printf '%s: exit code %d and not %d, or no "%s" in\n' "$3" "$code" "$1" "$2"
    cat "$tree.log"
    failed=1
  fi
}

new_tree() {
  rm -rf "$tree"
  mkdir -p "$tree"/{include/sinew,src/{base,math,step},cli,tests}
  touch "$tree"/include/sinew/math.h "$tree"/src/{base/memory,math/rows,step/dls}.h
  echo '#include "sinew/math.h"' >"$tree/cli/main.c"
  echo '#include "base/memory.h"' >"$tree/src/math/rows.c"
  printf '#include "math/rows.h"\n#include <math.h>\n' >"$tree/src/step/dls.c"
  echo '#include "step/dls.h"' >"$tree/tests/test_dls.c"
  "$layers" "$tree"
}

new_tree
expect 0 '' 'a picture just drawn'
dots=$(grep -c '<circle' "$tree/docs/images/layers.svg")
if [ "$dots" -ne 3 ]; then # step to math, math to base, cli to include
  echo "$dots dots for 3 pairs of folders"
  failed=1
fi

echo '#include "base/memory.h"' >>"$tree/src/step/dls.c"
expect 1 'run tools/layers' 'an include between folders that the picture does not have'

new_tree
mkdir "$tree/src/cellar" && touch "$tree/src/cellar/wine.c"
expect 1 'src/cellar, which has no label' 'a folder of src/ without a label'

new_tree
mkdir "$tree/garden" && touch "$tree/garden/rose.c"
expect 1 'garden, which has no label' 'a folder at the top without a label'

new_tree
touch "$tree/include/sinew/garden.h"
echo '#include "sinew/garden.h"' >>"$tree/src/step/dls.c"
expect 1 'gives to no folder' 'a public header of no folder'

new_tree
echo '#include "step/dls.h"' >>"$tree/src/math/rows.c"
expect 1 'src/math stands below src/step' 'an include that points upward'

rm -rf "$tree" "$tree.log"
exit "$failed"
