"""Printing a model as a program: names, layout, comments, and a check of the example."""

from collections.abc import Iterator, Mapping, Sequence

from rh_kernel.interchange.model import (
    Call,
    Constant,
    Family,
    Infix,
    Let,
    Map,
    Model,
    Node,
    Number,
    Numbers,
    Perform,
    Place,
    Repeat,
    Scan,
    Shape,
    Term,
    Value,
    Weight,
    all_nodes,
    all_terms,
    body_of,
    constants,
    functions,
    places,
    results_of,
    used,
    variables,
)
from rh_kernel.interchange.sources.layers import EACH_ROW
from rh_kernel.interchange.sources.literals import is_small, literal, number
from rh_kernel.interchange.sources.names import NET, VARIABLES, Names, cleaned, snake_case
from rh_kernel.source.records import frozen

_EACH_ROW = (
    "# The layer FC for each row.",
    f"net {EACH_ROW}[l : Loc(m, n)](xs : Real(r, n)) : Real(r, m) =",
    "  let (ys, _) <= scan (x in xs) from s = 0 do",
    "    let y <= FC[l](x) in",
    "    return (y, s)",
    "  in",
    "  return ys",
)
WIDTH = 112
INDENT = "  "


@frozen
class Written:
    """A program, the name of its net, and the contents of its locations by name, which they load from a file"""

    name: str
    text: str
    contents: Mapping[str, Numbers]


