// What the sources claim of the methods, each measured: confirmed, refuted or mixed.
#ifndef EXPERIMENTS_CLAIMS_H
#define EXPERIMENTS_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum verdict { CLAIM_CONFIRMED = 0, CLAIM_REFUTED, CLAIM_MIXED } verdict;

const char *verdict_string(verdict v);

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
  // Fills figures, one for each case, and their names; returns how many, -1 after a message. extra:
  // text beside the figures, such as times, which decide nothing.
  int (*measure)(bool brief, double *figures, const char **names, char *extra, size_t size);
} claim;

#define CLAIM_MOST_CASES 16

// NULL past the last.
const claim *claim_at(int index);

verdict claim_verdict(const claim *self, const double *figures, int count);

// The measurements, by file: claims_tracking.c, claims_solving.c, claims_counts.c.
int claim_single_effector(bool brief, double *figures, const char **names, char *extra,
                          size_t size);
int claim_clamped_errors(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_clamped_steps(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_target_jacobian(bool brief, double *figures, const char **names, char *extra,
                          size_t size);
int claim_laws(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_ccd(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_damped_inverse(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_twice_the_steps(bool brief, double *figures, const char **names, char *extra,
                          size_t size);
int claim_step_size(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_forms(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_frames(bool brief, double *figures, const char **names, char *extra, size_t size);
int claim_differences(bool brief, double *figures, const char **names, char *extra, size_t size);

#endif
