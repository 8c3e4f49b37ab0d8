#include "crowd.h"

#include "in_use.h"
#include "parallel.h"
#include "results.h"
#include "search.h"
#include "tracker.h"

#include <algorithm>
#include <cstring>

namespace sinew::python {

namespace {

// Figures that a thread takes at once: about a millisecond of updates, whole lanes.
constexpr npy_intp FIGURES_PER_CHUNK = 256;

const char IN_USE[] = "the Crowd is in use by another thread";

class Crowd {
public:
  Crowd(nb::object model, nb::handle link, npy_intp figures, nb::handle q, const Tracking &tracking,
        int lanes, const ConstraintArguments &constraints)
      : m_model_object(std::move(model)), m_model(nb::cast<Model &>(m_model_object)),
        m_tasks(read_tasks(m_model, link)), m_one(is_one_effector(link)),
        m_order(read_order(tracking.quaternion)), m_figures(figures) {
    if (figures < 1) {
      throw_python(PyExc_ValueError, "figures is %lld; it must be at least 1", (long long)figures);
    }
    sinew_crowd_def def = sinew_default_crowd_def();
    def.solver = solver_def(tracking);
    def.figures = (size_t)figures;
    def.lanes = lanes;
    const Constraints read(m_model, constraints);
    read.lend(&def);
    const std::vector<sinew_objective> objectives = read.objectives();
    if (objectives.size() > 1) {
      throw_python(PyExc_ValueError, "there are %zu objectives; a Crowd takes one, a posture",
                   objectives.size());
    }
    def.posture = objectives.empty() ? nullptr : objectives.data();
    sinew_error error = {};
    sinew_crowd *crowd = nullptr;
    if (sinew_crowd_create(&def, m_model.core(), m_tasks.data(), (int)m_tasks.size(), &crowd,
                           &error) != SINEW_OK) {
      throw_error(error);
    }
    m_crowd.reset(crowd);
    m_q.resize((size_t)figures * (size_t)m_model.nq() + 1);
    set_q(q);
  }

  npy_intp figures() const {
    return m_figures;
  }

  nb::object q() const {
    nb::object array = new_array({m_figures, m_model.nq()});
    std::memcpy(doubles_of(array), m_q.data(), (m_q.size() - 1) * sizeof(double));
    return array;
  }

  void reset(nb::handle q) {
    const InUse in_use(&m_in_use, IN_USE);
    if (!q.is_none()) {
      set_q(q);
    }
    sinew_crowd_reset(m_crowd.get(), 0, (size_t)m_figures);
  }

  nb::object update(nb::handle targets, int threads) {
    const std::vector<double> rows = read_targets(targets, "targets", m_figures, false);
    const InUse in_use(&m_in_use, IN_USE);
    Results results({m_figures}, new_array({m_figures, m_model.nq()}));
    std::vector<sinew_batch_row> reports((size_t)m_figures);
    sinew_crowd_arrays arrays = {};
    arrays.targets = rows.data();
    arrays.q = m_q.data();
    arrays.rows = reports.data();
    run(m_figures, FIGURES_PER_CHUNK, threads,
        [&](sinew_crowd_worker *worker, npy_intp first, npy_intp count) {
          (void)!sinew_crowd_update(m_crowd.get(), worker, &arrays, (size_t)first, (size_t)count);
        });
    for (npy_intp i = 0; i < m_figures; ++i) {
      results.keep(i, reports[(size_t)i]);
    }
    std::memcpy(results.q(), m_q.data(), (m_q.size() - 1) * sizeof(double));
    return results.solutions();
  }

  // Tracks: a list of targets, each with a leading axis of frames.
  nb::object follow(nb::list tracks, nb::handle seed, int threads) {
    const InUse in_use(&m_in_use, IN_USE);
    const size_t count = nb::len(tracks);
    std::vector<std::vector<double>> rows(count);
    std::vector<std::vector<sinew_batch_row>> reports(count);
    std::vector<Results> results;
    std::vector<sinew_track> all(count);
    const size_t nq = (size_t)m_model.nq(), size = (size_t)sinew_crowd_target_size(m_crowd.get());
    const std::vector<double> seeds = read_seeds(seed, count);
    for (size_t i = 0; i < count; ++i) {
      rows[i] = read_targets(tracks[i], "tracks[" + std::to_string(i) + "]", -1, true);
      const size_t frames = rows[i].size() / size;
      reports[i].resize(frames);
      const npy_intp extent = (npy_intp)frames;
      results.emplace_back(std::vector<npy_intp>{extent}, new_array({extent, m_model.nq()}));
      all[i].frames = frames;
      all[i].targets = rows[i].data();
      all[i].seed = seeds.empty() ? nullptr : seeds.data() + i * nq;
      all[i].q = results[i].q();
      all[i].rows = reports[i].data();
    }
    const npy_intp lanes = sinew_crowd_lanes(m_crowd.get());
    run((npy_intp)count, lanes, threads,
        [&](sinew_crowd_worker *worker, npy_intp first, npy_intp n) {
          (void)!sinew_crowd_follow(m_crowd.get(), worker, &all[(size_t)first], (size_t)n);
        });
    nb::list out;
    for (size_t i = 0; i < count; ++i) {
      for (size_t frame = 0; frame < reports[i].size(); ++frame) {
        results[i].keep((npy_intp)frame, reports[i][frame]);
      }
      out.append(results[i].solutions());
    }
    return out;
  }

private:
  void set_q(nb::handle q) {
    const size_t nq = (size_t)m_model.nq();
    if (q.is_none() || Array(q, "q").ndim() == 1) {
      std::vector<double> one(nq + 1);
      read_start(m_model, q, one.data());
      for (size_t i = 0; i < (size_t)m_figures; ++i) {
        std::memcpy(m_q.data() + i * nq, one.data(), nq * sizeof(double));
      }
      return;
    }
    const Array array(q, "q");
    if (array.leading(0) != std::vector<npy_intp>{m_figures, m_model.nq()}) {
      throw_python(PyExc_ValueError, "q has shape %s; it must be (%d,) or (%lld, %d)",
                   array.shape_text().c_str(), m_model.nq(), (long long)m_figures, m_model.nq());
    }
    const Rows rows(array, 1);
    std::vector<double> all(m_q.size());
    for (npy_intp i = 0; i < m_figures; ++i) {
      rows.read(i, all.data() + (size_t)i * nq);
    }
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      if (!(all[i] * 0 == 0)) {
        throw_python(PyExc_ValueError, "q[%zu, %zu] is not a finite number", i / nq, i % nq);
      }
    }
    m_q = all;
  }

