// The headers of src/ that tests include: only through this file, as tests/structure/includes.sh
// checks. A test of the public interface does not include it. C only.
#ifndef INSPECT_H
#define INSPECT_H

#ifdef SINEW_LANES // a source that is compiled once for each instruction set: sinew_add_lanes()

#include "policy/acceptance.h"
#include "policy/gradient.h"
#include "policy/stall.h"
#include "policy/tracking.h"
#include "simd/elementary.h"
#include "simd/fused_four.h"

#else

#include "analytic/arm.h"
#include "analytic/arm_signs.h"
#include "analytic/subproblems.h"
#include "base/definition.h"
#include "base/memory.h"
#include "batch/history.h"
#include "kinematics/manipulability.h"
#include "kinematics/reference/adjusted.h"
#include "kernel/dispatch.h"
#include "math/cone.h"
#include "math/cone_arc.h"
#include "math/cone_fours.h"
#include "math/eigen.h"
#include "math/ldlt.h"
#include "math/lu.h"
#include "math/qr.h"
#include "math/rotation.h"
#include "math/rows.h"
#include "math/spread.h"
#include "math/svd.h"
#include "math/vector.h"
#include "policy/levels.h"
#include "problem/features.h"
#include "seed/seeds.h"
#include "simd/four.h"
#include "simd/instruction_set.h"
#include "simd/pair.h"
#include "simd/quad.h"
#include "simd/sincos.h"
#include "solve/backward_differences.h"
#include "solve/damping.h"
#include "solve/pole.h"
#include "solve/solutions.h"
#include "solve/solver.h"
#include "step/box.h"
#include "step/clamp.h"
#include "step/constrained.h"
#include "step/dls.h"
#include "step/ends.h"
#include "step/filter.h"
#include "step/hold.h"
#include "step/kept_factor.h"
#include "step/qp.h"
#include "step/level.h"
#include "step/pseudoinverse.h"
#include "step/sdls.h"
#include "step/transpose.h"

#endif

#endif
