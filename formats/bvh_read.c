// The BVH reader: a skeleton and its motion.
//
//     HIERARCHY
//     ROOT name { OFFSET x y z CHANNELS n channel... JOINT name {...} End Site {...} }
//     MOTION
//     Frames: n
//     Frame Time: seconds
//     a row per frame, a value per channel, joints in the order of the HIERARCHY
//
// A position channel is the joint's position in its parent's frame. OFFSET is that position in the
// rest pose and is not added to the channel. Files are written so (a ROOT with OFFSET 0 94 0 whose
// Yposition is 88; six channels on every joint that repeat the OFFSETs), and Blender, MotionBuilder
// and assimp read them so; a few readers add the two, which is right only for a ROOT at 0 0 0.
// In the model, OFFSET is the placement, and q = 0 is the rest pose:
//   q = channel - OFFSET    (positions)
//   q = channel             (rotations, in radians)
//
// Source: Meredith and Maddock, Motion Capture File Formats Explained, 2001. Also accepted, because
// files have them: keywords in any case, names with blanks and colons, joints without channels or
// without an End Site, six channels in any order.
#include "bvh_scan.h"

#include "decimal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A ROOT, JOINT or End Site, in the order of the file.
typedef struct sinew_bvh_node {
  const char *name; // End Site: NULL until all joints are named
  int parent;       // the enclosing node; -1: a ROOT
  int line, depth;
  bool end_site, has_offset, has_channels, has_child;
  double offset[3];
  char channels[SINEW_JOINT_MAX_NV + 1];
  int next_copy; // suffix to try for the next node with this name; 0: none yet
  int link;      // of the model
} sinew_bvh_node;

// Conversion of the numbers of one column: q = value * scale - rest.
typedef struct sinew_bvh_column {
  double scale, rest;
} sinew_bvh_column;

typedef struct sinew_bvh_reader {
  sinew_builder builder;
  sinew_bvh_scan scan;
  sinew_bvh_node *nodes;
  int node_count;
  size_t node_capacity;
  int open;          // the innermost node without its closing brace; -1: none
  sinew_names names; // of nodes
} sinew_bvh_reader;

// The name for messages: for an End Site, its parent's name.
static const char *sinew_bvh_node_name(const sinew_bvh_reader *reader, int node) {
  const sinew_bvh_node *n = &reader->nodes[node];
  return n->end_site ? reader->nodes[n->parent].name : n->name;
}

static sinew_result sinew_bvh_fail_node(sinew_bvh_reader *reader, sinew_result code,
                                        const char *message) {
  return sinew_builder_fail(&reader->builder, code, reader->scan.line,
                            sinew_bvh_node_name(reader, reader->open), "%s", message);
}

// After ROOT, JOINT or End Site: reads the name (an End Site has none) and the opening brace.
static sinew_result sinew_bvh_open_node(sinew_bvh_reader *reader, bool end_site) {
  sinew_bvh_node node = {.parent = reader->open, .line = reader->scan.line, .end_site = end_site};
  if (node.parent >= 0) {
    reader->nodes[node.parent].has_child = true;
    node.depth = reader->nodes[node.parent].depth + 1;
  }
  sinew_result result = SINEW_OK;
  if (!end_site) {
    result = sinew_bvh_name(&reader->scan, &node.name);
  }
  if (result == SINEW_OK && !end_site && node.depth >= reader->builder.def.max_depth) {
    return sinew_builder_fail(&reader->builder, SINEW_ERROR_TOO_LARGE, node.line, node.name,
                              "joints are nested deeper than %d", reader->builder.def.max_depth);
  }
  if (result == SINEW_OK && reader->node_count >= INT_MAX / SINEW_JOINT_MAX_NV - 1) {
    return sinew_builder_fail(&reader->builder, SINEW_ERROR_TOO_LARGE, node.line, node.name,
                              "there are too many joints");
  }
  void *nodes = reader->nodes;
  if (result == SINEW_OK &&
      !sinew_pool_grow(&reader->builder.pool, &nodes, (size_t)reader->node_count,
                       &reader->node_capacity, sizeof node)) {
    result = sinew_builder_fail_memory(&reader->builder);
  }
  if (result != SINEW_OK) {
    return result;
  }
  reader->nodes = nodes;
  reader->nodes[reader->node_count] = node;
  reader->open = reader->node_count++;
  return sinew_bvh_expect(&reader->scan, sinew_bvh_node_name(reader, reader->open), "{");
}