  // One seed for all tracks, one for each, or none.
  std::vector<double> read_seeds(nb::handle seed, size_t count) const {
    std::vector<double> seeds;
    if (seed.is_none()) {
      return seeds;
    }
    const Array array(seed, "seed");
    const bool one = array.leading(0) == std::vector<npy_intp>{m_model.nq()};
    if (!one && array.leading(0) != std::vector<npy_intp>{(npy_intp)count, m_model.nq()}) {
      throw_python(PyExc_ValueError, "seed has shape %s; it must be (%d,) or (%zu, %d)",
                   array.shape_text().c_str(), m_model.nq(), count, m_model.nq());
    }
    const Rows rows = one ? Rows::repeated(array) : Rows(array, 1);
    seeds.resize(count * (size_t)m_model.nq());
    for (size_t i = 0; i < count; ++i) {
      rows.read((npy_intp)i, seeds.data() + i * (size_t)m_model.nq());
    }
    for (size_t i = 0; i < seeds.size(); ++i) {
      if (!(seeds[i] * 0 == 0)) {
        throw_python(PyExc_ValueError, "seed has a value that is not a finite number");
      }
    }
    return seeds;
  }

  // The targets of all figures, or frames, as the core's rows.
  // @param count of them; -1: as many as there are
  // @param may_miss a target that cannot be used is missing, else refused
  std::vector<double> read_targets(nb::handle targets, const std::string &name, npy_intp count,
                                   bool may_miss) const {
    std::vector<Targets> all;
    if (m_one) {
      all.emplace_back(targets, name, m_order, &m_tasks[0]);
    } else {
      const nb::list each = nb::list(targets);
      if (nb::len(each) != m_tasks.size()) {
        throw_python(PyExc_ValueError, "%s has %zu items; there are %zu end effectors",
                     name.c_str(), nb::len(each), m_tasks.size());
      }
      for (size_t i = 0; i < m_tasks.size(); ++i) {
        all.emplace_back(each[i], name + "[" + std::to_string(i) + "]", m_order, &m_tasks[i]);
      }
    }
    for (const Targets &one : all) {
      const bool has_axis = one.leading().size() == 1;
      if (has_axis && count < 0) {
        count = one.leading()[0];
      }
      if (!has_axis || one.leading()[0] != count) {
        throw_python(PyExc_ValueError,
                     "%s has the leading shape %s; it must be (%s,), one target for each %s",
                     name.c_str(), shape_text(one.leading()).c_str(),
                     count < 0 ? "n" : std::to_string(count).c_str(),
                     may_miss ? "frame" : "figure");
      }
    }
    const size_t size = (size_t)sinew_crowd_target_size(m_crowd.get());
    std::vector<double> rows((size_t)count * size);
    double *at = rows.data();
    for (npy_intp i = 0; i < count; ++i) {
      for (const Targets &one : all) {
        if (!one.read(i, at) && !may_miss) {
          one.refuse(i);
        }
        at += one.size();
      }
    }
    return rows;
  }

  template <class Function>
  void run(npy_intp count, npy_intp chunk, int threads, Function function) {
    if (threads == 0) {
      threads = default_threads(count, chunk);
    }
    threads = (int)std::min<npy_intp>(threads, std::max<npy_intp>(1, (count + chunk - 1) / chunk));
    while (m_workers.size() < (size_t)threads) {
      sinew_error error = {};
      sinew_crowd_worker *worker = nullptr;
      if (sinew_crowd_worker_create(m_crowd.get(), &worker, &error) != SINEW_OK) {
        throw_error(error);
      }
      m_workers.emplace_back(worker);
    }
    run_chunks(count, chunk, threads, [&](int thread, npy_intp first, npy_intp n) {
      function(m_workers[(size_t)thread].get(), first, n);
      return true;
    });
  }

