"""``python -m tests.oracles``: record what PyTorch computes (it needs PyTorch: ``pip install 'rh_kernel[oracles]'``)."""

from tests.oracles import pytorch
from tests.oracles.forms import FORMS, trained_by_pytorch
from tests.oracles.recorded import SMALL, TINY, write

if __name__ == "__main__":
    nets = {problem: pytorch.trained(problem) for problem in [*TINY, *SMALL]}
    write({**nets, **{form: trained_by_pytorch(form) for form in FORMS}})
