// Checks of gains, weights and limits as a caller fills them: messages name the joint.
#include "base/error.h"
#include "math/vector.h"
#include "problem/problem.h"

// The joint of a degree of freedom, and which of the joint's it is.
static const sinew_joint *joint_of(const sinew_model *model, int v, int *part) {
  int j = 0;
  while (model->joints[j].nv == 0 || v < model->joints[j].v_index ||
         v >= model->joints[j].v_index + model->joints[j].nv) {
    ++j;
  }
  *part = v - model->joints[j].v_index;
  return &model->joints[j];
}

sinew_result sinew_gains_check(const sinew_model *model, const double *gains, sinew_error *error) {
  for (int v = 0; gains != NULL && v < model->nv; ++v) {
    if (!(gains[v] >= 0.0 && gains[v] <= 1e6)) {
      int part;
      const sinew_joint *joint = joint_of(model, v, &part);
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, joint->name,
                             "gain %g of degree of freedom %d is not within 0 and 1e6", gains[v],
                             part);
    }
  }
  return SINEW_OK;
}

// The largest ratio of weights, and the largest asymmetry as a share of the diagonal.
#define WEIGHT_RATIO 1e12
#define WEIGHT_SYMMETRY 1e-9

// What is wrong with row i of weights, the largest of whose diagonal is given; NULL: nothing.
static const char *weights_error(const double *W, int nv, int i, double largest) {
  const double diagonal = W[i * nv + i];
  if (!(diagonal > 0.0 && diagonal <= SINEW_HUGE && diagonal * WEIGHT_RATIO >= largest)) {
    return "is not above 0, or 1e12 times below another";
  }
  for (int j = 0; j < i; ++j) {
    const double most = sqrt(diagonal) * sqrt(W[j * nv + j]);
    if (!(fabs(W[i * nv + j]) <= most &&
          fabs(W[i * nv + j] - W[j * nv + i]) <= WEIGHT_SYMMETRY * most)) {
      return "is in a row that is not that of a symmetric positive definite matrix";
    }
  }
  return NULL;
}

sinew_result sinew_weights_check(const sinew_model *model, const double *W, sinew_error *error) {
  const int nv = model->nv;
  double largest = 0.0;
  for (int v = 0; v < nv; ++v) {
    largest = sinew_max(largest, W[v * nv + v]);
  }
  for (int v = 0; v < nv; ++v) {
    const char *wrong = weights_error(W, nv, v, largest);
    if (wrong != NULL) {
      int part;
      const sinew_joint *joint = joint_of(model, v, &part);
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, joint->name,
                             "weight %g of degree of freedom %d %s", W[v * nv + v], part, wrong);
    }
  }
  return SINEW_OK;
}

sinew_result sinew_limits_check(const sinew_model *model, const double *lower, const double *upper,
                                sinew_error *error) {
  const double *least = lower != NULL ? lower : model->lower;
  const double *most = upper != NULL ? upper : model->upper;
  for (int v = 0; v < model->nv; ++v) {
    if (!(least[v] <= most[v]) || least[v] > SINEW_HUGE || most[v] < -SINEW_HUGE) {
      int part;
      const sinew_joint *joint = joint_of(model, v, &part);
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, joint->name,
                             "limits %g and %g of degree of freedom %d leave no value within 1e100",
                             least[v], most[v], part);
    }
  }
  return SINEW_OK;
}