def write(model: Model, file: str) -> Written:
    """Print a model; the contents of its locations will be in ``file``, beside the program."""
    return _Writer(model).write(file)


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.names = Names()
        self.inputs = self._input_names()
        self.net = self.names.take(snake_case(model.name), NET)
        self.places: dict[Place, str] = {}
        self.constants: dict[Weight, str] = {}
        self.contents: dict[str, Numbers] = {}

    def _input_names(self) -> list[str]:
        found: list[str] = []
        own = Names()
        for i in self.model.inputs:
            word = cleaned(i.name, "x")
            found.append(word if word in VARIABLES and word not in found else own.take(i.name, "x"))
            if word not in VARIABLES:
                self.names.take(found[-1], "x")
        return found

    def write(self, file: str) -> Written:
        model = self.model
        uses = {f for M in all_terms(model) for f in functions(M)}
        library = "attention.rh" if uses & {"attend", "causal"} else "sgd.rh"
        declared = [*self._constants(), *self._locations(file)]
        examples = self._examples(file)
        net = self._net()
        lines = [*self._head(file), "", f'include "{library}"', ""]
        for function in sorted(f for f in uses if f.startswith("framed")):
            lines += [*_framed(function), ""]
        if any(isinstance(n, Perform) and n.operation == EACH_ROW for n in all_nodes(model.nodes)):
            lines += [*_EACH_ROW, ""]
        lines += [*declared, *examples]
        lines += ["", *net, "", *self._check()]
        return Written(self.net, "\n".join(lines) + "\n", self.contents)

    def _head(self, file: str) -> Iterator[str]:
        yield (
            f"# {self.model.origin}, for one sample. The weights are in {file}." if self.contents else f"# {self.model.origin}."
        )
        yield "#"
        inputs = ", ".join(self.inputs)
        yield f'#   include "{file.rpartition(".")[0]}.rh"'
        yield f"#   handle {self.net}({inputs}) with infer"
        shape = self.model.outputs[0].shape
        if len(self.model.outputs) == 1 and len(shape) == 1 and shape != (1,):
            loss = f"let y <= {self.net}({inputs}) in return cross_entropy(y, t)"
            yield f"#   rev handle ({inputs}) <{inputs}>. {loss} with descend(0.1)"

    def _constants(self) -> Iterator[str]:
        for weight in dict.fromkeys([w for M in all_terms(self.model) for w in constants(M)]):
            name = self.constants[weight] = self.names.take(weight.name, "c")
            yield f"const {name} : {_type(weight.array.shape)} = {literal(weight.array)}"

    def _locations(self, file: str) -> Iterator[str]:
        for place in dict.fromkeys(places(self.model)):
            match place:
                case Weight():
                    name = self.places[place] = self.names.take(place.name, "w")
                    self.contents[name] = place.array
                    yield f"{_location(name, place.array.shape, file)}{_comment(place)}"
                case Family(members):
                    name = self.places[place] = self.names.take(_common([member.name for member in members]), "w")
                    for i, member in enumerate(members):
                        self.contents[f"{name}[{i}]"] = member.array
                    family = f"{name}[{len(members)}]"
                    yield f"{_location(family, members[0].array.shape, file)}{_comment(members[0])}"

    def _examples(self, file: str) -> list[str]:
        lines: list[str] = []
        self.example_names: list[str] = []
        several = len(self.model.inputs) > 1
        for i in self.model.inputs:
            self.example_names.append(self.names.take(f"example_{cleaned(i.name, 'x')}" if several else "example", "example"))
            lines.append(self._array(file, self.example_names[-1], i.shape, i.example))
        self.expected_names: list[str] = []
        for k, output in enumerate(self.model.outputs):
            several = len(self.model.outputs) > 1
            self.expected_names.append(self.names.take(f"expected_{k + 1}" if several else "expected", "expected"))
            lines.append(self._array(file, self.expected_names[-1], output.shape, output.expected))
        return lines

    def _array(self, file: str, name: str, shape: Shape, array: Numbers) -> str:
        if is_small(array.reshape(shape)):
            return f"const {name} : {_type(shape)} = {literal(array.reshape(shape))}"
        self.contents[name] = array.reshape(shape)
        return _location(name, shape, file)

    def _check(self) -> list[str]:
        within = f"within {self.model.tolerance:.0e}"
        got, left = self._read(self.example_names)
        expected, right = self._read(self.expected_names)
        say = f"handle {self.net}({', '.join(left)}) with infer"
        value = ", ".join(right)
        value = f"({value})" if len(right) > 1 else value
        if len(expected) == 1 and len(right) == 1:
            other = f"Get[{expected[0][1]}]()"
        else:
            other = "".join([f"let {x} <= Get[{l}]() in " for x, l in expected]) + (f"return {value}" if expected else value)
        reads = "".join([f"let {x} <= Get[{l}]() in " for x, l in got])
        line = f"check {reads}{say} == {other} {within}"
        return [line] if len(line) <= WIDTH else [f"check {reads}{say}", f"{INDENT}== {other} {within}"]

    def _read(self, names: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
        """Return the variables for what stands in locations with their names, and a term for each name."""
        free = VARIABLES
        read: list[tuple[str, str]] = []
        terms: list[str] = []
        for k, name in enumerate(names):
            if name in self.contents:
                x = free[k] if k < len(free) else f"x{k}"
                read.append((x, name))
                terms.append(x)
            else:
                terms.append(name)
        return read, terms

    def _net(self) -> list[str]:
        model = self.model
        env = {i.value: name for i, name in zip(model.inputs, self.inputs, strict=True)}
        inputs = ", ".join([f"{name} : {_type(i.shape)}" for i, name in zip(model.inputs, self.inputs, strict=True)])
        types = " * ".join([_type(output.shape) for output in model.outputs])
        returned = [output.term for output in model.outputs]
        return [f"net {self.net}({inputs}) : {types} =", *self._block(model.nodes, returned, env, INDENT)]

    def _block(
        self,
        nodes: Sequence[Node],
        returned: Sequence[Term],
        env: Mapping[Value, str],
        indent: str,
        *,
        is_round: bool = False,
    ) -> list[str]:
        """Print a block; that of a round of a scan returns a result and the states."""
        env = dict(env)
        lines: list[str] = []
        last = [v for M in returned for v in variables(M)]
        for k, node in enumerate(nodes):
            if k == len(nodes) - 1 and len(returned) == 1 and isinstance(node, Perform | Repeat) and returned[0] == node.result:
                return [*lines, *self._command(node, env, indent, "")]
            live = {v for later in nodes[k + 1 :] for v in used(later)} | set(last)
            command = self._command(node, env, indent, None)
            names: list[str] = []
            for result in results_of(node):
                name = _free(live - {result}, env) if result in live else "_"
                env[result] = name
                names.append(name)
            lines += _bound(node, names, command, indent)
        values = [self.term(M, env) for M in returned]
        return [*lines, f"{indent}return {_tuple([values[0], _tuple(values[1:])] if is_round else values)}"]

    def _command(self, node: Node, env: Mapping[Value, str], indent: str, first: str | None) -> list[str]:
        """Print what stands behind ``let … <=``; in tail position, where ``first`` is not ``None``, with indentation."""
        front = indent if first is not None else ""
        match node:
            case Let(_, term):
                return [self.term(term, env)]
            case Perform(_, operation, where, argument):
                indices = ", ".join([self._place(p) for p in where])
                return [f"{front}{operation}[{indices}]({'' if argument is None else self.term(argument, env)})"]
            case Repeat():
                inner = dict(env)
                free = {v for n in node.body for v in used(n)} - {node.state}
                inner[node.state] = _free(free, env)
                start = self.term(node.initial, env)
                head = f"{front}repeat i < {node.count} from {inner[node.state]} = {start} do"
                return [head, *self._block(node.body, [node.last], inner, indent + INDENT)]
            case Scan():
                return self._scan(node, env, front, indent)

    def _scan(self, node: Scan, env: Mapping[Value, str], front: str, indent: str) -> list[str]:
        inner = dict(env)
        nodes, returned = body_of(node)
        free = {v for n in nodes for v in used(n)} | {v for M in returned for v in variables(M)}
        own = (node.item, *node.states)
        taken = {v for v in free if v not in own}
        for v in own:
            inner[v] = _free(taken, inner)
            taken.add(v)
        states = [inner[s] for s in node.states]
        pattern, start = _tuple(states), _tuple([self.term(M, env) for M in node.initial])
        head = f"{front}scan ({inner[node.item]} in {self.term(node.sequence, env)}) from {pattern} = {start} do"
        return [head, *self._block(nodes, returned, inner, indent + INDENT, is_round=True)]

    def _place(self, place: Place) -> str:
        return f"{self.places[place]}[i]" if isinstance(place, Family) else self.places[place]

    def term(self, M: Term, env: Mapping[Value, str], level: int = 0) -> str:
        """Print a term; ``level`` is 0 where a sum may stand, 1 where a product may, 2 where neither may."""
        match M:
            case Value():
                return env[M]
            case Number(value):
                return number(value) if value >= 0 or level == 0 else f"({number(value)})"
            case Constant(weight):
                return self.constants[weight]
            case Call(function, arguments, sizes):
                at = f"[{', '.join([str(n) for n in sizes])}]" if sizes else ""
                return f"{function}{at}({', '.join([self.term(N, env) for N in arguments])})"
            case Infix(sign, left, right):
                own = 0 if sign in "+-" else 1
                text = f"{self.term(left, env, own)} {sign} {self.term(right, env, own + 1)}"
                return text if level <= own else f"({text})"
            case Map(names, sequences, body):
                inner = dict(env)
                taken = {v for v in variables(body) if v not in names}
                for v in names:
                    inner[v] = _free(taken, inner)
                    taken.add(v)
                walks = ", ".join([f"{inner[v]} in {self.term(N, env)}" for v, N in zip(names, sequences, strict=True)])
                text = f"map ({walks}) do {self.term(body, inner)}"
                return text if level == 0 else f"({text})"


def _free(live: set[Value], env: Mapping[Value, str]) -> str:
    """Return the first name that none of the live variables has."""
    taken = {env[v] for v in live if v in env}
    return next(name for name in _variables() if name not in taken)


def _variables() -> Iterator[str]:
    yield from VARIABLES
    number = 1
    while True:
        yield f"x{number}"
        number += 1


def _bound(node: Node, names: Sequence[str], command: Sequence[str], indent: str) -> list[str]:
    """``let x <= … in``; a loop stands on lines of its own."""
    match node:
        case Let():
            return [f"{indent}let {names[0]} <- {command[0]} in"]
        case Perform():
            return [f"{indent}let {names[0]} <= {command[0]} in"]
        case Repeat():
            return [f"{indent}let {names[0]} <= {command[0]}", *command[1:], f"{indent}in"]
        case Scan():
            finals = _tuple(names[1:]) if set(names[1:]) != {"_"} else "_"
            return [f"{indent}let ({names[0]}, {finals}) <= {command[0]}", *command[1:], f"{indent}in"]


def _tuple(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _type(shape: Shape) -> str:
    return "Real" if shape in ((), (1,)) else f"Real({', '.join([str(n) for n in shape])})"


def _comment(weight: Weight) -> str:
    return f"  # {weight.note}" if weight.note else ""


def _common(names: Sequence[str]) -> str:
    """Return the name of a family: what the names of its members have in common, without the numbers in which they differ."""
    parts = [name.replace("/", ".").split(".") for name in names]
    if len({len(p) for p in parts}) == 1:
        same = [column[0] for column in zip(*parts, strict=True) if len(set(column)) == 1]
        if same:
            return ".".join(same if len(same) > 1 or same[0] == parts[0][0] else ["layers", *same])
    return names[0].rstrip("0123456789_.") or names[0]


def _location(name: str, shape: Shape, file: str) -> str:
    return f'loc {name} : {_type(shape)} = load("{file}")'


def _framed(function: str) -> list[str]:
    size = int(function.removeprefix("framed") or "1")
    zeros = "A zero" if size == 1 else f"{size} zeros"
    return [
        f"# {zeros} before and behind each row; then rows and columns change places. Done twice, it frames an image.",
        f"fun {function}(x : Real(c, h, w)) : Real(c, w + {2 * size}, h) =",
        f"  permute[0, 2, 1](reshape[c, h, w + {2 * size}](pad1d[w + {2 * size}](reshape[c * h, w](x))))",
    ]
