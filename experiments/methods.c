// The methods that are compared. The largest joint motion in a step is as in Buss's demonstration
// program, which clamps the pseudoinverse most.
#include "experiments/methods.h"

#include <string.h>

#define RADIANS (3.14159265358979323846 / 180.0)

const method methods[] = {
    {.name = "transpose",
     .label = "transpose",
     .method = SINEW_METHOD_TRANSPOSE,
     .max_turn = 30,
     .color = "#8a949e"},
    {.name = "pseudoinverse",
     .label = "pseudoinverse",
     .method = SINEW_METHOD_PSEUDOINVERSE,
     .max_turn = 5,
     .color = "#7b5ea7"},
    {.name = "dls",
     .label = "DLS",
     .method = SINEW_METHOD_DLS,
     .max_turn = 45,
     .damped = true,
     .color = "#e08a1e"},
    {.name = "dls-clamped",
     .label = "DLS'",
     .method = SINEW_METHOD_DLS,
     .max_turn = 45,
     .damped = true,
     .clamped = true,
     .color = "#b0413e"},
    {.name = "sdls",
     .label = "SDLS",
     .method = SINEW_METHOD_SDLS,
     .max_turn = 45,
     .clamped = true,
     .color = "#17a2b8"},
    {.name = "dls-target",
     .label = "DLS, target Jacobian",
     .method = SINEW_METHOD_DLS,
     .max_turn = 45,
     .damped = true,
     .target_jacobian = true,
     .color = "#6b8e23"},
    {.name = "sdls-target",
     .label = "SDLS, target Jacobian",
     .method = SINEW_METHOD_SDLS,
     .max_turn = 45,
     .clamped = true,
     .target_jacobian = true,
     .color = "#0b6170"},
    {.name = "newton", .label = "Newton, c = 1", .method = SINEW_METHOD_NEWTON, .color = "#2a9d5c"},
    {.name = "default",
     .label = "sinew's default",
     .method = SINEW_METHOD_DEFAULT,
     .color = "#1b5aa5"}};

const int method_count = sizeof methods / sizeof methods[0];

sinew_solver_def method_def(const method *which, method_setting setting) {
  sinew_solver_def def = sinew_default_solver_def();
  def.method = which->method;
  if (which->max_turn > 0.0) {
    def.max_turn = RADIANS * which->max_turn;
  }
  if (which->damped) {
    // Buss's constant damping only.
    def.damping = setting.lambda;
    def.error_damping = 0.0;
  }
  if (which->clamped) {
    def.error_clamp = setting.clamp;
  }
  def.target_jacobian = which->target_jacobian;
  return def;
}

const method *method_find(const char *name) {
  for (int i = 0; i < method_count; ++i) {
    if (strcmp(methods[i].name, name) == 0) {
      return &methods[i];
    }
  }
  return NULL;
}
