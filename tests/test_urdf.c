// The document of a URDF: joints of every kind, their numbers, links, shapes; the robots of other
// projects; this project's two arms against the published parameters they were written from.
#include "urdf_shared.h"

#include <dirent.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

#define LINKS "<link name='a'/><link name='b'/>"
#define ENDS "<parent link='a'/><child link='b'/>"

// A robot of two links and one joint, whose tag contains the given text.
static sinew_document *load_joint(const char *tag, const char *type, const char *inside) {
  char text[2048];
  snprintf(text, sizeof text,
           "<robot name='r'>" LINKS "<%s name='j' type='%s'>" ENDS "%s</%s></robot>", tag, type,
           inside, tag);
  return load(text);
}

// The kind and the degrees of freedom of each joint type.
// req: A2 A3 A4 A5 A10
static void joint_types(void **state) {
  (void)state;
  static const struct {
    const char *tag, *type, *inside;
    sinew_joint_kind kind;
    int nv;
  } types[] = {
      {"joint", "fixed", "<axis xyz='0 0 0'/>", SINEW_JOINT_FIXED, 0},
      {"joint", "revolute", "<limit lower='-1' upper='1'/>", SINEW_JOINT_REVOLUTE, 1},
      {"joint", "continuous", "", SINEW_JOINT_CONTINUOUS, 1},
      {"joint", "prismatic", "<limit lower='0' upper='1'/>", SINEW_JOINT_PRISMATIC, 1},
      {"joint", "floating", "<axis xyz='0 0 0'/>", SINEW_JOINT_FREE, 6},
      {"joint", "planar", "<axis xyz='0 0 1'/>", SINEW_JOINT_PLANAR, 3},
      {"drake:joint", "planar", "<axis xyz='0 0 1'/>", SINEW_JOINT_PLANAR, 3},
      {"joint", "spherical", "", SINEW_JOINT_SPHERICAL, 3},
      {"drake:joint", "ball", "<axis xyz='0 0 0'/>", SINEW_JOINT_SPHERICAL, 3},
      {"drake:joint", "universal", "", SINEW_JOINT_UNIVERSAL, 2},
      {"drake:joint", "screw", "<drake:screw_thread_pitch value='0.5'/>", SINEW_JOINT_SCREW, 1},
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    sinew_document *document = load_joint(types[i].tag, types[i].type, types[i].inside);
    assert_int_equal(document->model.joints[0].kind, types[i].kind);
    assert_int_equal(model_nv(document), types[i].nv);
    assert_int_equal(document->warning_count, 0);
    sinew_document_destroy(document);
  }
}

// Limits of a spherical joint as PyBullet has them: half ranges of the swing about x and y and of
// the twist about z, so that a rotation about each of these axes by a little less is within them,
// and by a little more is not. Where one is not above 0 there are none, nor where it has no twist.
static void spherical_limits(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 200; ++i) {
    double half[3]; // about x, y, z
    char inside[256];
    for (int k = 0; k < 3; ++k)
      half[k] = 0.01 + (k < 2 ? 3.0 : 3.1) * sinew_random_uniform(i, (uint64_t)k);
    snprintf(inside, sizeof inside, "<limit effort='9' lower='%.17g' upper='%.17g' twist='%.17g'/>",
             half[0], half[1], half[2]);
    sinew_document *document = load_joint("joint", "spherical", inside);
    sinew_model *model = NULL;
    assert_int_equal(document->warning_count, 0);
    assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
    for (int k = 0; k < 6; ++k) {
      const double side = k < 3 ? 1 : -1, near = 1e-3;
      double q[4] = {0, 0, 0, 0};
      for (int out = -1; out <= 1; out += 2) {
        const double angle = half[k % 3] + out * near;
        q[0] = cos(angle / 2);
        q[1 + k % 3] = side * sin(angle / 2);
        assert_near(sinew_configuration_excess(model, q, NULL), out > 0 ? near : 0, 1e-12);
      }
    }
    sinew_model_destroy(model);
    sinew_document_destroy(document);
  }
  static const struct {
    const char *limit;
    int warnings, limited;
    double most; // of the swing about y
  } cases[] = {{"<limit lower='1' upper='1' twist='0'/>", 0, 0, INFINITY},
               {"<limit lower='1' upper='-1' twist='1'/>", 0, 0, INFINITY},
               {"<limit upper='1' twist='1'/>", 0, 0, INFINITY},
               {"<limit lower='-1' upper='1'/>", 1, 0, INFINITY}, // MuJoCo's, of the whole angle
               {"<limit lower='1' upper='3.14159' twist='9'/>", 0, 1, 3.0415926535897932}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    sinew_document *document = load_joint("joint", "spherical", cases[i].limit);
    sinew_model *model = NULL;
    double lower[3], upper[3];
    assert_int_equal(document->warning_count, cases[i].warnings);
    assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
    assert_int_equal(sinew_model_swing_twist(model, 0, lower, upper), cases[i].limited);
    if (cases[i].limited)
      assert_near(upper[2], cases[i].most, 1e-15);
    sinew_model_destroy(model);
    sinew_document_destroy(document);
  }
}

