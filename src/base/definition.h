// Definitions, tasks and targets: whether one was filled by its default function, and by headers
// of this version.
//
// Each begins with a cookie and its size in bytes. A struct that was only zeroed has no cookie and
// is refused, so zeros are never used as if the caller had chosen them. A different size means that
// the program was compiled with other headers.
#ifndef SINEW_BASE_DEFINITION_H
#define SINEW_BASE_DEFINITION_H

#include "sinew/base.h"

#define SINEW_COOKIE_MODEL UINT32_C(0x534e4557)
#define SINEW_COOKIE_LINK UINT32_C(0x4c494e4b)
#define SINEW_COOKIE_JOINT UINT32_C(0x4a4f494e)
#define SINEW_COOKIE_SHAPE UINT32_C(0x53484150)
#define SINEW_COOKIE_TASK UINT32_C(0x5441534b)
#define SINEW_COOKIE_TARGET UINT32_C(0x54524754)
#define SINEW_COOKIE_GOAL UINT32_C(0x474f414c)
#define SINEW_COOKIE_SOLVER UINT32_C(0x534c5645)
#define SINEW_COOKIE_GLOBAL UINT32_C(0x474c4f42)
#define SINEW_COOKIE_BANK UINT32_C(0x42414e4b)
#define SINEW_COOKIE_BATCH UINT32_C(0x42544348)
#define SINEW_COOKIE_CROWD UINT32_C(0x43525744)
#define SINEW_COOKIE_LIMB UINT32_C(0x4c494d42)
#define SINEW_COOKIE_OBJECTIVE UINT32_C(0x4f424a45)
#define SINEW_COOKIE_AIM UINT32_C(0x41494d20)
#define SINEW_COOKIE_TWIST UINT32_C(0x54574953)
#define SINEW_COOKIE_SPINE UINT32_C(0x5350494e)
#define SINEW_COOKIE_PLANT UINT32_C(0x504c4e54)

// How every definition begins.
typedef struct sinew_definition_head {
  uint32_t cookie, size;
} sinew_definition_head;

// What the head of a definition must contain, and the names for messages.
typedef struct sinew_definition {
  uint32_t cookie;
  size_t size;
  const char *type;     // "sinew_task"
  const char *function; // "sinew_default_task()"
  const char *noun;     // "task": printed before its index
} sinew_definition;

// Copies the defaults (a definition with its head filled) into def, which has size bytes in the
// program. If the sizes differ, def gets only a head with the program's size, and zeros.
void sinew_definition_init(void *def, size_t size, const void *defaults);

// Whether def can be used; error (may be NULL) says why not.
// @param def may be NULL
// @param index its index in an array, named in error; -1: not in an array
// @return SINEW_OK or SINEW_ERROR_ARGUMENT
sinew_result sinew_definition_check(const void *def, const sinew_definition *kind, int index,
                                    sinew_error *error);

#endif
