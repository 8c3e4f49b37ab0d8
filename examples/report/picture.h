/// Pictures of figures, drawn by gnuplot.
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "scene.h"

/// One figure in a picture.
typedef struct report_panel {
  const report_result *result;
  bool after;        ///< the result, with the start as a shadow; else the start
  const char *title; ///< over it
} report_panel;

/// Writes panels as an SVG, two in a row.
void report_draw(const char *path, const report_panel *panels, int count);

#endif