// A pitch of half a metre a turn: one turn moves the child by it.
static void screw_pitch_is_per_turn(void **state) {
  (void)state;
  sinew_document *document = load_joint(
      "drake:joint", "screw", "<axis xyz='0 0 3'/><drake:screw_thread_pitch value='0.5'/>");
  assert_near(2.0 * pi * document->model.joints[0].pitch, 0.5, 1e-15);
  sinew_document_destroy(document);
}

// A joint along a curve is fixed at its start: x along the curve, z across its plane, whatever
// their lengths.
static void curves_are_fixed_at_their_start(void **state) {
  (void)state;
  sinew_document *document =
      load_joint("drake:joint", "curvilinear",
                 "<origin xyz='1 2 3'/><drake:initial_tangent xyz='0 0 5'/>"
                 "<drake:plane_normal xyz='3 0 0'/>"
                 "<drake:curves><drake:circular_arc radius='1' angle='-1'/></drake:curves>");
  static const double ends[3][3] = {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}}; // of x, y, z
  const sinew_pose *placement = &document->model.joints[0].placement;
  for (int axis = 0; axis < 3; ++axis) {
    double turned[3] = {0.0, 0.0, 0.0};
    turned[axis] = 1.0;
    sinew_quaternion_rotate(placement->rotation, turned, turned);
    for (int i = 0; i < 3; ++i) {
      assert_near(turned[i], ends[axis][i], 1e-15);
    }
  }
  assert_true(placement->position[0] == 1.0 && placement->position[2] == 3.0);
  assert_int_equal(model_nv(document), 0);
  assert_true(has_warning(document, "fixed at the start"));
  sinew_document_destroy(document);
}

static void placement_axis_and_limits(void **state) {
  (void)state;
  sinew_document *document =
      load_joint("joint", "revolute",
                 "<origin xyz=' 1 -2.5\t.5e1 ' rpy='0 0 1.5707963267948966'/><axis xyz='0 3 -4'/>"
                 "<limit lower='-0.5' upper='+1.5' velocity='2' effort='${xacro}'/>");
  const sinew_joint_def *joint = &document->model.joints[0];
  static const double position[3] = {1.0, -2.5, 5.0};
  static const double axis[3] = {0.0, 0.6, -0.8};
  for (int i = 0; i < 3; ++i) {
    assert_true(joint->placement.position[i] == position[i]);
    assert_near(joint->axis[i], axis[i], 1e-15);
  }
  // 90 degrees about z: (cos 45, 0, 0, sin 45).
  assert_near(joint->placement.rotation[0], sqrt(0.5), 1e-15);
  assert_near(joint->placement.rotation[3], sqrt(0.5), 1e-15);
  assert_true(joint->lower[0] == -0.5 && joint->upper[0] == 1.5 && joint->velocity[0] == 2.0);
  sinew_document_destroy(document);
}

// rpy rotates about fixed x, then y, then z: Rz(yaw) Ry(pitch) Rx(roll), so that x maps to (cos yaw
// cos pitch, sin yaw cos pitch, -sin pitch).
static void rpy_rotates_about_fixed_axes(void **state) {
  (void)state;
  sinew_document *document = load_joint("joint", "fixed", "<origin rpy='0.3 0.5 0.7'/>");
  static const double x[3] = {1.0, 0.0, 0.0};
  double turned[3];
  sinew_quaternion_rotate(document->model.joints[0].placement.rotation, x, turned);
  assert_near(turned[0], cos(0.7) * cos(0.5), 1e-15);
  assert_near(turned[1], sin(0.7) * cos(0.5), 1e-15);
  assert_near(turned[2], -sin(0.5), 1e-15);
  sinew_document_destroy(document);
}

