#include "model.h"

#include "search.h"
#include "targets.h"

#include <cstring>

namespace sinew::python {

// ---- construction ----

static nb::str name_of(const char *name) {
  return nb::steal<nb::str>(
      checked(PyUnicode_DecodeUTF8(name, (Py_ssize_t)std::strlen(name), "surrogateescape")));
}

static nb::object read_only(const double *values, npy_intp count) {
  nb::object array = new_array({count});
  if (count > 0) {
    std::memcpy(doubles_of(array), values, (size_t)count * sizeof *values);
  }
  PyArray_CLEARFLAGS((PyArrayObject *)array.ptr(), NPY_ARRAY_WRITEABLE);
  return array;
}

static const char *kind_name(sinew_joint_kind kind) {
  static const char *const names[] = {
      "fixed",     "revolute",    "continuous", "prismatic", "screw", "spherical", "euler",
      "universal", "cylindrical", "planar",     "channels",  "free",  "function"};
  return names[kind];
}

static nb::dict describe_joint(const sinew_model *model, int index) {
  sinew_joint joint;
  (void)!sinew_model_joint(model, index, &joint);
  nb::dict fields;
  fields["name"] = name_of(joint.name);
  fields["kind"] = kind_name(joint.kind);
  fields["parent"] = name_of(sinew_model_link_name(model, joint.parent));
  fields["child"] = name_of(sinew_model_link_name(model, joint.child));
  fields["q_index"] = joint.q_index;
  fields["nq"] = joint.nq;
  fields["v_index"] = joint.v_index;
  fields["nv"] = joint.nv;
  if (joint.driver >= 0) {
    sinew_joint driver;
    (void)!sinew_model_joint(model, joint.driver, &driver);
    fields["driver"] = name_of(driver.name);
  } else {
    fields["driver"] = nb::none();
  }
  fields["ratio"] = joint.ratio;
  fields["offset"] = joint.offset;
  return fields;
}

static sinew_model *create_core(const sinew_document &document) {
  sinew_error error = {};
  sinew_model *model = nullptr;
  if (sinew_model_create(&document.model, &model, &error) != SINEW_OK) {
    throw_error(error);
  }
  return model;
}

Model::Model(const sinew_document &document, Source source)
    : m_core(create_core(document), Destroy()), m_nq(sinew_model_nq(core())),
      m_nv(sinew_model_nv(core())), m_source(std::move(source)),
      m_searches(std::make_unique<Searches>()) {
  lower = read_only(sinew_model_lower(core()), m_nv);
  upper = read_only(sinew_model_upper(core()), m_nv);
  velocity = read_only(sinew_model_velocity(core()), m_nv);
  for (int i = 0; i < sinew_model_link_count(core()); ++i) {
    m_link_names.append(name_of(sinew_model_link_name(core(), i)));
  }
  for (int i = 0; i < sinew_model_joint_count(core()); ++i) {
    joints.append(describe_joint(core(), i));
  }
  for (int i = 0; i < document.warning_count; ++i) {
    char text[1024];
    (void)sinew_error_format(&document.warnings[i], text, sizeof text);
    warnings.append(name_of(text));
  }
  for (int i = 0; sinew_model_warning(core(), i) != nullptr; ++i) {
    warnings.append(name_of(sinew_model_warning(core(), i)));
  }
  const sinew_motion &frames = document.motion;
  motion = frame_time = nb::none();
  if (frames.frame_count > 0) {
    motion = new_array({frames.frame_count, m_nq});
    std::memcpy(doubles_of(motion), frames.q,
                (size_t)frames.frame_count * (size_t)m_nq * sizeof(double));
    frame_time = nb::float_(frames.frame_time);
  }
}

Model::~Model() = default;

// The index that find() gives of a name, or -1.
static int find_name(nb::handle name, const char *kind, const sinew_model *core,
                     int (*find)(const sinew_model *, const char *)) {
  if (!PyUnicode_Check(name.ptr())) {
    throw_python(PyExc_TypeError, "%s must be the name of a %s, a str, not %s", kind, kind,
                 nb::type_name(name.type()).c_str());
  }
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear(); // a lone surrogate: nothing has that name
  }
  return text != nullptr && std::strlen(text) == (size_t)size ? find(core, text) : -1;
}

