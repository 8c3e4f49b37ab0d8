// The least that shows that the library is found and linked.
#include "sinew/sinew.h"

int main(void) {
  return sinew_version()[0] == '0' ? 0 : 1;
}
