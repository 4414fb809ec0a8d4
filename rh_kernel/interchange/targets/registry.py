"""The targets by name. A new one is a module and a line here."""

from rh_kernel.interchange.targets.jax_code import JAX
from rh_kernel.interchange.targets.numpy_code import NUMPY
from rh_kernel.interchange.targets.onnx_graph import ONNX
from rh_kernel.interchange.targets.target import Target
from rh_kernel.interchange.targets.torch_code import TORCH
from rh_kernel.interchange.targets.torch_program import PT2

TARGETS: tuple[Target, ...] = (NUMPY, JAX, TORCH, PT2, ONNX)
"""All targets; of those with one suffix, the first one is meant if none is named."""
