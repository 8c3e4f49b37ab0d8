// The option table: each option of the program is described once, here.
#include "options.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "method.h"
#include "tip.h"

#define MOST_UPDATES 1000000
#define MOST_EXPERIMENT_UPDATES 1000
#define MOST_POSTURES (1 << 24)
#define MOST_THREADS 1024
// More would be for a program, not for a person.
#define MOST_SOLUTIONS 1000000

#define WITH_MODEL (CLI_INFO | CLI_FK | CLI_SOLVE | CLI_TRACK | CLI_BATCH)
#define WITH_TIPS (CLI_SOLVE | CLI_TRACK | CLI_BATCH)
#define FIELD(name) .field = offsetof(cli_request, name)
#define CONSTANT(group, name) FIELD(solver.group.name), .solver_field = #group "." #name
#define RANGE(low, high) .least = (low), .most = (high)

// How many targets the lanes of a processor can hold.
static const char *lanes_at(int index, int *value) {
  static const char *const names[] = {"1", "2", "4", "8"};
  if (index >= (int)(sizeof names / sizeof names[0]))
    return NULL;
  *value = 1 << index;
  return names[index];
}

// The largest number below 1.
#define BELOW_ONE (1 - DBL_EPSILON / 2)

#define LENGTH_UNIT "m, or the BVH's unit"

