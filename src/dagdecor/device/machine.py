"""The torch device that a name stands for, and matrices there and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dagdecor.errors import MissingPackage, NoDevice

Matrix = npt.NDArray[np.float64]
Tensor = Any  # torch is optional, and its types with it


@dataclass(frozen=True)
class Machine:
    """torch and one of its devices; everything there is in double precision."""

    torch: Any
    device: Any

    @classmethod
    def named(cls, name: str) -> Machine:
        """The machine of "cuda", or of "torch-cpu"; refuses what is not there."""
        try:
            import torch
        except ImportError:
            raise MissingPackage("torch", f"device={name!r}", "gpu") from None
        if name == "torch-cpu":
            return cls(torch, torch.device("cpu"))
        if not torch.cuda.is_available():
            raise NoDevice(name, torch.__version__)
        return cls(torch, torch.device("cuda"))

    def tensor(self, matrix: npt.ArrayLike) -> Tensor:
        """A copy on the device, float64 (bool and int64 stay what they are)."""
        array = np.array(matrix)
        kind = array.dtype if array.dtype.kind in "bi" else np.float64
        return self.torch.from_numpy(array.astype(kind, copy=False)).to(self.device)

    def array(self, tensor: Tensor) -> Matrix:
        """Back in this process's memory."""
        return np.ascontiguousarray(tensor.cpu().numpy())
