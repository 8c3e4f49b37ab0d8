// Reading the command line.
#include "bench/arms/options.h"
#include "bench/arms/message.h"

#include <getopt.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

static const char usage[] =
    "Usage: bench_arms [URDF[:ROOT:TIP] ...] [OPTION ...]\n"
    "\n"
    "Solves reachable poses of an arm with sinew and with Orocos KDL. Every\n"
    "result is checked by KDL's forward kinematics and against the limits; failures\n"
    "count in the times. Without a URDF: the arms of the optional data (the folder\n"
    "SINEW_SHARED_DIR, else ../shared), or those of models/.\n"
    "ROOT and TIP are links; the defaults are those that base= and tip= name in the\n"
    "file's first comment, or else its root and the link with the most joints above it.\n"
    "\n"
    "  --protocol P       arms (default): random, nominal and near starts\n"
    "                     tracik: as TRAC-IK's authors, with their table for comparison: the\n"
    "                     start in the middle of the limits, 5 ms at most\n"
    "                     quik: as QuIK's authors: starts off the solution by a normal\n"
    "                     error in each joint, of 0.001 to 1 rad\n"
    "  --count N          problems an arm and start (10000)\n"
    "  --random-seed S    other problems (1)\n"
    "  --starts LIST      of random, nominal, near, and numbers as for quik [rad]\n"
    "  --solvers LIST     see below\n"
    "  --tolerance T      on the norms of both errors [m, rad] (1e-5)\n"
    "  --rounds R         each problem's time is the median of R rounds (5);\n"
    "                     one round for KDL's solvers\n"
    "  --seconds-limit S  of one solver on one arm and start; what it has solved then\n"
    "                     is its share; 0: none (2)\n"
    "  --tries N          KDL's starts a problem, restarts included (100)\n"
    "  --bank N           postures in sinew's bank; 0: none (16384)\n"
    "  --threads N        of sinew-threads (2)\n"
    "  --out DIR          writes DIR/arms.csv, and pictures by gnuplot\n"
    "  --help             prints this\n"
    "\n"
    "Solvers (default: sinew, sinew-local, sinew-batch and the four of KDL; for quik sinew,\n"
    "sinew-descent, kdl-lma and kdl-nr):\n";

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

static double number(const char *option, const char *text, double least, double most) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= least && value <= most)) {
    fail("--%s: '%s' is not a number from %g to %g", option, text, least, most);
  }
  return value;
}

static int whole(const char *option, const char *text, double least, double most) {
  const double value = number(option, text, least, most);
  if (value != std::floor(value)) {
    fail("--%s: '%s' is not a whole number", option, text);
  }
  return static_cast<int>(value);
}

// URDF or URDF:ROOT:TIP; the file's name may contain colons as well.
static arm_choice choice_of(const std::string &text) {
  const size_t tip = text.rfind(':');
  const size_t root = tip == std::string::npos || tip == 0 ? tip : text.rfind(':', tip - 1);
  if (root == std::string::npos) {
    return {text, "", "", ""};
  }
  return {text.substr(0, root), text.substr(root + 1, tip - root - 1), text.substr(tip + 1), ""};
}

static protocol protocol_of(const std::string &name) {
  if (name == "arms") {
    return protocol::arms;
  }
  if (name == "tracik") {
    return protocol::tracik;
  }
  if (name == "quik") {
    return protocol::quik;
  }
  fail("--protocol: '%s' is none of arms, tracik and quik", name.c_str());
}

static void print_help() {
  fputs(usage, stdout);
  fputs(solver_help().c_str(), stdout);
}

static const struct option long_options[] = {{"protocol", required_argument, nullptr, 'p'},
                                             {"count", required_argument, nullptr, 'c'},
                                             {"random-seed", required_argument, nullptr, 'r'},
                                             {"starts", required_argument, nullptr, 's'},
                                             {"solvers", required_argument, nullptr, 'v'},
                                             {"tolerance", required_argument, nullptr, 't'},
                                             {"rounds", required_argument, nullptr, 'R'},
                                             {"seconds-limit", required_argument, nullptr, 'l'},
                                             {"tries", required_argument, nullptr, 'T'},
                                             {"bank", required_argument, nullptr, 'b'},
                                             {"threads", required_argument, nullptr, 'n'},
                                             {"out", required_argument, nullptr, 'o'},
                                             {"help", no_argument, nullptr, 'h'},
                                             {nullptr, 0, nullptr, 0}};

static void set_option(options &o, int letter, const char *name, const char *value) {
  switch (letter) {
  case 'p':
    o.which = protocol_of(value);
    break;
  case 'c':
    o.count = whole(name, value, 1, 1e7);
    break;
  case 'r':
    o.random_seed = static_cast<uint64_t>(number(name, value, 0, 9007199254740992.0));
    break;
  case 's':
    o.starts = split(value, ',');
    break;
  case 'v':
    o.solvers = split(value, ',');
    break;
  case 't':
    o.solving.tolerance = o.measuring.tolerance = number(name, value, 1e-12, 1.0);
    break;
  case 'R':
    o.measuring.rounds = whole(name, value, 1, 1000);
    break;
  case 'l':
    o.measuring.seconds_limit = number(name, value, 0.0, 1e6);
    break;
  case 'T':
    o.solving.tries = whole(name, value, 1, 1e6);
    break;
  case 'b':
    o.solving.bank_size = whole(name, value, 0, 16777216);
    break;
  case 'n':
    o.solving.threads = whole(name, value, 1, 1024);
    break;
  case 'o':
    o.out = value;
    break;
  case 'h':
    print_help();
    exit(0);
  default:
    fputs("bench_arms --help lists the options\n", stderr);
    exit(2);
  }
}

options read_options(int count, char **arguments) {
  options o;
  int which = 0;
  for (int letter; (letter = getopt_long(count, arguments, "", long_options, &which)) >= 0;) {
    set_option(o, letter, letter == '?' ? "" : long_options[which].name, optarg);
  }
  for (int i = optind; i < count; ++i) {
    o.arms.push_back(choice_of(arguments[i]));
  }
  if (o.solvers.empty() && o.which == protocol::quik) {
    o.solvers = {"sinew", "sinew-descent", "kdl-lma", "kdl-nr"};
  } else if (o.solvers.empty()) {
    o.solvers = {"sinew",  "sinew-local",    "sinew-batch", "kdl-lma", "kdl-lma-restarts",
                 "kdl-nr", "kdl-nr-restarts"};
  }
  return o;
}
