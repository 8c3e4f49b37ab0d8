// Reads arms.
//
// Both programs get the same links and joints: those on the path from root to tip. The two
// kinematics are compared before anything is measured.
#include "bench/arms/arm.h"
#include "bench/arms/kdl_segment.h"
#include "bench/arms/message.h"
#include "scenes/expect.h"

#include <console_bridge/console.h>
#include <kdl/tree.hpp>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

// --------------------------------------------------------------------- KDL's side

static void read_chain(arm &a, const std::string &path, const std::string &text) {
  console_bridge::noOutputHandler();
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDF(text);
  if (!urdf) {
    fail("%s: urdfdom cannot read it", path.c_str());
  }
  std::vector<urdf::JointSharedPtr> joint_path; // from the tip to the root
  for (urdf::LinkConstSharedPtr link = urdf->getLink(a.tip);
       link && link->name != a.root && link->parent_joint; link = link->getParent()) {
    joint_path.push_back(link->parent_joint);
  }
  for (auto joint = joint_path.rbegin(); joint != joint_path.rend(); ++joint) {
    const bool fits = kdl_moves(**joint) || (*joint)->type == urdf::Joint::FIXED;
    if (!fits || (*joint)->mimic) {
      fail("%s: %s: KDL has no such joint", path.c_str(), (*joint)->name.c_str());
    }
    a.chain.addSegment(kdl_segment(**joint));
  }
  a.forward = std::make_unique<KDL::ChainFkSolverPos_recursive>(a.chain);
}

KDL::Frame arm::place(const double *q) const {
  KDL::JntArray values(static_cast<unsigned>(joints));
  std::copy(q, q + joints, values.data.data());
  KDL::Frame frame;
  forward->JntToCart(values, frame);
  return frame;
}

double distance_between(const KDL::Frame &a, const KDL::Frame &b) {
  return (a.p - b.p).Norm();
}