static void axis_of_any_length(void **state) {
  (void)state;
  static const char *const axes[] = {"<axis xyz='1e-7 0 -1e-7'/>", "<axis xyz='3 0 -3'/>",
                                     "<axis xyz='1e300 0 -1e300'/>"};
  for (int i = 0; i < 3; ++i) {
    sinew_document *document = load_joint("joint", "continuous", axes[i]);
    assert_near(document->model.joints[0].axis[0], sqrt(0.5), 1e-15);
    assert_near(document->model.joints[0].axis[2], -sqrt(0.5), 1e-15);
    sinew_document_destroy(document);
  }
  sinew_document *document = load_joint("joint", "continuous", "");
  assert_true(document->model.joints[0].axis[0] == 1.0); // x where none is given
  sinew_document_destroy(document);
}

// Limits as the files of other projects have them.
// req: E6
static void unusual_limits(void **state) {
  (void)state;
  static const struct {
    const char *type, *inside;
    double lower, upper, velocity;
    const char *warning; // NULL: none
  } limits[] = {
      {"revolute", "", -INFINITY, INFINITY, INFINITY, "no limits"},
      {"revolute", "<limit effort='1' velocity='0'/>", -INFINITY, INFINITY, INFINITY, "no limits"},
      {"revolute", "<limit upper='2' velocity='-1'/>", 0.0, 2.0, INFINITY, NULL},
      {"prismatic", "<limit lower='-2' velocity='1'/>", -2.0, 0.0, 1.0, NULL},
      {"revolute", "<limit lower='1' upper='1'/>", 1.0, 1.0, INFINITY, NULL},
      {"revolute", "<limit lower='1' upper='2'/>", 1.0, 2.0, INFINITY, NULL},
      {"revolute", "<limit lower='-20' upper='20'/>", -20.0, 20.0, INFINITY, NULL},
      {"continuous", "<limit velocity='3'/>", -INFINITY, INFINITY, 3.0, NULL},
      {"continuous", "<limit lower='-1' upper='1'/>", -INFINITY, INFINITY, INFINITY, "ignored"},
      {"planar", "<limit lower='-1' velocity='1'/>", -INFINITY, INFINITY, INFINITY, "ignored"},
  };
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
    sinew_document *document = load_joint("joint", limits[i].type, limits[i].inside);
    const sinew_joint_def *joint = &document->model.joints[0];
    assert_true(joint->lower[0] == limits[i].lower && joint->upper[0] == limits[i].upper &&
                joint->velocity[0] == limits[i].velocity);
    assert_int_equal(document->warning_count, limits[i].warning != NULL);
    assert_true(limits[i].warning == NULL || has_warning(document, limits[i].warning));
    sinew_document_destroy(document);
  }
}

// c = 2 b + 1 and b = -3 a, with b and a defined later: one degree of freedom.
// req: A10
static void mimics_chain(void **state) {
  (void)state;
  sinew_document *document =
      load("<robot name='r'><link name='0'/><link name='1'/><link name='2'/><link name='3'/>"
           "<joint name='c' type='continuous'><parent link='0'/><child link='1'/>"
           "<mimic joint='b' multiplier='2' offset='1'/></joint>"
           "<joint name='b' type='continuous'><parent link='1'/><child link='2'/>"
           "<mimic joint='a' multiplier='-3'/></joint>"
           "<joint name='a' type='continuous'><parent link='2'/><child link='3'/></joint>"
           "</robot>");
  sinew_model *model = NULL;
  assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
  assert_int_equal(sinew_model_nq(model), 1);
  double q = 0.5;
  double values[3];
  assert_int_equal(sinew_model_joint_values(model, &q, values), 3);
  assert_near(values[0], -2.0, 1e-15);
  assert_near(values[1], -1.5, 1e-15);
  assert_near(values[2], 0.5, 1e-15);
  sinew_model_destroy(model);
  sinew_document_destroy(document);
}

