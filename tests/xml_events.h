// Lists of XML events, as a parser other than expat would give them.
#ifndef XML_EVENTS_H
#define XML_EVENTS_H

#include "sinew/formats.h"

#include <stddef.h>

typedef struct xml_event {
  enum { EVENT_START, EVENT_END, EVENT_DOCTYPE, EVENT_DECLARATIONS } kind;
  int line;
  const char *name;
  const char *attributes[9]; // alternating names and values, NULL after the last
} xml_event;

// Passes the events; returns the result of the last, or of the first that fails.
static inline sinew_result pass_events(sinew_xml_reader *reader, const xml_event *events,
                                       size_t count, sinew_error *error) {
  sinew_result result = SINEW_OK;
  for (size_t i = 0; i < count && result == SINEW_OK; ++i) {
    const xml_event *event = &events[i];
    if (event->kind == EVENT_START) {
      result = sinew_xml_reader_start(reader, event->name, event->attributes, event->line, error);
    } else if (event->kind == EVENT_END) {
      result = sinew_xml_reader_end(reader, event->name, event->line, error);
    } else {
      result = sinew_xml_reader_doctype(reader, event->name, event->kind == EVENT_DECLARATIONS,
                                        event->line, error);
    }
  }
  return result;
}

// A robot of two links, as text and as a parser's events.
static const char robot_text[] = "<?xml version=\"1.0\"?>\n"
                                 "<!DOCTYPE robot>\n"
                                 "<robot name=\"a &lt; b\">\n"
                                 "  <link name=\"base\"/>\n"
                                 "  <link name=\"hand\">\n"
                                 "    <inertial><mass value=\"1.5\"/></inertial>\n"
                                 "  </link>\n"
                                 "  <joint name=\"wrist\" type=\"revolute\">\n"
                                 "    <parent link=\"base\"/><child link=\"hand\"/>\n"
                                 "    <origin xyz=\"0.1 0 .25\" rpy=\"0 0.5 1\"/>\n"
                                 "    <axis xyz=\"0 1 1\"/>\n"
                                 "    <limit lower=\"-1\" upper=\"2\" velocity=\"3\"/>\n"
                                 "  </joint>\n"
                                 "</robot>\n";

static const xml_event robot_events[] = {
    {EVENT_DOCTYPE, 2, "robot", {NULL}},
    {EVENT_START, 3, "robot", {"name", "a < b"}},
    {EVENT_START, 4, "link", {"name", "base"}},
    {EVENT_END, 4, "link", {NULL}},
    {EVENT_START, 5, "link", {"name", "hand"}},
    {EVENT_START, 6, "inertial", {NULL}},
    {EVENT_START, 6, "mass", {"value", "1.5"}},
    {EVENT_END, 6, "mass", {NULL}},
    {EVENT_END, 6, "inertial", {NULL}},
    {EVENT_END, 7, "link", {NULL}},
    {EVENT_START, 8, "joint", {"name", "wrist", "type", "revolute"}},
    {EVENT_START, 9, "parent", {"link", "base"}},
    {EVENT_END, 9, "parent", {NULL}},
    {EVENT_START, 9, "child", {"link", "hand"}},
    {EVENT_END, 9, "child", {NULL}},
    {EVENT_START, 10, "origin", {"xyz", "0.1 0 .25", "rpy", "0 0.5 1"}},
    {EVENT_END, 10, "origin", {NULL}},
    {EVENT_START, 11, "axis", {"xyz", "0 1 1"}},
    {EVENT_END, 11, "axis", {NULL}},
    {EVENT_START, 12, "limit", {"lower", "-1", "upper", "2", "velocity", "3"}},
    {EVENT_END, 12, "limit", {NULL}},
    {EVENT_END, 13, "joint", {NULL}},
    {EVENT_END, 14, "robot", {NULL}},
};

#define ROBOT_EVENT_COUNT (sizeof robot_events / sizeof robot_events[0])

#endif
