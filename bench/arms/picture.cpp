// Draws with gnuplot.
//
// A line rises where problems are solved: its value at time t is the fraction of all problems that
// were solved within t. Over several arms it is the mean of their fractions, so that each arm has
// the same weight, however many of its problems a solver was run on. Problems that are solved
// together have no times of their own: a dot at the mean.
#include "bench/arms/picture.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

extern char **environ;

static const int points = 240; // in a line

typedef std::vector<const result *> group; // one solver's, from one kind of start

struct panel {
  std::string start;
  std::vector<std::pair<std::string, group>> lines; // by solver
};

static const struct {
  const char *solver, *color;
} colors[] = {
    {"sinew", "#c0392b"},          {"sinew-local", "#e59866"},      {"sinew-descent", "#d4ac0d"},
    {"sinew-batch", "#7d3c98"},    {"sinew-batch1", "#d7bde2"},     {"sinew-batch2", "#bb8fce"},
    {"sinew-batch4", "#a569bd"},   {"sinew-batch8", "#884ea0"},     {"sinew-threads", "#4a235a"},
    {"kdl-lma", "#85c1e9"},        {"kdl-lma-restarts", "#2471a3"}, {"kdl-nr", "#82e0aa"},
    {"kdl-nr-restarts", "#1e8449"}};

static const char *color_of(const std::string &solver) {
  for (const auto &entry : colors) {
    if (solver == entry.solver) {
      return entry.color;
    }
  }
  return "#555555";
}

// The panels of one picture: of one arm, or with "" of all.
static std::vector<panel> panels_of(const std::vector<result> &results, const std::string &arm) {
  std::vector<panel> panels;
  for (const result &r : results) {
    if (!arm.empty() && r.arm != arm) {
      continue;
    }
    auto p = std::find_if(panels.begin(), panels.end(),
                          [&](const panel &other) { return other.start == r.start; });
    if (p == panels.end()) {
      p = panels.insert(p, panel{r.start, {}});
    }
    auto line = std::find_if(p->lines.begin(), p->lines.end(),
                             [&](const auto &other) { return other.first == r.solver; });
    if (line == p->lines.end()) {
      line = p->lines.insert(line, {r.solver, {}});
    }
    line->second.push_back(&r);
  }
  return panels;
}

// Percent solved within a time, the mean over a group.
static double share(const group &of, double seconds) {
  double sum = 0.0;
  for (const result *r : of) {
    const auto within = std::upper_bound(r->times.begin(), r->times.end(), seconds);
    sum += static_cast<double>(within - r->times.begin()) / r->problems;
  }
  return 100.0 * sum / static_cast<double>(of.size());
}

// The time axis of all pictures [s]: whole decades around the times of single problems.
struct range {
  double least = 1e-6, most = 1e-4;
};

static range times_of(const std::vector<result> &results) {
  range all;
  for (const result &r : results) {
    if (!r.times.empty()) {
      all.least = std::min(all.least, r.times.front());
      all.most = std::max(all.most, r.times.back());
    }
  }
  return {std::pow(10.0, std::floor(std::log10(all.least))),
          std::pow(10.0, std::ceil(std::log10(all.most)))};
}

static void write_line(FILE *script, const group &of, const range &times) {
  if (of.front()->together) {
    double mean = 0.0;
    for (const result *r : of) {
      mean += r->mean / static_cast<double>(of.size());
    }
    fprintf(script, "%.6g %.6g\n", 1e6 * mean, share(of, INFINITY));
    return;
  }
  for (int i = 0; i <= points; ++i) {
    const double time = times.least * std::pow(times.most / times.least, double(i) / points);
    fprintf(script, "%.6g %.6g\n", 1e6 * time, share(of, time));
  }
}

// gnuplot reads a file name in single quotes, with a quote doubled.
static std::string quoted(const std::string &text) {
  std::string out = "'";
  for (const char letter : text) {
    out += letter;
    if (letter == '\'') {
      out += letter;
    }
  }
  return out + "'";
}

static void write_panel(FILE *script, const panel &p, const range &times, bool has_key) {
  for (size_t i = 0; i < p.lines.size(); ++i) {
    fprintf(script, "$line%zu << END\n", i);
    write_line(script, p.lines[i].second, times);
    fputs("END\n", script);
  }
  fprintf(script, "set title 'start %s'\n%s\nplot", p.start.c_str(),
          has_key ? "set key right bottom font ',10'" : "unset key");
  for (size_t i = 0; i < p.lines.size(); ++i) {
    const bool dot = p.lines[i].second.front()->together;
    fprintf(script, "%s $line%zu with %s lc rgb '%s' title '%s'", i > 0 ? ",\\\n " : "", i,
            dot ? "points pt 7 ps 0.8" : "lines lw 2", color_of(p.lines[i].first),
            p.lines[i].first.c_str());
  }
  fputs("\n", script);
}

static void write_picture(FILE *script, const std::string &path, const std::string &title,
                          const std::vector<panel> &panels, const range &times) {
  const auto columns = std::min<size_t>(panels.size(), 3), rows = (panels.size() + 2) / 3;
  fprintf(script,
          "set terminal svg size %zu,%zu dynamic rounded font 'sans-serif,13' "
          "background '#ffffff'\nset output %s\n",
          420 * columns, 60 + 380 * rows, quoted(path).c_str());
  fprintf(script,
          "set encoding utf8\nset logscale x\nset xrange [%g:%g]\nset yrange [0:103]\n"
          "set format x '10^{%%T}'\nset xlabel 'time [µs]'\nset ylabel 'solved [%%]'\nset grid\n"
          "set multiplot layout %zu,%zu title '%s' noenhanced\n",
          1e6 * times.least, 1e6 * times.most, rows, columns, title.c_str());
  for (const panel &p : panels) {
    write_panel(script, p, times, &p == &panels.back());
  }
  fputs("unset multiplot\n", script);
}

static bool run_gnuplot(const std::string &script) {
  char name[] = "gnuplot";
  std::string path = script;
  char *const arguments[] = {name, path.data(), nullptr};
  pid_t child;
  int status = -1;
  if (posix_spawnp(&child, name, nullptr, nullptr, arguments, environ) != 0 ||
      waitpid(child, &status, 0) < 0 || status != 0) {
    fprintf(stderr, "bench_arms: %s: gnuplot is missing or could not draw it\n", script.c_str());
    return false;
  }
  return true;
}

bool draw_pictures(const std::string &folder, const std::vector<result> &results) {
  const std::string path = folder + "/arms.gp";
  FILE *script = fopen(path.c_str(), "w");
  if (script == nullptr) {
    fprintf(stderr, "bench_arms: %s: %s\n", path.c_str(), strerror(errno));
    return false;
  }
  const range times = times_of(results);
  std::vector<std::string> arms;
  for (const result &r : results) {
    if (std::find(arms.begin(), arms.end(), r.arm) == arms.end()) {
      arms.push_back(r.arm);
    }
  }
  write_picture(script, folder + "/arms.svg",
                arms.size() == 1 ? arms[0] : std::to_string(arms.size()) + " arms",
                panels_of(results, ""), times);
  for (const std::string &arm : arms) {
    write_picture(script, folder + "/" + arm + ".svg", arm, panels_of(results, arm), times);
  }
  const bool good = !ferror(script);
  if (fclose(script) != 0 || !good) {
    fprintf(stderr, "bench_arms: %s: it could not be written completely\n", path.c_str());
    return false;
  }
  return run_gnuplot(path);
}