// req: A11
static void masses_are_read(void **state) {
  (void)state;
  sinew_document *document =
      load("<robot name='r'><link name='a'><inertial><mass value='2.5'/><origin xyz='1 2 3'"
           " rpy='1 1 1'/><inertia ixx='junk'/></inertial></link></robot>");
  const sinew_link_def *link = &document->model.links[0];
  assert_true(link->mass == 2.5 && link->center_of_mass[0] == 1.0 &&
              link->center_of_mass[1] == 2.0 && link->center_of_mass[2] == 3.0);
  sinew_document_destroy(document);

  // The link world has no mass.
  document = load("<robot name='r'><link name='world'><inertial><mass value='2.5'/></inertial>"
                  "</link></robot>");
  assert_true(document->model.links[0].mass == 0.0);
  sinew_document_destroy(document);
}

static double distance_to_shape(const sinew_shape_def *shape, const double point[3]) {
  double along = 0.0;
  double length = 0.0;
  for (int i = 0; i < 3; ++i) {
    along += (point[i] - shape->a[i]) * (shape->b[i] - shape->a[i]);
    length += (shape->b[i] - shape->a[i]) * (shape->b[i] - shape->a[i]);
  }
  double t = length > 0.0 ? fmin(fmax(along / length, 0.0), 1.0) : 0.0;
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    double gap = point[i] - shape->a[i] - t * (shape->b[i] - shape->a[i]);
    square += gap * gap;
  }
  return sqrt(square) - shape->radius;
}

static sinew_document *load_shape(const char *origin, const char *geometry) {
  char text[1024];
  snprintf(text, sizeof text,
           "<robot name='r'><link name='a'><collision>%s<geometry>%s</geometry></collision></link>"
           "</robot>",
           origin, geometry);
  return load(text);
}

// req: A11
static void spheres_and_capsules(void **state) {
  (void)state;
  sinew_document *document = load_shape("<origin xyz='1 2 3'/>", "<sphere radius='0.5'/>");
  assert_int_equal(document->model.shape_count, 1);
  const sinew_shape_def *sphere = document->model.shapes;
  assert_true(sphere->radius == 0.5 && sphere->a[0] == 1.0 && sphere->b[0] == 1.0 &&
              sphere->a[2] == 3.0 && sphere->b[2] == 3.0);
  sinew_document_destroy(document);

  // Along z, of length 2, rotated by 90 degrees about x: from y = 1 to y = -1.
  document = load_shape("<origin xyz='0 0 4' rpy='1.5707963267948966 0 0'/>",
                        "<drake:capsule radius='0.25' length='2'/>");
  assert_int_equal(document->model.shape_count, 1);
  const sinew_shape_def *capsule = document->model.shapes;
  assert_true(capsule->radius == 0.25);
  assert_near(capsule->a[1], 1.0, 1e-15);
  assert_near(capsule->b[1], -1.0, 1e-15);
  assert_near(capsule->a[2], 4.0, 1e-15);
  sinew_document_destroy(document);
}

// Every rim and corner of a cylinder and a box is inside the shape that encloses it, and the
// farthest of them on its surface.
// req: A11
static void cylinders_and_boxes_are_enclosed(void **state) {
  (void)state;
  static const double sizes[][3] = {
      {0.1, 0.2, 3.0}, {3.0, 0.1, 0.2}, {0.2, 3.0, 0.1}, {1.0, 1.0, 1.0}, {2.0, 2.0, 0.01}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const double *size = sizes[i];
    char geometry[256];
    snprintf(geometry, sizeof geometry, "<box size='%.2f %.2f %.2f'/>", size[0], size[1], size[2]);
    sinew_document *box = load_shape("", geometry);
    snprintf(geometry, sizeof geometry, "<cylinder radius='%.2f' length='%.2f'/>", size[0],
             size[2]);
    sinew_document *cylinder = load_shape("", geometry);
    double box_most = -INFINITY;
    double cylinder_most = -INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
      double point[3];
      for (int axis = 0; axis < 3; ++axis) {
        point[axis] = (corner >> axis & 1) ? size[axis] / 2.0 : -size[axis] / 2.0;
      }
      box_most = fmax(box_most, distance_to_shape(box->model.shapes, point));
      double angle = 0.7 * corner;
      double rim[3] = {size[0] * cos(angle), size[0] * sin(angle), point[2]};
      cylinder_most = fmax(cylinder_most, distance_to_shape(cylinder->model.shapes, rim));
    }
    assert_near(box_most, 0.0, 1e-12);
    assert_near(cylinder_most, 0.0, 1e-12);
    sinew_document_destroy(box);
    sinew_document_destroy(cylinder);
  }
}

