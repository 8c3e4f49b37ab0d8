#!/bin/bash
# Refuses the words of words.txt in comments, documents, messages and help texts, and says what to
# write instead: FILE:LINE: FOUND -> REPLACEMENT.
# Usage: words.sh ROOT
set -euo pipefail
list=$(dirname "$(realpath "$0")")/words.txt
cd "$1"

skipped=(-path ./.git -o -path './build*' -o -path ./python/licenses -o -path ./.ci -o -path ./tests/structure/words.txt
  -o -path ./tests/structure/test_words.sh -o -path ./fuzz/corpus -o -name node_modules
  -o -path './web/*/dist')

find . \( "${skipped[@]}" \) -prune -o -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \
  -o -name '*.md' -o -name '*.sh' -o -name '*.txt' -o -name '*.cmake' -o -name '*.in' -o -name '*.1' \
  -o -path ./check -o -path ./demo -o -path './tools/*' \) -print | sort |
  awk -v list="$list" '
    # What is kept of a line: comments, and strings with a blank, which are messages.
    function text_of_c(line,    kept, found) {
      kept = ""
      if (in_block) {
        if (!match(line, /\*\//)) { return line }
        kept = substr(line, 1, RSTART)
        line = substr(line, RSTART + 2)
        in_block = 0
      }
      while (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)\047|\/\/.*|\/\*/)) {
        found = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (found ~ /^\/\//) { return kept " " found }
        if (found ~ /^"/) {
          gsub(/\\n/, " ", found)
          if (found ~ /[^" ] +[^" ]/) { kept = kept " " found }
        } else if (found == "/*") {
          if (!match(line, /\*\//)) { in_block = 1; return kept " " line }
          kept = kept " " substr(line, 1, RSTART)
          line = substr(line, RSTART + 2)
        }
      }
      return kept
    }

    function text_of_script(line,    kept, found) {
      if (match(line, /(^|[ \t])#.*/)) { return substr(line, RSTART) }
      kept = ""
      while (match(line, /"[^"]*"|\047[^\047]*\047/)) {
        found = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (found ~ / /) { kept = kept " " found }
      }
      return kept
    }

    # Documents are read whole, except code.
    function text_of_document(line) {
      if (line ~ /^ *```/) { in_block = !in_block; return "" }
      if (in_block) { return "" }
      gsub(/`[^`]*`/, " ", line)
      return line
    }

    # Words in lower case between single blanks. Options are names, no words: --look-at, and Fl -look-at
    # in a man page.
    function words_of(text) {
      text = tolower(text)
      gsub(/(^|[^a-z0-9_-])--?[a-z]+(-[a-z]+)+/, " ", text)
      gsub(/[^a-z0-9_]+/, " ", text)
      sub(/^ /, "", text)
      sub(/ $/, "", text)
      return text
    }

    # What the pattern finds in this line, or at the end of the last line and the start of this one.
    function find(pattern, last, now,    found) {
      found = ""
      if (match(now, pattern)) {
        found = substr(now, RSTART + 1, RLENGTH - 2)
      } else if (!match(last, pattern) && match(last substr(now, 2), pattern)) {
        found = substr(last substr(now, 2), RSTART + 1, RLENGTH - 2)
      }
      return found
    }

    function check(file,    line, number, kind, now, last, i, found) {
      kind = "script"
      if (file ~ /\.(c|h|cpp|hpp)$/) { kind = "c" }
      if (file ~ /\.(md|txt|1)$/ && file !~ /CMakeLists/) { kind = "document" }
      in_block = 0
      number = 0
      last = " "
      while ((getline line <file) > 0) {
        ++number
        if (kind == "c") { line = text_of_c(line) }
        if (kind == "document") { line = text_of_document(line) }
        if (kind == "script") { line = text_of_script(line) }
        now = " " words_of(line) " "
        if (match(now, any) || match(last substr(now, 2), any)) {
          for (i = 1; i <= count; ++i) {
            if ((found = find(" (" pattern[i] ") ", last, now)) != "" &&
                !(found == "shall" && file ~ /requirements/)) {
              printf "%s:%d: %s -> %s\n", substr(file, 3), number, found, use[i]
              ++findings
            }
          }
        }
        last = now
      }
      close(file)
    }

    BEGIN {
      while ((getline line <list) > 0) {
        if (line ~ /^#/ || line !~ / \| /) { continue }
        at = 0
        for (i = 1; i <= length(line) - 2; ++i) {
          if (substr(line, i, 3) == " | ") { at = i }
        }
        pattern[++count] = substr(line, 1, at - 1)
        use[count] = substr(line, at + 3)
        any = any (count > 1 ? "|" : "") pattern[count]
      }
      any = " (" any ") "
      if (count == 0) {
        print list ": no words"
        failed = 1
        exit
      }
    }

    { check($0); ++files }

    END {
      if (files == 0) { print "no files were checked" }
      exit failed || files == 0 || findings > 0
    }'