static sinew_result sinew_bvh_close_node(sinew_bvh_reader *reader) {
  sinew_bvh_node *node = &reader->nodes[reader->open];
  if (!node->has_offset) {
    return sinew_bvh_fail_node(reader, SINEW_ERROR_SYNTAX,
                               node->end_site ? "the End Site has no OFFSET"
                                              : "the joint has no OFFSET");
  }
  reader->open = node->parent;
  return SINEW_OK;
}

static sinew_result sinew_bvh_offset(sinew_bvh_reader *reader) {
  sinew_bvh_node *node = &reader->nodes[reader->open];
  const char *name = sinew_bvh_node_name(reader, reader->open);
  if (node->has_offset) {
    return sinew_bvh_fail_node(reader, SINEW_ERROR_SYNTAX, "there is a second OFFSET");
  }
  node->has_offset = true;
  sinew_result result = SINEW_OK;
  for (int i = 0; result == SINEW_OK && i < 3; i++) {
    result = sinew_bvh_number(&reader->scan, name, "a number of OFFSET", &node->offset[i]);
  }
  return result;
}

// Why a channel cannot follow the channels before, or NULL.
static const char *sinew_bvh_channel_fault(const char *before, char letter) {
  bool is_position = letter >= 'x';
  char last_angle = '\0';
  int angles = is_position ? 0 : 1;
  for (const char *c = before; *c != '\0'; c++) {
    if (*c == letter && is_position) {
      return "a position channel occurs twice";
    }
    last_angle = *c >= 'x' ? last_angle : *c;
    angles += *c >= 'x' ? 0 : 1;
  }
  if (last_angle == letter) {
    return "two consecutive rotation channels have the same axis";
  }
  return angles > 3 ? "there are more than 3 rotation channels" : NULL;
}

static sinew_result sinew_bvh_channels(sinew_bvh_reader *reader) {
  sinew_bvh_node *node = &reader->nodes[reader->open];
  const char *name = sinew_bvh_node_name(reader, reader->open);
  // The values of a row are in the order of CHANNELS, q in the order of joints.
  if (node->has_channels || node->has_child) {
    return sinew_bvh_fail_node(reader, SINEW_ERROR_SYNTAX,
                               node->has_channels ? "there is a second CHANNELS"
                                                  : "CHANNELS must precede the joint's children");
  }
  node->has_channels = true;
  int count = 0;
  sinew_result result = sinew_bvh_count(&reader->scan, name, "the number of CHANNELS", &count);
  if (result == SINEW_OK && count > (node->end_site ? 0 : SINEW_JOINT_MAX_NV)) {
    return sinew_bvh_fail_node(reader, SINEW_ERROR_UNSUPPORTED,
                               node->end_site ? "an End Site cannot have channels"
                                              : "there are more than 6 channels");
  }
  for (int i = 0; result == SINEW_OK && i < count; i++) {
    char letter = '\0';
    result = sinew_bvh_channel(&reader->scan, name, &letter);
    const char *fault = sinew_bvh_channel_fault(node->channels, letter);
    if (result == SINEW_OK && fault != NULL) {
      return sinew_bvh_fail_node(reader, SINEW_ERROR_UNSUPPORTED, fault);
    }
    node->channels[i] = letter;
  }
  return result;
}

// Reads one statement inside a node.
static sinew_result sinew_bvh_statement(sinew_bvh_reader *reader) {
  sinew_bvh_scan *scan = &reader->scan;
  bool end_site = reader->nodes[reader->open].end_site;
  const char *name = sinew_bvh_node_name(reader, reader->open);
  if (sinew_bvh_accept(scan, "}")) {
    return sinew_bvh_close_node(reader);
  }
  if (sinew_bvh_accept(scan, "OFFSET")) {
    return sinew_bvh_offset(reader);
  }
  if (sinew_bvh_accept(scan, "CHANNELS")) {
    return sinew_bvh_channels(reader);
  }
  if (!end_site && sinew_bvh_accept(scan, "JOINT")) {
    return sinew_bvh_open_node(reader, false);
  }
  if (!end_site && sinew_bvh_accept(scan, "End")) {
    sinew_result result = sinew_bvh_expect(scan, name, "Site");
    return result == SINEW_OK ? sinew_bvh_open_node(reader, true) : result;
  }
  return sinew_bvh_unexpected(scan, name,
                              end_site ? "OFFSET or }" : "OFFSET, CHANNELS, JOINT, End Site or }");
}