// The smaller of two enclosing shapes: a capsule along the longest side of a long box, a sphere
// about any other.
static void enclosing_shape_is_the_smaller(void **state) {
  (void)state;
  static const struct {
    const char *geometry;
    double radius;
    double half[3]; // of the capsule's segment; zeros: a sphere
  } shapes[] = {
      {"<box size='0.3 0.4 5'/>", 0.25, {0.0, 0.0, 2.5}},
      {"<box size='0.3 5 0.4'/>", 0.25, {0.0, 2.5, 0.0}},
      {"<box size='5 0.3 0.4'/>", 0.25, {2.5, 0.0, 0.0}},
      {"<box size='2 2 2'/>", 1.7320508075688772, {0.0, 0.0, 0.0}},
      {"<cylinder radius='0.5' length='5'/>", 0.5, {0.0, 0.0, 2.5}},
      {"<cylinder radius='2' length='3'/>", 2.5, {0.0, 0.0, 0.0}},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
    sinew_document *document = load_shape("", shapes[i].geometry);
    const sinew_shape_def *shape = document->model.shapes;
    assert_near(shape->radius, shapes[i].radius, 1e-15);
    for (int axis = 0; axis < 3; ++axis) {
      assert_near(shape->b[axis], shapes[i].half[axis], 1e-15);
      assert_near(shape->a[axis], -shapes[i].half[axis], 1e-15);
    }
    sinew_document_destroy(document);
  }
}

// The document names each mesh file of the looks once, in the file's order; those of collision
// shapes and of links that are ignored are not among them, and none is opened.
static void meshes_are_named(void **state) {
  (void)state;
#define MESH(name) "<visual><geometry><mesh filename='" name "' scale='junk'/></geometry></visual>"
  static const char text[] = "<robot name='r'><link name='a'>" MESH("package://p/m/one.stl")
      MESH("two &amp; &lt;3.dae") "<collision><geometry><mesh "
                                  "filename='hull.stl'/></geometry></collision>" MESH(
                                      "") "<visual><geometry><sphere "
                                          "radius='1'/></geometry></visual><visual/>"
                                          "<visual><geometry/></visual><visual><geometry><mesh/></"
                                          "geometry></visual></link>"
                                          "<link name='b'>" MESH("four.obj") MESH(
                                              "package://p/m/one.stl") "</link>"
                                                                       "<link name='c' "
                                                                       "drake_ignore='true'>" MESH(
                                                                           "none.stl") "</link>"
                                                                                       "<joint "
                                                                                       "name='j' "
                                                                                       "type='"
                                                                                       "fixed'><"
                                                                                       "parent "
                                                                                       "link='a'/"
                                                                                       "><child "
                                                                                       "link='b'/"
                                                                                       "></joint></"
                                                                                       "robot>";
#undef MESH
  static const char *const names[] = {"package://p/m/one.stl", "two & <3.dae", "four.obj"};
  sinew_document *document = load(text);
  assert_int_equal(document->mesh_count, 3);
  for (int i = 0; i < 3; ++i)
    assert_string_equal(document->meshes[i], names[i]);
  assert_int_equal(document->warning_count, 0);
  sinew_document_destroy(document);
}

// Meshes are not read; a shape of size zero, with which some robots mark a point, is dropped.
static void meshes_and_empty_shapes_are_dropped(void **state) {
  (void)state;
  sinew_document *document =
      load_shape("", "<mesh filename='package://nowhere/none.stl' scale='junk'/>");
  assert_int_equal(document->model.shape_count, 0);
  assert_int_equal(document->warning_count, 0);
  sinew_document_destroy(document);
  document = load_shape("", "<sphere radius='0'/>");
  assert_int_equal(document->model.shape_count, 0);
  assert_true(has_warning(document, "no positive size"));
  sinew_document_destroy(document);
}

static void documents_have_lines_and_names(void **state) {
  (void)state;
  sinew_document *document = load("<robot name='R2'>\n<link name='a'/>\n<link\n name='b'/>\n"
                                  "<joint name='a' type='fixed'>" ENDS "</joint></robot>");
  assert_int_equal(document->format, SINEW_FORMAT_URDF);
  assert_string_equal(document->model.name, "R2");
  assert_int_equal(document->link_lines[0], 2);
  assert_int_equal(document->link_lines[1], 3);
  assert_int_equal(document->joint_lines[0], 5);
  assert_int_equal(document->motion.frame_count, 0);
  sinew_document_destroy(document);
}

