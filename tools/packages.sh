# shellcheck shell=bash
# Debian packages for ./demo and ./check; to be sourced by bash.
#
#   . tools/packages.sh
#   need_packages "the demo" gcc libc6-dev cmake
#
# Only dpkg-query is called where all packages are installed.

# Runs a command as root, through sudo where needed.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo -- "$@"
  fi
}

# Whether as_root can work: the user is root, or sudo runs without a password, or
# a terminal is there to type it.
can_be_root() {
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  sudo -n true 2>/dev/null || [ -t 0 ]
}

# Prints those of the named packages that are not installed, one a line.
missing_packages() {
  local name
  for name in "$@"; do
    if ! dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed; then
      printf '%s\n' "$name"
    fi
  done
}

# need_packages PURPOSE NAME... installs what is missing, after printing the
# list; exits with 2 where it cannot.
need_packages() {
  local purpose=$1 names missing
  shift
  if ! command -v dpkg-query >/dev/null 2>&1; then
    printf 'This is no Debian system; %s needs what these packages hold:\n' "$purpose" >&2
    printf '  %s\n' "$@" >&2
    return 0
  fi
  names=$(missing_packages "$@")
  [ -z "$names" ] && return 0
  mapfile -t missing <<<"$names"

  printf 'Packages to install for %s:\n' "$purpose"
  printf '  %s\n' "${missing[@]}"
  if ! can_be_root; then
    printf 'They are missing, and this needs root or sudo. As root:\n' >&2
    printf '  apt-get update && apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
    exit 2
  fi
  if ! as_root apt-get update -q ||
    ! as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -q --no-install-recommends "${missing[@]}"; then
    printf 'Not all packages could be installed for %s: %s\n' "$purpose" "${missing[*]}" >&2
    exit 2
  fi
}
