"""The same networks and their training in the language, as a user would write them."""

from collections.abc import Callable

from rh_kernel.session.included_files import LIBRARY
from tests.benchmarks.problems import Block, Cnn, Dense, Gru, Lenet, Net, Problem, Unet

FC = "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"
SIGNALS = """op Conv1D[l : Loc(d, c, m)] : Real(c, n) -> Real(d, n - m + 1)
op MaxPool1D[m : Dim] : Real(c, n) -> Real(c, ceil(n / m))
"""
LEVEL = "op U[l : Loc(d, c, 3), l' : Loc(c, c + d, 1), l'' : Loc(c, c, 3)] : Real(c, n) -> Real(d, ceil((n - 2) / 2))\n"

OF_FC = """  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
"""
OF_SIGNALS = """  Conv1D[l](x) -> let w <= Get[l]() in return (conv1d(x, w), (w, x))
    | y, z -> let (w, x) <- z in
              let (x', w') <- rd[conv1d](y, (x, w)) in
              let _ <= Put[l](w - w') in
              return x'
  MaxPool1D[m](x) -> return (maxpool1d[m](x), x)
    | y, z -> return rd[maxpool1d[m]](y, z)
"""
OF_LEVELS = """
handler levels : rev handler(Real({d}, n)) = {{
  return x -> Conv1D[l2](pad1d[n + 2](x))
  U[l, l', l''](x) -> let y <= Conv1D[l](x) in
                      let z <= MaxPool1D[2](y) in
                      return (z, x)
    | y, z -> let x <= Conv1D[l'](concat(z, upscale1d[n](y))) in
              let x' <= Conv1D[l''](x) in
              return pad1d[n](swish(x'))
}}
"""


INFER: dict[type[Net], str] = {
    Dense: "handler infer = {\n  return x -> return x\n  FC[l](x), k -> let w <= Get[l]() in k • (w @ x)\n}\n",
    Cnn: """handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k • (w @ x)
  Conv1D[l](x), k -> let w <= Get[l]() in k • conv1d(x, w)
  MaxPool1D[m](x), k -> k • maxpool1d[m](x)
}
""",
    Unet: """handler infer = {
  return x -> return x
  Conv1D[l](x), k -> let w <= Get[l]() in k • conv1d(x, w)
  MaxPool1D[m](x), k -> k • maxpool1d[m](x)
}
""",
    Lenet: "",
    Gru: "",
    Block: "",
}
"""The handler that runs such a net forward, and no further; the library has its own."""


def names(net: Net) -> tuple[str, ...]:
    """The location of each weight, in the order of ``net.shapes``."""
    if isinstance(net, Unet):
        return "l0", "l0'", "l0''", "l1", "l1'", "l1''", "l2"
    if isinstance(net, Lenet):
        layers = "conv1", "conv2", "wide", "narrow", "classes"
        return tuple([f"{layer}_{kind}" for layer in layers for kind in "wb"])
    if isinstance(net, Gru):
        return "wr", "wz", "wn", "ur", "uz", "un"
    if isinstance(net, Block):
        return "gain1", "shift1", "qkv", "qkv_b", "mix", "mix_b", "gain2", "shift2", "up", "up_b", "down", "down_b"
    return tuple([f"w{i}" for i in range(len(net.shapes))])


def loaded(number: int) -> str:
    """The initial content of a location: what a file in the session's folder holds."""
    return f'load("w{number}.npy")'


def drawn(number: int) -> str:
    """The initial content of a location: random numbers."""
    return f"normal(0.1, seed={number})"


def declarations(net: Net, initial: Callable[[int], str] = loaded) -> str:
    """Operations, locations, the net, called ``model``, and the handler ``sgd`` that trains it."""
    places = "".join(
        f"loc {name} : Real({', '.join(map(str, shape))}) = {initial(i)}\n"
        for i, (name, shape) in enumerate(zip(names(net), net.shapes, strict=True))
    )
    match net:
        case Lenet():
            return _lenet(net, initial)
        case Dense():
            return FC + places + _dense(net) + _sgd("k", OF_FC)
        case Cnn():
            return FC + SIGNALS + places + _cnn(net) + _sgd("k", OF_FC + OF_SIGNALS)
        case Unet():
            return SIGNALS + LEVEL + places + _unet(net) + _sgd("c, n", OF_SIGNALS)
        case Gru():
            return 'include "sgd.rh"\n' + places + _gru(net)
        case Block():
            return 'include "attention.rh"\n' + places + _block(net)