// In the order of the help texts. A name that means different things to different commands has
// a row for each meaning.
static const cli_option options[] = {
    {"tip", CLI_FK | WITH_TIPS, CLI_OPTION_TEXT, "LINK", .set = cli_tip_add,
     .help = "a link of MODEL, such as a hand, a foot or a tool; may be repeated"},
    {"pose", WITH_TIPS, CLI_OPTION_LIST, "x,y,z,qw,qx,qy,qz", .set = cli_tip_set_target,
     .help = "where the frame of the link should be: its position and rotation"},
    {"position", WITH_TIPS, CLI_OPTION_LIST, "x,y,z", .set = cli_tip_set_target,
     .help = "where the origin of the link should be"},
    {"orientation", WITH_TIPS, CLI_OPTION_LIST, "qw,qx,qy,qz", .set = cli_tip_set_target,
     .help = "which rotation the link should have"},
    {"rpy", WITH_TIPS, CLI_OPTION_LIST, "roll,pitch,yaw", .set = cli_tip_set_rpy, .unit = "rad",
     .help = "the same by angles, as in a URDF: about the fixed x axis, then y, then z"},
    {"direction", WITH_TIPS, CLI_OPTION_LIST, "x,y,z", .set = cli_tip_set_target,
     .help = "where the z axis of the link should point, or the axis that --axis names"},
    {"axis", WITH_TIPS, CLI_OPTION_LIST, "x,y,z", .set = cli_tip_set_axis, .default_text = "0,0,1",
     .help = "the axis for --direction and --look-at, in the frame of the link itself, or of its "
             "--tool"},
    {"look-at", CLI_SOLVE, CLI_OPTION_LIST, "x,y,z", .set = cli_tip_set_target,
     .help = "a point at which the z axis of the link should point, or the axis that --axis names"},
    {"look-at", CLI_TRACK | CLI_BATCH, CLI_OPTION_OPTIONAL_LIST, "x,y,z", .set = cli_tip_set_target,
     .help = "a point at which this axis should point; without a value the columns LINK.x, LINK.y, "
             "LINK.z have it"},
    {"tool", WITH_TIPS, CLI_OPTION_LIST, "x,y,z,qw,qx,qy,qz", .set = cli_tip_set_tool,
     .help = "the frame, in that of the link, for which its targets are"},
    {"frame", WITH_TIPS, CLI_OPTION_TEXT, "LINK", .set = cli_tip_set_frame,
     .help = "the link in whose frame the targets of the --tip are, and with which they move"},
    {"root", WITH_TIPS, CLI_OPTION_TEXT, "LINK", .set = cli_tip_set_root,
     .help = "the --tip moves only the joints below this link"},
    {"level", WITH_TIPS, CLI_OPTION_TEXT, "N", .set = cli_tip_set_level,
     .help = "the priority of the --tip, 0 first; those below 0 are met as far as those above "
             "allow, and the outcome does not count them. Default: 0, and 1 of a --look-at beside "
             "a position, an orientation or a pose"},
    {"tasks", WITH_TIPS, CLI_OPTION_FILE, "FILE.json", FIELD(tasks),
     .help = "tasks, objectives and limits from a file (docs/task_files.md), besides those of "
             "options"},
    {"tasks", CLI_INFO, CLI_OPTION_FILE, "FILE.json", FIELD(tasks),
     .help = "also prints what the tasks of a file (docs/task_files.md) are for the model: rows, "
             "levels, the joints that move them, whether they run in SIMD lanes; with --q how well "
             "those of level 0 can be moved there"},
    {"posture", WITH_TIPS, CLI_OPTION_TEXT, "FILE", FIELD(posture),
     .help = "brings the joints near a posture, as far as the targets allow: that of the first row "
             "or frame of FILE, a CSV as track writes it or a BVH; or joint values as for --seed; "
             "or 'zero': 0, or the limit nearest to 0; or 'middle': the middle of the limits; or "
             "'start': where the solve or the motion starts"},
    {"damping", WITH_TIPS, CLI_OPTION_NUMBER, "W", FIELD(damping), RANGE(0, 1e6),
     .default_text = "0",
     .help = "little motion of the joints, as far as the targets allow; weighed against --posture, "
             "whose weight is 1. The damping of dls is --constant-damping"},
    {"freeze", WITH_TIPS, CLI_OPTION_TEXT, "JOINT,...", FIELD(freeze),
     .help = "joints that keep their values"},
    {"q", CLI_FK, CLI_OPTION_TEXT, "v,v,...", FIELD(q), .unit = "rad, m",
     .help = "the joint values, in the order of 'sinew info', without coupled joints; or 'zero': "
             "0, or the limit nearest to 0; or 'middle': the middle of the limits"},
    {"q", CLI_INFO, CLI_OPTION_TEXT, "v,v,...", FIELD(q), .unit = "rad, m",
     .help =
         "joint values as for fk, or 'zero' or 'middle': also prints how well the end effectors "
         "can move there. Singular values, condition number and manipulability, lengths "
         "divided by the size"},
    {"motion", CLI_FK, CLI_OPTION_OPTIONAL_FILE, "FILE", FIELD(motion),
     .help = "writes a CSV with every frame of a motion, read from FILE, a BVH or a CSV; without "
             "FILE, the motion that MODEL itself contains"},
    {"motion", CLI_VIEW, CLI_OPTION_FILE, "FILE.bvh", FIELD(motion),
     .help = "a motion of the model to play, with the same joints; without it, the motion that "
             "MODEL itself contains"},
    {"targets", CLI_TRACK | CLI_BATCH, CLI_OPTION_FILE, "FILE", FIELD(targets),
     .help = "the file of targets; its columns are described below"},
    {"seeds", CLI_BATCH, CLI_OPTION_FILE, "FILE.npy", FIELD(seeds),
     .help = "where to start, one row per target: joint values in the order of 'sinew info', "
             "without coupled joints"},
    {"out", CLI_FK | CLI_TRACK | CLI_BATCH, CLI_OPTION_FILE, "FILE", FIELD(out),
     .help = "the file to write, described below; - is standard output"},
    {"out", CLI_EXPERIMENT, CLI_OPTION_FILE, "DIR", FIELD(out),
     .help = "the folder to write CSV files and pictures to; it is created if it does not exist. "
             "Pictures need gnuplot"},
    {"out", CLI_VIEW, CLI_OPTION_FILE, "PAGE.html", FIELD(out),
     .default_text = "the model's name, in the present folder",
     .help = "the page to write; - is standard output"},
    {"no-meshes", CLI_VIEW, CLI_OPTION_FLAG, FIELD(no_meshes),
     .help = "leaves the mesh files out of the page; capsules are drawn"},
    {"no-open", CLI_VIEW, CLI_OPTION_FLAG, FIELD(no_open), .help = "does not open the page"},
    {"seed", CLI_SOLVE | CLI_TRACK, CLI_OPTION_TEXT, "v,v,...", FIELD(seed), .unit = "rad, m",
     .help = "where to start: joint values in the order of 'sinew info', without coupled joints; "
             "or 'zero': 0, or the limit nearest to 0; or 'middle': the middle of the limits"},
    {"nearest", CLI_SOLVE, CLI_OPTION_FLAG, FIELD(nearest),
     .help = "prints, of the solutions found, the one nearest to the seed; not with --posture, "
             "--damping or tasks of lower levels"},
    {"best", CLI_SOLVE, CLI_OPTION_FLAG, FIELD(best),
     .help =
         "prints, of the solutions found, the one with the highest manipulability; with --posture, "
         "--damping or tasks of lower levels the one that meets these best"},
    {"all", CLI_SOLVE, CLI_OPTION_COUNT, "N", FIELD(all), RANGE(1, MOST_SOLUTIONS),
     .help = "prints all solutions found, at most N, the nearest to the seed first. An arm with "
             "more joints than the targets need has infinitely many: N of them are printed"},
    {"images", CLI_SOLVE, CLI_OPTION_FLAG, FIELD(images),
     .help = "with --all: also prints solutions that differ from others only by full turns of a "
             "joint"},
    {"tolerance", CLI_SOLVE | CLI_BATCH, CLI_OPTION_NUMBER, "T", FIELD(tolerance),
     RANGE(DBL_MIN, DBL_MAX), .unit = "m and rad",
     .help =
         "largest error that a target may have; below 1e-8 a pose near a singular configuration "
         "may be missed"},
    {"max-starts", CLI_SOLVE | CLI_BATCH, CLI_OPTION_COUNT, "N", FIELD(max_starts),
     RANGE(1, INT_MAX),
     .help = "how many starts are tried at most: the seed first, then others, the same in every "
             "run. 1: only the seed"},
    {"method", CLI_SOLVE | CLI_TRACK, CLI_OPTION_CHOICE, "M", FIELD(method),
     .choice_at = cli_method_at,
     .help = "how a step is computed; the weights of weighted are 1 here, others are set in C"},
    {"constant-damping", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "L", CONSTANT(step, damping),
     RANGE(0, DBL_MAX), .unit = LENGTH_UNIT, .default_text = "0",
     .help = "constant damping of dls: lambda of Buss (2009), whose method is --method dls "
             "--error-damping 0 --constant-damping L"},
    {"error-damping", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "C", CONSTANT(step, error_damping),
     RANGE(0, DBL_MAX),
     .help = "damping of dls that grows with the error: mu = C min(E, 1/2), E half the squared "
             "residual, without dimension"},
    {"damping-floor", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "MU", CONSTANT(step, damping_floor),
     RANGE(0, DBL_MAX), .help = "least damping mu of dls, without dimension"},
    {"damping-law", CLI_SOLVE | CLI_TRACK, CLI_OPTION_CHOICE, "LAW", CONSTANT(step, damping_law),
     .choice_at = cli_damping_law_at,
     .help = "which law gives dls its damping; all but 'error' are for comparison"},
    {"damping-threshold", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "S",
     CONSTANT(step, damping_threshold), RANGE(DBL_MIN, DBL_MAX),
     .help = "the manipulability, or the singular value, below which the damping laws "
             "'manipulability', 'smallest', 'filter' and 'filter-two' damp"},
    {"dls-form", CLI_SOLVE | CLI_TRACK, CLI_OPTION_CHOICE, "F", CONSTANT(step, dls_form),
     .choice_at = cli_dls_form_at,
     .help = "which linear system dls solves, for m rows and n degrees of freedom: m x m, n x n, "
             "the smaller of them, or stacked least squares. The forms are equivalent"},
    {"damping-scale", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "K", CONSTANT(step, damping_scale),
     RANGE(DBL_MIN, DBL_MAX),
     .help = "factor on the damping of newton and of default when tracking: more reduces "
             "oscillation out of reach and adds lag within reach"},
    {"singular-cut", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "R", CONSTANT(step, singular_cut),
     RANGE(DBL_MIN, BELOW_ONE),
     .help = "pseudoinverse: singular values up to this share of the largest count as 0"},
    {"error-clamp", CLI_TRACK, CLI_OPTION_NUMBER, "D", CONSTANT(step, error_clamp),
     RANGE(DBL_MIN, DBL_MAX), .unit = LENGTH_UNIT, .default_text = "none",
     .help = "length to which the position error of each target is clamped: D_max of Buss (2009), "
             "dls with it is his DLS'. Half a typical link is usual"},
    {"constant-clamp", CLI_TRACK, CLI_OPTION_FLAG, FIELD(constant_clamp),
     .solver_field = "step.error_clamp_adaptive",
     .help = "keeps D_max at --error-clamp. Without it D_max grows by how much the last update "
             "reduced the error"},
    {"target-jacobian", CLI_SOLVE | CLI_TRACK, CLI_OPTION_FLAG, CONSTANT(step, target_jacobian),
     .help = "computes the Jacobian at the target, not at the link (Buss 2009, section 2)"},
    {"max-turn", CLI_SOLVE | CLI_TRACK, CLI_OPTION_NUMBER, "A", FIELD(solver.step.max_turn),
     RANGE(DBL_MIN, DBL_MAX), .unit = "rad",
     .help = "largest rotation of a joint in a step; sdls takes pi / 4 where that is less"},
    {"max-change", CLI_TRACK, CLI_OPTION_NUMBER, "A", CONSTANT(tracking, max_change),
     RANGE(DBL_MIN, DBL_MAX), .unit = "rad",
     .help = "default: largest change of the motion from one part of an update to the next, norm "
             "over all joints, for level 0; each level below adds at most 0.05 rad a joint; less "
             "spreads a jump over more updates"},
    {"error-gain", CLI_TRACK, CLI_OPTION_NUMBER, "K", FIELD(solver.tracking.error_gain),
     RANGE(DBL_MIN, 1), .help = "the share of the error that an update aims to remove"},
    {"max-steps", CLI_SOLVE, CLI_OPTION_COUNT, "N", FIELD(max_steps), RANGE(0, INT_MAX),
     .help = "how many steps the local solver takes at most, over all its starts"},
    {"time-limit", CLI_SOLVE, CLI_OPTION_NUMBER, "T", FIELD(time_limit), RANGE(DBL_MIN, DBL_MAX),
     .unit = "s", .default_text = "none",
     .help = "ends the solve after this time, with the best joint values found so far; results "
             "then depend on the speed of the computer"},
    {"updates", CLI_TRACK, CLI_OPTION_COUNT, "N", FIELD(updates), RANGE(1, MOST_UPDATES),
     .help = "solver updates per frame"},
    {"updates", CLI_EXPERIMENT, CLI_OPTION_COUNT, "N", FIELD(updates),
     RANGE(1, MOST_EXPERIMENT_UPDATES), .help = "solver updates per step of the experiment"},
    {"cut", CLI_TRACK, CLI_OPTION_NUMBER, "D", FIELD(cut), RANGE(DBL_MIN, DBL_MAX),
     .unit = LENGTH_UNIT, .default_text = "a quarter of the model's size",
     .help = "if a target moves farther than D in one frame, that is a cut, as in a film: the "
             "frame is solved from scratch"},
    {"speed-limits", CLI_TRACK, CLI_OPTION_FLAG, FIELD(speed_limits),
     .help = "keeps every joint within the speed limits of MODEL, except at a cut; all frames "
             "must have the same duration"},
    {"speed", CLI_TRACK, CLI_OPTION_NUMBER, "S", FIELD(speed), RANGE(DBL_MIN, 1),
     .default_text = "none",
     .help = "--speed-limits, with all limits multiplied by S, at most 1: 0.5 is half speed"},
    {"acceleration", CLI_TRACK, CLI_OPTION_NUMBER, "A", FIELD(acceleration),
     RANGE(DBL_MIN, DBL_MAX), .unit = "rad/s^2, m/s^2, of a BVH units/s^2", .default_text = "none",
     .help = "--speed-limits, and also bounds how fast the speed of every joint changes, of a "
             "spherical one each component of its angular velocity, except at a cut. Joints brake "
             "ahead of their limits"},
    {"margin", CLI_SOLVE | CLI_TRACK | CLI_BATCH, CLI_OPTION_NUMBER, "M", FIELD(margin),
     RANGE(0, 1e100), .unit = "rad, m", .default_text = "0",
     .help =
         "keeps every joint this far within its limits, or in the middle where they are too near "
         "each other"},
    {"escape", CLI_TRACK, CLI_OPTION_FLAG, FIELD(escape),
     .help = "where the model is in a local minimum of the error, looks for another solution and "
             "moves there smoothly; with --method default"},
    {"network", CLI_SOLVE | CLI_BATCH, CLI_OPTION_FILE, "FILE", FIELD(network),
     .help = "starts of the search by a network that was trained for the model and these tips; "
             "without it, after a warning, where the file is of another model or damaged"},
    {"bank", CLI_BATCH, CLI_OPTION_COUNT, "N", FIELD(bank), RANGE(0, MOST_POSTURES),
     .help = "how many postures are computed first; each target without a seed starts from the "
             "posture nearest to it. 0: none, every target starts from the middle of the limits"},
    {"lanes", CLI_BATCH, CLI_OPTION_CHOICE, "W", FIELD(lanes), .choice_at = lanes_at,
     .default_text = "as many as the processor can",
     .help = "how many targets a thread solves at once, with vector instructions; the last digits "
             "of the results depend on it"},
    {"threads", CLI_BATCH, CLI_OPTION_COUNT, "N", FIELD(threads), RANGE(1, MOST_THREADS),
     .help = "how many threads to use; the results are the same, bit for bit"},
    {"shard", CLI_BATCH, CLI_OPTION_TEXT, "I/N", FIELD(shard), .set = cli_shard_set,
     .help = "solves only part I of N parts of the rows, 1/4 for example. The rows of all parts "
             "together, in order, are those of one whole run; each file has its own header"},
    {"chunk", CLI_BATCH, CLI_OPTION_COUNT, "N", FIELD(chunk), RANGE(1, INT_MAX),
     .default_text = "every half second", .help = "saves the progress after every N rows"},
    {"resume", CLI_BATCH, CLI_OPTION_FLAG, FIELD(resume),
     .help = "resumes an interrupted run that had the same options. Starts from the beginning if "
             "there is none to resume; refuses if the finished rows, or what they were computed "
             "from, have changed"},
    {"reach", CLI_BATCH, CLI_OPTION_FLAG, FIELD(reach),
     .help = "appends the columns reach_task, reach and target_distance, for targets that are out "
             "of reach"},
    {"brief", CLI_EXPERIMENT, CLI_OPTION_FLAG, FIELD(brief),
     .help = "uses fewer steps and settings, and takes a few seconds"},
    {"clips", CLI_EXPERIMENT, CLI_OPTION_FILE, "DIR", FIELD(clips),
     .help = "for 'trackers': also follows the motion-capture clips in a folder, all its *.bvh, at "
             "several frame rates"},
    {"floating-base", WITH_MODEL | CLI_VIEW, CLI_OPTION_FLAG, FIELD(floating_base),
     .help =
         "for a URDF: its root link moves freely. The joint 'floating_base' is put before all "
         "others, with the values x,y,z,qw,qx,qy,qz, on a new root link 'world', or in place of "
         "the joint that fixes the robot to its link 'world'"},
    {"stretch", CLI_SOLVE | CLI_TRACK | CLI_BATCH, CLI_OPTION_FLAG, FIELD(stretch),
     .help =
         "for a BVH whose joints have position channels: the bones may stretch. Without it only "
         "the root moves along them"},
    {"urdf", CLI_INFO, CLI_OPTION_FLAG, FIELD(as_urdf),
     .help =
         "writes the model as URDF on standard output, without shapes, and with inertia tensors "
         "and efforts of 0: a built-in one, or a file whose joints URDF has"},
    {"json", WITH_MODEL, CLI_OPTION_FLAG, FIELD(as_json),
     .help = "prints JSON on standard output, described below"},
    {"help", WITH_MODEL | CLI_VIEW | CLI_EXPERIMENT, CLI_OPTION_FLAG, FIELD(help),
     .help = "prints this text"},
};