// ---- the robots of other projects ----

// Splits a line of CSV (RFC 4180) in place; a field may be quoted.
static int split_csv(char *line, char **fields, int capacity) {
  int count = 0;
  char *out = line;
  char *in = line;
  int quoted = 0;
  fields[count++] = out;
  for (; *in != '\0' && *in != '\r' && *in != '\n'; ++in) {
    if (*in == '"' && quoted && in[1] == '"') {
      *out++ = *in++;
    } else if (*in == '"') {
      quoted = !quoted;
    } else if (*in == ',' && !quoted && count < capacity) {
      *out++ = '\0';
      fields[count++] = out;
    } else {
      *out++ = *in;
    }
  }
  *out = '\0';
  return count;
}

static sinew_document *open_file(const char *path) {
  sinew_document *document = NULL;
  sinew_error error;
  if (sinew_document_open(path, NULL, &document, &error) != SINEW_OK) {
    fail_msg("%s:%d: %s: %s", path, error.line, error.name, error.message);
  }
  return document;
}

// req: A10
static void robots_match_the_manifest(void **state) {
  (void)state;
  const char *shared = shared_folder();
  char path[4096];
  snprintf(path, sizeof path, "%s/data/MANIFEST.csv", shared);
  FILE *manifest = fopen(path, "rb");
  assert_non_null(manifest);
  static char line[65536];
  int count = 0;
  while (fgets(line, sizeof line, manifest) != NULL) {
    char *fields[32];
    int field_count = split_csv(line, fields, 32);
    if (strncmp(fields[0], "urdf/", 5) != 0) {
      continue;
    }
    assert_true(field_count > 10);
    int length = snprintf(path, sizeof path, "%s/data/%s", shared, fields[0]);
    assert_true(length > 0 && length < (int)sizeof path);
    sinew_document *document = open_file(path);
    if (model_nv(document) != atoi(fields[4])) {
      fail_msg("%s: %d degrees of freedom, not %s", path, model_nv(document), fields[4]);
    }
    // The manifest counts declared links ("links=9"), except in robots whose root is not declared.
    int links = atoi(strstr(fields[10], "links=") + 6);
    int implicit = strstr(fields[11], "implicit-root") != NULL;
    assert_int_equal(document->model.link_count, links + implicit);
    assert_int_equal(document->model.joint_count, atoi(fields[3]));
    sinew_document_destroy(document);
    ++count;
  }
  fclose(manifest);
  assert_true(count >= 50);
}

// The first comment of a benchmark arm has its number of joints: "...; 7 joints -->".
static void arms_match_their_comments(void **state) {
  (void)state;
  const char *shared = shared_folder();
  char folder[2048];
  snprintf(folder, sizeof folder, "%s/data/arms", shared);
  DIR *entries = opendir(folder);
  assert_non_null(entries);
  int count = 0;
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    if (strstr(entry->d_name, ".urdf") == NULL) {
      continue;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char head[1024];
    head[fread(head, 1, sizeof head - 1, file)] = '\0';
    fclose(file);
    const char *last = strstr(head, " joints");
    assert_non_null(last);
    while (last > head && last[-1] >= '0' && last[-1] <= '9') {
      --last;
    }
    sinew_document *document = open_file(path);
    assert_int_equal(model_nv(document), atoi(last));
    sinew_document_destroy(document);
    ++count;
  }
  closedir(entries);
  assert_int_equal(count, 10);
}

// ---- this project's arms ----

// out = out * b, 4 x 4.
static void multiply(double out[16], const double b[16]) {
  double product[16] = {0.0};
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 4; ++k) {
      product[i] += out[i / 4 * 4 + k] * b[4 * k + i % 4];
    }
  }
  memcpy(out, product, sizeof product);
}

// A rotation about and a translation along x (axis 0) or z (axis 2).
static void multiply_screw(double out[16], int axis, double angle, double distance) {
  double c = cos(angle);
  double s = sin(angle);
  const double about_x[16] = {1, 0, 0, distance, 0, c, -s, 0, 0, s, c, 0, 0, 0, 0, 1};
  const double about_z[16] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, distance, 0, 0, 0, 1};
  multiply(out, axis == 0 ? about_x : about_z);
}

typedef struct dh_row {
  double a, d, alpha; // [m, m, 90 degrees]
} dh_row;

