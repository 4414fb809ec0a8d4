/** The words and signs of the language. Written by `python -m lessons.reference` from its tables. */

export const WORDS = {
  keyword: new Set(["handle", "in", "let", "rd", "return", "rev", "train", "with"]),
  declaration: new Set(["const", "dim", "fun", "handler", "loc", "net", "op"]),
  directive: new Set([
    "compile", "derivation", "device", "diagram", "dtype", "evaluator", "gradient", "heap", "help", "limit", "load",
    "locked", "lsmagic", "reset", "save", "strict", "trace", "type", "undo", "whos",
  ]),
  type: new Set(["Dim", "Loc", "Real"]),
  function: new Set([
    "Get", "Put", "abs", "add", "avgpool2d", "broadcast_rows", "concat", "conv1d", "conv2d", "cos", "crop1d", "div",
    "dot", "downsum1d", "exp", "eye", "fill", "first_max1d", "first_max2d", "gelu", "glorot", "load", "log",
    "log_softmax", "logsumexp", "matmul", "maximum", "maxpool1d", "maxpool2d", "mean", "minimum", "mul", "neg",
    "normal", "ones", "outer", "overlap_add1d", "overlap_add2d", "pad1d", "recip", "relu", "reshape", "round",
    "same_argmax", "scale", "sigmoid", "sign", "sin", "slice", "softmax", "softplus", "spread1d", "spread2d", "sqrt",
    "square", "step", "sub", "sum", "sum_rows", "sumpool1d", "sumpool2d", "swish", "tanh", "transpose", "uniform",
    "upscale1d", "windows1d", "windows2d", "zeros",
  ]),
};

/** The directives after which an expression follows; after all others there are words. */
export const EXPRESSION_DIRECTIVES = new Set(["compile", "derivation", "diagram", "gradient", "trace", "type"]);

/** Words that mean something inside one kind of item, by what that item begins with. */
export const PLACED = {
  __proto__: null,
  train: new Set(["batch", "data", "epochs", "for", "measure", "on", "shuffle"]),
  "%compile": new Set(["passes", "profile"]),
  "%gradient": new Set(["against"]),
};

/** What may follow `%%`. */
export const CELL_WORDS = new Set(["eff", "lambda", "python", "rh"]);

/** Words that mean something inside a check. */
export const CHECK_WORDS = new Set(["within"]);

/** The words below a line `%%lambda`. */
export const LABORATORY = {
  keyword: new Set(["case", "else", "if", "inl", "inr", "of", "then"]),
  directive: new Set(["ad"]),
  type: new Set(["Real"]),
  function: new Set([
    "abs", "add", "cos", "div", "dot", "exp", "foldl", "gelu", "generate", "log", "map", "map2", "maximum", "minimum",
    "mul", "neg", "recip", "reduce", "relu", "replicate", "round", "scanl", "sigmoid", "sign", "sin", "softplus",
    "sqrt", "square", "step", "sub", "sum", "swish", "tanh",
  ]),
  system: new Set([
    "all", "chad", "chad-accumulated", "chad-combinators", "chad-forward", "direct", "effects:checkpointed",
    "effects:continuation", "effects:forward", "effects:hessian", "effects:higher-order",
    "effects:higher-order-checkpointed", "effects:second", "effects:stateful", "effects:taped", "finite-differences",
    "linear-negation", "reverse-derivative", "reverse-handler", "tape", "unary",
  ]),
};

/** The words and signs below a line `%%eff`. */
export const EFFECTS = {
  declaration: new Set(["data", "effect", "fun", "handler", "include"]),
  keyword: new Set([
    "and", "data", "effect", "else", "fun", "handle", "handler", "if", "in", "include", "let", "match", "return",
    "then", "with",
  ]),
  directive: new Set(["count", "trace", "type"]),
  function: new Set([
    "add", "append", "array", "cos", "div", "equal", "exp", "fail", "fetch", "float", "less", "lesseq", "log",
    "log_gamma", "mul", "negate", "new", "print", "quotient", "read", "remainder", "show", "sigmoid", "sin", "size",
    "softplus", "sqrt", "store", "sub", "tanh", "tensor", "tensor_concatenate", "tensor_entries", "tensor_exp",
    "tensor_filled", "tensor_log_sum_exp", "tensor_lower", "tensor_minus", "tensor_negate", "tensor_normal",
    "tensor_over", "tensor_part", "tensor_place", "tensor_plus", "tensor_power", "tensor_product", "tensor_repeat",
    "tensor_reshape", "tensor_scale", "tensor_shape", "tensor_softmax", "tensor_split", "tensor_stack", "tensor_sum",
    "tensor_times", "tensor_total", "tensor_transpose", "tensor_zeros", "write",
  ]),
  signs: {
    arrow: new Set(["->", ":=", "<-", "<=", "=", "==", "←", "→", "↦", "≤"]),
    operator: new Set(["!", "*", "+", "++", "-", "/", "::", "@", "×", "−"]),
    binder: new Set(["<", "<|", ">", "|>", "|⟩", "⟨", "⟨|", "⟩"]),
    bracket: new Set(["(", ")", "[", "]", "{", "}"]),
    keyword: new Set(["\\", "λ"]),
  },
};

/** How the signs look; those that are not here are punctuation. */
export const SIGNS = {
  arrow: new Set(["->", "<-", "<=", "=", "=>", "|-", "~>", "←", "→", "↦", "⇐", "⇒", "⇝", "⊢"]),
  operator: new Set(["*", "+", "-", "/", "//", "@", "^T", "·", "×", "ᵀ", "•", "−", "⋅"]),
  binder: new Set(["<", ">", "⟨", "⟩"]),
  bracket: new Set(["(", ")", "[", "]", "{", "}"]),
  keyword: new Set(["⌊", "⌋"]),
};
