#!/bin/bash
# bench_arms runs on an arm of models/, reports true results, and writes its files. Of its times
# only the order is checked.
# Usage: bench_arms.sh PROGRAM FOLDER
set -euo pipefail
program=$1
folder=$2/bench_arms
rm -rf "$folder"
mkdir -p "$folder"
failed=0

fault() {
  echo "$*"
  failed=1
}

# ---- a run with everything ----

# Without gnuplot there are no pictures, and the program reports it.
expected=0
command -v gnuplot >/dev/null || expected=1
status=0
"$program" models/arm7.urdf:link0:flange --count 20 --rounds 1 --seconds-limit 0 \
  --out "$folder/arms" >"$folder/table.txt" || status=$?
[ "$status" -eq "$expected" ] || fault "it exits with $status, not $expected"

grep -q '^arm7: 7 joints, link0 to flange$' "$folder/table.txt" || fault 'the arm has no heading'
for start in random nominal near; do
  grep -q "^Start $start: solved" "$folder/table.txt" || fault "$start has no summary"
done

csv=$folder/arms/arms.csv
head='arm,joints,start,solver,problems,solved_percent,false_claims,outside_limits,mean_us,median_us'
head+=',p99_us,p999_us,longest_us,steps'
[ "$(head -n 1 "$csv")" = "$head" ] || fault 'the CSV has another header'
[ "$(wc -l <"$csv")" -eq 22 ] || fault 'the CSV does not have a row for each of 3 starts and 7 solvers'

# sinew solves all. No claim is false at this tolerance, and only LMA, which has no limits, leaves
# them. Restarts help.
awk -F, -v OFS=, '
  NR == 1 { next }
  { solved[$4] += $6 }
  $1 != "arm7" || $2 != 7 || $5 != 20 || $7 != 0 || !($9 > 0) { print "wrong: " $0; bad = 1 }
  $4 ~ /^sinew/ && ($6 != 100 || $8 != 0 || !($14 > 0)) { print "not all solved: " $0; bad = 1 }
  $4 == "sinew-batch" && $10 != "" { print "times of its own: " $0; bad = 1 }
  $4 == "kdl-lma" { outside += $8 }
  $4 != "kdl-lma" && $8 != 0 { print "outside the limits: " $0; bad = 1 }
  $10 != "" && !($10 <= $11 && $11 <= $12 && $12 <= $13) { print "no order: " $0; bad = 1 }
  END {
    if (!(outside > 0)) { print "LMA keeps limits, though it has none"; bad = 1 }
    if (!(solved["kdl-lma-restarts"] > solved["kdl-lma"] &&
          solved["kdl-nr-restarts"] > solved["kdl-nr"])) { print "restarts do not help"; bad = 1 }
    exit bad
  }' "$csv" || failed=1

if [ "$expected" -eq 0 ]; then
  for picture in arms arm7; do
    grep -q '</svg>' "$folder/arms/$picture.svg" || fault "$picture.svg is not complete"
  done
fi

# ---- false claims are found ----

# KDL treats angles below some 5e-7 rad as zero, and so claims results that a smaller tolerance
# refuses.
"$program" models/arm7.urdf --count 20 --rounds 1 --protocol quik --starts 0.01 --tolerance 1e-9 \
  --solvers sinew-descent,kdl-nr --out "$folder/fine" >"$folder/fine.txt" || true
awk -F, '$4 == "sinew-descent" && $7 == 0 && $6 == 100 { good += 1 }
  $4 == "kdl-nr" && $7 > 0 && $6 < 100 { good += 1 }
  END { exit good != 2 }' "$folder/fine/arms.csv" || fault 'false claims are not found'

# ---- protocols of others ----

# TRAC-IK's: from the middle of the limits, 1e-5, 5 ms; QuIK's: starts at errors of 0.001 to 1 rad
# from a solution, of which sinew solves for all. Its local solver takes more steps, and KDL's solves
# for fewer, the farther they are. req: G10
"$program" models/arm7.urdf --count 40 --rounds 1 --protocol tracik --solvers sinew,kdl-nr \
  --out "$folder/tracik" >"$folder/tracik.txt" 2>"$folder/tracik.err" || true
grep -q 'tolerance 1e-05 m and 1e-05 rad' "$folder/tracik.txt" || fault 'the tolerance is another'
grep -q 'more than 5 ms' "$folder/tracik.txt" || fault 'the time limit is another'
awk -F, 'NR > 1 && $3 == "nominal" && $5 == 40 && $7 == 0 && $8 == 0 { good += 1 }
  END { exit !(NR == 3 && good == 2) }' "$folder/tracik/arms.csv" || fault 'the TRAC-IK table is wrong'
"$program" models/arm7.urdf --count 40 --rounds 1 --protocol quik \
  --solvers sinew,sinew-descent,kdl-nr --out "$folder/quik" >"$folder/quik.txt" 2>"$folder/quik.err" || true
awk -F, '
  NR == 1 { next }
  $7 != 0 || $8 != 0 || $5 != 40 || ($4 == "sinew" && $6 != 100) { bad = 1 }
  { steps[$4, $3] = $14; solved[$4, $3] = $6; starts[$3] = 1 }
  END {
    for (s in starts) { count += 1 }
    exit bad || count != 7 || !(steps["sinew-descent", 1] > 2 * steps["sinew-descent", 0.001]) ||
      !(solved["kdl-nr", 1] < solved["kdl-nr", 0.001])
  }' "$folder/quik/arms.csv" || fault 'the sweep of start errors is wrong'

# ---- random seeds ----

counts() {
  "$program" models/arm6.urdf --count 20 --rounds 1 --starts random --solvers sinew-local,kdl-lma \
    --random-seed "$1" | awk '$1 == "random" { print $2, $3, $4, $5, $6, $NF }'
}
[ "$(counts 7)" = "$(counts 7)" ] || fault 'the same random seed gives other results'
[ "$(counts 7)" != "$(counts 8)" ] || fault 'another random seed gives the same results'

# ---- refusals ----

refused() {
  local text=$1 status=0
  shift
  "$program" "$@" >"$folder/out.txt" 2>"$folder/refusal.txt" || status=$?
  [ "$status" -eq 2 ] || fault "$*: exits with $status, not 2"
  grep -q "$text" "$folder/refusal.txt" || fault "$*: does not say '$text'"
}
refused 'no solver' models/arm7.urdf --count 1 --solvers none
refused 'there is no link' models/arm7.urdf:link0:hand --count 1
refused 'is not below' models/arm7.urdf:flange:link0 --count 1
refused 'not a number' models/arm7.urdf --count 0
refused 'neither random' models/arm7.urdf --count 1 --starts far
refused 'missing.urdf' missing.urdf
exit "$failed"