// Reads HIERARCHY and its ROOTs: usually one, but the format allows more.
static sinew_result sinew_bvh_hierarchy(sinew_bvh_reader *reader) {
  sinew_bvh_scan *scan = &reader->scan;
  sinew_result result = sinew_bvh_expect(scan, NULL, "HIERARCHY");
  reader->open = -1;
  while (result == SINEW_OK) {
    if (reader->open >= 0) {
      result = sinew_bvh_statement(reader);
    } else if (sinew_bvh_accept(scan, "ROOT")) {
      result = sinew_bvh_open_node(reader, false);
    } else {
      break;
    }
  }
  if (result == SINEW_OK && reader->node_count == 0) {
    return sinew_bvh_unexpected(scan, NULL, "ROOT");
  }
  return result;
}

// Finds a name that no node has: base, base_2, base_3 and so on. The last suffix tried for each
// base is stored, so that many equal names take linear time.
static sinew_result sinew_bvh_unique(sinew_bvh_reader *reader, const char *base,
                                     const char **unique) {
  char text[SINEW_BVH_MAX_NAME + 32];
  int holder = sinew_names_find(&reader->names, base);
  *unique = base;
  while (sinew_names_find(&reader->names, *unique) >= 0) {
    int copy = reader->nodes[holder].next_copy;
    copy = copy == 0 ? 2 : copy;
    reader->nodes[holder].next_copy = copy + 1;
    snprintf(text, sizeof text, "%s_%d", base, copy);
    *unique = text;
  }
  *unique = sinew_pool_copy(&reader->builder.pool, *unique, strlen(*unique));
  return *unique != NULL ? SINEW_OK : sinew_builder_fail_memory(&reader->builder);
}

// Names a node, and warns if its name differs from the file's.
static sinew_result sinew_bvh_name_node(sinew_bvh_reader *reader, int index, const char *base) {
  sinew_bvh_node *node = &reader->nodes[index];
  sinew_result result = sinew_bvh_unique(reader, base, &node->name);
  if (result == SINEW_OK && !node->end_site && strcmp(node->name, base) != 0) {
    result =
        sinew_builder_warn(&reader->builder, node->line, base,
                           "another joint has this name; this one is renamed to %s", node->name);
  }
  if (result == SINEW_OK &&
      !sinew_names_add(&reader->names, &reader->builder.pool, node->name, index)) {
    result = sinew_builder_fail_memory(&reader->builder);
  }
  return result;
}

// Joints are named first, so that no End Site gets a joint's name.
static sinew_result sinew_bvh_name_nodes(sinew_bvh_reader *reader) {
  sinew_result result = SINEW_OK;
  for (int i = 0; result == SINEW_OK && i < reader->node_count; i++) {
    if (!reader->nodes[i].end_site) {
      result = sinew_bvh_name_node(reader, i, reader->nodes[i].name);
    }
  }
  for (int i = 0; result == SINEW_OK && i < reader->node_count; i++) {
    if (reader->nodes[i].end_site) {
      char base[SINEW_BVH_MAX_NAME + 32];
      snprintf(base, sizeof base, "%s_end", sinew_bvh_node_name(reader, i));
      result = sinew_bvh_name_node(reader, i, base);
    }
  }
  return result;
}

// Adds a link and its joint.
static sinew_result sinew_bvh_add_node(sinew_bvh_reader *reader, sinew_bvh_node *node, int world) {
  sinew_result result =
      sinew_builder_add_link(&reader->builder, node->name, node->line, &node->link);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_joint_def joint = sinew_default_joint_def();
  joint.name = node->name;
  joint.kind = node->channels[0] != '\0' ? SINEW_JOINT_CHANNELS : SINEW_JOINT_FIXED;
  joint.parent = node->parent < 0 ? world : reader->nodes[node->parent].link;
  joint.child = node->link;
  memcpy(joint.placement.position, node->offset, sizeof node->offset);
  memcpy(joint.channels, node->channels, sizeof node->channels);
  return sinew_builder_add_joint(&reader->builder, &joint, node->line, NULL);
}

// Adds the root link, then all nodes in the order of the file.
static sinew_result sinew_bvh_build(sinew_bvh_reader *reader) {
  const char *world_name = NULL;
  int world = 0;
  sinew_result result = sinew_bvh_name_nodes(reader);
  if (result == SINEW_OK) {
    result = sinew_bvh_unique(reader, SINEW_BVH_WORLD, &world_name);
  }
  if (result == SINEW_OK) {
    result = sinew_builder_add_link(&reader->builder, world_name, 1, &world);
  }
  for (int i = 0; result == SINEW_OK && i < reader->node_count; i++) {
    result = sinew_bvh_add_node(reader, &reader->nodes[i], world);
  }
  return result;
}

