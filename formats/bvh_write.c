// The BVH writer: the way back from a model and its motion to the file.
//
// The inverse of the reader: a placement becomes OFFSET, a joint's channels
// stand in their order, a distance is written with its OFFSET added (see
// bvh_read.c for why), angles in degrees. A fixed joint without children that
// is called PARENT_end, as the reader calls it, becomes an End Site.
#include "bvh_scan.h"

#include "decimal.h"

#include <math.h>
#include <string.h>

// Digits of every number: a value that went to radians and back differs from
// its degrees in the 16th, and 15 show it as it was typed.
#define SINEW_BVH_DIGITS 15

// Deeper joints are indented no further, lest a chain's text grow with the
// square of its length.
#define SINEW_BVH_MAX_INDENT 40

// Text that grows; after a failed allocation it stays as it was.
typedef struct sinew_bvh_text {
  sinew_allocator allocator;
  char *data;
  size_t used, capacity;
  bool failed;
} sinew_bvh_text;

typedef struct sinew_bvh_writer {
  sinew_bvh_text text;
  sinew_arena arena; // scratch, given back at the end
  const sinew_model_def *def;
  sinew_model *model;
  sinew_builder errors; // no more of it is used than its error
  int *first_child;     // per link, a joint; -1: none
  int *next_sibling;    // per joint
  int *order;           // joints in the order of the file
  int order_count;
} sinew_bvh_writer;

static bool sinew_bvh_reserve(sinew_bvh_text *text, size_t more) {
  if (text->failed || text->capacity - text->used >= more) {
    return !text->failed;
  }
  size_t wider = text->capacity < 4096 ? 4096 : text->capacity;
  while (wider - text->used < more && wider <= SIZE_MAX / 4) {
    wider *= 2;
  }
  wider = wider == text->capacity ? wider * 2 : wider;
  char *data = wider - text->used < more ? NULL : sinew_allocator_take(&text->allocator, wider);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  if (text->used > 0) {
    memcpy(data, text->data, text->used);
  }
  sinew_allocator_give(&text->allocator, text->data);
  text->data = data;
  text->capacity = wider;
  return true;
}

static void sinew_bvh_put(sinew_bvh_text *text, const char *part) {
  size_t length = strlen(part);
  if (sinew_bvh_reserve(text, length + 1)) {
    memcpy(text->data + text->used, part, length + 1);
    text->used += length;
  }
}

static void sinew_bvh_put_number(sinew_bvh_text *text, const char *before, double value) {
  char number[SINEW_DECIMAL_SIZE];
  sinew_decimal_write(value, SINEW_BVH_DIGITS, number);
  sinew_bvh_put(text, before);
  sinew_bvh_put(text, number);
}

static void sinew_bvh_put_indent(sinew_bvh_text *text, int depth) {
  for (int i = 0; i < depth && i < SINEW_BVH_MAX_INDENT; i++) {
    sinew_bvh_put(text, "\t");
  }
}

static sinew_result sinew_bvh_refuse(sinew_bvh_writer *writer, sinew_result code, const char *name,
                                     const char *message) {
  return sinew_builder_fail(&writer->errors, code, 0, name, "%s", message);
}

// Why a joint cannot be written, or NULL.
static const char *sinew_bvh_joint_fault(const sinew_joint_def *joint) {
  const double *r = joint->placement.rotation;
  if (joint->kind != SINEW_JOINT_CHANNELS && joint->kind != SINEW_JOINT_EULER &&
      joint->kind != SINEW_JOINT_FIXED) {
    return "a BVH holds joints of the kinds CHANNELS, EULER and FIXED only";
  }
  if (joint->driver >= 0) {
    return "a BVH has no coupled joints";
  }
  if (r[1] != 0 || r[2] != 0 || r[3] != 0) {
    return "a BVH cannot turn a joint's frame: its placement must not rotate";
  }
  return sinew_bvh_name_fault(joint->name, strlen(joint->name));
}

static bool sinew_bvh_has_channels(const sinew_joint_def *joint) {
  return joint->kind != SINEW_JOINT_FIXED;
}

// Whether the reader made this joint of an End Site: PARENT_end, PARENT_end_2.
static bool sinew_bvh_is_end_site(const sinew_bvh_writer *writer, int index) {
  const sinew_joint_def *joint = &writer->def->joints[index];
  int above = sinew_model_link_joint(writer->model, joint->parent);
  if (above < 0 || sinew_bvh_has_channels(joint) || writer->first_child[joint->child] >= 0) {
    return false;
  }
  const char *parent = writer->def->joints[above].name;
  size_t length = strlen(parent);
  if (strncmp(joint->name, parent, length) != 0 || strncmp(joint->name + length, "_end", 4) != 0) {
    return false;
  }
  const char *rest = joint->name + length + 4;
  return rest[0] == '\0' || (rest[0] == '_' && rest[1 + strspn(rest + 1, "0123456789")] == '\0');
}

