# Prints the mutants of C sources for tools/mutants, one a line, tabs between: a hash of the mutant
# and of the variable seed, file, line, column, length, new text; and before and after, for a person.
# With the variable only, mutants of that line alone.
#
# The layout is relied on (clang-format): an operator with two operands has spaces around it, or
# ends a line; a sign, a pointer's star and an address have none behind.

BEGIN {
  for (i = 1; i < 256; ++i) ordinal[sprintf("%c", i)] = i
  split("<<= >>= << >> <= >= == != && || ++ -- += -= *= /= %= &= |= ^= -> + - * / % & | ^ < > !",
        operators, " ")
  # What takes an operator's place, separated by spaces
  other["<"] = "<= >="; other["<="] = "< >"; other[">"] = ">= <="; other[">="] = "> <"
  other["=="] = "!="; other["!="] = "=="; other["&&"] = "||"; other["||"] = "&&"
  other["+"] = "-"; other["-"] = "+"; other["*"] = "/"; other["/"] = "*"; other["%"] = "*"
  other["++"] = "--"; other["--"] = "++"
  other["+="] = "-="; other["-="] = "+="; other["*="] = "/="; other["/="] = "*="
  other["&"] = "|"; other["|"] = "&"; other["^"] = "&"; other["&="] = "|="; other["|="] = "&="
  other["<<"] = ">>"; other[">>"] = "<<"; other["<<="] = ">>="; other[">>="] = "<<="
  other["true"] = "false"; other["false"] = "true"
  other["break"] = "continue"; other["continue"] = "break"
}

FNR == 1 { in_comment = in_directive = 0; last = ";" }

{
  code = masked($0)
  directive = in_directive || code ~ /^[ \t]*#/
  in_directive = directive && code ~ /\\$/
  if (!directive && code !~ /SINEW_ASSERT/ && (only == "" || only == FNR)) {
    tokens()
    statement()
  }
  if (!directive && code ~ /[^ \t]/) {
    last = code
    sub(/[ \t]+$/, "", last)
    last = substr(last, length(last))
  }
}

# The line with comments, strings and characters as spaces.
function masked(line,    result, i, c, two, quote) {
  result = ""
  quote = ""
  for (i = 1; i <= length(line); ++i) {
    c = substr(line, i, 1)
    two = substr(line, i, 2)
    if (in_comment) {
      if (two == "*/") { in_comment = 0; result = result " "; ++i }
      c = " "
    } else if (quote != "") {
      if (c == "\\") { result = result " "; ++i }
      else if (c == quote) quote = ""
      c = " "
    } else if (two == "//") {
      break
    } else if (two == "/*") {
      in_comment = 1; result = result " "; ++i; c = " "
    } else if (c == "\"" || c == "'") {
      quote = c; c = " "
    }
    result = result c
  }
  while (length(result) < length(line)) result = result " "
  return result
}

function tokens(    at, rest, word, end, size) {
  for (at = 1; at <= length(code);) {
    rest = substr(code, at)
    if (match(rest, /^[ \t]+/)) {
      at += RLENGTH
    } else if (match(rest, /^[A-Za-z_][A-Za-z_0-9]*/)) {
      word = substr(rest, 1, RLENGTH)
      at += RLENGTH
      if (word in other) offer(at - length(word), length(word), other[word])
      if ((word == "if" || word == "while") && substr(code, at, 2) == " (") {
        end = closing(at + 1)
        if (end) {
          offer(at + 1, end - at, "(!" substr($0, at + 1, end - at) ")")
        }
      }
    } else if (match(rest, /^(0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*([eE][-+]?[0-9]+)?|\.[0-9]+([eE][-+]?[0-9]+)?)[uUlLfF]*/)) {
      size = RLENGTH
      number(at, substr(rest, 1, size))
      at += size
    } else {
      at += operator(at, rest)
    }
  }
}

