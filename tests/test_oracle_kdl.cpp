// URDF robots against two other programs: urdfdom (Debian's liburdfdom-dev) reads the file, Orocos
// KDL (liborocos-kdl-dev) computes the poses of its links and their derivatives.
//
// Both sides use double precision, on chains of up to some 20 joints a few metres long. A rotation
// is off by 2e-16 a product, and so both together by 1e-14 at most; an error in a formula, or in
// the last digits of a file, is far above the bound of 1e-12. Where a base may translate for
// kilometres the bound is relative to that distance.
//
// cmocka's failures jump over C++ destructors, so functions that own objects report a fault as
// text, and only the tests themselves assert.
#include "bench/arms/kdl_segment.h"

#include <console_bridge/console.h>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <urdf_parser/urdf_parser.h>

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "near.h" // after the others: cmocka's macros have names of C++'s streams
#include "scenes/optional_data.h"
#include "sinew/formats.h"
#include "sinew/sinew.h"

static const double bound = 1e-12; // relative to a metre, or to the distance from the root

static std::string fault; // of the last comparison; empty: none

static bool wrong(const std::string &what) {
  fault = what;
  return false;
}

// ------------------------------------------------------------------- the oracle

static KDL::Tree tree_of(const urdf::ModelInterface &urdf) {
  KDL::Tree tree(urdf.getRoot()->name);
  std::vector<std::string> names(1, urdf.getRoot()->name); // parents before children
  for (size_t i = 0; i < names.size(); ++i) {
    for (const urdf::JointSharedPtr &joint : urdf.getLink(names[i])->child_joints) {
      tree.addSegment(kdl_segment(*joint), joint->parent_link_name);
      names.push_back(joint->child_link_name);
    }
  }
  return tree;
}

// Moving joints of other kinds cannot be compared.
static bool is_comparable(const urdf::ModelInterface &urdf) {
  return std::all_of(urdf.joints_.begin(), urdf.joints_.end(), [](const auto &joint) {
    return kdl_moves(*joint.second) || joint.second->type == urdf::Joint::FIXED;
  });
}

// ---------------------------------------------------------------------- sinew

struct robot {
  sinew_document *document = nullptr;
  sinew_model *model = nullptr;
  sinew_state *state = nullptr;
  std::vector<double> J, expected; // 6 x nv
  std::vector<int> value_index;    // of each joint among sinew_model_joint_values(), or -1

  ~robot() {
    sinew_state_destroy(state);
    sinew_model_destroy(model);
    sinew_document_destroy(document);
  }

  bool open(const std::string &path) {
    sinew_error error = {};
    if (sinew_document_open(path.c_str(), nullptr, &document, &error) != SINEW_OK ||
        sinew_model_create(&document->model, &model, &error) != SINEW_OK ||
        sinew_state_create(model, nullptr, &state, &error) != SINEW_OK) {
      return wrong(path + ": " + error.name + ": " + error.message);
    }
    J.resize(6 * static_cast<size_t>(sinew_model_nv(model)) + 1); // an array where nv is 0, too
    int next = 0;
    for (int j = 0; j < sinew_model_joint_count(model); ++j) {
      sinew_joint joint;
      assert_int_equal(sinew_model_joint(model, j, &joint), SINEW_OK);
      const int count = joint.driver >= 0 ? 1 : joint.nq;
      value_index.push_back(count == 1 ? next : -1);
      next += count;
    }
    return true;
  }
};

static double frame_difference(const KDL::Frame &frame, const double *R, const double *p) {
  double most = 0.0;
  for (int i = 0; i < 9; ++i) {
    const double difference = std::fabs(frame.M.data[i] - R[i]);
    most = difference <= most ? most : difference;
  }
  for (int i = 0; i < 3; ++i) {
    const double difference = std::fabs(frame.p.data[i] - p[i]);
    most = difference <= most ? most : difference;
  }
  return most;
}

// KDL's columns are of a chain's moving joints, for the tip, in the root's axes; a coupled joint
// has its own column, which is added to its driver's.
static double jacobian_difference(robot &r, const KDL::Chain &chain, const KDL::JntArray &values,
                                  int link) {
  KDL::Jacobian jacobian(chain.getNrOfJoints());
  KDL::ChainJntToJacSolver solver(chain);
  if (solver.JntToJac(values, jacobian) < 0) {
    return INFINITY;
  }
  const int nv = sinew_model_nv(r.model);
  r.expected.assign(r.J.size(), 0.0);
  assert_int_equal(
      sinew_state_jacobian(r.state, link, nullptr, sinew_model_root(r.model), r.J.data()),
      SINEW_OK);
  unsigned column = 0;
  for (const KDL::Segment &segment : chain.segments) {
    if (segment.getJoint().getType() == KDL::Joint::None) {
      continue;
    }
    sinew_joint joint;
    assert_int_equal(
        sinew_model_joint(
            r.model, sinew_model_find_joint(r.model, segment.getJoint().getName().c_str()), &joint),
        SINEW_OK);
    for (unsigned row = 0; row < 6; ++row) {
      r.expected[row * static_cast<size_t>(nv) + static_cast<size_t>(joint.v_index)] +=
          joint.ratio * jacobian(row, column);
    }
    ++column;
  }
  return farthest(6 * nv, r.J.data(), r.expected.data());
}

