// Floating bases of a crowd's figures in the first update after a reset: solve/registration.h.
#ifndef SINEW_BATCH_BASES_H
#define SINEW_BATCH_BASES_H

#include "batch/crowd.h"

// Finds the bases that are registered: of the whole problem, or of its parts.
void sinew_crowd_find_bases(sinew_crowd *crowd);

// Registers the bases of the usable lanes' figures whose history is that after a reset. Returns the
// lanes with a base that has moved; their errors before are then noted.
unsigned sinew_crowd_register(const sinew_crowd_group *group);

// After the update of these lanes: the errors are those before it, which has begun at no stationary
// point.
void sinew_crowd_end_registration(const sinew_crowd_group *group, unsigned registered);

#endif