int Model::find_link(nb::handle name) const {
  const int link = find_name(name, "link", core(), sinew_model_find_link);
  if (link < 0) {
    throw_unknown_name("link", name, m_link_names);
  }
  return link;
}

int Model::find_joint(nb::handle name) const {
  const int joint = find_name(name, "joint", core(), sinew_model_find_joint);
  if (joint < 0) {
    nb::list names;
    for (int j = 0; j < sinew_model_joint_count(core()); ++j) {
      sinew_joint each;
      (void)!sinew_model_joint(core(), j, &each);
      names.append(name_of(each.name));
    }
    throw_unknown_name("joint", name, names);
  }
  return joint;
}

nb::list Model::tips() const {
  std::vector<bool> is_parent((size_t)sinew_model_link_count(core()));
  for (int i = 0; i < sinew_model_joint_count(core()); ++i) {
    sinew_joint joint;
    (void)!sinew_model_joint(core(), i, &joint);
    is_parent[(size_t)joint.parent] = true;
  }
  nb::list names;
  for (size_t i = 0; i < is_parent.size(); ++i) {
    if (!is_parent[i]) {
      names.append(m_link_names[i]);
    }
  }
  return names;
}

// ---- states ----

Owned<sinew_state> Model::take_state() const {
  if (!m_states.empty()) {
    Owned<sinew_state> state = std::move(m_states.back());
    m_states.pop_back();
    return state;
  }
  sinew_error error = {};
  sinew_state *state = nullptr;
  if (sinew_state_create(core(), nullptr, &state, &error) != SINEW_OK) {
    throw_error(error);
  }
  return Owned<sinew_state>(state);
}

void Model::give_back(Owned<sinew_state> state) const {
  m_states.push_back(std::move(state));
}

// ---- arrays of configurations ----

namespace {

// Values along the last axis: configurations, velocities.
struct Vectors {
  Array array;
  std::vector<npy_intp> leading;
  Rows rows;

  Vectors(nb::handle object, const char *name, int count, const char *meaning)
      : array(object, name) {
    if (array.ndim() < 1 || array.shape(array.ndim() - 1) != count) {
      throw_python(PyExc_ValueError, "%s has shape %s; its last axis must have %d values, %s", name,
                   array.shape_text().c_str(), count, meaning);
    }
    leading = array.leading(1);
    array.flatten(1);
    rows = Rows(array, 1);
  }
};

// Rows from which the interpreter is released. One takes some 0.1 us or more.
constexpr npy_intp MANY_ROWS = 256;

// Calls function(i) for rows 0 to count - 1 until it returns false; without the interpreter's lock
// if there are many.
// @return the row at which it did, or -1
template <class Function> npy_intp for_rows(npy_intp count, Function function) {
  PyThreadState *thread = count >= MANY_ROWS ? PyEval_SaveThread() : nullptr;
  npy_intp bad = -1;
  for (npy_intp i = 0; i < count && bad < 0; ++i) {
    bad = function(i) ? -1 : i;
  }
  if (thread != nullptr) {
    PyEval_RestoreThread(thread);
  }
  return bad;
}

[[noreturn]] void throw_not_finite(const char *name, npy_intp row, const std::string &shape) {
  throw_python(PyExc_ValueError,
               "%s has a value that is not a finite number, or is too large, in row %lld of shape "
               "%s",
               name, (long long)row, shape.c_str());
}

std::vector<npy_intp> joined(std::vector<npy_intp> leading, std::initializer_list<npy_intp> rest) {
  leading.insert(leading.end(), rest);
  return leading;
}

bool all_finite(const double *values, int count) {
  for (int i = 0; i < count; ++i) {
    if (!(values[i] >= -1e100 && values[i] <= 1e100)) {
      return false;
    }
  }
  return true;
}

const char *const OF_Q = "one for each of the model's nq";
const char *const OF_V = "one for each of the model's nv";

} // namespace