# A number: 0 and 1 take each other's place, other integers become one more.
function number(at, text,    suffix) {
  if (text ~ /^[01]\.0$/) {
    offer(at, length(text), (1 - substr(text, 1, 1)) ".0")
  } else if (text ~ /^[0-9]+[uUlL]*$/ && !is_declared_size(at)) {
    suffix = text
    sub(/^[0-9]+/, "", suffix)
    text = substr(text, 1, length(text) - length(suffix))
    offer(at, length(text) + length(suffix), (text + 0 < 2 ? 1 - text : sprintf("%.0f", text + 1)) suffix)
  }
}

# Whether a number is the size of an array that is declared here, as in "double x[3];".
function is_declared_size(at,    left) {
  left = substr(code, 1, at - 1)
  return left ~ /^[ \t]*(static |const )*[A-Za-z_][A-Za-z_0-9]* [*(]*[A-Za-z_][A-Za-z_0-9]*\)?\[$/ &&
         left !~ /^[ \t]*return /
}

# An operator or a sign. Returns its length.
function operator(at, rest,    i, token, before, behind, choice, n) {
  for (i = 1; i in operators; ++i) {
    token = operators[i]
    if (substr(rest, 1, length(token)) == token) break
  }
  if (!(i in operators)) return 1
  before = at == 1 ? " " : substr(code, at - 1, 1)
  behind = substr(rest, length(token) + 1, 1)
  if (token == "!") {
    offer(at, 1, " ")
  } else if (token == "++" || token == "--") {
    offer(at, 2, other[token])
  } else if (before == " " && (behind == " " || behind == "")) {
    n = split(other[token], choice, " ")
    for (i = 1; i <= n; ++i) offer(at, length(token), choice[i])
  } else if (token == "-" && behind != " ") {
    offer(at, 1, " ")
  }
  return length(token)
}

# The column of the parenthesis that closes the one in a column, or 0 if it is not in this line.
function closing(at,    depth, c) {
  for (depth = 0; at <= length(code); ++at) {
    c = substr(code, at, 1)
    depth += (c == "(") - (c == ")")
    if (depth == 0) return at
  }
  return 0
}

# A statement of one line that is neither a declaration nor a jump.
function statement(    text, at, plain) {
  text = code
  sub(/[ \t]+$/, "", text)
  if (last !~ /[;{})]/ || text !~ /^[ \t]+[^ \t].*;$/) return
  match(text, /^[ \t]+/)
  at = RLENGTH + 1
  text = substr(text, at)
  if (text ~ /^(return|break|continue|goto|case|default|if|for|while|do|else|typedef|static|const|struct|enum|union|extern)[^A-Za-z_0-9]/) return
  if (text ~ /^[A-Za-z_][A-Za-z_0-9]* +\**[A-Za-z_]/) return
  if (text !~ /[(=]|\+\+|--/ || index(text, ";") != length(text)) return
  plain = text
  if (gsub(/[({[]/, "", plain) != gsub(/[])}]/, "", plain)) return
  offer(at, length(text), ";")
}

# Prints a mutant.
function offer(at, size, new,    left, right, old) {
  left = substr($0, 1, at - 1)
  right = substr($0, at + size)
  old = substr($0, at, size)
  # With a word on each side
  left = match(left, /[^ \t]+[ \t]*$/) ? substr(left, RSTART) : ""
  right = match(right, /^[ \t]*[^ \t]+/) ? substr(right, 1, RLENGTH) : ""
  printf "%.0f\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", hash(FILENAME ":" FNR ":" at ":" new), FILENAME, FNR,
    at, size, new, left old right, left (new == " " ? "" : new) right
}

# A hash of a text and the seed, below 2^31.
function hash(text,    h, i) {
  h = 1 + seed % 2147483646
  for (i = 1; i <= length(text); ++i) h = (h * 16807 + ordinal[substr(text, i, 1)]) % 2147483647
  for (i = 0; i < 3; ++i) h = (h * 48271 + 11) % 2147483647
  return h
}