// Lists of children, in the order of the definition.
static bool sinew_bvh_link_children(sinew_bvh_writer *writer) {
  const sinew_model_def *def = writer->def;
  size_t links = (size_t)def->link_count, joints = (size_t)def->joint_count;
  writer->first_child = sinew_arena_allocate(&writer->arena, links, sizeof(int));
  writer->next_sibling = sinew_arena_allocate(&writer->arena, joints, sizeof(int));
  writer->order = sinew_arena_allocate(&writer->arena, joints, sizeof(int));
  if (writer->first_child == NULL || writer->next_sibling == NULL || writer->order == NULL) {
    return false;
  }
  memset(writer->first_child, -1, links * sizeof(int));
  for (int i = def->joint_count - 1; i >= 0; i--) {
    writer->next_sibling[i] = writer->first_child[def->joints[i].parent];
    writer->first_child[def->joints[i].parent] = i;
  }
  return true;
}

static void sinew_bvh_put_channels(sinew_bvh_text *text, const char *channels) {
  sinew_bvh_put_number(text, "CHANNELS ", (double)strlen(channels));
  for (const char *c = channels; *c != '\0'; c++) {
    bool distance = *c >= 'x';
    char word[] = {' ', distance ? (char)(*c - 'x' + 'X') : *c, '\0'};
    sinew_bvh_put(text, word);
    sinew_bvh_put(text, distance ? "position" : "rotation");
  }
  sinew_bvh_put(text, "\n");
}

// A joint from its keyword to before its children.
static void sinew_bvh_put_joint(sinew_bvh_writer *writer, int index, int depth) {
  const sinew_joint_def *joint = &writer->def->joints[index];
  sinew_bvh_text *text = &writer->text;
  sinew_bvh_put_indent(text, depth);
  if (sinew_bvh_is_end_site(writer, index)) {
    sinew_bvh_put(text, "End Site");
  } else {
    sinew_bvh_put(text, depth == 0 ? "ROOT " : "JOINT ");
    sinew_bvh_put(text, joint->name);
  }
  sinew_bvh_put(text, "\n");
  sinew_bvh_put_indent(text, depth);
  sinew_bvh_put(text, "{\n");
  sinew_bvh_put_indent(text, depth + 1);
  sinew_bvh_put(text, "OFFSET");
  for (int i = 0; i < 3; i++) {
    sinew_bvh_put_number(text, " ", joint->placement.position[i]);
  }
  sinew_bvh_put(text, "\n");
  if (sinew_bvh_has_channels(joint)) {
    sinew_bvh_put_indent(text, depth + 1);
    sinew_bvh_put_channels(text, joint->channels);
  }
}

// Closes joints from index upwards until one has a sibling; returns it, or -1.
static int sinew_bvh_close_joints(sinew_bvh_writer *writer, int index, int *depth) {
  for (;;) {
    sinew_bvh_put_indent(&writer->text, *depth);
    sinew_bvh_put(&writer->text, "}\n");
    if (writer->next_sibling[index] >= 0) {
      return writer->next_sibling[index];
    }
    index = sinew_model_link_joint(writer->model, writer->def->joints[index].parent);
    if (index < 0) {
      return -1;
    }
    --*depth;
  }
}

// The tree, depth first, without a stack: the way up is in the model.
static sinew_result sinew_bvh_put_hierarchy(sinew_bvh_writer *writer) {
  sinew_bvh_put(&writer->text, "HIERARCHY\n");
  int index = writer->first_child[sinew_model_root(writer->model)];
  if (index < 0) {
    return sinew_bvh_refuse(writer, SINEW_ERROR_UNSUPPORTED,
                            sinew_model_link_name(writer->model, sinew_model_root(writer->model)),
                            "a BVH needs at least one joint");
  }
  int depth = 0;
  while (index >= 0) {
    const sinew_joint_def *joint = &writer->def->joints[index];
    const char *fault = sinew_bvh_joint_fault(joint);
    if (fault != NULL) {
      return sinew_bvh_refuse(writer, SINEW_ERROR_UNSUPPORTED, joint->name, fault);
    }
    sinew_bvh_put_joint(writer, index, depth);
    writer->order[writer->order_count++] = index;
    if (writer->first_child[joint->child] >= 0) {
      index = writer->first_child[joint->child];
      depth++;
    } else {
      index = sinew_bvh_close_joints(writer, index, &depth);
    }
  }
  return SINEW_OK;
}

