"""Finds places in Swift sources where script/mutate can introduce a small fault."""
import bisect
import difflib
import re
import subprocess
from typing import NamedTuple

# Conditions of #if that hold in the build of script/mutate.
CONDITIONS = {"Daemon", "Etcd", "Encryption", "DEBUG", "hasAttribute(nonexhaustive)", "os(Linux)"}
# Declarations and statements without faults: descriptions, comparisons for sorting, assertions, capacity hints, and log
# messages.
SKIPPED_NAMES = {"description", "debugDescription", "customMirror", "<"}
SKIPPED = re.compile(
    r"(precondition|preconditionFailure|assert|assertionFailure|fatalError)\(|.*\.reserveCapacity\(|"
    r"([\w?]+\.)*(log|logger)\.(tell|tellProblem|log|logError|trace|debug|info|notice|warning|error|critical)\(", re.S)
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "|=", "&=", "^="}
EMPTY = re.compile(r'nil|false|0|""|\[:?\]|\.(init\(\)|none|zero|empty\w*)|([A-Z]\w*\.?)+\(\)|\[[^\]]*\]\(\)')
REMOVALS = {"removeAll", "removeValue", "removeFirst", "removeLast", "removeSubrange", "reset", "clear"}
LIMIT = re.compile("limit|maximum|most|count", re.I)
LOOPS = {"map", "flatMap", "compactMap", "forEach", "contains", "allSatisfy"}
PLURAL = re.compile(r"(?!.*(ss|us|is|options|flags)$)\w{2,}s$|children$", re.I)
# Calls whose order does not matter, and which throw errors only if the program has a defect.
REGISTRATION = re.compile(r"[^({]*\b(on|register|encode\w*|visit|addTask)\s*[({]")
# Tokens that an operand of a comparison cannot contain outside brackets, in addition to STOPS.
COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "&&", "??", "...", "..<", "is", "as"}
# Tokens that an operand of && or || cannot contain outside brackets.
STOPS = ASSIGNMENTS | set(
    "( ) [ ] { } , ; ? : -> return if guard while for where in switch case default try await throw else".split())


# Expression that is true while a switched fault is active. `FAULT` stands for the number of the fault.
ACTIVE = "injectedFault == FAULT"


class Place(NamedTuple):
    """A possible fault in a source file: its kind, and the edits (start, end, replacement).

    The switched edits introduce the fault so that it is active only while ``ACTIVE`` is true."""
    path: str
    line: int
    kind: str
    edits: tuple
    switched: tuple

    @property
    def module(self):
        return self.path.split("/")[1]


class Token(NamedTuple):
    text: str
    start: int
    end: int
    is_spaced: bool  # Whether white space or a comment precedes the token.
    is_first: bool  # Whether the token is the first one on its line.


TOKEN = re.compile(r'(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<string>#*")|#(if|elseif|else|endif)\b[^\n]*|'
                   r"(?<=[\s(])/(?![\s/*])(?:\\.|[^/\n])+/|[`$@#]?\w+(?:(?<=\d)\.\d\w*)?`?|"
                   r"\.\.\.|\.\.<|[-+*/%<>=!&|^~?]+|.", re.S)


def string_end(text, offset):
    """Returns the offset after the string literal that starts at an offset."""
    hashes = re.compile("#*").match(text, offset).group()
    quote = '"""' if text.startswith('"""', offset + len(hashes)) else '"'
    offset += len(hashes + quote)
    while not text.startswith(quote + hashes, offset):
        if not text.startswith("\\" + hashes, offset):
            offset += 1
            continue
        offset += len("\\" + hashes) + 1
        depth = text[offset - 1] == "("
        while depth:
            depth += {"(": 1, ")": -1}.get(text[offset], 0)
            offset = string_end(text, offset) if text[offset] == '"' else offset + 1
    return offset + len(quote + hashes)