static void write_pose(const sinew_state *state, int link, Order order, double *out) {
  if (order == Order::none) {
    double R[9], p[3];
    (void)!sinew_state_link_frame(state, link, R, p);
    for (int i = 0; i < 3; ++i) {
      std::memcpy(out + 4 * i, R + 3 * i, 3 * sizeof *out);
      out[4 * i + 3] = p[i];
    }
    out[12] = out[13] = out[14] = 0;
    out[15] = 1;
    return;
  }
  sinew_pose pose;
  (void)!sinew_state_link_pose(state, link, &pose);
  std::memcpy(out, pose.position, sizeof pose.position);
  const double *r = pose.rotation;
  const int w = order == Order::wxyz ? 3 : 6;
  const int x = order == Order::wxyz ? 4 : 3;
  out[w] = r[0];
  std::memcpy(out + x, r + 1, 3 * sizeof *out);
}

nb::object Model::fk(nb::handle q, nb::handle link, nb::handle quaternion) const {
  // A str is one link; any other sequence several, which add an axis.
  const bool one = PyUnicode_Check(link.ptr());
  std::vector<int> links;
  if (one) {
    links.push_back(find_link(link));
  } else {
    for (nb::handle name : nb::borrow(link)) {
      links.push_back(find_link(name));
    }
  }
  const Order order = read_order(quaternion);
  const Vectors in(q, "q", m_nq, OF_Q);
  std::vector<npy_intp> shape = in.leading;
  if (!one) {
    shape.push_back((npy_intp)links.size());
  }
  shape = order == Order::none ? joined(shape, {4, 4}) : joined(shape, {7});
  nb::object out = new_array(shape);
  double *at = doubles_of(out);
  const int width = order == Order::none ? 16 : 7;

  Owned<sinew_state> state = take_state();
  std::vector<double> values((size_t)m_nq + 1);
  const npy_intp bad = for_rows(in.rows.size(), [&](npy_intp i) {
    in.rows.read(i, values.data());
    if (sinew_state_forward(state.get(), values.data()) != SINEW_OK) {
      return false;
    }
    for (const int index : links) {
      write_pose(state.get(), index, order, at);
      at += width;
    }
    return true;
  });
  give_back(std::move(state));
  if (bad >= 0) {
    throw_not_finite("q", bad, shape_text(joined(in.leading, {m_nq})));
  }
  return out;
}

nb::object Model::jacobian(nb::handle q, nb::handle link, nb::handle point, nb::handle axes) const {
  const int index = find_link(link);
  int axes_link = sinew_model_root(core());
  if (PyUnicode_Check(axes.ptr()) && PyUnicode_CompareWithASCIIString(axes.ptr(), "link") == 0) {
    axes_link = index;
  } else if (!PyUnicode_Check(axes.ptr()) ||
             PyUnicode_CompareWithASCIIString(axes.ptr(), "root") != 0) {
    throw_python(PyExc_ValueError, "axes must be \"root\" or \"link\", not %s",
                 nb::repr(axes).c_str());
  }
  double point_l[3] = {0, 0, 0};
  if (!point.is_none()) {
    const Vectors given(point, "point", 3, "x, y, z in the link's frame");
    if (given.rows.size() != 1) {
      throw_python(PyExc_ValueError, "point must be one point, of shape (3,)");
    }
    given.rows.read(0, point_l);
    if (!all_finite(point_l, 3)) {
      throw_not_finite("point", 0, "(3,)");
    }
  }
  const Vectors in(q, "q", m_nq, OF_Q);
  nb::object out = new_array(joined(in.leading, {6, m_nv}));
  double *J = doubles_of(out);

  Owned<sinew_state> state = take_state();
  std::vector<double> values((size_t)m_nq + 1);
  const npy_intp bad = for_rows(in.rows.size(), [&](npy_intp i) {
    in.rows.read(i, values.data());
    const bool good = sinew_state_forward(state.get(), values.data()) == SINEW_OK &&
                      sinew_state_jacobian(state.get(), index, point_l, axes_link, J) == SINEW_OK;
    J += 6 * m_nv;
    return good;
  });
  give_back(std::move(state));
  if (bad >= 0) {
    throw_not_finite("q", bad, shape_text(joined(in.leading, {m_nq})));
  }
  return out;
}