// From sine and cosine, so that small angles keep their digits.
double angle_between(const KDL::Frame &a, const KDL::Frame &b) {
  const KDL::Rotation R = a.M.Inverse() * b.M;
  const KDL::Vector twice_sine(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  return std::atan2(twice_sine.Norm(), R(0, 0) + R(1, 1) + R(2, 2) - 1.0);
}

// ------------------------------------------------------------------- sinew's side

// "base=LINK" or "tip=LINK" in the first lines of a file, which name its arm; or "".
static std::string value_of(const std::string &text, const char *word) {
  const std::string head = text.substr(0, 512);
  const size_t found = head.find(word);
  if (found == std::string::npos) {
    return "";
  }
  const size_t begin = found + strlen(word);
  return head.substr(begin, head.find_first_of("; \n", begin) - begin);
}

// The joint that moves each link, or -1.
static std::vector<int> joints_of_links(const sinew_model_def &def) {
  std::vector<int> above(static_cast<size_t>(def.link_count), -1);
  for (int j = 0; j < def.joint_count; ++j) {
    above[static_cast<size_t>(def.joints[j].child)] = j;
  }
  return above;
}

static int find_link(const sinew_model_def &def, const std::string &name) {
  for (int i = 0; i < def.link_count; ++i) {
    if (name == def.links[i].name) {
      return i;
    }
  }
  return -1;
}

// The joints from a link up to root, in the order from the root; false where root is not above it.
static bool path_to(const sinew_model_def &def, const std::vector<int> &above, int root, int link,
                    std::vector<int> &joint_path) {
  joint_path.clear();
  for (; link != root; link = def.joints[joint_path.back()].parent) {
    if (above[static_cast<size_t>(link)] < 0) {
      return false;
    }
    joint_path.push_back(above[static_cast<size_t>(link)]);
  }
  std::reverse(joint_path.begin(), joint_path.end());
  return true;
}

// The link with the most moving joints above it; of several, the last on its path, for example a
// tool.
static int deepest_link(const sinew_model_def &def, const std::vector<int> &above, int root) {
  int deepest = -1, most = -1;
  size_t longest = 0;
  std::vector<int> joint_path;
  for (int link = 0; link < def.link_count; ++link) {
    if (!path_to(def, above, root, link, joint_path)) {
      continue;
    }
    const auto moving =
        static_cast<int>(std::count_if(joint_path.begin(), joint_path.end(), [&](int j) {
          return def.joints[j].kind != SINEW_JOINT_FIXED;
        }));
    if (moving > most || (moving == most && joint_path.size() > longest)) {
      deepest = link;
      most = moving;
      longest = joint_path.size();
    }
  }
  return deepest;
}

// A model of only the links and joints on the path.
static void create_model(arm &a, const std::string &path, const sinew_model_def &whole, int root,
                         const std::vector<int> &joint_path) {
  std::vector<sinew_link_def> links(1, whole.links[root]);
  std::vector<sinew_joint_def> joints;
  for (const int j : joint_path) {
    sinew_joint_def joint = whole.joints[j];
    const bool slides = joint.kind == SINEW_JOINT_PRISMATIC;
    const bool turns = joint.kind == SINEW_JOINT_REVOLUTE || joint.kind == SINEW_JOINT_CONTINUOUS;
    if (joint.driver >= 0 || !(slides || turns || joint.kind == SINEW_JOINT_FIXED)) {
      fail("%s: %s: KDL has no such joint", path.c_str(), joint.name);
    }
    if (joint.kind != SINEW_JOINT_FIXED) {
      a.turns.push_back(turns);
    }
    links.push_back(whole.links[joint.child]);
    joint.parent = static_cast<int>(links.size()) - 2;
    joint.child = joint.parent + 1;
    joints.push_back(joint);
  }
  sinew_model_def def = sinew_default_model_def();
  def.name = a.name.c_str();
  def.links = links.data();
  def.link_count = static_cast<int>(links.size());
  def.joints = joints.data();
  def.joint_count = static_cast<int>(joints.size());
  sinew_error error;
  if (sinew_model_create(&def, &a.model, &error) != SINEW_OK) {
    fail(error);
  }
  a.link = def.link_count - 1;
  a.joints = sinew_model_nq(a.model);
  a.lower.assign(sinew_model_lower(a.model), sinew_model_lower(a.model) + a.joints);
  a.upper.assign(sinew_model_upper(a.model), sinew_model_upper(a.model) + a.joints);
}

static void read_model(arm &a, const arm_choice &choice, const std::string &text) {
  sinew_document *document;
  sinew_error error;
  if (sinew_document_open(choice.path.c_str(), nullptr, &document, &error) != SINEW_OK) {
    fail(error);
  }
  const sinew_model_def &def = document->model;
  const std::vector<int> above = joints_of_links(def);
  const char *path = choice.path.c_str();

  std::string name = !choice.root.empty() ? choice.root : value_of(text, "base=");
  const auto top = std::find(above.begin(), above.end(), -1);
  const int root = name.empty() ? static_cast<int>(top - above.begin()) : find_link(def, name);
  if (root < 0) {
    fail("%s: there is no link %s", path, name.c_str());
  }
  name = !choice.tip.empty() ? choice.tip : value_of(text, "tip=");
  const int tip = name.empty() ? deepest_link(def, above, root) : find_link(def, name);
  if (tip < 0) {
    fail("%s: there is no link %s", path, name.c_str());
  }
  std::vector<int> joint_path;
  a.root = def.links[root].name;
  a.tip = def.links[tip].name;
  if (!path_to(def, above, root, tip, joint_path)) {
    fail("%s: %s is not below %s", path, a.tip.c_str(), a.root.c_str());
  }
  create_model(a, choice.path, def, root, joint_path);
  sinew_document_destroy(document);
}

// ------------------------------------------------------------------------ both

// Two readers and two kinematics: an error in either is found here.
static void compare_places(const arm &a, const std::string &path) {
  const double bound = 1e-9; // [m, of sines]; far above rounding, far below any tolerance
  sinew_state *state;
  sinew_error error;
  std::vector<double> q(static_cast<size_t>(a.joints));
  if (sinew_state_create(a.model, nullptr, &state, &error) != SINEW_OK) {
    fail(error);
  }
  for (uint64_t i = 0; i < 16; ++i) {
    double R[9], p[3];
    sinew_configuration_random(a.model, 0, i, q.data());
    sinew_expect_ok(sinew_state_forward(state, q.data()));
    sinew_expect_ok(sinew_state_link_frame(state, a.link, R, p));
    const KDL::Frame frame = a.place(q.data());
    double most = 0.0;
    for (int k = 0; k < 9; ++k) {
      most = std::max(most, std::fabs(frame.M.data[k] - R[k]));
    }
    for (int k = 0; k < 3; ++k) {
      most = std::max(most, std::fabs(frame.p.data[k] - p[k]));
    }
    if (!(most <= bound)) {
      fail("%s: KDL and sinew differ in the pose of %s by %g", path.c_str(), a.tip.c_str(), most);
    }
  }
  sinew_state_destroy(state);
}

static std::string stem_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return file.substr(0, file.rfind('.'));
}

std::unique_ptr<arm> read_arm(const arm_choice &choice) {
  auto a = std::make_unique<arm>();
  a->name = choice.name.empty() ? stem_of(choice.path) : choice.name;
  std::ifstream file(choice.path);
  std::stringstream text;
  text << file.rdbuf();
  read_model(*a, choice, text.str());
  read_chain(*a, choice.path, text.str());
  if (a->joints == 0 || static_cast<int>(a->chain.getNrOfJoints()) != a->joints) {
    fail("%s: there is no arm from %s to %s", choice.path.c_str(), a->root.c_str(), a->tip.c_str());
  }
  compare_places(*a, choice.path);
  return a;
}
