// The BVH writer: a model and its motion to a file; the inverse of bvh_read.c.
//
//   OFFSET  = position of the joint's placement
//   channel = q + OFFSET          (positions)
//   channel = q * 180 / pi        (rotations)
//
// A fixed joint without children that is named PARENT_end, as the reader names it, becomes an End
// Site.
#include "bvh_scan.h"

#include "decimal.h"

#include <math.h>
#include <string.h>

// Significant digits of each number. Conversion to radians and back changes the 16th digit; with 15
// the numbers of the original file are written again.
#define SINEW_BVH_DIGITS 15

// Deeper joints are not indented further: the text of a chain would grow with the square of its
// length.
#define SINEW_BVH_MAX_INDENT 40

// A text that grows. After a failed allocation it is no longer changed.
typedef struct sinew_bvh_text {
  sinew_allocator allocator;
  char *data;
  size_t used, capacity;
  bool failed;
} sinew_bvh_text;

typedef struct sinew_bvh_writer {
  sinew_bvh_text text;
  sinew_pool pool; // scratch, released at the end
  const sinew_model_def *def;
  sinew_model *model;
  sinew_builder errors; // only its error is used
  int *first_child;     // per link, a joint; -1: none
  int *next_sibling;    // per joint
  int *order;           // joints in the order of the file
  int order_count;
} sinew_bvh_writer;

static bool sinew_bvh_reserve(sinew_bvh_text *text, size_t more) {
  if (text->failed || text->capacity - text->used >= more) {
    return !text->failed;
  }
  size_t larger = text->capacity < 4096 ? 4096 : text->capacity;
  while (larger - text->used < more && larger <= SIZE_MAX / 4) {
    larger *= 2;
  }
  larger = larger == text->capacity ? larger * 2 : larger;
  char *data =
      larger - text->used < more ? NULL : sinew_allocator_allocate(&text->allocator, larger);
  if (data == NULL) {
    text->failed = true;
    return false;
  }
  if (text->used > 0) {
    memcpy(data, text->data, text->used);
  }
  sinew_allocator_release(&text->allocator, text->data);
  text->data = data;
  text->capacity = larger;
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
    return "a BVH can have joints of the kinds CHANNELS, EULER and FIXED only";
  }
  if (joint->driver >= 0) {
    return "a BVH cannot have coupled joints";
  }
  if (r[1] != 0 || r[2] != 0 || r[3] != 0) {
    return "the joint's placement has a rotation, which a BVH cannot have";
  }
  return sinew_bvh_name_fault(joint->name, strlen(joint->name));
}

static bool sinew_bvh_has_channels(const sinew_joint_def *joint) {
  return joint->kind != SINEW_JOINT_FIXED;
}

// Whether the reader made this joint from an End Site: PARENT_end, PARENT_end_2.
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

// Builds the lists of children, in the order of the definition.
static bool sinew_bvh_link_children(sinew_bvh_writer *writer) {
  const sinew_model_def *def = writer->def;
  size_t links = (size_t)def->link_count, joints = (size_t)def->joint_count;
  writer->first_child = sinew_pool_allocate(&writer->pool, links, sizeof(int));
  writer->next_sibling = sinew_pool_allocate(&writer->pool, joints, sizeof(int));
  writer->order = sinew_pool_allocate(&writer->pool, joints, sizeof(int));
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
    bool is_position = *c >= 'x';
    char word[] = {' ', is_position ? (char)(*c - 'x' + 'X') : *c, '\0'};
    sinew_bvh_put(text, word);
    sinew_bvh_put(text, is_position ? "position" : "rotation");
  }
  sinew_bvh_put(text, "\n");
}

// Writes a joint from its keyword up to its children.
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

// Closes joints from index towards the root until one has a next sibling; returns the sibling, or
// -1.
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

// Writes the tree depth first, without a stack: the model has the parents.
static sinew_result sinew_bvh_put_hierarchy(sinew_bvh_writer *writer) {
  sinew_bvh_put(&writer->text, "HIERARCHY\n");
  int index = writer->first_child[sinew_model_root(writer->model)];
  if (index < 0) {
    return sinew_bvh_refuse(writer, SINEW_ERROR_UNSUPPORTED,
                            sinew_model_link_name(writer->model, sinew_model_root(writer->model)),
                            "a BVH must have at least one joint");
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

// Writes one joint's values of a frame; false if one is not finite.
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
                                  "a value of frame %d is not a finite number", frame + 1);
      }
    }
    sinew_bvh_put(text, "\n");
  }
  return SINEW_OK;
}

static sinew_result sinew_bvh_check_motion(sinew_bvh_writer *writer, const sinew_motion *motion) {
  if (motion->nq != sinew_model_nq(writer->model)) {
    return sinew_builder_fail(&writer->errors, SINEW_ERROR_ARGUMENT, 0, "motion",
                              "it has %d values per frame, but the model has %d", motion->nq,
                              sinew_model_nq(writer->model));
  }
  if (motion->frame_count < 0 || !isfinite(motion->frame_time) || motion->frame_time < 0) {
    return sinew_bvh_refuse(
        writer, SINEW_ERROR_ARGUMENT, "motion",
        "the number of frames and the frame time must be finite and not negative");
  }
  if (motion->q == NULL && motion->frame_count > 0 && motion->nq > 0) {
    return sinew_bvh_refuse(writer, SINEW_ERROR_ARGUMENT, "motion", "q must not be NULL");
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
    return sinew_bvh_refuse(&writer, SINEW_ERROR_ARGUMENT, NULL, "text and size must not be NULL");
  }
  *text = NULL;
  *size = 0;
  if (allocator != NULL) {
    writer.text.allocator = *allocator;
  }
  sinew_pool_init(&writer.pool, allocator);
  sinew_result result = sinew_bvh_write_all(&writer, motion);
  sinew_model_destroy(writer.model);
  sinew_pool_release(&writer.pool);
  if (result != SINEW_OK) {
    sinew_allocator_release(&writer.text.allocator, writer.text.data);
    return result;
  }
  *text = writer.text.data;
  *size = writer.text.used;
  return SINEW_OK;
}
