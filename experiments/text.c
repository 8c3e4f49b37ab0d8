// Texts out of files and command lines, as they are shown.
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 80

char *text_escaped(const char *text, sinew_text_use use) {
  const size_t size = sinew_text_escape(text, use, NULL, 0) + 1;
  char *out = malloc(size);
  if (out)
    sinew_text_escape(text, use, out, size);
  return out;
}

// The letters of well-formed UTF-8.
static int columns_of(const char *text) {
  int columns = 0;
  for (; *text != '\0'; ++text)
    columns += ((unsigned char)*text & 0xC0) != 0x80;
  return columns;
}

void text_print(FILE *file, const char *text, int width) {
  char *escaped = text_escaped(text, SINEW_TEXT_PRINTED);
  const char *shown = escaped ? escaped : "(out of memory)";
  const int used = columns_of(shown);
  fputs(shown, file);
  fprintf(file, "%*s", width > used ? width - used : 0, "");
  free(escaped);
}

int text_wider(int width, const char *text) {
  char *escaped = text_escaped(text, SINEW_TEXT_PRINTED);
  const int used = escaped ? columns_of(escaped) : 0;
  free(escaped);
  return used > width ? used : width;
}

void text_wrap(const char *text, int column) {
  int used = column;
  for (const char *word = text + strspn(text, " "); *word != '\0';) {
    int length = (int)strcspn(word, " \n");
    if (used > column && used + 1 + length > COLUMNS) {
      printf("\n%*s", column, "");
      used = column;
    }
    used += printf("%s%.*s", used > column ? " " : "", length, word);
    word += length;
    for (; *word == '\n'; ++word) {
      printf("\n%*s", word[1] == '\n' || word[1] == '\0' ? 0 : column, "");
      used = column;
    }
    word += strspn(word, " ");
  }
  putchar('\n');
}

void text_message(const char *beginning, const char *format, va_list arguments) {
  // What was written to standard output before must appear before the message.
  fflush(stdout);
  char *text = NULL;
  fputs(beginning, stderr);
  if (vasprintf(&text, format, arguments) >= 0) {
    text_print(stderr, text, 0);
    free(text);
  }
  fputc('\n', stderr);
}
