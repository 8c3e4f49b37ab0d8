/// The report as one page of HTML, with the pictures included.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "scene.h"

/// Writes FOLDER/report.html from the results and the pictures FOLDER/NAME.svg.
void report_write_page(const char *folder, const report_result *results, int count);

#endif
