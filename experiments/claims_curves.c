// The curves of a claim, and their picture.
#include "experiments/claims.h"
#include "experiments/output.h"

#include <math.h>
#include <stdio.h>

claim_curve *claim_curve_begin(claim_result *result, const char *name) {
  if (result->curve_count == CLAIM_MOST_CURVES) {
    return NULL;
  }
  claim_curve *curve = &result->curves[result->curve_count++];
  curve->name = name;
  curve->count = 0;
  return curve;
}

void claim_curve_put(claim_curve *curve, double x, double y) {
  if (curve == NULL || curve->count == CLAIM_MOST_POINTS || !isfinite(x) || !isfinite(y)) {
    return;
  }
  int place = curve->count++;
  for (; place > 0 && curve->x[place - 1] > x; --place) {
    curve->x[place] = curve->x[place - 1];
    curve->y[place] = curve->y[place - 1];
  }
  curve->x[place] = x;
  curve->y[place] = y;
}

static void put_curves(FILE *picture, const claim_result *result) {
  for (int i = 0; i < result->curve_count; ++i) {
    const claim_curve *curve = &result->curves[i];
    fprintf(picture, "$curve_%d << END\n", i);
    for (int k = 0; k < curve->count; ++k) {
      fprintf(picture, "%.6g %.6g\n", curve->x[k], curve->y[k]);
    }
    fputs("END\n", picture);
  }
}

static void put_axes(FILE *picture, const claim_axes *axes) {
  picture_style(picture);
  fprintf(picture,
          "set title \"%s\" noenhanced\nset xlabel \"%s\"\nset ylabel \"%s\"\n%s%s"
          "set key outside right center noenhanced\n",
          axes->caption, axes->x, axes->y,
          axes->logarithmic_x ? "set logscale x\nset format x '10^{%T}'\n" : "",
          axes->logarithmic_y ? "set logscale y\nset format y '10^{%T}'\n" : "");
}

bool claim_draw(const claim *self, const claim_result *result, const char *folder) {
  char name[32];
  if (self->axes.caption == NULL) {
    return true;
  }
  snprintf(name, sizeof name, "claims-%s", self->id);
  FILE *picture = picture_open(folder, name, 900, 400);
  if (picture == NULL) {
    return false;
  }
  put_curves(picture, result);
  put_axes(picture, &self->axes);
  const char *style = !self->axes.points ? "lines lw 2"
                      : self->axes.lines ? "linespoints lw 2 pt 7 ps 0.4"
                                         : "points lw 2";
  for (int i = 0; i < result->curve_count; ++i) {
    fprintf(picture, "%s$curve_%d with %s lc %d title \"%s\"", i == 0 ? "plot " : ", ", i, style,
            i + 1, result->curves[i].name);
  }
  fputc('\n', picture);
  return picture_close(picture, folder, name);
}
