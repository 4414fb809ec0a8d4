"""``python -m tests.oracles``: record what PyTorch computes (it needs PyTorch: ``pip install 'rh_kernel[oracles]'``)."""

from tests.oracles import pytorch
from tests.oracles.recorded import SMALL, TINY, write

if __name__ == "__main__":
    write({problem: pytorch.trained(problem) for problem in [*TINY, *SMALL]})
