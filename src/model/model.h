// The flat model, which all layers above read.
//
// A joint is a sequence of nodes: revolute about the node's z, prismatic along it, screw, or
// spherical. A joint of a user's function has a node for each value: the first has the whole
// motion, and all have the moved frame, in which the twist of each value is given. A node's
// placement, in the moved frame of its parent node, is the constant transform between the two:
// fixed joints, placements, and the rotation of z onto the joint's axis. Nodes are in an order in
// which each comes after its parent, so that one loop visits parents before children. A link is
// fixed to a node by its offset.
#ifndef SINEW_MODEL_MODEL_H
#define SINEW_MODEL_MODEL_H

#include "base/error.h"
#include "base/memory.h"
#include "math/cone.h"
#include "math/frame.h"
#include "sinew/model.h"

#include <stdbool.h>

// Limits of a translation that are further apart than this many sizes count as none where a range
// is needed: values spread over it would be too far apart to be of use. Angles: rad, since the
// sines of larger ones have fewer digits than a tolerance may need.
#define SINEW_WIDE_SLIDE 1e6
#define SINEW_WIDE_TURN 1e5

typedef enum sinew_node_kind {
  SINEW_NODE_REVOLUTE = 0,
  SINEW_NODE_PRISMATIC,
  SINEW_NODE_SCREW,
  SINEW_NODE_SPHERICAL,
  SINEW_NODE_FUNCTION
} sinew_node_kind;

typedef struct sinew_node {
  sinew_node_kind kind;
  int parent;           // node, or -1: the root link
  int q, v;             // first index in q and v; a coupled node has its driver's
  double ratio, offset; // value = ratio * q + offset; 1 and 0 where not coupled
  double pitch;         // SCREW [m/rad]
  int cone;             // SPHERICAL: its limits of swing and twist, or -1
  bool alone;           // no coupled joint shares its value: ratio 1, its own column
  bool straight;        // its placement has no rotation
  bool quarters;        // its placement turns axes onto axes: column j of it is 1 or -1 times the
  signed char axis[3];  // unit vector axis[j]
  int run; // how many nodes from this one on are revolute, uncoupled, each the child of
           // the one before, with values one after another in q; 0 if it is not
} sinew_node;

// A joint of a user's function: its nodes are first .. first + count - 1.
typedef struct sinew_model_function {
  sinew_joint_function function;
  void *context;
  int joint, first, count;
} sinew_model_function;

// What the function of a FUNCTION node's joint gives: the joint's motion (of the first node; of the
// others the identity), and the twist of the node's value, in the moved frame's axes.
typedef struct sinew_function_motion {
  sinew_frame motion;
  double linear[4], angular[4];
} sinew_function_motion;

// From names to indices: open addressing in a table whose size is a power of two.
typedef struct sinew_name_table {
  int *slots; // index or -1
  uint32_t mask;
} sinew_name_table;

// By what centres of mass add up from the tips to the root; both 0 where a node moves no mass.
typedef struct sinew_mass_shares {
  double own;  // of the links that are fixed to a node, in all that it moves
  double onto; // of what it moves, in what its parent moves, or the whole figure
} sinew_mass_shares;

struct sinew_model {
  sinew_allocator allocator;
  char *name;
  int link_count, joint_count, node_count, nq, nv, root;
  int shape_count, pair_count, warning_count, cone_count, function_count;
  double size;
  bool measured; // whether the size comes from the definition, which may have no lengths

  sinew_node *nodes;
  sinew_frame *placements; // of each node

  char **link_names;
  int *link_joint;                // or -1
  int *link_node;                 // or -1
  sinew_frame *link_offsets;      // of each link in its node's moved frame
  double *masses;                 // 4 a link: mass, centre of mass
  double *node_masses;            // 4 a node: the mass of the links that are fixed to it, and their
                                  // centre of mass in its moved frame
  double *carried;                // a node: the mass of all that it moves
  sinew_mass_shares *mass_shares; // a node
  double root_mass[4];            // of the links that no node moves
  double mass;                    // of all

  sinew_joint *joints;
  int *joint_node;                 // the joint's first node, or -1
  sinew_cone *cones;               // limits of swing and twist, of joints in their order
  int *cone_of_v;                  // nv: that of its joint, or -1
  sinew_model_function *functions; // of joints in their order
  double *lower, *upper;           // nv; infinite where there is a cone
  double *velocity;                // nv
  unsigned char *angular;          // nv: 1 for a rotational degree of freedom
  int *q_of_v; // nv: index of its value in q; of a spherical joint's: its quaternion
  signed char *quaternion_axis; // nv: 0 to 2 for the three of a spherical joint, else -1
  sinew_shape_def *shapes;
  sinew_link_pair *pairs;
  const char **warnings;

  sinew_name_table link_table, joint_table;
};

// nq and nv of a joint that is not coupled; its channels have been validated.
int sinew_joint_def_nv(const sinew_joint_def *joint);
int sinew_joint_def_nq(const sinew_joint_def *joint);

// Whether a joint has limits of swing and twist.
bool sinew_joint_def_has_cone(const sinew_joint_def *joint);

// Whether the last three of the joint's values in v are the rotation of a quaternion.
static inline int sinew_joint_has_quaternion(sinew_joint_kind kind) {
  return kind == SINEW_JOINT_SPHERICAL || kind == SINEW_JOINT_FREE;
}

// Calls all functions of joints. out: one for each node, of which those of FUNCTION joints are
// filled. Returns the first joint whose function gave what is not usable, or -1; out is then
// finite, without a motion of that joint.
int sinew_model_call_functions(const sinew_model *model, const double *q,
                               sinew_function_motion *out);

// Whether all functions give usable results at sinew_configuration_start().
sinew_result sinew_model_check_start(const sinew_model *model, sinew_error *error);

// The error of a joint whose function gave what is not usable.
sinew_result sinew_model_explain_function(const sinew_model *model, int joint, sinew_error *error);

// q (nq) from nv numbers in [0, 1), by the rule that sinew_configuration_random() applies to random
// numbers.
void sinew_configuration_of_uniform(const sinew_model *model, const double *u, double *q);

// The tree of joints, found while a definition is checked.
typedef struct sinew_topology {
  int root;
  int *link_joint;                // of each link, the joint that moves it, or -1
  int *order;                     // joints, a parent's before its children's
  int *driver;                    // of each joint, the last driver of its chain, or -1
  double *ratio, *offset;         // with respect to that driver
  int *child_start, *child_joint; // joints below each link, by link
  int *stack;
  sinew_name_table link_table, joint_table;
} sinew_topology;

// Memory for the topology of a definition.
void sinew_topology_layout(sinew_arena *arena, const sinew_model_def *def,
                           sinew_topology *topology);

// Checks a definition and fills its topology.
sinew_result sinew_model_def_validate(const sinew_model_def *def, sinew_topology *topology,
                                      sinew_error *error);

// Fills nodes and placements, and of joints and links the node, of a model whose joints are filled:
// nodes.c.
void sinew_model_build_nodes(sinew_model *model, const sinew_model_def *def,
                             const sinew_topology *topology);

// How many slots a table for count names has.
uint32_t sinew_name_table_size(int count);

// Finds a name's slot in the table, which contains its index, or -1 if the name is new. name_of
// returns the name at an index of names, so that names may be an array of structs.
int *sinew_name_table_find(const sinew_name_table *table, const char *name,
                           const char *(*name_of)(const void *names, int index), const void *names);

#endif
