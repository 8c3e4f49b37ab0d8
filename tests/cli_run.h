// Runs the program sinew as a user does, and reads its output. Each function fails the test where
// it cannot do its work.
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H

#include <jansson.h>

typedef struct result {
  int exit_code;
  char *out;
  char *err;
} result;

// The path of a file to write; valid while the test runs.
const char *scratch(const char *name);

// A whole file, terminated; free() it.
char *read_all(const char *path);

// Writes a scratch file; returns its path.
const char *write_all(const char *name, const char *text);

// Runs the program with words up to NULL; standard output and error go to files.
// Returns the exit code.
int run_to(const char *out, const char *err, char *const *words);
result run_words(char *const *words);
void release(result *got);

// The words of a command line, with NULL after the last.
#define RUN(...) run_words((char *[]){(char *)"sinew", __VA_ARGS__, NULL})
#define W(text) (char *)(text)

// Expects a refusal: exit code 2, nothing on standard output, and a message on
// standard error that begins with "sinew: " and holds both words.
void expect_refusal(result got, const char *first, const char *second);

// Standard output as JSON; the exit code must be the one expected.
json_t *parse_output(const result *got, int exit_code);
double number_of(const json_t *object, const char *name);
const char *text_of(const json_t *object, const char *name);

// A number in an object's array.
double element(const json_t *object, const char *name, size_t index);

// The member of an object's array that has this "link".
const json_t *tip_of(const json_t *root, const char *array, const char *link);

void assert_near(double value, double wanted, double tolerance);

// Line k of a text, and the number of lines.
const char *line_of(const char *text, int k);
int line_count(const char *text);

// Two links in the x-z plane as in textbooks, with a gripper of two coupled
// fingers; and two bones of lengths 3 and 2 with three frames.
#define LENGTH1 0.7
#define LENGTH2 0.5
const char *two_link_file(void);
const char *two_bones_file(void);

#endif
