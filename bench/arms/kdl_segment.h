// A joint of urdfdom's as a segment of KDL's: for the test and the benchmark that compare with KDL.
#ifndef BENCH_ARMS_KDL_SEGMENT_H
#define BENCH_ARMS_KDL_SEGMENT_H

#include <kdl/segment.hpp>
#include <urdf_model/joint.h>

// Whether it is of a kind that both have; others are fixed, or cannot be compared.
inline bool kdl_moves(const urdf::Joint &joint) {
  return joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::CONTINUOUS ||
         joint.type == urdf::Joint::PRISMATIC;
}

// KDL's joint is in the parent link's frame: its placement is applied to origin and axis, and the
// segment ends at the child link's frame at 0.
inline KDL::Segment kdl_segment(const urdf::Joint &joint) {
  const urdf::Pose &pose = joint.parent_to_joint_origin_transform;
  double x, y, z, w;
  pose.rotation.getQuaternion(x, y, z, w);
  const KDL::Frame placed(KDL::Rotation::Quaternion(x, y, z, w),
                          KDL::Vector(pose.position.x, pose.position.y, pose.position.z));
  if (!kdl_moves(joint)) {
    return KDL::Segment(joint.child_link_name, KDL::Joint(joint.name, KDL::Joint::None), placed);
  }
  const KDL::Vector axis(joint.axis.x, joint.axis.y, joint.axis.z);
  const auto kind =
      joint.type == urdf::Joint::PRISMATIC ? KDL::Joint::TransAxis : KDL::Joint::RotAxis;
  return KDL::Segment(joint.child_link_name,
                      KDL::Joint(joint.name, placed.p, placed.M * axis, kind), placed);
}

#endif