// One joint's values of a frame; false where one is not finite.
static bool sinew_bvh_put_values(sinew_bvh_writer *writer, int index, const double *q,
                                 const char **blank) {
  static const double degree = 180 / 3.14159265358979323846;
  const sinew_joint_def *joint = &writer->def->joints[index];
  sinew_joint place;
  if (sinew_model_joint(writer->model, index, &place) != SINEW_OK) {
    return false;
  }
  for (int i = 0; i < place.nq; i++) {
    char channel = joint->channels[i];
    double value = q[place.q_index + i];
    value = channel >= 'x' ? value + joint->placement.position[channel - 'x'] : value * degree;
    if (!isfinite(value)) {
      return false;
    }
    sinew_bvh_put_number(&writer->text, *blank, value);
    *blank = " ";
  }
  return true;
}

static sinew_result sinew_bvh_put_motion(sinew_bvh_writer *writer, const sinew_motion *motion) {
  sinew_bvh_text *text = &writer->text;
  sinew_bvh_put(text, "MOTION\n");
  sinew_bvh_put_number(text, "Frames: ", motion->frame_count);
  sinew_bvh_put_number(text, "\nFrame Time: ", motion->frame_time);
  sinew_bvh_put(text, "\n");
  for (int frame = 0; frame < motion->frame_count && !text->failed; frame++) {
    const double *q = motion->nq > 0 ? motion->q + (size_t)frame * (size_t)motion->nq : NULL;
    const char *blank = "";
    for (int i = 0; i < writer->order_count; i++) {
      int joint = writer->order[i];
      if (sinew_bvh_has_channels(&writer->def->joints[joint]) &&
          !sinew_bvh_put_values(writer, joint, q, &blank)) {
        return sinew_builder_fail(&writer->errors, SINEW_ERROR_NOT_FINITE, 0,
                                  writer->def->joints[joint].name,
                                  "frame %d has a value that is not finite", frame + 1);
      }
    }
    sinew_bvh_put(text, "\n");
  }
  return SINEW_OK;
}

static sinew_result sinew_bvh_check_motion(sinew_bvh_writer *writer, const sinew_motion *motion) {
  if (motion->nq != sinew_model_nq(writer->model)) {
    return sinew_builder_fail(&writer->errors, SINEW_ERROR_ARGUMENT, 0, "motion",
                              "%d values a frame where the model has %d", motion->nq,
                              sinew_model_nq(writer->model));
  }
  if (motion->frame_count < 0 || !isfinite(motion->frame_time) || motion->frame_time < 0) {
    return sinew_bvh_refuse(writer, SINEW_ERROR_ARGUMENT, "motion",
                            "the number of frames or the frame time is negative or not finite");
  }
  if (motion->q == NULL && motion->frame_count > 0 && motion->nq > 0) {
    return sinew_bvh_refuse(writer, SINEW_ERROR_ARGUMENT, "motion", "q is NULL");
  }
  return SINEW_OK;
}

static sinew_result sinew_bvh_write_all(sinew_bvh_writer *writer, const sinew_motion *motion) {
  static const sinew_motion none = {.frame_time = 1.0 / 30};
  sinew_result result = sinew_model_create(writer->def, &writer->model, writer->errors.error);
  if (result != SINEW_OK) {
    return result;
  }
  if (motion != NULL) {
    result = sinew_bvh_check_motion(writer, motion);
  }
  if (result == SINEW_OK && !sinew_bvh_link_children(writer)) {
    result = sinew_builder_fail_memory(&writer->errors);
  }
  if (result == SINEW_OK) {
    result = sinew_bvh_put_hierarchy(writer);
  }
  if (result == SINEW_OK) {
    result = sinew_bvh_put_motion(writer, motion != NULL ? motion : &none);
  }
  if (result == SINEW_OK && writer->text.failed) {
    result = sinew_builder_fail_memory(&writer->errors);
  }
  return result;
}

sinew_result sinew_bvh_write(const sinew_model_def *model, const sinew_motion *motion,
                             const sinew_allocator *allocator, char **text, size_t *size,
                             sinew_error *error) {
  sinew_bvh_writer writer = {.def = model, .errors = {.error = error, .def.name = ""}};
  if (text == NULL || size == NULL) {
    return sinew_bvh_refuse(&writer, SINEW_ERROR_ARGUMENT, NULL, "text or size is NULL");
  }
  *text = NULL;
  *size = 0;
  if (allocator != NULL) {
    writer.text.allocator = *allocator;
  }
  sinew_arena_init(&writer.arena, allocator);
  sinew_result result = sinew_bvh_write_all(&writer, motion);
  sinew_model_destroy(writer.model);
  sinew_arena_release(&writer.arena);
  if (result != SINEW_OK) {
    sinew_allocator_give(&writer.text.allocator, writer.text.data);
    return result;
  }
  *text = writer.text.data;
  *size = writer.text.used;
  return SINEW_OK;
}
