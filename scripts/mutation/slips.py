# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small realistic slips in C++ source: what a tired programmer writes.

    of(path, text, fields)   every slip in the function bodies of one file
    fields_of(text)          data members by type, for slips that take the wrong one
    pick(slips, seed)        the slips in an order spread over files, functions and kinds

Works on tokens and leans on the layout that .clang-format gives (a binary
operator stands between spaces, a template's bracket does not). What it makes
need not compile: the compiler is asked. A slip keeps the number of lines.
"""
import bisect
import collections
import dataclasses
import hashlib
import random
import re

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*)
  | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark><<=|>>=|<=>|->\*|\.\.\.|->|::|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

KEYWORDS = set("""alignas alignof auto break case catch class const constexpr constinit continue co_return decltype default
    delete do else enum explicit extern false for friend goto if inline namespace new noexcept nullptr operator private
    protected public return sizeof static static_assert struct switch template this throw true try typedef typename union
    using virtual void volatile while""".split())
NOT_A_CALL = KEYWORDS - {"delete", "this", "throw"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}

# Kinds of slips whose change is one token for another.
OPERATORS = {
    "off by one": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "negated": {"==": "!=", "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "/=", "<<=": ">>=", ">>=": "<<="},
    "logic": {"&&": "||", "||": "&&"},
    "bits": {"&": "|", "|": "&", "|=": "&=", "&=": "|="},
}
WORDS = {
    "min/max": {"min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element"},
    "rounding": {"ceil": "floor", "floor": "ceil", "round": "floor", "lround": "lfloor"},
    "bound": {"lower_bound": "upper_bound", "upper_bound": "lower_bound", "front": "back", "back": "front",
              "first": "second", "second": "first", "all_of": "any_of", "any_of": "all_of", "none_of": "any_of"},
    "truth": {"true": "false", "false": "true"},
    "jump": {"break": "continue", "continue": "break"},
}
ESCAPING = re.compile(r"escape|quote|sanit|printable|encode|markup", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Slip:
    """One change: text[begin:end] of path becomes `new`."""
    id: str
    path: str
    line: int
    function: str
    kind: str
    begin: int
    end: int
    new: str

    def applied(self, text):
        return text[: self.begin] + self.new + text[self.end:]

    def diff(self, text):
        """The changed lines, before and after."""
        first = text.rfind("\n", 0, self.begin) + 1
        last = text.find("\n", self.end)
        last = len(text) if last < 0 else last
        changed = text[first: self.begin] + self.new + text[self.end: last]
        return [f"-{line}" for line in text[first:last].split("\n")] + [f"+{line}" for line in changed.split("\n")]


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    begin: int
    end: int


def tokens_of(text):
    """The tokens that mean something: no comments, no preprocessor lines."""
    tokens = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "delimiter" else "string"
        if kind in ("comment", "directive") or match.group().isspace():
            continue
        tokens.append(Token(kind, match.group(), match.start(), match.end()))
    return tokens


def partners_of(tokens):
    """For each opening bracket the index of its closing one, and back."""
    partner, stack = {}, []
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in OPENING:
            stack.append(index)
        elif token.text in CLOSING and stack:
            opened = stack.pop()
            partner[opened], partner[index] = index, opened
    return partner


def functions_of(tokens, partner):
    """(name, head, first, last) of each function body: head and first are token indices, last is its closing brace."""
    found, head, index = [], 0, 0
    while index < len(tokens):
        text = tokens[index].text
        if text in "([" and index in partner:
            index = partner[index]
        elif text in (";", "}") or (text == ":" and tokens[index - 1].text in ("public", "private", "protected")):
            head = index + 1
        elif text == "{" and index in partner:
            words = [token.text for token in tokens[head:index]]
            after_parameters = words.index(")") + 1 if ")" in words else 0
            # A member initialised with braces, in a constructor's list.
            if after_parameters and ":" in words[after_parameters:] and tokens[index - 1].kind == "word":
                index = partner[index]
            elif "(" in words and "=" not in words[: words.index("(")] and words[0] not in ("namespace", "enum", "extern"):
                found.append((name_before(words), head, index, partner[index]))
                index = partner[index]
                head = index + 1
            elif words and words[-1] not in ("=", "{", ",") and "=" not in words:
                head = index + 1  # A namespace or a class: look inside.
            else:
                index = partner[index]
        index += 1
    return found


def name_before(words):
    """The name that stands before the first parenthesis: f, A::f, A::~A, operator==."""
    at = words.index("(")
    if "operator" in words[:at + 1]:
        return "".join(words[words.index("operator"): at]) or "operator()"
    begin = at
    while begin > 0 and (words[begin - 1] in ("::", "~") or (begin == at or words[begin] in ("::", "~")) and re.match(r"\w", words[begin - 1])):
        begin -= 1
    return "".join(words[begin:at]) or "?"


def fields_of(text):
    """Groups of data members that could be taken for one another: same class, same type."""
    groups = []
    for match in re.finditer(r"^(?:struct|class) \w+[^;{]*\{(.*?)^\};", text, re.DOTALL | re.MULTILINE):
        by_type = collections.defaultdict(list)
        body = re.sub(r"//[^\n]*", "", match.group(1))
        for member in re.finditer(r"^  ([\w:<>, *]+?)\s+\*?([A-Z]\w*(?:\s*=\s*[^,;()]+)?(?:,\s*[A-Z]\w*(?:\s*=\s*[^,;()]+)?)*);", body, re.MULTILINE):
            by_type[member.group(1)] += re.findall(r"(?:^|,)\s*([A-Z]\w*)", member.group(2))
        groups += [names for names in by_type.values() if len(names) > 1]
    return groups


class Finder:
    def __init__(self, path, text, fields):
        self.path, self.text = path, text
        self.tokens = tokens_of(text)
        self.partner = partners_of(self.tokens)
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.siblings = {}
        for group in fields:
            for index, name in enumerate(group):
                self.siblings.setdefault(name, group[(index + 1) % len(group)])
        self.slips, self.seen = [], collections.Counter()

    def add(self, kind, begin, end, new):
        old = self.text[begin:end]
        new += "\n" * (old.count("\n") - new.count("\n"))
        line = bisect.bisect_right(self.starts, begin)
        whole = self.text[self.starts[line - 1]: self.starts[line] if line < len(self.starts) else None]
        key = f"{self.path}\0{self.function}\0{kind}\0{whole.strip()}\0{old}\0{new}"
        self.seen[key] += 1
        name = hashlib.sha256(f"{key}\0{self.seen[key]}".encode()).hexdigest()[:8]
        self.slips.append(Slip(name, self.path, line, self.function, kind, begin, end, new))

    def find(self):
        # Tokens in the parentheses of a for, an if and the like: what ends with ; there is no statement.
        self.headers = {inner for index, token in enumerate(self.tokens) if token.text in ("for", "if", "while", "switch")
                        and index + 1 in self.partner for inner in range(index + 1, self.partner[index + 1])
                        if "{" not in [t.text for t in self.tokens[index + 1: self.partner[index + 1]]]}
        for self.function, self.head, self.first, self.last in functions_of(self.tokens, self.partner):  # noqa: B020 - its members
            self.variables()
            index = self.first + 1
            while index < self.last:
                token = self.tokens[index]
                if token.text in ("static_assert", "assert") and index + 1 in self.partner:
                    index = self.partner[index + 1]
                elif token.text in ("constexpr", "using"):  # Sizes and types: mostly not behaviour.
                    while index < self.last and self.tokens[index].text not in (";", "(", "{"):
                        index += 1
                else:
                    self.at(index, token)
                index += 1
            self.early_return()
        return self.slips

    def at(self, index, token):
        before, after = self.tokens[index - 1], self.tokens[index + 1]
        spaced = before.end < token.begin and token.end < after.begin
        if token.kind == "mark" and spaced:
            if token.text in ("*", "&") and (before.text in KEYWORDS or before.text in (">", ",", "(", "=")):
                return
            for kind, changes in OPERATORS.items():
                if token.text in changes:
                    self.add(kind, token.begin, token.end, changes[token.text])
            if token.text in ("+", "-", "*", "/"):
                end = self.operand_end(index + 1)
                if end:
                    self.add("forgotten term" if token.text in "+-" else "forgotten factor", before.end, end, "")
            elif token.text in ("&&", "||"):
                self.dropped_condition(index, before)
        elif token.kind == "number":
            self.number(token)
        elif token.kind == "char":
            self.add("other character", token.begin, token.end, "' '" if token.text != "' '" else "'_'")
        elif token.kind == "word":
            self.word(index, token, before, after)
        elif token.text == "!" and token.end == after.begin:
            self.add("negated", token.begin, token.end, "")
        if before.text in (";", "{", "}") or before.text in ("else", "do") or (before.text == ")" and self.controls(index - 1)):
            self.statement(index, token)

    def number(self, token):
        if re.fullmatch(r"\d+[uUlLzZ]*", token.text):
            digits = re.match(r"\d+", token.text).group()
            new = int(digits) + 1 if digits != "1" else 0
            self.add("constant", token.begin, token.end, f"{new}{token.text[len(digits):]}")
        elif re.fullmatch(r"0[xX][0-9a-fA-F]+[uUlL]*", token.text):
            self.add("constant", token.begin, token.end, f"({token.text} + 1)")
        elif re.match(r"[\d.]+(e[-+]?\d+)?f?$", token.text):
            self.add("constant", token.begin, token.end, f"(2 * {token.text})")

    def word(self, index, token, before, after):
        for kind, changes in WORDS.items():
            if token.text in changes and (token.text not in ("min", "max") or before.text == "::"):
                self.add(kind, token.begin, token.end, changes[token.text])
        if before.text in (".", "->"):
            if token.text in self.siblings and after.text != "(":
                self.add("wrong field", token.begin, token.end, self.siblings[token.text])
        elif token.text in self.others and after.text not in ("(", "::", "{") and before.text != "::":
            declared = self.declared[token.text]
            choices = [name for name in self.others[token.text] if self.declared[name] < index]
            if choices and index > declared:
                self.add("wrong variable", token.begin, token.end, choices[-1])
        if token.text == "if" and after.text == "(":
            self.negated(index + 1)
        if ESCAPING.search(token.text) and after.text == "(" and index + 1 in self.partner:
            close = self.partner[index + 1]
            inside = self.text[after.end: self.tokens[close].begin]
            depth = 0
            for inner in self.tokens[index + 2: close]:
                depth += (inner.text in OPENING) - (inner.text in CLOSING)
                if inner.text == "," and depth == 0:
                    return
            if inside.strip() and before.text not in (".", "->", "::"):
                self.add("not escaped", token.begin, self.tokens[close].end, f"({inside})")

    def negated(self, opened):
        """if (x) becomes if (!(x)); behind an initialiser, only what follows it."""
        begin, close = opened + 1, self.partner.get(opened)
        if close is None:
            return
        depth = 0
        for index in range(opened + 1, close):
            text = self.tokens[index].text
            depth += (text in OPENING) - (text in CLOSING)
            if depth == 0 and text == ";":
                begin = index + 1
            elif depth == 0 and text == "=" and ";" not in [t.text for t in self.tokens[index:close]]:
                return
        if begin < close:
            first, last = self.tokens[begin].begin, self.tokens[close].begin
            self.add("negated", first, last, f"!({self.text[first:last]})")

    def dropped_condition(self, index, before):
        """a && b becomes a."""
        depth, end = 0, index + 1
        while end < self.last:
            text = self.tokens[end].text
            if depth == 0 and (text in CLOSING or text in ("&&", "||", ";", ",", "?", ":")):
                break
            depth += (text in OPENING) - (text in CLOSING)
            end += 1
        self.add("forgotten condition", before.end, self.tokens[end - 1].end, "")

    def operand_end(self, index):
        """Where the operand that begins at a token ends: a.b(c)[d], 12, (e)."""
        token = self.tokens[index]
        if token.text == "(" and index in self.partner:
            index = self.partner[index]
        elif token.kind not in ("word", "number"):
            return None
        while index + 1 < self.last:
            following = self.tokens[index + 1]
            if following.text in ("(", "[", "{") and index + 1 in self.partner and following.begin == self.tokens[index].end:
                index = self.partner[index + 1]
            elif following.text in ("::", ".", "->"):
                index += 2
            elif following.text == "<" and following.begin == self.tokens[index].end:
                return None
            else:
                break
        return self.tokens[index].end

    def controls(self, closing):
        """Whether a closing parenthesis is the end of an if's, for's or while's."""
        opened = self.partner.get(closing)
        return bool(opened) and self.tokens[opened - 1].text in ("if", "for", "while")

    def statement(self, index, token):
        """An expression statement is dropped."""
        if token.kind != "word" and token.text not in ("++", "--", "*", "("):
            return
        if token.text in NOT_A_CALL or index in self.headers:
            return
        end, previous = index, None
        while end < self.last and self.tokens[end].text != ";":
            text = self.tokens[end].text
            if text == "{" and end > index and self.tokens[end - 1].text in (")", "else", "do"):
                return
            if previous and previous.kind == "word" and self.tokens[end].kind == "word" and previous.text not in KEYWORDS:
                return  # A declaration.
            if text == ":" and end == index + 1:
                return  # A label.
            if text in OPENING and end in self.partner:
                end = self.partner[end]
                previous = None
            else:
                previous = self.tokens[end]
            if text in ("&", "*", ">") and end + 1 < self.last and self.tokens[end + 1].kind == "word" \
                    and self.tokens[end].begin > self.tokens[end - 1].end and self.tokens[end].end == self.tokens[end + 1].begin:
                return  # A declaration of a reference or pointer.
            end += 1
        self.add("dropped statement", token.begin, self.tokens[end].end, ";")

    def variables(self):
        """Locals and parameters by the type written: names that can be mixed up."""
        self.declared, types = {}, collections.defaultdict(list)
        begin = self.head
        while self.tokens[begin].text != "(":  # The function's own name is none.
            begin += 1
        for index in range(begin + 1, self.last):
            token, before, after = self.tokens[index], self.tokens[index - 1], self.tokens[index + 1]
            if token.kind != "word" or token.text in KEYWORDS or after.text not in ("=", ";", ",", ")", "{", ":", "("):
                continue
            begin = index
            while begin > self.head and (self.tokens[begin - 1].text in ("*", "&", "::", "const", ">", "<") or (
                    self.tokens[begin - 1].kind == "word" and self.tokens[begin - 1].text not in ("return", "else", "throw", "delete", "new", "case", "goto"))):
                begin -= 1
            kind = " ".join(t.text for t in self.tokens[begin:index] if t.text not in ("const", "static"))
            if begin < index and re.search(r"\w", kind) and before.text not in ("::", "<", "const") and (
                    self.tokens[begin - 1].text in ("(", ",", ";", "{", "}", ")")):
                if before.kind == "word" or before.begin > self.tokens[index - 2].end or before.text == ">":
                    if token.text not in self.declared:
                        self.declared[token.text] = index
                        types[kind].append(token.text)
        # `uint64_t A = 0, B = 0;` declares both.
        self.others = {name: [other for other in names if other != name] for kind, names in types.items()
                       for name in names if len(names) > 1 and not kind.startswith("auto")}

    def early_return(self):
        """The function returns at once, with nothing."""
        if self.first + 1 >= self.last:
            return
        head = [token.text for token in self.tokens[self.head: self.first]]
        at = self.tokens[self.first].end
        name = self.function.rsplit("::", 1)[-1]
        plain = "void" in head[: head.index("(")] if "(" in head else False
        maker = name == self.function.rsplit("::", 2)[-2] if "::" in self.function else len(head) and head[0] == name
        self.add("early return", at, at, " return;" if plain or maker or name.startswith("~") else " return {};")


def of(path, text, fields=()):
    return Finder(path, text, fields).find()


def pick(slips, seed):
    """All slips, in a fixed order: files by their share, then functions in turn, then kinds that came up least."""
    chance = random.Random(seed)
    files = collections.defaultdict(lambda: collections.defaultdict(list))
    for slip in slips:
        files[slip.path][slip.function].append(slip)
    sizes = {path: sum(map(len, functions.values())) for path, functions in files.items()}
    used, used_function, used_kind = collections.Counter(), collections.Counter(), collections.Counter()
    draw = {key: chance.random() for path in sorted(files) for key in [path, *((path, name) for name in sorted(files[path]))]}
    while files:
        path = min(files, key=lambda p: ((used[p] + draw[p]) / sizes[p], p))
        functions = files[path]
        # A long function is asked more often, but no function twice before others of its size.
        name = min(functions, key=lambda f: ((used_function[path, f] + draw[path, f]) / len(functions[f]) ** 0.5, f))
        choices = functions[name]
        fewest = min(used_kind[slip.kind] for slip in choices)
        slip = chance.choice([slip for slip in choices if used_kind[slip.kind] == fewest])
        choices.remove(slip)
        if not choices:
            del functions[name]
        if not functions:
            del files[path]
        used[path] += 1
        used_function[path, name] += 1
        used_kind[slip.kind] += 1
        yield slip
