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
  sinew_names frames; ///< of Drake's <frame>
} sinew_urdf;

/// Whether Drake's old drake_ignore="true" is set: as if it were not there.
int sinew_urdf_is_ignored(const sinew_xml_element *element);

/// Reads an attribute of count numbers.
/// @param element may be NULL: nothing is read
/// @param owner name of the joint or link, for messages
/// @param found 1 where the attribute is there, else 0 and values stay; may be
///   NULL
/// @return SINEW_OK; SINEW_ERROR_SYNTAX where it is not count numbers
sinew_result sinew_urdf_numbers(sinew_urdf *urdf, const sinew_xml_element *element,
                                const char *attribute, const char *owner, int count, double *values,
                                int *found);

/// Reads the attributes xyz and rpy of element (an <origin>, may be NULL).
sinew_result sinew_urdf_pose(sinew_urdf *urdf, const sinew_xml_element *element, const char *owner,
                             sinew_pose *pose);

/// Reads a <joint> or <drake:joint>, all but its <mimic>, and adds it. Its
/// links must have been added; a parent that was not becomes the root.
sinew_result sinew_urdf_read_joint(sinew_urdf *urdf, const sinew_xml_element *element);

/// Reads the <mimic> of a joint, where it has one. All joints must have been
/// added.
sinew_result sinew_urdf_read_mimic(sinew_urdf *urdf, const sinew_xml_element *element);

/// Adds a shape for each <collision> of a link that a sphere or a capsule can
/// stand for.
sinew_result sinew_urdf_read_collisions(sinew_urdf *urdf, const sinew_xml_element *link_element,
                                        int link);

/// Reads the curve of a curvilinear joint and places its start.
/// @param placement the joint's; turned to the start of the curve
sinew_result sinew_urdf_read_curve(sinew_urdf *urdf, const sinew_xml_element *element,
                                   const char *owner, sinew_pose *placement);

/// Checks the elements that sinew has no use for (transmissions, Drake's
/// frames, bushings, springs and filters): what their own reader refuses is a
/// sign of a broken file here too.
sinew_result sinew_urdf_check_unused(sinew_urdf *urdf);

#endif
