// A minimal program that shows that the libraries are found and linked.
#include "sinew/formats.h"
#include "sinew/sinew.h"

int main(void) {
  return sinew_version()[0] == '0' && sinew_format_detect("HIERARCHY", 9) == SINEW_FORMAT_BVH ? 0
                                                                                              : 1;
}
