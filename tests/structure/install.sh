#!/bin/bash
# Installs a build into a new prefix and builds the examples against it as a user does: with
# find_package and with pkg-config, shared and static. Runs each.
# Usage: install.sh BUILD SOURCE SCRATCH CC
set -euo pipefail
build=$1 source=$2 scratch=$3/install cc=$4
prefix=$scratch/prefix

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$prefix" >/dev/null

# Every public header is installed.
if ! diff "$source/include/sinew" "$prefix/include/sinew"; then
  echo 'the installed headers are not those of include/sinew'
  exit 1
fi

# The examples are copied out of the project, so that no file of it is found by accident.
cp -r "$source/examples" "$source/models" "$scratch"
cd "$scratch"

# run FOLDER: every example of a folder, from outside of the project
run() {
  "$1/pose"
  "$1/limb"
  "$1/stand"
  "$1/turn"
  "$1/read_urdf" models/arm7.urdf
  "$1/reach"
  "$1/global"
  "$1/resolved_rate"
  [ ! -e "$1/workspace" ] || "$1/workspace" models/arm7.urdf
}

echo '== find_package'
cmake -G Ninja -S examples -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build by-cmake >/dev/null
run by-cmake

echo '== find_package, static'
cmake -G Ninja -S examples -B by-cmake-static -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DSINEW_EXAMPLES_STATIC=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build by-cmake-static >/dev/null
if ldd by-cmake-static/pose | grep -q libsinew; then
  echo 'the static example needs the shared library'
  exit 1
fi
run by-cmake-static

echo '== pkg-config'
libdir=$(dirname "$(find "$prefix" -name sinew.pc)")
export PKG_CONFIG_PATH=$libdir
version=$(pkg-config --modversion sinew)
mkdir by-pkg-config
read -ra flags < <(pkg-config --cflags --libs sinew)
"$cc" -std=c17 -o by-pkg-config/pose examples/pose.c "${flags[@]}"
"$cc" -std=c17 -o by-pkg-config/limb examples/limb.c "${flags[@]}" -lm
"$cc" -std=c17 -o by-pkg-config/stand examples/stand.c "${flags[@]}" -lm
"$cc" -std=c17 -o by-pkg-config/turn examples/turn.c "${flags[@]}" -lm
read -ra flags < <(pkg-config --cflags --libs sinew-formats)
for name in read_urdf reach global resolved_rate; do
  "$cc" -std=c17 -o "by-pkg-config/$name" "examples/$name.c" "${flags[@]}" -lm
done
if pkg-config --exists sinew-threads; then
  read -ra flags < <(pkg-config --cflags --libs sinew-threads sinew-formats)
  "$cc" -std=c17 -o by-pkg-config/workspace examples/workspace.c "${flags[@]}"
fi
LD_LIBRARY_PATH=${libdir%/pkgconfig} run by-pkg-config

# The installed program finds its libraries relative to itself, and prints its version.
echo '== program'
"$prefix/bin/sinew" --version | grep -F "$version"
"$prefix/bin/sinew" info models/arm7.urdf >/dev/null
test -f "$prefix/share/man/man1/sinew.1"
test -f "$prefix/share/sinew/task_files.schema.json"

echo '== documents'
documents=$(dirname "$(find "$prefix" -name README.md -path '*/doc/sinew/*')")
grep -oE '\]\([^)]+\)' "$documents/README.md" | tr -d ']()' | while read -r link; do
  [ -e "$documents/${link%%#*}" ] || { echo "the installed README links to $link" && exit 1; }
done
rm -rf "$scratch"