// The conversion of each column of a row to a value of q.
static sinew_bvh_column *sinew_bvh_columns(sinew_bvh_reader *reader, int nq) {
  static const double degree = 3.14159265358979323846 / 180;
  sinew_bvh_column *columns =
      sinew_pool_allocate(&reader->builder.pool, (size_t)nq, sizeof *columns);
  if (columns == NULL) {
    return NULL;
  }
  sinew_bvh_column *column = columns;
  for (int i = 0; i < reader->node_count; i++) {
    const sinew_bvh_node *node = &reader->nodes[i];
    for (const char *c = node->channels; *c != '\0'; c++, column++) {
      bool is_position = *c >= 'x';
      column->scale = is_position ? 1 : degree;
      column->rest = is_position ? node->offset[*c - 'x'] : 0;
    }
  }
  return columns;
}

// The joint that a column belongs to.
static const char *sinew_bvh_column_joint(const sinew_bvh_reader *reader, int column) {
  for (int i = 0; i < reader->node_count; i++) {
    column -= (int)strlen(reader->nodes[i].channels);
    if (column < 0) {
      return reader->nodes[i].name;
    }
  }
  return NULL;
}

// Fails because the word at the scan is not a number for this column.
static sinew_result sinew_bvh_bad_value(sinew_bvh_reader *reader, int column, double value) {
  const char *joint = sinew_bvh_column_joint(reader, column);
  if (!isfinite(value)) {
    return sinew_builder_fail(&reader->builder, SINEW_ERROR_NOT_FINITE, reader->scan.line, joint,
                              "value %d of the row is too large", column + 1);
  }
  return sinew_bvh_unexpected(&reader->scan, joint, "a number");
}

// The number of lines from here on that are not blank.
static int64_t sinew_bvh_count_rows(const sinew_bvh_reader *reader) {
  sinew_bvh_scan scan = reader->scan;
  int64_t rows = 0;
  for (sinew_bvh_skip(&scan); !sinew_bvh_at_end(&scan); sinew_bvh_skip(&scan)) {
    rows++;
    while (!sinew_bvh_at_line_end(&scan)) {
      scan.at++;
    }
  }
  return rows;
}

// Reads the frames; each is one line.
static sinew_result sinew_bvh_rows(sinew_bvh_reader *reader, sinew_motion *motion,
                                   const sinew_bvh_column *columns) {
  sinew_bvh_scan *scan = &reader->scan;
  double *q = motion->q;
  for (int frame = 0; frame < motion->frame_count; frame++) {
    sinew_bvh_skip(scan);
    for (int i = 0; i < motion->nq; i++, q++) {
      sinew_bvh_skip_blanks(scan);
      if (sinew_bvh_at_line_end(scan)) {
        return sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, scan->line, NULL,
                                  "the row of frame %d has %d values, but there are %d channels",
                                  frame + 1, i, motion->nq);
      }
      double value = 0;
      size_t length = sinew_decimal_read(scan->at, (size_t)(scan->end - scan->at), &value);
      scan->at += length;
      bool ends = sinew_bvh_at_line_end(scan) || *scan->at == ' ' || *scan->at == '\t';
      if (length == 0 || !ends || !isfinite(value)) {
        scan->at -= length;
        return sinew_bvh_bad_value(reader, i, value);
      }
      *q = value * columns[i].scale - columns[i].rest;
    }
    sinew_bvh_skip_blanks(scan);
    if (!sinew_bvh_at_line_end(scan)) {
      return sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, scan->line, NULL,
                                "the row of frame %d has more values than there are channels (%d)",
                                frame + 1, motion->nq);
    }
  }
  return SINEW_OK;
}

// Checks that there are as many rows as frames and that the text is long enough for all numbers,
// before memory for them is allocated. Some programs count one frame more or less than they write:
// then the rows count.
static sinew_result sinew_bvh_check_size(sinew_bvh_reader *reader, sinew_motion *motion,
                                         int frames_line) {
  int64_t rows = sinew_bvh_count_rows(reader);
  int64_t bytes = reader->scan.end - reader->scan.at;
  const int64_t more = rows - (motion->nq > 0 ? motion->frame_count : 0);
  if (more != 0 && (motion->nq == 0 || rows == 0 || rows > INT_MAX || more < -1 || more > 1)) {
    return sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, frames_line, "Frames",
                              "must be the number of rows: it is %d, but %lld rows follow",
                              motion->frame_count, (long long)rows);
  }
  if (more != 0) {
    sinew_result result = sinew_builder_warn(&reader->builder, frames_line, "Frames",
                                             "it is %d, but %lld rows follow; all rows are used",
                                             motion->frame_count, (long long)rows);
    if (result != SINEW_OK) {
      return result;
    }
    motion->frame_count = (int)rows;
  }
  // A number and a separator take two bytes, an empty row one.
  int64_t least = motion->nq > 0 ? 2 * (int64_t)motion->nq : 1;
  if (motion->frame_count > (bytes + 1) / least) {
    return sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, frames_line, "Frames",
                              "the rest of the file is too short for %d rows of %d values",
                              motion->frame_count, motion->nq);
  }
  return SINEW_OK;
}

