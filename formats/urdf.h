/// What the parts of the URDF reader share.
#ifndef SINEW_FORMATS_URDF_H
#define SINEW_FORMATS_URDF_H

#include "xml.h"

/// Whether a text is a URDF: its first element is <robot>.
bool sinew_urdf_detect(const char *text, size_t size);

/// Builds the document from the elements.
sinew_xml_build_function sinew_urdf_build;

typedef struct sinew_urdf {
  sinew_builder *builder;
  sinew_pool *tree; ///< holds the elements; released when the document is finished
  const sinew_xml_element *robot;
  sinew_names frames; ///< of Drake's <frame> elements
} sinew_urdf;

/// Whether an element has Drake's old attribute drake_ignore="true" and must be ignored.
int sinew_urdf_is_ignored(const sinew_xml_element *element);

/// Reads an attribute of count numbers.
/// @param element may be NULL: nothing is read
/// @param owner name of the joint or link, for messages
/// @param found receives 1 if the attribute exists, otherwise 0; values are unchanged then. May be
///   NULL
/// @return SINEW_OK; SINEW_ERROR_SYNTAX if it is not count numbers
sinew_result sinew_urdf_numbers(sinew_urdf *urdf, const sinew_xml_element *element,
                                const char *attribute, const char *owner, int count, double *values,
                                int *found);

/// Reads the attributes xyz and rpy of element (an <origin>, may be NULL).
sinew_result sinew_urdf_pose(sinew_urdf *urdf, const sinew_xml_element *element, const char *owner,
                             sinew_pose *pose);

/// Reads a <joint> or <drake:joint> without its <mimic>, and adds it. The links must have been
/// added; a parent link that has not been is added and is the root.
sinew_result sinew_urdf_read_joint(sinew_urdf *urdf, const sinew_xml_element *element);

/// Reads the <mimic> of a joint, if it has one. All joints must have been added.
sinew_result sinew_urdf_read_mimic(sinew_urdf *urdf, const sinew_xml_element *element);

/// Adds a sphere or capsule for each <collision> of a link that has a primitive shape.
sinew_result sinew_urdf_read_collisions(sinew_urdf *urdf, const sinew_xml_element *link_element,
                                        int link);

/// Adds the names of the mesh files of a link's <visual> elements.
sinew_result sinew_urdf_read_visuals(sinew_urdf *urdf, const sinew_xml_element *link_element);

/// Reads the curve of a curvilinear joint and places its start.
/// @param placement of the joint; rotated into the frame of the curve's start
sinew_result sinew_urdf_read_curve(sinew_urdf *urdf, const sinew_xml_element *element,
                                   const char *owner, sinew_pose *placement);

/// Checks elements that sinew does not use (transmissions, Drake's frames, bushings, springs and
/// collision filters). What Drake's reader refuses is an error here too: the file is broken.
sinew_result sinew_urdf_check_unused(sinew_urdf *urdf);

#endif