def tokens_of(text):
    """Returns the tokens of Swift source, without white space and comments. A string literal is one token."""
    tokens, offset, is_spaced, is_first = [], 0, True, True
    while offset < len(text):
        match = TOKEN.match(text, offset)
        end = string_end(text, offset) if match["string"] else match.end()
        if match["space"]:
            is_spaced, is_first = True, is_first or "\n" in match.group()
        else:
            tokens.append(Token(text[offset:end], offset, end, is_spaced, is_first))
            is_spaced = is_first = False
        offset = end
    return tokens


def without_inactive_code(text):
    """Replaces #if lines and code that is not compiled with spaces, because the parser does not evaluate #if.

    Code with an unknown condition is treated as not compiled."""
    inactive, levels, begin = [], [], 0
    for token in tokens_of(text):
        found = re.match(r"#(if|elseif|else|endif)\b *(!?)(.*?) *(//.*)?$", token.text)
        if not found:
            continue
        inactive += [(begin, token.start)] if any(level is not True for level in levels) else []
        inactive.append((token.start, token.end))
        begin, before = token.end, levels.pop() if found[1] != "if" else None
        if found[1] == "if":
            is_known = re.fullmatch(r"\w+(\(\w+\))?", found[3])
            levels.append((found[3] in CONDITIONS) != (found[2] == "!") if is_known else None)
        elif found[1] != "endif":
            levels.append(None if before is None or found[1] == "elseif" else not before)
    for start, end in inactive:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


class Node:
    """A node of the syntax tree. Its range is the offsets of its first and last token. Expressions have no range."""

    def __init__(self, kind, name="", start=None, end=None):
        self.kind, self.name, self.start, self.end, self.children = kind, name, start, end, []

    def child(self, kind):
        return next((child for child in self.children if child.kind == kind), None)


NODE = re.compile(r'( *)\((?:\w+=)?((?<=processed_init=)|[\w#<]+)(?:.*? "([^"(]*))?')
RANGE = re.compile(r" range=\[[^:]*:(\d+):(\d+) - line:(\d+):(\d+)\]")


def parsed(text):
    """Returns the syntax tree of a source, parsed from the compiler's text dump. (Its JSON is sometimes invalid.)"""
    dump = subprocess.run(["swiftc", "-frontend", "-dump-parse", "-swift-version", "6", "-"], check=True,
                          input=text.encode("latin-1"), capture_output=True).stdout.decode("latin-1")
    lines = [0] + [match.end() for match in re.finditer("\n", text)]
    path = [(-1, Node("source_file"))]
    for line in dump.splitlines()[1:]:
        match, found = NODE.match(line), RANGE.search(line)
        if not match:
            continue
        rows = list(map(int, found.groups())) if found else []
        node = Node(match[2], match[3], *(lines[row - 1] + column - 1 for row, column in zip(rows[::2], rows[1::2])))
        while path[-1][0] >= len(match[1]):
            path.pop()
        path[-1][1].children.append(node)
        path.append((len(match[1]), node))
    return path[0][1]


class Block(NamedTuple):
    """A list of statements."""
    owner: Node  # The innermost statement, declaration or closure around the block.
    is_initializer: bool
    kinds: list  # The kind of each statement.
    spans: list  # The first and the last token of each statement.


