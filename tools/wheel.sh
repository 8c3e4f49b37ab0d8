# shellcheck shell=bash
# Builds the wheel of the Python package; to be sourced by bash, from the root of the project.

# build_wheel FOLDER [SETTING...] writes FOLDER/dist/sinew_ik-*.whl. What is built is kept in FOLDER
# for the next time. Settings are those of scikit-build-core: -Ccmake.define.NAME=VALUE
build_wheel() {
  local folder=$1
  shift
  mkdir -p "$folder"
  rm -rf "$folder/dist"
  { [ -x "$folder/tools/bin/pip" ] || python3 -m venv "$folder/tools"; } &&
    "$folder/tools/bin/pip" install -q 'build>=1.2' &&
    "$folder/tools/bin/python" -m build --wheel python --outdir "$folder/dist" \
      "-Cbuild-dir=$PWD/$folder/{wheel_tag}" "$@"
}
