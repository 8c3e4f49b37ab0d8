// Unusual and broken URDF files from the tests of other readers: for each file, whether it loads,
// and the message. The upstream test decides; where it cannot, the row has the reason.
// req: A10
#include "urdf_shared.h"

#include <dirent.h>

typedef struct edge_case {
  const char *file;  // below urdf_edge/
  int loads;         // or is refused
  int value;         // degrees of freedom where it loads, else the line of the error; -1: any
  const char *name;  // where refused: the joint, link or element; NULL: any
  const char *words; // in the message or in a warning; NULL: no warning at all
} edge_case;

enum { REFUSED = 0, LOADS = 1 };

static const edge_case cases[] = {
    // Drake: loads. Characters beyond ASCII are kept; "world" is not declared.
    {"drake_acrobot_unicode.urdf", LOADS, 2, NULL, "\"world\" is not declared"},
    // Drake: loads. It has curvilinear joints, which sinew has not. Its other joints are useful, so
    // those two are fixed, with a warning; the manifest's 14 degrees of freedom count them as 0.
    {"drake_joint_parsing_test.urdf", LOADS, 14, NULL, "fixed at the start of its curve"},
    // Drake: "is a standard joint type, and should be a <joint>".
    {"drake_tag_mismatch_1.urdf", REFUSED, 5, "fixed_joint", "must be a <joint>"},
    // Drake: loads, and floats. In sinew the root moves only if a joint moves it.
    {"drake_zero_dof_robot.urdf", LOADS, 0, NULL, NULL},
    // Pinocchio: loads.
    {"pinocchio_link_and_joint_identical_name.urdf", LOADS, 0, NULL, NULL},
    // ROS: the fail_ files must fail, the others load.
    {"ros_fail_pr2_desc_bracket.urdf", REFUSED, 9, "fl_caster_rotation_joint",
     "must be 3 finite numbers"},
    {"ros_fail_pr2_desc_double.urdf", REFUSED, 31, "fl_caster_rotation_link",
     "two links have this name"},
    {"ros_fail_pr2_desc_loop.urdf", REFUSED, -1, NULL, "form a loop"},
    {"ros_fail_pr2_desc_no_joint2.urdf", REFUSED, 10, "joint", "not well-formed"},
    // Refused for another reason than its XML declaration, which is as unusual in the two below.
    {"ros_fail_three_links_one_joint.urdf", REFUSED, 24, "joint", "mismatched tag"},
    {"ros_one_link.urdf", LOADS, 0, NULL, "XML declaration"},
    {"ros_singularity.urdf", LOADS, 0, NULL, "XML declaration"},
    {"ros_test_robot.urdf", LOADS, 8, NULL, NULL},
    // Drake: a warning that the world's mass is ignored.
    {"inline/drake_AddingGeometriesToWorldLink.urdf", LOADS, 0, NULL, "<inertial> is ignored"},
    // Drake: errors in its bushings, which sinew does not use. Such a file does not load in the one
    // reader that uses them; an early error costs nothing.
    {"inline/drake_BushingFrameNotExist.urdf", REFUSED, 9, "drake:bushing_frameC",
     "\"frameZ\" does not exist"},
    {"inline/drake_BushingMissingFrameTag.urdf", REFUSED, 7, "drake:linear_bushing_rpy",
     "no <drake:bushing_frameC>"},
    {"inline/drake_BushingMissingValueAttribute.urdf", REFUSED, 11,
     "drake:bushing_torque_stiffness", "no attribute value"},
    {"inline/drake_CollisionFilterGroupMissingMemberGroupName.urdf", REFUSED, 5,
     "drake:member_group", "no attribute name"},
    {"inline/drake_CollisionFilterGroupMissingName.urdf", REFUSED, 4,
     "drake:collision_filter_group", "no attribute name"},
    {"inline/drake_CurvilinearJointErrors1.urdf", REFUSED, 15, "curvilinear_periodic", "no length"},
    {"inline/drake_CurvilinearJointErrors3.urdf", REFUSED, 15, "curvilinear_periodic", "no radius"},
    {"inline/drake_CurvilinearJointErrors5.urdf", REFUSED, 15, "curvilinear_periodic", "no angle"},
    {"inline/drake_CurvilinearJointErrors7.urdf", REFUSED, 14, "curvilinear_periodic", "empty"},
    {"inline/drake_DrakeCoulombWarning.urdf", LOADS, 1, NULL, "coulomb_window"},
    {"inline/drake_EntireInertialTagOmitted.urdf", LOADS, 0, NULL, NULL},
    {"inline/drake_FrameLinkBroken.urdf", REFUSED, 3, "frameA", "no attribute link"},
    {"inline/drake_JointChildLinkBroken.urdf", REFUSED, 7, "a", "<child> has no attribute link"},
    {"inline/drake_JointParentLinkBroken.urdf", REFUSED, 6, "a", "<parent> has no attribute link"},
    {"inline/drake_JointTypeBroken.urdf", REFUSED, 3, "a", "no attribute type"},
    {"inline/drake_JointTypeUnknown.urdf", REFUSED, 5, "joint", "\"who\" is unknown"},
    {"inline/drake_JointZeroAxis.urdf", REFUSED, 8, "joint", "axis is zero"},
    // Drake: both load, as a robot without a link, and so they do here, with the world alone.
    {"inline/drake_LegacyDrakeIgnoreBody.urdf", LOADS, 0, NULL, "has no link"},
    {"inline/drake_LegacyDrakeIgnoreJoint.urdf", LOADS, 0, NULL, "has no link"},
    // Drake: errors in its springs; as for the bushings.
    {"inline/drake_LinearSpringDamperParsingNoBody.urdf", REFUSED, 5, "drake:linear_spring_damper",
     "no <drake:linear_spring_damper_body_B>"},
    {"inline/drake_LinearSpringDamperParsingNoPositionAttribute.urdf", REFUSED, 7,
     "drake:linear_spring_damper_p_AP", "no attribute value"},
    {"inline/drake_LinearSpringDamperParsingNoStiffness.urdf", REFUSED, 5,
     "drake:linear_spring_damper", "no <drake:linear_spring_damper_stiffness>"},
    {"inline/drake_LinearSpringDamperParsingNoStiffnessValue.urdf", REFUSED, 11,
     "drake:linear_spring_damper_stiffness", "no attribute value"},
    {"inline/drake_LinearSpringDamperParsingNonExistentBody.urdf", REFUSED, 8,
     "drake:linear_spring_damper_body_B", "\"C\" does not exist"},
    // Drake: loads, mass 0, without a warning; here a missing mass is a warning.
    {"inline/drake_MassTagOmitted.urdf", LOADS, 0, NULL, "has no mass"},
    {"inline/drake_Material.urdf", LOADS, 0, NULL, NULL},
    // Drake: loads without a warning; here the missing limits of its joints are one.
    {"inline/drake_MimicDifferentModelInstances.urdf", LOADS, 1, NULL, "no limits"},
    {"inline/drake_MimicNoJoint.urdf", REFUSED, 8, "joint", "no attribute joint"},
    {"inline/drake_MimicOnlyOneDOFJoint.urdf", LOADS, 0, NULL, "<mimic> is ignored"},
    {"inline/drake_MimicSameJoint.urdf", REFUSED, 8, "joint", "names the joint itself"},
    // Drake: loads; its test renames the model when it reads it.
    {"inline/drake_ModelRenameWithColons.urdf", LOADS, 0, NULL, "has no link"},
    {"inline/drake_PlanarJointCanonicalFrame.urdf", LOADS, 3, NULL, NULL},
    {"inline/drake_PointMass.urdf", LOADS, 0, NULL, NULL},
    // Drake: errors in transmissions; as for the bushings.
    {"inline/drake_TransmissionActuatorMissing.urdf", REFUSED, 3, "transmission", "no <actuator>"},
    {"inline/drake_TransmissionJointMissing.urdf", REFUSED, 3, "transmission", "no <joint>"},
    {"inline/drake_TransmissionJointNotExist.urdf", REFUSED, 3, "transmission",
     "\"nowhere\", which does not exist"},
    {"inline/drake_TransmissionTypeUnknown.urdf", LOADS, 0, NULL, "\"who\" is ignored"},
    {"inline/drake_UnsupportedGazeboIgnoredSilent.urdf", LOADS, 0, NULL, NULL},
    // Drake: loads without a warning; as above, the joint has no limits.
    {"inline/drake_UnsupportedTransmissionJointStuffIgnoredSilent.urdf", LOADS, 1, NULL,
     "no limits"},
    {"inline/drake_UnsupportedVersionIgnored.urdf", LOADS, 0, NULL, "version"},
    // MuJoCo: all load.
    {"inline/mujoco_CanLoadUrdfWithNonUniqueNamesCollisionBeforeVisual.urdf", LOADS, 0, NULL, NULL},
    {"inline/mujoco_ReadsCapsule.urdf", LOADS, 0, NULL, NULL},
    {"inline/mujoco_ReadsJointTypes.urdf", LOADS, 11, NULL, "no limits"},
};

enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

static void expect_refusal(const edge_case *expected, const char *path, const sinew_error *error) {
  if (strstr(error->message, expected->words) == NULL ||
      strncmp(error->file, path, sizeof error->file - 1) != 0 ||
      (expected->value >= 0 && error->line != expected->value) || error->line < 1 ||
      (expected->name != NULL && strcmp(error->name, expected->name) != 0)) {
    fail_msg("%s: line %d: %s: %s", path, error->line, error->name, error->message);
  }
}

static void expect_load(const edge_case *expected, const sinew_document *document) {
  if (expected->words == NULL ? document->warning_count > 0
                              : !has_warning(document, expected->words)) {
    fail_msg("%s: %d warnings, the first: %s", expected->file, document->warning_count,
             document->warning_count > 0 ? document->warnings[0].message : "none");
  }
  if (model_nv(document) != expected->value) {
    fail_msg("%s: %d degrees of freedom", expected->file, model_nv(document));
  }
}

static void files_match_their_rows(void **state) {
  (void)state;
  const char *shared = shared_folder();
  for (int i = 0; i < CASE_COUNT; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data/urdf_edge/%s", shared, cases[i].file);
    sinew_document *document = NULL;
    sinew_error error;
    sinew_result result = sinew_document_open(path, NULL, &document, &error);
    if (cases[i].loads != (result == SINEW_OK)) {
      fail_msg("%s: %s", path, result == SINEW_OK ? "loads" : error.message);
    }
    if (result == SINEW_OK) {
      expect_load(&cases[i], document);
    } else {
      expect_refusal(&cases[i], path, &error);
    }
    sinew_document_destroy(document);
  }
}

// The number of rows for the files of a folder.
static int count_rows_of(const char *folder, const char *prefix) {
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  int count = 0;
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    char file[512];
    snprintf(file, sizeof file, "%s%s", prefix, entry->d_name);
    if (strstr(entry->d_name, ".urdf") == NULL) {
      continue;
    }
    int found = 0;
    for (int i = 0; i < CASE_COUNT; ++i) {
      found += strcmp(cases[i].file, file) == 0;
    }
    if (found != 1) {
      fail_msg("%s has %d rows", file, found);
    }
    ++count;
  }
  closedir(entries);
  return count;
}

static void each_file_has_a_row(void **state) {
  (void)state;
  const char *shared = shared_folder();
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/data/urdf_edge", shared);
  int count = count_rows_of(folder, "");
  snprintf(folder, sizeof folder, "%s/data/urdf_edge/inline", shared);
  count += count_rows_of(folder, "inline/");
  assert_int_equal(count, CASE_COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_file_has_a_row),
      cmocka_unit_test(files_match_their_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
