// sinew and Orocos KDL on arms; see --help and docs/benchmarks.md.
#include "bench/arms/message.h"
#include "bench/arms/options.h"
#include "bench/arms/picture.h"
#include "bench/arms/published.h"
#include "bench/arms/report.h"
#include "scenes/optional_data.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef SINEW_MODELS_DIR
#define SINEW_MODELS_DIR "models"
#endif

std::string shown(const std::string &text) {
  std::string line(sinew_text_escape(text.c_str(), SINEW_TEXT_PRINTED, nullptr, 0) + 1, '\0');
  sinew_text_escape(text.c_str(), SINEW_TEXT_PRINTED, &line[0], line.size());
  line.pop_back();
  return line;
}

void fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  char text[2048];
  vsnprintf(text, sizeof text, format, values);
  fprintf(stderr, "bench_arms: %s\n", shown(text).c_str());
  va_end(values);
  exit(2);
}

void fail(const sinew_error &error) {
  char text[1024];
  sinew_error_format(&error, text, sizeof text);
  fail("%s", text);
}

// ------------------------------------------------------------------------ arms

static std::string data_folder() {
  return std::string(optional_data_folder()) + "/data/";
}

static std::vector<arm_choice> files_of(const std::string &folder) {
  std::vector<arm_choice> files;
  DIR *listing = opendir(folder.c_str());
  while (listing != nullptr) {
    const dirent *entry = readdir(listing);
    if (entry == nullptr) {
      closedir(listing);
      break;
    }
    const std::string name = entry->d_name;
    if (name.size() > 5 && name.substr(name.size() - 5) == ".urdf") {
      files.push_back({folder + "/" + name, "", "", ""});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const arm_choice &a, const arm_choice &b) { return a.path < b.path; });
  return files;
}

// The default arms of a protocol.
static std::vector<arm_choice> arms_of(protocol which) {
  std::vector<arm_choice> arms;
  if (which != protocol::tracik) {
    arms = files_of(data_folder() + "arms");
  }
  for (const published_chain *c = published_chains; which == protocol::tracik && c->name != nullptr;
       ++c) {
    const std::string path = data_folder() + "urdf/" + c->file + ".urdf";
    struct stat there;
    if (stat(path.c_str(), &there) == 0) {
      arms.push_back({path, c->root, c->tip, c->name});
    }
  }
  if (arms.empty()) {
    fprintf(stderr, "bench_arms: no robots in %s: those of models/ instead\n",
            data_folder().c_str());
    arms = files_of(SINEW_MODELS_DIR);
  }
  return arms;
}

// ---------------------------------------------------------------------- starts

static start start_of(const std::string &name) {
  if (name == "random") {
    return {start_kind::random, 0.0, name};
  }
  if (name == "nominal") {
    return {start_kind::nominal, 0.0, name};
  }
  if (name == "near") {
    return {start_kind::near, 0.1, name};
  }
  char *end;
  const double deviation = strtod(name.c_str(), &end);
  if (name.empty() || *end != '\0' || !(deviation > 0.0 && deviation < 1e3)) {
    fail("--starts: '%s' is neither random, nominal, near nor an angle", name.c_str());
  }
  return {start_kind::swept, deviation, name};
}

static std::vector<start> starts_of(const options &o) {
  std::vector<std::string> names = o.starts;
  if (names.empty() && o.which == protocol::arms) {
    names = {"random", "nominal", "near"};
  } else if (names.empty() && o.which == protocol::tracik) {
    names = {"nominal"};
  } else if (names.empty()) {
    names = {"0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1"};
  }
  std::vector<start> starts;
  for (const std::string &name : names) {
    starts.push_back(start_of(name));
  }
  return starts;
}

// --------------------------------------------------------------------- running

static void print_published(const std::string &arm) {
  for (const published_chain *c = published_chains; c->name != nullptr; ++c) {
    if (arm == c->name) {
      printf("  published by TRAC-IK's authors, on another machine: KDL %.2f %% %.0f us, KDL with "
             "restarts %.2f %% %.0f us, TRAC-IK %.2f %% %.0f us\n",
             c->kdl_solved, 1e3 * c->kdl_ms, c->restarts_solved, 1e3 * c->restarts_ms,
             c->tracik_solved, 1e3 * c->tracik_ms);
    }
  }
}

static void print_heading(const options &o) {
  print_machine();
  printf("Random seed %llu, tolerance %g m and %g rad by norm, KDL's restarts to %d tries, "
         "rounds: %d\n",
         static_cast<unsigned long long>(o.random_seed), o.solving.tolerance, o.solving.tolerance,
         o.solving.tries, o.measuring.rounds);
  if (o.measuring.late > 0.0) {
    printf("A result after more than %g ms counts as not solved\n", 1e3 * o.measuring.late);
  }
}

static std::vector<result> run_arm(const options &o, const arm &a, const solver_list &solvers) {
  std::vector<result> results;
  for (const start &from : starts_of(o)) {
    const problems p = make_problems(a, from, o.count, o.random_seed);
    const std::vector<result> more = measure(p, from.name, solvers, o.measuring);
    results.insert(results.end(), more.begin(), more.end());
  }
  print_arm(a, results);
  if (o.which == protocol::tracik) {
    print_published(a.name);
  }
  return results;
}

int main(int count, char **arguments) {
  options o = read_options(count, arguments);
  if (o.which == protocol::tracik) {
    o.solving.patience = o.measuring.late = 5e-3; // as its authors' time limit
  }
  if (!o.out.empty() && mkdir(o.out.c_str(), 0777) != 0 && errno != EEXIST) {
    fail("%s: %s", o.out.c_str(), strerror(errno));
  }
  print_heading(o);
  std::vector<result> results;
  std::unique_ptr<arm> a; // must outlive its solvers
  solver_list solvers;
  for (const arm_choice &choice : o.arms.empty() ? arms_of(o.which) : o.arms) {
    solvers.clear();
    a = read_arm(choice);
    solvers = make_solvers(*a, o.solvers, o.solving);
    const std::vector<result> more = run_arm(o, *a, solvers);
    results.insert(results.end(), more.begin(), more.end());
  }
  if (o.which == protocol::quik) {
    print_sweep(results);
  } else {
    print_summary(results);
  }
  print_noise(solvers);
  if (!o.out.empty() &&
      !(write_csv(o.out + "/arms.csv", results) && draw_pictures(o.out, results))) {
    return 1;
  }
  return 0;
}