// The tip's pose by products of Denavit-Hartenberg matrices.
static void dh_tip(const dh_row *rows, int count, int craig, const double *q, double out[16]) {
  for (int i = 0; i < 16; ++i) {
    out[i] = i % 5 == 0;
  }
  for (int i = 0; i < count; ++i) {
    if (craig) { // a and alpha come before the joint
      multiply_screw(out, 0, rows[i].alpha * pi / 2.0, rows[i].a);
      multiply_screw(out, 2, q[i], rows[i].d);
    } else { // a and alpha come after it
      multiply_screw(out, 2, q[i], rows[i].d);
      multiply_screw(out, 0, rows[i].alpha * pi / 2.0, rows[i].a);
    }
  }
}

static void expect_dh(const char *file, const dh_row *rows, int count, int craig, double flange) {
  char path[4096];
  const char *source = getenv("SINEW_SOURCE_DIR");
  snprintf(path, sizeof path, "%s/models/%s", source != NULL ? source : ".", file);
  sinew_document *document = open_file(path);
  assert_int_equal(document->warning_count, 0);
  sinew_model *model = NULL;
  sinew_state *poses = NULL;
  assert_int_equal(sinew_model_create(&document->model, &model, NULL), SINEW_OK);
  assert_int_equal(sinew_state_create(model, NULL, &poses, NULL), SINEW_OK);
  assert_int_equal(sinew_model_nq(model), count);
  int tip = sinew_model_find_link(model, "flange");
  for (uint64_t i = 0; i < 100; ++i) {
    double q[7];
    double expected[16];
    double R[9];
    double p[3];
    sinew_configuration_random(model, 1, i, q);
    dh_tip(rows, count, craig, q, expected);
    multiply_screw(expected, 2, 0.0, flange);
    assert_int_equal(sinew_state_forward(poses, q), SINEW_OK);
    assert_int_equal(sinew_state_link_frame(poses, tip, R, p), SINEW_OK);
    for (int row = 0; row < 3; ++row) { // rounding of some ten products of numbers near 1
      assert_near(p[row], expected[4 * row + 3], 1e-14);
      for (int column = 0; column < 3; ++column) {
        assert_near(R[3 * row + column], expected[4 * row + column], 1e-14);
      }
    }
  }
  sinew_state_destroy(poses);
  sinew_model_destroy(model);
  sinew_document_destroy(document);
}

static void arm7_matches_published_parameters(void **state) {
  (void)state;
  static const dh_row panda[7] = {{0, 0.333, 0},        {0, 0, -1}, {0, 0.316, 1}, {0.0825, 0, 1},
                                  {-0.0825, 0.384, -1}, {0, 0, 1},  {0.088, 0, 1}};
  expect_dh("arm7.urdf", panda, 7, 1, 0.107);
}

static void arm6_matches_published_parameters(void **state) {
  (void)state;
  static const dh_row ur5e[6] = {{0, 0.1625, 1}, {-0.425, 0, 0},  {-0.3922, 0, 0},
                                 {0, 0.1333, 1}, {0, 0.0997, -1}, {0, 0.0996, 0}};
  expect_dh("arm6.urdf", ur5e, 6, 0, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_types),
      cmocka_unit_test(spherical_limits),
      cmocka_unit_test(screw_pitch_is_per_turn),
      cmocka_unit_test(curves_are_fixed_at_their_start),
      cmocka_unit_test(placement_axis_and_limits),
      cmocka_unit_test(rpy_rotates_about_fixed_axes),
      cmocka_unit_test(axis_of_any_length),
      cmocka_unit_test(unusual_limits),
      cmocka_unit_test(mimics_chain),
      cmocka_unit_test(masses_are_read),
      cmocka_unit_test(spheres_and_capsules),
      cmocka_unit_test(cylinders_and_boxes_are_enclosed),
      cmocka_unit_test(enclosing_shape_is_the_smaller),
      cmocka_unit_test(meshes_are_named),
      cmocka_unit_test(meshes_and_empty_shapes_are_dropped),
      cmocka_unit_test(documents_have_lines_and_names),
      cmocka_unit_test(robots_match_the_manifest),
      cmocka_unit_test(arms_match_their_comments),
      cmocka_unit_test(arm7_matches_published_parameters),
      cmocka_unit_test(arm6_matches_published_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
