// Definitions, tasks and targets: whether one was filled by its default function, and by headers
// of this version.
//
// Each begins with a cookie and its size in bytes. A struct that was only zeroed has no cookie, so
// its zeros are not taken for choices; one of another size comes from a program that was compiled
// with other headers.
#ifndef SINEW_BASE_DEFINITION_H
#define SINEW_BASE_DEFINITION_H

#include "sinew/base.h"

#define SINEW_COOKIE_MODEL UINT32_C(0x534e4557)
#define SINEW_COOKIE_LINK UINT32_C(0x4c494e4b)
#define SINEW_COOKIE_JOINT UINT32_C(0x4a4f494e)
#define SINEW_COOKIE_SHAPE UINT32_C(0x53484150)
#define SINEW_COOKIE_TASK UINT32_C(0x5441534b)
#define SINEW_COOKIE_TARGET UINT32_C(0x54524754)
#define SINEW_COOKIE_SOLVER UINT32_C(0x534c5645)
#define SINEW_COOKIE_GLOBAL UINT32_C(0x474c4f42)
#define SINEW_COOKIE_BANK UINT32_C(0x42414e4b)
#define SINEW_COOKIE_BATCH UINT32_C(0x42544348)
#define SINEW_COOKIE_CROWD UINT32_C(0x43525744)

// How every definition begins.
typedef struct sinew_definition_head {
  uint32_t cookie, size;
} sinew_definition_head;

// What a definition must be.
typedef struct sinew_definition {
  uint32_t cookie;
  size_t size;
  const char *type;     // "sinew_task"
  const char *function; // "sinew_default_task()"
  const char *noun;     // "task": what stands before its number
} sinew_definition;

// Copies the defaults (a definition, its head filled) into def, which has size bytes in the
// program. Where sizes differ def gets its head alone, with the program's size, and zeros.
void sinew_definition_init(void *def, size_t size, const void *defaults);

// Whether def can be used; error (may be NULL) says why not.
// @param def may be NULL
// @param index its number among others, named in error; -1: there is one
// @return SINEW_OK or SINEW_ERROR_ARGUMENT
sinew_result sinew_definition_check(const void *def, const sinew_definition *kind, int index,
                                    sinew_error *error);

#endif