// Reads MOTION, Frames: and Frame Time:.
static sinew_result sinew_bvh_motion_head(sinew_bvh_reader *reader, sinew_motion *motion,
                                          int *frames_line) {
  sinew_bvh_scan *scan = &reader->scan;
  sinew_result result = sinew_bvh_expect(scan, NULL, "MOTION");
  static const char *const frames[] = {"Frames", ":"};
  for (size_t i = 0; result == SINEW_OK && i < 2; i++) {
    result = sinew_bvh_expect(scan, NULL, frames[i]);
  }
  *frames_line = scan->line;
  if (result == SINEW_OK) {
    result = sinew_bvh_count(scan, NULL, "the number of Frames", &motion->frame_count);
  }
  static const char *const time[] = {"Frame", "Time", ":"};
  for (size_t i = 0; result == SINEW_OK && i < 3; i++) {
    result = sinew_bvh_expect(scan, NULL, time[i]);
  }
  if (result == SINEW_OK) {
    result = sinew_bvh_number(scan, NULL, "the Frame Time", &motion->frame_time);
  }
  if (result == SINEW_OK && motion->frame_time < 0) {
    return sinew_builder_fail(&reader->builder, SINEW_ERROR_SYNTAX, scan->line, "Frame Time",
                              "must not be negative");
  }
  sinew_bvh_skip_blanks(scan);
  if (result == SINEW_OK && !sinew_bvh_at_line_end(scan)) {
    return sinew_bvh_unexpected(scan, NULL, "the end of the line after Frame Time");
  }
  return result;
}

static sinew_result sinew_bvh_motion(sinew_bvh_reader *reader) {
  sinew_motion motion = {0};
  for (int i = 0; i < reader->node_count; i++) {
    motion.nq += (int)strlen(reader->nodes[i].channels);
  }
  reader->builder.document->motion = motion;
  sinew_bvh_skip(&reader->scan);
  if (sinew_bvh_at_end(&reader->scan)) {
    return sinew_builder_warn(&reader->builder, reader->scan.line, NULL,
                              "the file has no MOTION; only the skeleton is read");
  }
  int frames_line = 0;
  sinew_result result = sinew_bvh_motion_head(reader, &motion, &frames_line);
  if (result == SINEW_OK) {
    result = sinew_bvh_check_size(reader, &motion, frames_line);
  }
  if (result != SINEW_OK) {
    return result;
  }
  const sinew_bvh_column *columns = sinew_bvh_columns(reader, motion.nq);
  motion.q = sinew_pool_allocate(&reader->builder.pool,
                                 (size_t)motion.frame_count * (size_t)motion.nq, sizeof(double));
  if (columns == NULL || motion.q == NULL) {
    return sinew_builder_fail_memory(&reader->builder);
  }
  reader->builder.document->motion = motion;
  return sinew_bvh_rows(reader, &motion, columns);
}

static sinew_result sinew_bvh_read_all(sinew_bvh_reader *reader, const char *text, size_t size) {
  sinew_bvh_scan_begin(&reader->scan, text, size, &reader->builder);
  sinew_result result = sinew_bvh_hierarchy(reader);
  if (result == SINEW_OK) {
    result = sinew_bvh_build(reader);
  }
  return result == SINEW_OK ? sinew_bvh_motion(reader) : result;
}

sinew_result sinew_bvh_read(const char *text, size_t size, const sinew_read_def *def,
                            sinew_document **document, sinew_error *error) {
  sinew_bvh_reader reader = {.open = -1};
  sinew_result result = sinew_builder_begin(&reader.builder, SINEW_FORMAT_BVH, def, error);
  if (result == SINEW_OK) {
    result = sinew_builder_check_text(&reader.builder, text, size);
  }
  if (document != NULL) {
    *document = NULL;
  } else if (result == SINEW_OK) {
    result = sinew_builder_fail(&reader.builder, SINEW_ERROR_ARGUMENT, 0, "document",
                                "must not be NULL");
  }
  if (result == SINEW_OK) {
    result = sinew_bvh_read_all(&reader, text, size);
  }
  return sinew_builder_finish(&reader.builder, result, document);
}
