/// @file sinew.h
/// All of the core. The readers and writers of files are in sinew/formats.h.
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/base.h"
#include "sinew/math.h"
#include "sinew/model.h"
#include "sinew/kinematics.h"
#include "sinew/task.h"
#include "sinew/solver.h"
#include "sinew/objective.h"
#include "sinew/network.h"
#include "sinew/global.h"
#include "sinew/batch.h"
#include "sinew/crowd.h"
#include "sinew/limb.h"
#include "sinew/qp.h"

#endif