// ---- configurations ----

nb::object Model::middle() const {
  nb::object out = new_array({m_nq});
  sinew_configuration_middle(core(), doubles_of(out));
  return out;
}

nb::object Model::random(nb::handle size, uint64_t seed) const {
  std::vector<npy_intp> shape;
  if (PyLong_Check(size.ptr())) {
    shape.push_back(nb::cast<npy_intp>(size));
  } else if (!size.is_none()) {
    for (nb::handle extent : nb::borrow(size)) {
      shape.push_back(nb::cast<npy_intp>(extent));
    }
  }
  npy_intp count = 1;
  for (const npy_intp extent : shape) {
    if (extent < 0) {
      throw_python(PyExc_ValueError, "size must not be negative");
    }
    count *= extent;
  }
  nb::object out = new_array(joined(shape, {m_nq}));
  double *q = doubles_of(out);
  for_rows(count, [&](npy_intp i) {
    sinew_configuration_random(core(), seed, (uint64_t)i, q + i * m_nq);
    return true;
  });
  return out;
}

// out (rows of out_count values) = function(a, b), for all rows of a and b, of which either may be
// a single one.
template <class Function>
static nb::object combine(const Vectors &a, const char *name_a, const Vectors &b,
                          const char *name_b, int out_count, Function function) {
  const bool single_a = a.leading.empty(), single_b = b.leading.empty();
  if (!single_a && !single_b && a.leading != b.leading) {
    throw_python(PyExc_ValueError, "%s and %s have different leading shapes, %s and %s", name_a,
                 name_b, shape_text(a.leading).c_str(), shape_text(b.leading).c_str());
  }
  const std::vector<npy_intp> &leading = single_a ? b.leading : a.leading;
  nb::object out = new_array(joined(leading, {out_count}));
  double *at = doubles_of(out);
  std::vector<double> x((size_t)a.rows.count() + 1), y((size_t)b.rows.count() + 1);
  const npy_intp count = single_a ? b.rows.size() : a.rows.size();
  const char *bad_name = name_a;
  const npy_intp bad = for_rows(count, [&](npy_intp i) {
    a.rows.read(single_a ? 0 : i, x.data());
    b.rows.read(single_b ? 0 : i, y.data());
    if (!all_finite(x.data(), a.rows.count()) || !all_finite(y.data(), b.rows.count())) {
      bad_name = all_finite(x.data(), a.rows.count()) ? name_b : name_a;
      return false;
    }
    function(x.data(), y.data(), at);
    at += out_count;
    return true;
  });
  if (bad >= 0) {
    throw_not_finite(bad_name, bad, shape_text(leading));
  }
  return out;
}

nb::object Model::integrate(nb::handle q, nb::handle v) const {
  return combine(Vectors(q, "q", m_nq, OF_Q), "q", Vectors(v, "v", m_nv, OF_V), "v", m_nq,
                 [this](const double *x, const double *y, double *out) {
                   sinew_configuration_integrate(core(), x, y, out);
                 });
}

nb::object Model::difference(nb::handle q0, nb::handle q1) const {
  return combine(Vectors(q0, "q0", m_nq, OF_Q), "q0", Vectors(q1, "q1", m_nq, OF_Q), "q1", m_nv,
                 [this](const double *x, const double *y, double *out) {
                   sinew_configuration_difference(core(), x, y, out);
                 });
}

nb::object Model::normalize(nb::handle q) const {
  const Vectors in(q, "q", m_nq, OF_Q);
  return combine(in, "q", in, "q", m_nq, [this](const double *x, const double *, double *out) {
    std::memcpy(out, x, (size_t)m_nq * sizeof *out);
    sinew_configuration_normalize(core(), out);
  });
}

nb::object Model::joint_values(nb::handle q) const {
  const Vectors in(q, "q", m_nq, OF_Q);
  const std::vector<double> zero((size_t)m_nq + 1);
  const int count = sinew_model_joint_values(core(), zero.data(), nullptr);
  return combine(in, "q", in, "q", count, [this](const double *x, const double *, double *out) {
    (void)sinew_model_joint_values(core(), x, out);
  });
}

} // namespace sinew::python
