#!/bin/bash
# Builds the browser package and the viewer; see web/build.sh --help.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

usage() {
  cat <<'END'
Usage: web/build.sh [PAGE.html]

Builds both WebAssembly modules (build/web-simd, build/web-baseline), the package
sinew-ik (web/package/dist) and the viewer, and copies the viewer to PAGE.html.
Needs clang-14, lld-14, wasi-libc, libclang-rt-14-dev-wasm32, and
Node.js 22 with npm; where Node is older or missing, it is taken from PyPI.
END
}

case ${1-} in
  --help | -h) usage && exit 0 ;;
  -*) usage >&2 && exit 2 ;;
esac
page=${1:+$(realpath -m "$1")}

# shellcheck source=tools/node.sh
. tools/node.sh
for preset in web-simd web-baseline; do
  cmake --preset "$preset" && cmake --build --preset "$preset"
done
use_node build/node
cd web
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci
npm run build
if [ -n "$page" ]; then
  mkdir -p "$(dirname "$page")"
  cp viewer/dist/viewer.html "$page"
fi
