#!/bin/bash
# Networks that give starts: examples, training, and `sinew solve --network`.
# Usage: network.sh SINEW NETWORK_EXAMPLES ROOT SCRATCH
# The training is left out where no Python has numpy.
set -euo pipefail
sinew=$1 examples=$2 root=$3 scratch=$4/network
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch"

fail() {
  printf 'network.sh: %s\n' "$1" >&2
  exit 1
}

# number OFFSET: four bytes of the head
number() {
  od -A n -t u4 -j "$1" -N 4 head | tr -d ' '
}

# Wrong links and missing models are named.
status=0
"$examples" "$root/models/arm7.urdf" flnge >out 2>err || status=$?
{ [ "$status" -eq 2 ] && grep -qx 'network_examples: flnge: there is no such link' err; } ||
  fail "a wrong link: $(cat err)"
status=0
"$examples" none.urdf flange >out 2>err || status=$?
{ [ "$status" -eq 2 ] && grep -q 'network_examples: .*none.urdf: .' err; } ||
  fail "a missing model: $(cat err)"

# A network without a hidden layer whose weights are all 0: its outputs are the middles.
"$examples" --count 1 "$root/models/arm7.urdf" flange >one
cp one head
size=$(number 12) inputs=$(number 32) outputs=$(number 36)
[ "$inputs $outputs" = '19 7' ] || fail "$inputs inputs and $outputs outputs, not 19 and 7"
[ "$(wc -c <one)" -eq $((size + 8 + 4 * (inputs + outputs))) ] || fail 'wrong size of examples'
{
  head -c "$size" one
  printf '\001\000\000\000\007\000\000\000'
  head -c $((4 * 7 * 20)) /dev/zero
} >zero.net

pose=(--tip flange --pose '0.4,0.1,0.5,0,1,0,0')
"$sinew" solve "$root/models/arm7.urdf" "${pose[@]}" --network zero.net --json >out 2>err
grep -q '"outcome": "converged"' out || fail 'not solved with a network'
[ ! -s err ] || fail "a message for a network that fits: $(cat err)"

# Another model's is refused by name, and the search goes on.
"$sinew" solve "$root/models/arm6.urdf" --tip flange --position 0.3,0.1,0.4 --network zero.net \
  --json >out 2>err
grep -q '"outcome": "converged"' out || fail 'not solved without the network'
grep -q "zero.net: .*for the model 'arm7', not for 'arm6'; the search goes on without it" err ||
  fail "another model's: $(cat err)"
"$sinew" solve "$root/models/arm7.urdf" --tip flange --position 0.4,0.1,0.5 --network zero.net \
  --json >out 2>err
grep -q 'other tasks' err || fail "other tasks: $(cat err)"

# A batch takes it too, by the same rules.
printf 'x,y,z,qw,qx,qy,qz\n0.4,0.1,0.5,0,1,0,0\n0.3,-0.2,0.5,0,1,0,0\n' >poses.csv
batch=(batch "$root/models/arm7.urdf" --tip flange --targets poses.csv --bank 0)
"$sinew" "${batch[@]}" --network zero.net --out with.csv >out 2>err
[ "$(grep -c '^converged,' with.csv)" -eq 2 ] || fail "a batch with a network: $(cat with.csv err)"
! grep -q 'without it' err || fail "a batch's message for a network that fits: $(cat err)"
"$sinew" batch "$root/models/arm6.urdf" --tip flange --targets poses.csv --network zero.net \
  --out other.csv >out 2>err
grep -q "zero.net: .*for the model 'arm7', not for 'arm6'; the search goes on without it" err ||
  fail "a batch with another model's: $(cat err)"
status=0
"$sinew" "${batch[@]}" --network none.net --out none.csv >out 2>err || status=$?
{ [ "$status" -eq 2 ] && grep -q 'none.net' err; } || fail 'a batch without its file is not refused'

# What cannot be read, or does not go with it.
status=0
"$sinew" solve "$root/models/arm7.urdf" "${pose[@]}" --network none.net >out 2>err || status=$?
grep -q 'none.net' err || fail 'no message for a file that is missing'
[ "$status" -eq 2 ] || fail 'a file that is missing is not refused'
status=0
"$sinew" solve "$root/models/arm7.urdf" "${pose[@]}" --network zero.net --method dls >out 2>err ||
  status=$?
grep -q -- '--network' err || fail '--method with --network: no message'
[ "$status" -eq 2 ] || fail '--method with --network is not refused'

# The training: its network fits, and explains a part of the examples that it was not given.
mapfile -t pythons < <(type -a -p python3)
for python in "${pythons[@]}"; do
  if "$python" -c 'import numpy' 2>/dev/null; then
    "$examples" --count 3000 "$root/models/arm7.urdf" flange >many
    "$python" "$root/tools/train-network" many arm7.net --layers 32 --epochs 200 >out
    explained=$(sed -n 's/.*back, \([0-9]*\).*% explained/\1/p' out)
    [ "${explained:-0}" -ge 15 ] || fail "the training: $(cat out)"
    "$sinew" solve "$root/models/arm7.urdf" "${pose[@]}" --network arm7.net --json >out 2>err
    grep -q '"outcome": "converged"' out || fail 'not solved with a trained network'
    [ ! -s err ] || fail "a trained network: $(cat err)"
    echo "trained: $explained % explained"
    exit 0
  fi
done
echo 'no Python has numpy: nothing was trained'
