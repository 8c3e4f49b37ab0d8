// Whether two documents are the same, bit for bit.
#ifndef SAME_DOCUMENT_H
#define SAME_DOCUMENT_H

#include "urdf_shared.h"

static inline void assert_same_bits(const double *a, const double *b, size_t count) {
  assert_memory_equal(a, b, count * sizeof *a);
}

static inline void assert_same_joint(const sinew_joint_def *a, const sinew_joint_def *b) {
  assert_string_equal(a->name, b->name);
  assert_true(a->kind == b->kind && a->parent == b->parent && a->child == b->child);
  assert_same_bits(a->placement.rotation, b->placement.rotation, 4);
  assert_same_bits(a->placement.position, b->placement.position, 3);
  assert_same_bits(a->axis, b->axis, 3);
  assert_same_bits(a->axis2, b->axis2, 3);
  assert_same_bits(&a->pitch, &b->pitch, 1);
  assert_string_equal(a->channels, b->channels);
  assert_same_bits(a->lower, b->lower, SINEW_JOINT_MAX_NV);
  assert_same_bits(a->upper, b->upper, SINEW_JOINT_MAX_NV);
  assert_same_bits(a->velocity, b->velocity, SINEW_JOINT_MAX_NV);
  assert_int_equal(a->driver, b->driver);
  assert_same_bits(&a->ratio, &b->ratio, 1);
  assert_same_bits(&a->offset, &b->offset, 1);
}

static inline void assert_same_error(const sinew_error *a, const sinew_error *b) {
  assert_int_equal(a->code, b->code);
  assert_int_equal(a->line, b->line);
  assert_string_equal(a->file, b->file);
  assert_string_equal(a->name, b->name);
  assert_string_equal(a->message, b->message);
}

static inline void assert_same_document(const sinew_document *a, const sinew_document *b) {
  assert_int_equal(a->format, b->format);
  assert_string_equal(a->model.name ? a->model.name : "", b->model.name ? b->model.name : "");
  assert_int_equal(a->model.link_count, b->model.link_count);
  for (int i = 0; i < a->model.link_count; ++i) {
    assert_string_equal(a->model.links[i].name, b->model.links[i].name);
    assert_same_bits(&a->model.links[i].mass, &b->model.links[i].mass, 1);
    assert_same_bits(a->model.links[i].center_of_mass, b->model.links[i].center_of_mass, 3);
    assert_int_equal(a->link_lines[i], b->link_lines[i]);
  }
  assert_int_equal(a->model.joint_count, b->model.joint_count);
  for (int i = 0; i < a->model.joint_count; ++i) {
    assert_same_joint(&a->model.joints[i], &b->model.joints[i]);
    assert_int_equal(a->joint_lines[i], b->joint_lines[i]);
  }
  assert_int_equal(a->model.shape_count, b->model.shape_count);
  for (int i = 0; i < a->model.shape_count; ++i) {
    assert_int_equal(a->model.shapes[i].link, b->model.shapes[i].link);
    assert_same_bits(a->model.shapes[i].a, b->model.shapes[i].a, 3);
    assert_same_bits(a->model.shapes[i].b, b->model.shapes[i].b, 3);
    assert_same_bits(&a->model.shapes[i].radius, &b->model.shapes[i].radius, 1);
  }
  assert_int_equal(a->mesh_count, b->mesh_count);
  for (int i = 0; i < a->mesh_count; ++i) {
    assert_string_equal(a->meshes[i], b->meshes[i]);
  }
  assert_int_equal(a->warning_count, b->warning_count);
  for (int i = 0; i < a->warning_count; ++i) {
    assert_same_error(&a->warnings[i], &b->warnings[i]);
  }
}

#endif