  nb::object m_model_object;
  const Model &m_model;
  std::vector<sinew_task> m_tasks;
  bool m_one;
  Order m_order;
  npy_intp m_figures;
  std::vector<double> m_q;
  bool m_in_use = false;
  Owned<sinew_crowd> m_crowd; // destroyed after its workers
  std::vector<Owned<sinew_crowd_worker>> m_workers;
};

int read_threads(nb::handle threads) {
  if (threads.is_none()) {
    return 0;
  }
  const int count = nb::cast<int>(threads);
  if (count < 1) {
    throw_python(PyExc_ValueError, "threads is %d; it must be at least 1", count);
  }
  return count;
}

const char CROWD_DOC[] =
    "Many figures of one model that follow moving targets, one update a frame.\n\n"
    "Each does what a Tracker does, several at once in the vector lanes of the processor and on\n"
    "several threads. A figure's result depends neither on the others nor on the threads.\n\n"
    "link: as for Tracker. Positions, orientations and poses without free axes run in vector\n"
    "    lanes, other tasks one figure after another.\n"
    "figures: how many.\n"
    "q: joint values before the first update, (nq,) or (figures, nq); default: the middle of the\n"
    "    limits.\n"
    "lanes: SIMD lanes, 1, 2, 4 or 8; 0: as many as the processor has.\n"
    "objectives: a posture below the tasks, or a list of one.\n"
    "The other settings are those of Tracker.";

const char UPDATE_DOC[] =
    "Moves all figures by one update.\n\n"
    "targets: with a leading axis of figures: (figures, 4, 4), say; of several end effectors a "
    "list\n"
    "    of such arrays.\n"
    "threads: default: as many as there are processors.\n\n"
    "Returns Solutions of the leading shape (figures,), with the joint values after the update "
    "and\n"
    "the errors before it. Raises RuntimeError while another thread is in a call of this Crowd.";

const char FOLLOW_DOC[] =
    "Follows recorded tracks from their first frame to their last, several at once.\n\n"
    "Each is followed as by a Tracker alone. The crowd's figures do not change.\n\n"
    "tracks: a list of targets, each with a leading axis of frames: (frames, 4, 4), say. In a "
    "frame\n"
    "    with NaN the figure stays; its outcome is BAD_INPUT.\n"
    "seed: joint values before the first frame, (nq,) or (tracks, nq); default: the middle of the\n"
    "    limits.\n\n"
    "Returns a list of Solutions, each of the leading shape (frames,).";

} // namespace

void add_crowd(nb::module_ &module) {
  const sinew_solver_def defaults = sinew_default_solver_def();
  nb::class_<Crowd>(module, "Crowd", CROWD_DOC, nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Crowd *self, nb::object model, nb::object link, long long figures, nb::object q,
             double time_step, double error_gain, double max_change, double damping_scale,
             nb::object tolerance, nb::object quaternion, int lanes, nb::object limits,
             nb::object frozen, nb::object gains, nb::object objectives) {
            check_model(model);
            new (self)
                Crowd(model, link, (npy_intp)figures, q,
                      {time_step, error_gain, max_change, damping_scale, tolerance, quaternion},
                      lanes, {limits.ptr(), frozen.ptr(), gains.ptr(), objectives.ptr()});
          },
          nb::arg("model"), nb::arg("link"), nb::arg("figures"), nb::arg("q").none() = nb::none(),
          nb::kw_only(), nb::arg("time_step") = defaults.tracking.time_step,
          nb::arg("error_gain") = defaults.tracking.error_gain,
          nb::arg("max_change") = defaults.tracking.max_change,
          nb::arg("damping_scale") = defaults.step.damping_scale,
          nb::arg("tolerance").none() = nb::none(), nb::arg("quaternion").none() = nb::none(),
          nb::arg("lanes") = 0, nb::arg("limits").none() = nb::none(),
          nb::arg("frozen").none() = nb::none(), nb::arg("gains").none() = nb::none(),
          nb::arg("objectives").none() = nb::none())
      .def_prop_ro("figures", &Crowd::figures, "How many.")
      .def_prop_ro("q", &Crowd::q, "The joint values now, (figures, nq): a copy.")
      .def("reset", &Crowd::reset, nb::arg("q").none() = nb::none(),
           "Clears the history of all figures; see Tracker.reset().")
      .def(
          "update",
          [](Crowd &crowd, nb::handle targets, nb::object threads) {
            return crowd.update(targets, read_threads(threads));
          },
          nb::arg("targets"), nb::kw_only(), nb::arg("threads").none() = nb::none(), UPDATE_DOC)
      .def(
          "follow",
          [](Crowd &crowd, nb::list tracks, nb::object seed, nb::object threads) {
            return crowd.follow(tracks, seed, read_threads(threads));
          },
          nb::arg("tracks"), nb::kw_only(), nb::arg("seed").none() = nb::none(),
          nb::arg("threads").none() = nb::none(), FOLLOW_DOC);
}

} // namespace sinew::python
