#!/bin/bash
# Include directions: which folder may include which, and that only src/simd names processors (req:
# house rules, see CONTRIBUTING.md).
# Usage: includes.sh ROOT. Prints each include in a wrong direction and exits with 1.
set -euo pipefail
cd "$1"

# Folder -> the layers it may include besides its own. A public header belongs to the layer of its
# name; base.h and math.h are the lowest.
declare -A allowed=(
  [base]=''
  [simd]='base'
  [math]='base simd'
  [policy]='base simd math'
  [model]='base simd math'
  [kinematics]='base simd math model'
  [reference]='base simd math model kinematics'
  [task]='base simd math model kinematics'
  [problem]='base simd math model kinematics task analytic'
  [step]='base simd math'
  [kernel]='base simd math model kinematics task problem step policy analytic'
  [analytic]='base simd math'
  [seed]='base simd math model kinematics task problem analytic'
  [solve]='base simd math model kinematics task problem step policy kernel analytic seed'
  [batch]='base simd math model kinematics task problem step policy kernel analytic seed solve'
  [threads]='public'
  [formats]='public'
  [python]='public'
  [scenes]='public'
  [experiments]='public scenes'
  [cli]='public scenes experiments'
  [bench]='public scenes'
  [fuzz]='public cli'
  [examples]='public scenes experiments'
  [web]='public scenes'
)

# The public headers, lowest layer first: each may include those before it. No other includes
# reference.h.
public_order=(base.h math.h model.h kinematics.h task.h qp.h solver.h objective.h network.h global.h batch.h crowd.h limb.h sinew.h threads.h
  reference.h)

# The system headers of the core: the C library without input, output, time, locale, signals and
# threads. <stdio.h> is for snprintf(); symbols.txt refuses its other functions.
core_system=' assert.h float.h limits.h math.h stdalign.h stdbool.h stddef.h stdint.h stdio.h '
core_system+='stdlib.h string.h stdarg.h '

# The layer of a public header.
layer_of_header() {
  case $1 in
    base.h) echo base ;;
    math.h) echo math ;;
    model.h) echo model ;;
    kinematics.h) echo kinematics ;;
    reference.h) echo reference ;;
    task.h) echo task ;;
    solver.h | objective.h) echo solve ;;
    global.h | network.h) echo seed ;;
    batch.h | crowd.h) echo batch ;;
    limb.h) echo analytic ;;
    qp.h) echo solve ;;
    threads.h) echo threads ;;
    *) echo none ;;
  esac
}

# The layer of a file.
layer_of_file() {
  case $1 in
    src/kinematics/reference/*) echo reference ;; # which no solver uses
    src/*/*) local rest=${1#src/} && echo "${rest%%/*}" ;;
    src/*) echo base ;;
    include/sinew/*) echo public ;;
    *) echo "${1%%/*}" ;;
  esac
}

rank() {
  local i
  for i in "${!public_order[@]}"; do
    [ "${public_order[i]}" = "$1" ] && echo "$i" && return
  done
  echo -1
}

faults=0
fault() {
  printf '%s:%s: %s\n' "$1" "$2" "$3"
  faults=$((faults + 1))
}

# check_quoted FILE LINE INCLUDED
check_quoted() {
  local file=$1 line=$2 name=$3 from to target='' folder
  from=$(layer_of_file "$file")

  if [[ $name == sinew/* ]]; then
    local header=${name#sinew/}
    if [ ! -f "include/$name" ]; then
      fault "$file" "$line" "$name is not a public header"
      return
    fi
    case $from in
      public)
        # formats.h is outside of the layers and may include any of them.
        [[ $file == */formats.h && $header != formats.h ]] && return
        if [ "$(rank "$header")" -lt 0 ] ||
          [ "$(rank "$header")" -ge "$(rank "${file##*/}")" ]; then
          fault "$file" "$line" "public headers include each other downwards, not $name"
        fi
        return
        ;;
      tests) return ;;
    esac
    [[ " ${allowed[$from]-} " == *' public '* ]] && return
    to=$(layer_of_header "$header")
  else
    for folder in "$(dirname "$file")" src include .; do
      if [ -f "$folder/$name" ]; then
        target=$(realpath --relative-to=. "$folder/$name")
        break
      fi
    done
    if [ -z "$target" ]; then
      fault "$file" "$line" "there is no file $name"
      return
    fi
    if [ "$from" = tests ]; then
      if [[ $target == src/* && $file != tests/inspect.h ]]; then
        fault "$file" "$line" "tests include src/ only through inspect.h, not $name"
      fi
      return
    fi
    to=$(layer_of_file "$target")
  fi

  if [ "$from" = public ] || { [ "$to" != "$from" ] &&
    [[ " ${allowed[$from]-} " != *" $to "* ]]; }; then
    fault "$file" "$line" "$from may not include $name${to:+, which belongs to $to}"
  fi
}

# check_system FILE LINE INCLUDED
check_system() {
  local file=$1 line=$2 name=$3
  case $file in
    src/simd/*) # and headers of processors' instructions, only here
      [[ "$core_system immintrin.h arm_neon.h " == *" $name "* ]] ||
        fault "$file" "$line" "src/simd may not include <$name>"
      ;;
    src/*)
      [[ $core_system == *" $name "* ]] ||
        fault "$file" "$line" "the core may not include <$name>"
      ;;
    formats/xml_expat.[ch]) ;; # with SINEW_XML=none the readers are built without these
    formats/*)
      [ "$name" != expat.h ] || fault "$file" "$line" "only formats/xml_expat.[ch] include <expat.h>"
      ;;
    include/*)
      [[ $name == stddef.h || $name == stdint.h || $name == stdbool.h ]] ||
        fault "$file" "$line" "a public header may not include <$name>"
      ;;
  esac
  if [[ $file == tests/* && -f src/$name ]]; then
    fault "$file" "$line" "tests include src/ only through inspect.h, not $name"
  fi
  if [[ $name == sinew/* ]]; then
    case $file in
      examples/*) check_quoted "$file" "$line" "$name" ;; # as a user of the library writes it
      *) fault "$file" "$line" "sinew's own headers are included in quotes" ;;
    esac
  fi
}

roots=()
for root in include src threads formats python/native scenes experiments cli bench fuzz examples web/module web/package/test tests; do
  [ -d "$root" ] && roots+=("$root")
done

while IFS=: read -r file line text; do
  layer=$(layer_of_file "$file")
  if [ "$layer" != public ] && [ "$layer" != tests ] && [ -z "${allowed[$layer]+known}" ]; then
    fault "$file" "$line" "the folder $layer is not in the table"
    continue
  fi
  name=${text#*[<\"]}
  name=${name%%[>\"]*}
  if [[ $text == *\<* ]]; then
    check_system "$file" "$line" "$name"
  else
    check_quoted "$file" "$line" "$name"
  fi
done < <(grep -rnE --include='*.[ch]' --include='*.cpp' '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' \
  "${roots[@]}")

# Names of processors, and the compiler's vectors.
processor='__(x86_64|i386|aarch64|arm|wasm|SSE|AVX|FMA|ARM)[A-Za-z0-9_]*|\<_mm[0-9]*_|\<__m[0-9]+'
processor+='|vector_size|__builtin_(ia32|cpu_|shuffle|convertvector)'
while IFS=: read -r file line text; do
  fault "$file" "$line" "vectors and names of processors belong in src/simd:$text"
done < <(grep -rnE --include='*.[ch]' --exclude-dir=simd "$processor" src)

if [ "$faults" -gt 0 ]; then
  echo "$faults includes in a wrong direction"
  exit 1
fi