class Source:
    """A Swift file: its tokens, and what the compiler's parser says about them.

    The parser does not provide the ranges of expressions. Therefore this class divides the tokens into statements. They
    must match the statements that the parser found."""

    def __init__(self, path):
        self.path = path
        # Latin-1 has one character per byte, so that offsets are the same as in the parser.
        self.text = contents(path).decode("latin-1")
        self.active = without_inactive_code(self.text)
        self.tokens = tokens_of(self.active)
        self.at = {token.start: index for index, token in enumerate(self.tokens)}
        self.partner, opened = {}, []
        for index, token in enumerate(self.tokens):
            if token.text in ("(", "[", "{"):
                opened.append(index)
            elif token.text in (")", "]", "}"):
                self.partner[index] = opened.pop()
                self.partner[self.partner[index]] = index
        self.blocks, self.conditionals, self.loops, self.bodies = [], [], [], set()
        self.usable = [False] * len(self.tokens)
        self.walk(parsed(self.active), None, False)
        self.starts = {first for block in self.blocks for first, _ in block.spans}
        self.skip()

    def walk(self, node, owner, is_initializer):
        """Collects the blocks, conditional statements and loops below a node."""
        if node.kind in ("", "tap_expr") or node.kind in ("func_decl", "var_decl") and node.name in SKIPPED_NAMES:
            return
        if node.kind == "brace_stmt":
            self.add(node, owner, is_initializer)
        elif node.kind in ("if_stmt", "guard_stmt", "while_stmt"):
            self.conditionals.append(node)
        elif node.kind == "for_each_stmt":
            self.loops.append(node)
        if node.kind in ("func_decl", "accessor_decl", "constructor_decl"):
            is_initializer = node.kind == "constructor_decl"
        if node.kind.endswith(("_stmt", "_decl")) or node.kind == "closure_expr":
            owner = node
        for child in node.children:
            self.walk(child, owner, is_initializer)

    def add(self, node, owner, is_initializer):
        """Adds a block."""
        statements = [child for child in node.children if child.kind != "var_decl"]
        begin, end = self.at[node.start], self.at[node.end]
        has_braces = self.tokens[begin].text == "{" and self.partner[begin] == end
        first, last = begin + has_braces, end - has_braces
        inner = self.inner(first, last)
        words = [self.tokens[index].text for index in inner]
        if owner.kind == "closure_expr" and "in" in words and "for" not in words[:words.index("in")]:
            first = inner[words.index("in")] + 1
        spans = self.divide(first, last)
        if len(spans) != len(statements) or any(
                statement.start is not None and not self.tokens[first].start <= statement.start <= self.tokens[last].end
                for statement, (first, last) in zip(statements, spans)):
            raise ValueError(f"the statements of the block at line {self.line(node.start)} differ from the parser's")
        self.blocks.append(Block(owner, is_initializer, [statement.kind for statement in statements], spans))
        self.usable[begin:end + 1] = [True] * (end + 1 - begin)
        if owner.kind != "closure_expr":
            self.bodies.add(begin)

    def skip(self):
        """Finds the statements that are skipped. An `if` that contains only such statements is also skipped."""
        self.skipped = set()
        for block in reversed(self.blocks):
            skipped = [span for span in block.spans if span[0] in self.skipped or SKIPPED.match(self.code(*span))]
            self.skipped.update(first for first, _ in skipped)
            if skipped == block.spans and block.owner.kind == "if_stmt" and len(block.owner.children) == 2:
                self.skipped.add(self.at[block.owner.start])
        for first, last in (span for block in self.blocks for span in block.spans if span[0] in self.skipped):
            self.usable[first:last + 1] = [False] * (last + 1 - first)

    def divide(self, first, last):
        """Divides tokens into statements, as pairs of the first and the last token."""
        starts = []
        for index in self.inner(first, last):
            token, before = self.tokens[index], self.tokens[index - 1].text
            continues = (
                token.text in (".", "else", "catch", "where", "{", "as", "is", "in")
                or before in (",", "=", "->", "guard", "if", "while", "in", "try", "await", "throw", "return")
                or self.is_infix(index) or self.is_infix(index - 1))
            if index == first or before == ";" or token.is_first and not continues:
                starts.append(index)
        ends = [start - 1 - (self.tokens[start - 1].text == ";") for start in starts[1:]] + [last]
        return list(zip(starts, ends))

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def code(self, first, last):
        """Returns the text from one token to another."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def inner(self, first, last):
        """Returns the tokens in a range that are not inside brackets, including opening brackets."""
        found = []
        while first <= last:
            found.append(first)
            first = max(self.partner.get(first, first), first) + 1
        return found

    def parts(self, first, last):
        """Divides a range at its commas."""
        commas = [index for index in self.inner(first, last) if self.tokens[index].text == ","]
        return list(zip([first] + [comma + 1 for comma in commas], [comma - 1 for comma in commas] + [last]))

    def is_infix(self, index):
        """Whether a token is an operator between two operands."""
        token = self.tokens[index]
        return token.text in ("...", "..<") or token.is_spaced and self.tokens[index + 1].is_spaced and (
            re.fullmatch(r"[-+*/%<>=!&|^~?]+|:", token.text) is not None)

    def is_postfix(self, first, last):
        """Whether a method can be called on an expression without parentheses."""
        return not (any(map(self.is_infix, self.inner(first + 1, last)))
                    or re.match(r"(try|await)\b|[-!~&]", self.tokens[first].text))

    def assignment(self, first, last):
        """Returns the assignment operator of a statement, or `None`."""
        return next((index for index in self.inner(first, last) if self.tokens[index].text in ASSIGNMENTS), None)

    def clauses(self, node):
        """Returns the clauses of a conditional statement: first token, last token, and whether it is Boolean."""
        first = self.at[node.start]
        while self.tokens[first].text not in ("if", "guard", "while"):
            first += 1
        last = self.at[node.child("brace_stmt").start] - 1 - (node.kind == "guard_stmt")
        return [(first, last, self.tokens[first].text not in ("let", "var", "case", "#available", "#unavailable"))
                for first, last in self.parts(first + 1, last)]


class Faults(Source):
    """The possible faults in a source. Each kind has a method that yields lists of edits and of switched edits."""

    def replaced(self, first, last, text):
        return (self.tokens[first].start, self.tokens[last].end, text)

    def inserted(self, index, text):
        return (self.tokens[index].end, self.tokens[index].end, text)

    def infix(self, *operators):
        return [index for index, token in enumerate(self.tokens) if token.text in operators and self.is_infix(index)]

    def calls(self, *names):
        """Returns the names of functions that are called with arguments in parentheses."""
        return [index for index, token in enumerate(self.tokens[:-1])
                if token.text in names and self.tokens[index + 1].text == "("]

    def statements(self, *kinds):
        """Yields statements of some kinds: block, number, first and last token."""
        for block in self.blocks:
            for number, (kind, (first, last)) in enumerate(zip(block.kinds, block.spans)):
                if kind in kinds and first not in self.skipped:
                    yield block, number, first, last

    def inverted_condition(self):
        for first, last, is_boolean in (clause for node in self.conditionals for clause in self.clauses(node)):
            text = self.code(first, last)
            if self.is_postfix(first, last):
                inverted = "!" + text
            elif text[0] == "!" and self.is_postfix(first + 1, last):
                inverted = text[1:]
            else:
                inverted = f"!({text})"
            if is_boolean and text not in ("true", "false"):
                yield ([self.replaced(first, last, inverted)],
                       [self.replaced(first, last, f"(({text}) != ({ACTIVE}))")])

    def comparison_boundary(self):
        for index in self.infix(*BOUNDARIES):
            # A comparison for sorting, such as { $0 < $1 }, must be false for equal values.
            if self.tokens[index + 1].text != "$1":
                operator = BOUNDARIES[self.tokens[index].text]
                first, last = self.operands(index, COMPARISONS)
                left, right = self.code(first, index - 1), self.code(index + 1, last)
                text = f"({ACTIVE} ? {left} {operator} {right} : {self.code(first, last)})"
                yield [self.replaced(index, index, operator)], [self.replaced(first, last, text)]

    def dropped_part(self):
        for index in self.infix("&&", "||"):
            first, last = self.operands(index)
            if self.tokens[first - 1].text in ("try", "await"):
                continue
            is_and = self.tokens[index].text == "&&"
            yield ([(self.tokens[index - 1].end, self.tokens[last].end, "")],
                   [self.optional_part(index + 1, last, is_and)])
            # The part before a second operator is the part after the first operator.
            if self.tokens[first - 1].text != self.tokens[index].text:
                yield ([(self.tokens[first].start, self.tokens[index + 1].start, "")],
                       [self.optional_part(first, index - 1, is_and)])
        for clauses in map(self.clauses, self.conditionals):
            for number, (first, last, is_boolean) in enumerate(clauses):
                if is_boolean and number > 0:
                    edit = (self.tokens[clauses[number - 1][1]].end, self.tokens[last].end, "")
                elif is_boolean and len(clauses) > 1:
                    edit = (self.tokens[first].start, self.tokens[clauses[1][0]].start, "")
                else:
                    continue
                yield [edit], [self.optional_part(first, last, True)]

    def optional_part(self, first, last, is_and):
        """Returns the edit after which an operand of && or || has no effect while the fault is active."""
        text = self.code(first, last)
        return self.replaced(first, last, f"({ACTIVE} || ({text}))" if is_and else f"(!({ACTIVE}) && ({text}))")

    def operands(self, index, others=frozenset()):
        """Returns the first token of the left operand of an operator, and the last token of the right operand.

        The operator is && or ||, or binds more tightly. The operands do not contain `others`."""
        stops = STOPS | {"||", self.tokens[index].text} | others
        first = last = index
        while first not in self.starts:
            before = self.partner[first - 1] if self.tokens[first - 1].text in (")", "]", "}") else first - 1
            if before == first - 1 and self.stops_at(before, stops):
                break
            first = before
        while last + 1 not in self.starts:
            is_open = self.tokens[last + 1].text in ("(", "[", "{") and last + 1 not in self.bodies
            if not is_open and self.stops_at(last + 1, stops):
                break
            last = self.partner[last + 1] if is_open else last + 1
        return first, last

    def stops_at(self, index, stops):
        return self.tokens[index].text in stops and (self.tokens[index].text != "?" or self.tokens[index].is_spaced)

    def state_not_reset(self):
        for block, _, first, last in self.statements("sequence_expr", "call_expr", "try_expr", "await_expr"):
            equals, called = self.assignment(first, last), self.tokens[self.inner(first, last)[-2]].text
            is_reset = self.tokens[last].text == ")" and called in REMOVALS or (
                equals and self.tokens[equals].text == "=" and EMPTY.fullmatch(self.code(equals + 1, last)))
            # Without its only statement, a closure would not use its argument.
            is_needed = block.is_initializer or len(block.spans) == 1 and "$0" in self.code(first, last)
            if is_reset and not is_needed:
                yield [self.without_statement(block, first, last)], [self.conditional(first, last)]

    def conditional(self, first, last, replacement=None):
        """Returns the edit after which a statement runs only while the fault is not active, and the replacement
        otherwise."""
        text = f"if {ACTIVE} {{ {replacement or ''} }} else {{ {self.code(first, last)} }}"
        return self.replaced(first, last, text)

    def without_statement(self, block, first, last):
        """Returns the edit that deletes a statement, and its lines if they contain nothing else except a comment."""
        if block.owner.kind == "case_stmt" and len(block.spans) == 1 and self.tokens[first - 1].text == ":":
            return self.replaced(first, last, "break")
        start, end = self.tokens[first].start, self.tokens[last].end
        line_start, line_end = self.text.rfind("\n", 0, start) + 1, self.text.find("\n", end)
        if not self.text[line_start:start].strip() and self.text[end:line_end].strip()[:2] in ("", "//"):
            return (line_start, line_end + 1, "")
        return (start - (self.text[start - 1] == " "), end, "")

    def limit_not_applied(self):
        for index in self.calls("min", "max"):
            close, parts = self.partner[index + 1], self.parts(index + 2, self.partner[index + 1] - 1)
            is_method = self.tokens[index - 1].text in (".", "func")
            if not is_method and len(parts) == 2 and all(self.tokens[first + 1].text != ":" for first, _ in parts):
                for part in parts:
                    text = self.code(*part)
                    yield ([self.replaced(index, close, text if self.is_postfix(*part) else f"({text})")],
                           [self.replaced(index, close, f"({ACTIVE} ? {text} : {self.code(index, close)})")])
        for index in self.calls("prefix", "suffix"):
            first, last = index + 2, self.partner[index + 1] - 1
            text = self.code(first, last)
            if self.tokens[index - 1].text == "." and self.tokens[first + 1].text != ":" and first <= last:
                yield [self.replaced(first, last, ".max")], [self.replaced(first, last, f"{ACTIVE} ? .max : {text}")]
                yield ([self.replaced(first, last, str(int(text) + 1) if text.isdigit() else text + " + 1")],
                       [self.replaced(first, last, f"({text}) + ({ACTIVE} ? 1 : 0)")])
        # For < and >=, the comparison boundary is the same fault.
        for index in self.infix("<=", ">", "==", "!="):
            last = index + 1
            while self.tokens[last + 1].text == "." and self.tokens[last].text[0].isalpha():
                last += 2
            if LIMIT.search(self.tokens[last].text) and self.tokens[last + 1].text not in ("(", "[", "?", "!", ":"):
                yield [self.inserted(last, " + 1")], [self.inserted(last, f" + ({ACTIVE} ? 1 : 0)")]

    def steps_swapped(self):
        kinds = ("sequence_expr", "call_expr", "try_expr", "await_expr")
        for block, number, first, last in self.statements(*kinds):
            following = block.spans[number + 1:number + 2]
            if (not following or block.kinds[number + 1] not in kinds or following[0][0] in self.skipped
                    or block.is_initializer or self.are_independent((first, last), *following)):
                continue
            if self.code(first, following[0][1]).count("\n") < 6:
                one, other = self.code(first, last), self.code(*following[0])
                yield ([self.replaced(first, last, other), self.replaced(*following[0], one)],
                       [self.conditional(first, following[0][1], f"{other}; {one}")])

    def are_independent(self, *spans):
        """Whether the order of two statements obviously does not matter."""
        words = [[token.text for token in self.tokens[first:last + 1]] for first, last in spans]
        if words[0] == words[1] or all(REGISTRATION.match(self.code(*span)) for span in spans):
            return True
        equals = [self.assignment(*span) for span in spans]
        if not all(equals) or "try" in words[0] + words[1]:
            return False
        names = [self.tokens[self.partner.get(index - 1, index) - 1].text for index in equals]
        return names[0] not in words[1] and names[1] not in words[0]

    def first_instead_of_all(self):
        for node in self.loops:
            body = self.at[node.child("brace_stmt").start]
            words = {self.tokens[index].text: index for index in reversed(self.inner(self.at[node.start], body - 1))}
            first, last = words["in"] + 1, words.get("where", body) - 1
            text = self.code(first, last)
            sequence = text if self.is_postfix(first, last) else f"({text})"
            yield ([self.replaced(first, last, sequence + ".prefix(1)")],
                   [self.replaced(first, last, f"{sequence}.prefix({ACTIVE} ? 1 : .max)")])
        for index, token in enumerate(self.tokens[:-1]):
            if token.text in LOOPS and self.tokens[index - 1].text == "." and self.tokens[index + 1].text in ("(", "{"):
                is_literal = self.tokens[index - 2].text == "]" and self.tokens[self.partner[index - 2]].is_spaced
                if is_literal or PLURAL.match(self.tokens[index - 2].text):
                    yield ([self.inserted(index - 2, ".prefix(1)")],
                           [self.inserted(index - 2, f".prefix({ACTIVE} ? 1 : .max)")])

    def swallowed_error(self):
        for block, _, first, last in self.statements("try_expr", "sequence_expr"):
            text = self.code(first, last)
            # A single expression can be the value of a function, or the only throwing expression before a `catch`.
            is_needed = block.is_initializer or len(block.spans) == 1 and block.owner.kind in (
                "closure_expr", "func_decl", "accessor_decl", "do_catch_stmt")
            if re.match(r"(_ = )?try\b(?![?!])", text) and not is_needed and not REGISTRATION.match(text):
                swallowing = "do { " + text + " } catch {}"
                yield [self.replaced(first, last, swallowing)], [self.conditional(first, last, swallowing)]
        for block, _, first, last in self.statements("throw_stmt"):
            # An `if` without `else` has two children: conditions and a block.
            if block.owner.kind == "if_stmt" and len(block.owner.children) == 2:
                yield [self.without_statement(block, first, last)], [self.conditional(first, last)]

    def places(self):
        """Yields the possible faults in code that is compiled and not skipped."""
        ends = [token.end for token in self.tokens]
        for kind in ("inverted condition", "comparison boundary", "dropped part", "state not reset",
                     "limit not applied", "steps swapped", "first instead of all", "swallowed error"):
            for edits, switched in getattr(self, kind.replace(" ", "_"))():
                start, end = edits[0][0], edits[-1][1]
                index = bisect.bisect(ends, start)
                if self.usable[index] and self.text[start:end] == self.active[start:end]:
                    yield Place(
                        self.path, self.line(self.tokens[index].start), kind, tuple(edits), tuple(switched))


def places(path):
    """Returns the possible faults in a source."""
    try:
        return list(Faults(path).places())
    except (LookupError, ValueError, subprocess.CalledProcessError) as error:
        raise ValueError(f"{path} cannot be parsed: {error}") from error


def contents(path):
    with open(path, "rb") as file:
        return file.read()


# Declares the number of the active fault, which is the target of a symbolic link. readlink(2) needs no import and, unlike
# an environment variable, also reaches programs that a test starts with an environment of their own. The first condition
# with a switch can be evaluated between a system call and the use of errno, so errno is preserved.
SWITCH = """
@_silgen_name("readlink") private func injectedReadlink(
    _ path: UnsafePointer<CChar>, _ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> Int
@_silgen_name("__errno_location") private func injectedErrno() -> UnsafeMutablePointer<Int32>
private let injectedFault: Int = {
    let errno = injectedErrno().pointee
    defer { injectedErrno().pointee = errno }
    var digits: [CChar] = [0, 0, 0, 0, 0, 0, 0, 0]
    let count = injectedReadlink("LINK", &digits, 8)
    return digits.prefix(Swift.max(0, count)).reduce(0) { $0 * 10 + Int($1) - 48 }
}()
"""


class Switched:
    """A source with several switched faults, which are numbered."""

    def __init__(self, path, link):
        self.path, self.link, self.faults = path, link, {}

    def add(self, number, place):
        """Adds a fault unless it overlaps another fault in the file. Returns whether the fault was added."""
        spans = [(edits[0][0], edits[-1][1]) for edits in [place.switched] + [
            other.switched for other in self.faults.values()]]
        if any(spans[0][0] <= end and start <= spans[0][1] for start, end in spans[1:]):
            return False
        self.faults[number] = place
        return True

    def text(self, original):
        """Returns the source with all faults, and the first and last line of each fault."""
        if not self.faults:
            return original, {}
        text, lines, offset, result = original.decode("latin-1"), {}, 0, ""
        for number, place in sorted(self.faults.items(), key=lambda fault: fault[1].switched[0][0]):
            (start, end, replacement), = place.switched
            result += text[offset:start]
            first = result.count("\n") + 1
            result += replacement.replace("FAULT", str(number))
            lines[number], offset = (first, result.count("\n") + 1), end
        return (result + text[offset:] + SWITCH.replace("LINK", self.link)).encode("latin-1"), lines


def mutated(place):
    """Returns a source with a fault, and the unified diff."""
    text = original = contents(place.path).decode("latin-1")
    for start, end, replacement in reversed(place.edits):
        text = text[:start] + replacement + text[end:]
    lines = [side.encode("latin-1").decode().splitlines(keepends=True) for side in (original, text)]
    return text.encode("latin-1"), list(difflib.unified_diff(*lines, "a/" + place.path, "b/" + place.path, n=2))
