#!/bin/bash
# Shows that includes.sh refuses wrong includes: each case is a small tree.
# Usage: test_includes.sh SCRATCH
set -euo pipefail
script=$(dirname "$(realpath "$0")")/includes.sh
tree=$1/includes
failed=0

# try_line EXPECTED FILE LINE: one line in one file of a tree that is otherwise right.
try_line() {
  rm -rf "$tree"
  mkdir -p "$tree"/{include/sinew,src/{simd,math,model,kinematics/reference,step,solve,cellar},formats,cli,fuzz,examples,tests}
  touch "$tree"/include/sinew/{base,math,model,kinematics,solver,formats,sinew,reference}.h
  touch "$tree"/src/{simd/pair,math/ldlt,model/model,step/dls,solve/solver,kinematics/reference/adjusted}.h "$tree"/{formats,cli}/text.h
  printf '#include "sinew/math.h"\n' >"$tree/src/math/pose.c"
  printf '%s\n' "$3" >>"$tree/$2"
  local outcome=refused
  bash "$script" "$tree" >"$tree/log" && outcome=accepted
  if [ "$outcome" != "$1" ]; then
    printf '%s with %s: %s, not %s\n' "$2" "$3" "$outcome" "$1"
    cat "$tree/log"
    failed=1
  fi
}

# try EXPECTED FILE INCLUDE
try() {
  try_line "$1" "$2" "#include $3"
}

try accepted src/step/dls.c '"math/ldlt.h"'
try accepted src/math/ldlt.c '"simd/pair.h"'
try accepted src/simd/pair.h '<immintrin.h>'
try accepted src/step/dls.c '"../math/ldlt.h"'
try accepted src/step/dls.c '"dls.h"'
try accepted src/solve/solver.c '"sinew/solver.h"'
try accepted src/model/model.c '<math.h>'
try accepted src/kinematics/reference/blocks.c '"sinew/kinematics.h"'
try accepted src/kinematics/reference/blocks.c '"sinew/reference.h"'
try accepted include/sinew/model.h '"sinew/math.h"'
try accepted include/sinew/formats.h '"sinew/model.h"'
try accepted formats/xml_expat.c '<expat.h>'
try accepted formats/urdf.c '"sinew/sinew.h"'
try accepted cli/main.c '"sinew/formats.h"'
try accepted examples/pose.c '<sinew/sinew.h>'
try accepted fuzz/fuzz_text.c '"sinew/formats.h"'
try accepted fuzz/fuzz_text.c '"cli/text.h"'
try accepted tests/inspect.h '"step/dls.h"'
try accepted tests/test_text.c '"formats/text.h"'

try refused src/step/dls.c '"model/model.h"'
try refused src/step/dls.c '"sinew/model.h"'
try refused src/step/dls.c '"../solve/solver.h"'
try refused src/math/ldlt.c '"model/model.h"'
try refused src/math/ldlt.c '<immintrin.h>'
try refused src/simd/pair.h '"math/ldlt.h"'
try refused src/model/model.c '"sinew/sinew.h"'
try refused src/kinematics/state.c '"sinew/reference.h"'
try refused src/solve/solver.c '"kinematics/reference/adjusted.h"'
try refused include/sinew/sinew.h '"sinew/reference.h"'
try refused src/solve/solver.c '"sinew/formats.h"'
try refused src/solve/solver.c '"../../formats/text.h"'
try refused src/solve/solver.c '<pthread.h>'
try refused src/solve/solver.c '<sinew/model.h>'
try refused src/solve/solver.c '"nowhere.h"'
try refused src/cellar/wine.c '"math/ldlt.h"'
try refused include/sinew/math.h '"sinew/model.h"'
try refused include/sinew/model.h '"model/model.h"'
try refused include/sinew/model.h '<stdio.h>'
try refused formats/urdf.c '"model/model.h"'
try refused formats/urdf.c '<expat.h>'
try refused formats/urdf.c '"../src/model/model.h"'
try refused examples/pose.c '<sinew/nothing.h>'
try refused cli/main.c '"formats/text.h"'
try refused fuzz/fuzz_text.c '"formats/text.h"'
try refused tests/test_dls.c '"step/dls.h"'
try refused tests/test_dls.c '"../src/step/dls.h"'
try refused tests/test_dls.c '<step/dls.h>'
try refused tests/test_dls.cpp '"step/dls.h"'

try_line accepted src/simd/pair.h 'typedef double pair __attribute__((vector_size(16)));'
try_line refused src/math/ldlt.c 'typedef double pair __attribute__((vector_size(16)));'
try_line refused src/math/ldlt.c '#ifdef __AVX2__'
try_line refused src/step/dls.c 'return _mm_add_pd(a, b);'

rm -rf "$tree"
exit "$failed"
