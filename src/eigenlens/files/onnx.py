"""Linear maps as ONNX graphs: scores, and the class of a linear rule, for use without Python."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._core import errors
from ..sources.writing import replaced

OPSET = 17


def export_onnx(model: Any, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
    """Write a fitted linear model as an ONNX graph.

    The graph takes `X` (rows × columns, float64) and gives `scores` and, for a discriminant, `label` and
    `probabilities`. Rows are centred before they are multiplied, as here, so that large offsets cost no digits.

    Parameters
    ----------
    model : fitted model whose scores are one linear map, such as PCA, LDA, SIR or CCA
        Or a pipeline that ends in one and begins with numbers.
    path : path
    overwrite : bool

    Returns
    -------
    path : Path
    """
    try:
        onnx = import_module("onnx")
    except ImportError as error:
        raise errors.missing_library("onnx", f"Writing {path}", "onnx") from error
    path = Path(path)
    if path.exists() and not overwrite:
        raise errors.file_exists(path)
    graph = _Graph(onnx)
    rows = graph.input
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            rows = graph.step(step, rows)
        model = model.steps[-1][1]
    graph.finish(model, rows)
    with replaced(path) as file:
        file.write(graph.serialised())
    return path


class _Graph:
    """Nodes and constants, one after the other."""

    def __init__(self, onnx: Any) -> None:
        self.onnx, self.helper = onnx, onnx.helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.input = "X"
        self.width: int | None = None

    def add(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        name = output or f"v{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def step(self, step: Any, rows: str) -> str:
        """Centre and scale, where a step does that and no more."""
        if hasattr(step, "levels_") and hasattr(
            step, "centre_"
        ):  # a preparation: its numbers, words left to the caller
            if step.levels_ or step.missing != "refuse":
                raise _not_linear(type(step).__name__, "it turns words or gaps into numbers")
            self.width = len(step.columns_)
            return self.add("Div", self.add("Sub", rows, self.constant(step.centre_)), self.constant(step.scale_))
        if type(step).__name__ == "StandardScaler":
            self.width = int(step.n_features_in_)
            if step.mean_ is not None:
                rows = self.add("Sub", rows, self.constant(step.mean_))
            return rows if step.scale_ is None else self.add("Div", rows, self.constant(step.scale_))
        raise _not_linear(type(step).__name__, "only Preparation and StandardScaler are known steps")

    def finish(self, model: Any, rows: str) -> None:
        basis_of = getattr(getattr(model, "_declaration", None), "linear_map", None)
        if basis_of is None:
            raise _not_linear(type(model).__name__, "its scores are not a linear map of the columns")
        self.width, subspace = self.width or int(model.n_features_in_), model.subspace_
        rows = self.add("Sub", rows, self.constant(np.asarray(subspace.centre, dtype=np.float64)))
        if subspace.remainder is not None:
            rows = self.add("Sub", rows, self.constant(np.asarray(subspace.remainder, dtype=np.float64)))
        basis = np.asarray(basis_of(model), dtype=np.float64)
        scores = self.add("MatMul", rows, self.constant(basis), output="scores")
        self.output("scores", self.onnx.TensorProto.DOUBLE, 2)
        if hasattr(model, "_centroids"):
            self.rule(model, scores)

    def rule(self, model: Any, scores: str) -> None:
        C = np.asarray(model._centroids, dtype=np.float64)
        offset = np.log(np.asarray(model._priors, dtype=np.float64)) - 0.5 * np.sum(C**2, axis=1)
        linear = self.add("Add", self.add("MatMul", scores, self.constant(C.T.copy())), self.constant(offset))
        self.add("Softmax", linear, output="probabilities", axis=1)
        self.output("probabilities", self.onnx.TensorProto.DOUBLE, 2)
        codes = self.add("ArgMax", linear, axis=1, keepdims=0)
        classes = np.asarray(model.classes_)
        text = classes.dtype.kind in "OUST"
        known = self.constant(classes.astype(object) if text else classes.astype(np.int64))
        self.add("Gather", known, codes, output="label")
        self.output("label", self.onnx.TensorProto.STRING if text else self.onnx.TensorProto.INT64, 1)

    def output(self, name: str, kind: int, ndim: int) -> None:
        shape = ["rows"] if ndim == 1 else ["rows", None]
        self.outputs.append(self.helper.make_tensor_value_info(name, kind, shape))

    def serialised(self) -> bytes:
        double = self.onnx.TensorProto.DOUBLE
        entry = self.helper.make_tensor_value_info("X", double, ["rows", self.width])
        graph = self.helper.make_graph(self.nodes, "eigenlens", [entry], self.outputs, self.constants)
        opset = self.helper.make_opsetid("", OPSET)
        made = self.helper.make_model(graph, opset_imports=[opset], producer_name="eigenlens", ir_version=8)
        self.onnx.checker.check_model(made)
        return made.SerializeToString()


def _not_linear(kind: str, why: str) -> errors.InputTypeError:
    return errors.InputTypeError(f"{kind} cannot be written as ONNX: {why}. Use eigenlens.save, or pickle.")
