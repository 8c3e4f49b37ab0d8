// A named link as an initialiser of arrays.
#ifndef SINEW_TESTS_LINK_H
#define SINEW_TESTS_LINK_H

#include "inspect.h"
#include "sinew/model.h"

#define LINK(text)                                                                                 \
  { .cookie = SINEW_COOKIE_LINK, .size = sizeof(sinew_link_def), .name = (text) }

#endif