def training(problem: Problem, epochs: int = 1, data: str = "batch.npz") -> str:
    """The training run: one step for each batch of the data."""
    alpha, batch = problem.alpha, problem.batch
    how = f'for (x, t) in data("{data}") epochs {epochs} batch {batch}'
    if isinstance(problem.net, Lenet | Gru | Block):
        squares = "sum((y - t) * (y - t))" if isinstance(problem.net, Block) else "dot(y - t, y - t)"
        loss = f"let y <= model(u) in return 0.5 * {squares}"
        return f"train rev handle (x) <u>. {loss} with descend({alpha})\n  {how}\n"
    return f"train rev handle (x) <u>. model(u) with sgd({alpha}, t)\n  {how}\n"


def _sgd(shape: str, clauses: str) -> str:
    head = f"handler sgd(alpha : Real, t : Real({shape})) : rev handler(Real({shape})) = {{\n"
    return f"{head}  return x -> return alpha * (x - t)\n{clauses}}}\n"


def _dense(net: Dense) -> str:
    lines = [f"net model(x0 : Real({net.sizes[0]})) : Real({net.sizes[-1]}) ="]
    for i in range(len(net.shapes)):
        out = f"swish(z{i})" if net.is_active(i) else f"z{i}"
        lines.append(f"  let z{i} <= FC[w{i}](x{i}) in")
        lines.append(f"  let x{i + 1} <- {f'x{i} + {out}' if net.residual else out} in")
    return "\n".join([*lines, f"  return x{len(net.shapes)}"]) + "\n"


def _cnn(net: Cnn) -> str:
    return f"""net model(x : Real(1, {net.length})) : Real({net.classes}) =
  let y <= Conv1D[w0](x) in
  let z <= MaxPool1D[2](swish(y)) in
  FC[w1](reshape[{net.channels * net.pooled}](z))
"""


def _unet(net: Unet) -> str:
    n, d, last = net.length, net.d, net.lengths[2]
    return f"""net down(x : Real(1, {n})) : Real({d}, {last}) =
  let y <= U[l0, l0', l0''](x) in
  U[l1, l1', l1''](y)
{OF_LEVELS.format(d=d)}
net model(x : Real(1, {n})) : Real(1, {n}) =
  rev handle (x) <u>. down(u) with levels
"""


def _lenet(net: Lenet, initial: Callable[[int], str]) -> str:
    """The file of the library with these sizes and contents."""
    (maps, more_maps), (wide, narrow, classes) = net.maps, net.layers
    sizes = {"side": net.side, "window": net.window, "maps": maps, "more_maps": more_maps}
    given = {f"dim {n}": str(k) for n, k in (sizes | {"wide": wide, "narrow": narrow, "classes": classes}).items()}
    given |= {f"loc {name}": initial(i) for i, name in enumerate(names(net))}
    lines: list[str] = []
    for line in (LIBRARY / "lenet.rh").read_text(encoding="utf-8").splitlines():
        head, _, _ = line.partition(" = ")
        found = given.pop(head.partition(" : ")[0], None)
        lines.append(line if found is None else f"{head} = {found}")
    if given:
        raise ValueError(f"lenet.rh has no {', '.join(given)}")
    model = f"net model(x : Real(1, {net.side}, {net.side})) : Real({classes}) = lenet(x)"
    return "\n".join([*lines, model]) + "\n"


def _gru(net: Gru) -> str:
    """With the reset gate where PyTorch has it: after the product with its matrix."""
    return f"""net model(xs : Real({net.steps}, {net.width})) : Real({net.width}) =
  let (_, h) <= scan (a in xs) from s = fill[{net.width}](0) do
    let ar <= FC[wr](a) in let br <= FC[ur](s) in let r <- sigmoid(ar + br) in
    let az <= FC[wz](a) in let bz <= FC[uz](s) in let z <- sigmoid(az + bz) in
    let an <= FC[wn](a) in let bn <= FC[un](s) in let n <- tanh(an + r * bn) in
    return ((), n + z * (s - n))
  in return h
"""


def _block(net: Block) -> str:
    shape = f"Real({net.tokens}, {net.width})"
    return f"net model(x : {shape}) : {shape} = block[{net.heads}, {', '.join(names(net))}](x, 0)\n"
