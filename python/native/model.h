/// sinew.Model: a model, its names, and the states that its kinematics use.
#ifndef SINEW_PYTHON_MODEL_H
#define SINEW_PYTHON_MODEL_H

#include "arrays.h"

#include "sinew/formats.h"
#include "sinew/sinew.h"

#include <memory>
#include <string>
#include <vector>

namespace sinew::python {

struct Destroy {
  void operator()(sinew_model *model) const {
    sinew_model_destroy(model);
  }
  void operator()(sinew_state *state) const {
    sinew_state_destroy(state);
  }
  void operator()(sinew_document *document) const {
    sinew_document_destroy(document);
  }
  void operator()(sinew_xml_reader *reader) const {
    sinew_xml_reader_destroy(reader);
  }
  void operator()(sinew_solver *solver) const {
    sinew_solver_destroy(solver);
  }
  void operator()(sinew_bank *bank) const {
    sinew_bank_destroy(bank);
  }
  void operator()(sinew_network *network) const {
    sinew_network_destroy(network);
  }
  void operator()(sinew_batch *batch) const {
    sinew_batch_destroy(batch);
  }
  void operator()(sinew_batch_worker *worker) const {
    sinew_batch_worker_destroy(worker);
  }
  void operator()(sinew_crowd *crowd) const {
    sinew_crowd_destroy(crowd);
  }
  void operator()(sinew_crowd_worker *worker) const {
    sinew_crowd_worker_destroy(worker);
  }
};

template <class T> using Owned = std::unique_ptr<T, Destroy>;

/// A model of the core, shared by all that was made from it.
using SharedModel = std::shared_ptr<const sinew_model>;

class Searches;

/// The text that a model was read from, by which it is pickled.
struct Source {
  std::string text, name;
  bool floating_base = false;
};

class Model {
public:
  Model(const sinew_document &document, Source source);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const sinew_model *core() const {
    return m_core.get();
  }
  const SharedModel &shared() const {
    return m_core;
  }
  int nq() const {
    return m_nq;
  }
  int nv() const {
    return m_nv;
  }
  nb::list link_names() const {
    return m_link_names;
  }

  /// The links that carry no joint.
  nb::list tips() const;

  const Source &source() const {
    return m_source;
  }

  /// The index of a link's, or a joint's, name. Throws sinew.UnknownNameError.
  int find_link(nb::handle name) const;
  int find_joint(nb::handle name) const;

  /// A state that nobody else uses, until give_back(). Allocates only where all are in use.
  Owned<sinew_state> take_state() const;
  void give_back(Owned<sinew_state> state) const;

  /// The searches that solves with this model have used.
  Searches &searches() {
    return *m_searches;
  }

  nb::object fk(nb::handle q, nb::handle link, nb::handle quaternion) const;
  nb::object jacobian(nb::handle q, nb::handle link, nb::handle point, nb::handle axes) const;

  nb::object middle() const;
  nb::object random(nb::handle size, uint64_t seed) const;
  nb::object integrate(nb::handle q, nb::handle v) const;
  nb::object difference(nb::handle q0, nb::handle q1) const;
  nb::object normalize(nb::handle q) const;
  nb::object joint_values(nb::handle q) const;

  nb::object lower, upper, velocity; ///< nv values each, read-only
  nb::object motion;                 ///< frames x nq, or None
  nb::object frame_time;             ///< [s], or None
  nb::list joints;                   ///< one dict for each joint
  nb::list warnings;

private:
  SharedModel m_core;
  int m_nq, m_nv;
  nb::list m_link_names;
  Source m_source;
  std::unique_ptr<Searches> m_searches;
  mutable std::vector<Owned<sinew_state>> m_states;
};

/// Adds Model to the module.
void add_model(nb::module_ &module);

} // namespace sinew::python

#endif
