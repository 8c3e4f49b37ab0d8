// What the sources claim of the methods, each measured: confirmed, refuted or mixed.
#ifndef EXPERIMENTS_CLAIMS_H
#define EXPERIMENTS_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum verdict { CLAIM_CONFIRMED = 0, CLAIM_REFUTED, CLAIM_MIXED } verdict;

const char *verdict_string(verdict v);

#define CLAIM_MOST_CASES 16
#define CLAIM_MOST_CURVES 11
#define CLAIM_MOST_POINTS 200

// Points of a picture, in the order of x.
typedef struct claim_curve {
  const char *name;
  int count;
  double x[CLAIM_MOST_POINTS], y[CLAIM_MOST_POINTS];
} claim_curve;

// What a measurement finds: a figure for each case, and its name.
typedef struct claim_result {
  double figures[CLAIM_MOST_CASES];
  const char *names[CLAIM_MOST_CASES];
  char extra[512]; // text beside the figures, such as times, which decide nothing
  claim_curve curves[CLAIM_MOST_CURVES];
  int curve_count;
} claim_result;

// Begins a curve; NULL where the result has the most already.
claim_curve *claim_curve_begin(claim_result *result, const char *name);

// Puts a point in its place by x; left out: beyond the most, and without a number.
void claim_curve_put(claim_curve *curve, double x, double y);

// The axes of a claim's picture, with units, and what it shows, in a sentence.
typedef struct claim_axes {
  const char *caption, *x, *y;
  bool logarithmic_x, logarithmic_y;
  bool points, lines; // each point is shown; neighbours are joined
} claim_axes;

// A claim and its rule, which is fixed before anything is measured: of the cases that are measured,
// the claim holds in those whose figure is on the right side of the threshold. All: confirmed;
// none: refuted; else mixed.
typedef struct claim {
  const char *id;     // of docs/requirements.md: "H1"
  const char *text;   // in the source's sense
  const char *source; // B, R, U, P
  const char *figure; // what is measured
  bool below;         // it holds where the figure is below the threshold; else above
  double threshold;
  const char *command; // that shows more of it
  claim_axes axes;     // caption NULL: no picture, the figures tell all
  // Fills a result of zeros; returns the number of cases, -1 after a message.
  int (*measure)(bool brief, claim_result *out);
} claim;

// NULL past the last.
const claim *claim_at(int index);

verdict claim_verdict(const claim *self, const double *figures, int count);

// The measurements, by file: claims_tracking.c, claims_solving.c, claims_counts.c.
int claim_single_effector(bool brief, claim_result *out);
int claim_clamped_errors(bool brief, claim_result *out);
int claim_clamped_steps(bool brief, claim_result *out);
int claim_target_jacobian(bool brief, claim_result *out);
int claim_laws(bool brief, claim_result *out);
int claim_ccd(bool brief, claim_result *out);
int claim_damped_inverse(bool brief, claim_result *out);
int claim_twice_the_steps(bool brief, claim_result *out);
int claim_step_size(bool brief, claim_result *out);
int claim_forms(bool brief, claim_result *out);
int claim_frames(bool brief, claim_result *out);
int claim_differences(bool brief, claim_result *out);

// Draws a claim's curves as FOLDER/claims-ID.svg; nothing without axes.
bool claim_draw(const claim *self, const claim_result *result, const char *folder);

#endif