enum { OPTION_COUNT = sizeof options / sizeof options[0] };
_Static_assert(OPTION_COUNT <= CLI_MOST_OPTIONS, "cli_request.given has room for each option");

const cli_option *cli_option_at(int index) {
  return index < OPTION_COUNT ? &options[index] : NULL;
}

bool cli_option_taken(const cli_option *option, const cli_command *command) {
  return (option->commands & (unsigned)command->id) != 0;
}

int cli_option_find(const cli_command *command, const char *name, size_t length) {
  for (int i = 0; i < OPTION_COUNT; ++i)
    if (cli_option_taken(&options[i], command) && strlen(options[i].name) == length &&
        memcmp(options[i].name, name, length) == 0)
      return i;
  return -1;
}

int cli_option_list_length(const cli_option *option) {
  int count = 1;
  for (const char *letter = option->value; *letter != '\0'; ++letter)
    count += *letter == ',';
  return count;
}

void cli_option_list_choices(const cli_option *option, char *text, size_t size) {
  const char *name;
  size_t length = 0;
  int value;
  for (int i = 0; (name = option->choice_at(i, &value)) && length < size; ++i)
    length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", name);
}

bool cli_request_given(const cli_request *wanted, const char *name) {
  int index = cli_option_find(wanted->command, name, strlen(name));
  return index >= 0 && wanted->given[index];
}
