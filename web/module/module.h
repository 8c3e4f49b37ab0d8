// What the WebAssembly module exports: flat functions of numbers and addresses, for
// web/package/src/module.ts. Structs cross the border as rows of doubles, whose order stands beside
// the function that reads them here, and once in TypeScript.
//
// A function that can fail returns a sinew_result and keeps the error for error_code() and the
// like. Arguments that TypeScript has checked, such as indices, are not checked again.
#ifndef WEB_MODULE_H
#define WEB_MODULE_H

#include "scenes/scenes.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

#define EXPORT(name) __attribute__((export_name(#name)))

// The error of the last call that failed. Returns its code.
extern sinew_error web_error;
sinew_result web_fail(const sinew_error *error);
sinew_result web_fail_with(sinew_result code, const char *message);

// A row of a task: kind, link, point (3), axis (3), free axes, position weight, orientation weight,
// chain root, rotation (4), weights of axes (6), lower and upper ends of ranges (6 each), axes of
// weights, cone angle, up axis (3), level, required, frame link, centre of mass, influence, hard.
#define WEB_TASK_VALUES 62
sinew_task web_task(const double *row);
void web_task_row(const sinew_task *task, double *row);

// The most values of a target.
#define WEB_TARGET_VALUES 11

// A row of settings: method, damping, error damping, damping floor, damping scale, error clamp,
// adaptive clamp, largest turn, singular cut, target Jacobian, time step, error gain, largest
// change, escape, position tolerance, orientation tolerance, most steps, most starts, lanes,
// levels, objectives, rows of objectives, influences, keep base. A NaN stands for the default.
#define WEB_SETTING_VALUES 24
sinew_solver_def web_solver_def(const double *row, int task_capacity);

#endif