// A link's pose and Jacobian at the state's configuration.
static bool compare_link(robot &r, const KDL::Tree &tree, const std::vector<double> &values,
                         int link) {
  const std::string name = sinew_model_link_name(r.model, link);
  KDL::Chain chain;
  if (!tree.getChain(tree.getRootSegment()->first, name, chain)) {
    return wrong(name + ": no such link");
  }
  KDL::JntArray q(chain.getNrOfJoints());
  unsigned next = 0;
  for (const KDL::Segment &segment : chain.segments) {
    if (segment.getJoint().getType() != KDL::Joint::None) {
      const int j = sinew_model_find_joint(r.model, segment.getJoint().getName().c_str());
      if (j < 0 || r.value_index[static_cast<size_t>(j)] < 0) {
        return wrong(segment.getJoint().getName() + ": does not move");
      }
      q(next++) = values[static_cast<size_t>(r.value_index[static_cast<size_t>(j)])];
    }
  }
  KDL::Frame frame;
  KDL::ChainFkSolverPos_recursive solver(chain);
  double R[9], p[3];
  solver.JntToCart(q, frame);
  assert_int_equal(sinew_state_link_frame(r.state, link, R, p), SINEW_OK);
  const double place = frame_difference(frame, R, p);
  const double derivative = jacobian_difference(r, chain, q, link);
  const double scale = bound * std::max(1.0, frame.p.Norm());
  if (!(place <= scale && derivative <= scale)) {
    std::ostringstream text;
    text << name << ": places differ by " << place << ", Jacobians by " << derivative;
    return wrong(text.str());
  }
  return true;
}

// -------------------------------------------------------------------- files

enum class verdict { agrees, differs, unread };

static int links_compared;

// All links of a robot at some random configurations.
static verdict compare_file(const std::string &path, int configurations) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  console_bridge::noOutputHandler();
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDF(text.str());
  if (!urdf || !is_comparable(*urdf)) {
    return verdict::unread;
  }
  robot r;
  if (!r.open(path)) {
    return verdict::differs;
  }
  const KDL::Tree tree = tree_of(*urdf);
  const int links = sinew_model_link_count(r.model);
  if (static_cast<int>(urdf->links_.size()) != links ||
      urdf->getRoot()->name != sinew_model_link_name(r.model, sinew_model_root(r.model))) {
    wrong(path + ": other links, or another root");
    return verdict::differs;
  }
  std::vector<double> q(static_cast<size_t>(sinew_model_nq(r.model)) + 1);
  std::vector<double> values(
      static_cast<size_t>(sinew_model_joint_values(r.model, q.data(), nullptr)) + 1);
  for (int i = 0; i < configurations; ++i) {
    sinew_configuration_random(r.model, 2, static_cast<uint64_t>(i), q.data());
    sinew_model_joint_values(r.model, q.data(), values.data());
    assert_int_equal(sinew_state_forward(r.state, q.data()), SINEW_OK);
    for (int link = 0; link < links; ++link, ++links_compared) {
      if (!compare_link(r, tree, values, link)) {
        fault = path + ": " + fault;
        return verdict::differs;
      }
    }
  }
  return verdict::agrees;
}

static std::string shared_folder() {
  return std::string(optional_data_folder()) + "/data/";
}

static std::vector<std::string> files_of(const std::string &folder) {
  std::vector<std::string> files;
  DIR *listing = opendir(folder.c_str());
  while (listing != nullptr) {
    const dirent *entry = readdir(listing);
    if (entry == nullptr) {
      closedir(listing);
      break;
    }
    const std::string name = entry->d_name;
    if (name.size() > 5 && name.substr(name.size() - 5) == ".urdf") {
      files.push_back(folder + "/" + name);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct tally {
  int files, agreed, differed;
  char faults[2000], unread[2000];
};

static tally compare_folder(const std::string &folder, int configurations) {
  tally t = {};
  std::string faults, unread;
  for (const std::string &path : files_of(folder)) {
    ++t.files;
    switch (compare_file(path, configurations)) {
    case verdict::agrees:
      ++t.agreed;
      break;
    case verdict::differs:
      ++t.differed;
      faults += fault + "\n";
      break;
    case verdict::unread:
      unread += path.substr(path.rfind('/') + 1) + " ";
      break;
    }
  }
  snprintf(t.faults, sizeof t.faults, "%s", faults.c_str());
  snprintf(t.unread, sizeof t.unread, "%s", unread.c_str());
  return t;
}

// -------------------------------------------------------------------- tests

// This project's arms, which are always present.
// req: A1 A10 B1
static void project_arms_agree(void **) {
  const tally t = compare_folder("models", 200);
  if (t.differed > 0) {
    fail_msg("%s", t.faults);
  }
  assert_int_equal(t.files, 2);
  assert_int_equal(t.agreed, 2);
}

// Ten arms of other makers.
// req: A1 A10 B1
static void ten_arms_agree(void **) {
  const tally t = compare_folder(shared_folder() + "arms", 50);
  if (t.files == 0) {
    print_message("skipped: no arms in %s\n", shared_folder().c_str());
    skip();
  }
  if (t.differed > 0) {
    fail_msg("%s", t.faults);
  }
  assert_int_equal(t.agreed, 10);
}

// Whole robots: every link of every file that urdfdom reads and KDL can represent.
// req: A1 A10 B1
static void whole_robots_agree(void **) {
  links_compared = 0;
  const tally t = compare_folder(shared_folder() + "urdf", 3);
  if (t.files == 0) {
    print_message("skipped: no robots in %s\n", shared_folder().c_str());
    skip();
  }
  print_message("%d of %d robots, %d links compared; not for KDL: %s\n", t.agreed, t.files,
                links_compared, t.unread);
  if (t.differed > 0) {
    fail_msg("%s", t.faults);
  }
  assert_true(t.agreed >= t.files - 2);
}

int main() {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(project_arms_agree),
      cmocka_unit_test(ten_arms_agree),
      cmocka_unit_test(whole_robots_agree),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}
