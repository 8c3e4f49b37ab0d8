// Tables.
#include "bench/arms/report.h"
#include "bench/arms/message.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

static double percent(const result &r) {
  return 100.0 * r.solved / r.problems;
}

// What a file of the system states about the processor, or "".
static std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 10, "model name") == 0) {
      return line.substr(line.find(':') + 2) + ", ";
    }
  }
  return "";
}

void print_machine() {
  char date[32];
  const time_t seconds = time(nullptr);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&seconds));
  printf("%s, %scompiler %s, sinew %s\n", date, processor().c_str(), __VERSION__, sinew_version());
}

void print_noise(const solver_list &solvers) {
  struct rusage use;
  printf("\nTimes include what reading the clock takes [ns]:");
  for (const auto &each : solvers) {
    printf("%s %s %.0f", &each == &solvers.front() ? "" : ",", each->name.c_str(),
           1e9 * clock_cost(*each));
  }
  getrusage(RUSAGE_SELF, &use);
  printf("\n%ld involuntary context switches in %ld s of work\n", use.ru_nivcsw,
         static_cast<long>(use.ru_utime.tv_sec + use.ru_stime.tv_sec));
}

static void print_time(double seconds) {
  const double us = 1e6 * seconds;
  printf(" %9.*f", us < 100.0 ? 2 : us < 1000.0 ? 1 : 0, us);
}

// Whether there are enough problems for this quantile.
static bool has(const result &r, double share) {
  return !r.together && r.problems * (1.0 - share) > 0.999;
}

static void print_line(const result &r) {
  printf("  %-9s %-17s %8d %8.2f %5d %7d", r.start.c_str(), r.solver.c_str(), r.problems,
         percent(r), r.false_claims, r.outside);
  print_time(r.mean);
  const double times[] = {r.median, r.p99, r.p999, r.most}, shares[] = {0.5, 0.99, 0.999, 0.5};
  for (int i = 0; i < 4; ++i) {
    if (has(r, shares[i])) {
      print_time(times[i]);
    } else {
      printf(" %9s", "-");
    }
  }
  if (r.steps < 0.0) {
    printf(" %7s\n", "-");
  } else {
    printf(" %7.1f\n", r.steps);
  }
}

void print_arm(const arm &a, const std::vector<result> &results) {
  printf("\n%s: %d joints, %s to %s\n", shown(a.name).c_str(), a.joints, shown(a.root).c_str(),
         shown(a.tip).c_str());
  for (const result &r : results) {
    if (r.start == results.front().start && !r.note.empty()) {
      printf("  %s: %s\n", r.solver.c_str(), r.note.c_str());
    }
  }
  printf("\n  %-9s %-17s %8s %8s %5s %7s %9s %9s %9s %9s %9s %7s\n", "start", "solver", "problems",
         "solved %", "false", "outside", "mean us", "median", "99 %", "99.9 %", "longest", "steps");
  for (const result &r : results) {
    print_line(r);
  }
  fflush(stdout);
}

// Different values of a field, in order of their first occurrence.
static std::vector<std::string> names_of(const std::vector<result> &results,
                                         std::string result::*field) {
  std::vector<std::string> names;
  for (const result &r : results) {
    if (std::find(names.begin(), names.end(), r.*field) == names.end()) {
      names.push_back(r.*field);
    }
  }
  return names;
}

// The header of a Markdown table.
static void print_head(const char *first, const std::vector<std::string> &solvers) {
  printf("| %s |", first);
  for (const std::string &solver : solvers) {
    printf(" %s |", solver.c_str());
  }
  printf("\n|---|");
  for (size_t i = 0; i < solvers.size(); ++i) {
    printf("---|");
  }
}

static int digits_of(double us) {
  return us < 100.0 ? 1 : 0;
}

static void print_cell(const std::vector<result> &results, const std::string &arm,
                       const std::string &start, const std::string &solver) {
  for (const result &r : results) {
    if (r.arm == arm && r.start == start && r.solver == solver) {
      const double us = 1e6 * r.mean, late = 1e6 * r.p999;
      printf(" %.*f / %.*f", r.solved == r.problems ? 0 : 2, percent(r), digits_of(us), us);
      has(r, 0.999) ? printf(" / %.*f |", digits_of(late), late) : printf(" |");
      return;
    }
  }
  printf(" |");
}

void print_summary(const std::vector<result> &results) {
  const auto solvers = names_of(results, &result::solver);
  for (const std::string &start : names_of(results, &result::start)) {
    printf("\nStart %s: solved %% / mean us / 99.9 %% us, where there are enough problems\n\n",
           start.c_str());
    print_head("arm (joints)", solvers);
    for (const std::string &arm : names_of(results, &result::arm)) {
      const auto first = std::find_if(results.begin(), results.end(),
                                      [&](const result &r) { return r.arm == arm; });
      printf("\n| %s (%d) |", shown(arm).c_str(), first->joints);
      for (const std::string &solver : solvers) {
        print_cell(results, arm, start, solver);
      }
    }
    putchar('\n');
  }
}

static void print_mean_cell(const std::vector<result> &results, const std::string &start,
                            const std::string &solver) {
  double solved = 0.0, steps = 0.0, us = 0.0;
  int arms = 0;
  for (const result &r : results) {
    if (r.start == start && r.solver == solver) {
      solved += percent(r);
      steps += r.steps;
      us += 1e6 * r.mean;
      ++arms;
    }
  }
  printf(" %.2f / ", solved / arms);
  steps < 0.0 ? printf("-") : printf("%.1f", steps / arms);
  printf(" / %.*f |", digits_of(us / arms), us / arms);
}

void print_sweep(const std::vector<result> &results) {
  const auto solvers = names_of(results, &result::solver);
  printf("\nSolved %% / mean steps / mean us, over all arms\n\n");
  print_head("error [rad]", solvers);
  for (const std::string &start : names_of(results, &result::start)) {
    printf("\n| %s |", start.c_str());
    for (const std::string &solver : solvers) {
      print_mean_cell(results, start, solver);
    }
  }
  putchar('\n');
}

static void write_row(FILE *csv, const result &r) {
  fprintf(csv, "%s,%d,%s,%s,%d,%.4f,%d,%d,%.4f", r.arm.c_str(), r.joints, r.start.c_str(),
          r.solver.c_str(), r.problems, percent(r), r.false_claims, r.outside, 1e6 * r.mean);
  for (const double time : {r.median, r.p99, r.p999, r.most}) {
    r.together ? fputc(',', csv) : fprintf(csv, ",%.4f", 1e6 * time);
  }
  r.steps < 0.0 ? fputs(",\n", csv) : fprintf(csv, ",%.4f\n", r.steps);
}

bool write_csv(const std::string &path, const std::vector<result> &results) {
  FILE *csv = fopen(path.c_str(), "w");
  if (csv == nullptr) {
    fprintf(stderr, "bench_arms: %s: %s\n", path.c_str(), strerror(errno));
    return false;
  }
  fputs("arm,joints,start,solver,problems,solved_percent,false_claims,outside_limits,mean_us,"
        "median_us,p99_us,p999_us,longest_us,steps\n",
        csv);
  for (const result &r : results) {
    write_row(csv, r);
  }
  const bool good = !ferror(csv);
  if (fclose(csv) != 0 || !good) {
    fprintf(stderr, "bench_arms: %s: it could not be written completely\n", path.c_str());
    return false;
  }
  return true;
}
