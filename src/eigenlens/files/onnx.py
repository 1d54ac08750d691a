"""Linear maps, QDA and linear regressors as ONNX graphs, for use without Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..arrays import errors, namespaces, optional
from ..arrays.parameters import check_choice
from ..rows.writing import replaced

OPSET = 17
PREPARING = "Preparation, StandardScaler, MinMaxScaler, MaxAbsScaler and linear transformers are"


def export_onnx(model: Any, path: str | os.PathLike[str], *, overwrite: bool = True, dtype: str = "float64") -> Path:
    """Write a fitted model as an ONNX graph.

    The graph takes `X` (rows × columns) and returns `scores` (linear map), `label` and `probabilities` (classifier), or
    `prediction` (regressor). It centres rows before it multiplies them, so large offsets cost no digits.

    Parameters
    ----------
    model : fitted model whose scores are one linear map, such as PCA, LDA, SIR or CCA; QDA; or a linear regressor
        Or a pipeline of scalers and linear maps that ends in one of these.
    path : path
    overwrite : bool
    dtype : {"float64", "float32"}
        Type of `X`, of the results, and of all arithmetic in between.

    Returns
    -------
    path : Path
    """
    onnx = optional.require("onnx", f"Writing {path}")
    check_choice("dtype", dtype, ("float64", "float32"))
    path = Path(path)
    if path.exists() and not overwrite:
        raise errors.file_exists(path)
    graph = _Graph(onnx, np.dtype(dtype))
    rows = graph.input
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    graph.width = int(model.n_features_in_) if hasattr(model, "n_features_in_") else None
    for step in steps[:-1]:
        rows = graph.step(step, rows)
    graph.finish(getattr(steps[-1], "directions_", steps[-1]), rows)  # of a curve on directions, the linear part
    with replaced(path) as file:
        file.write(graph.serialised())
    return path


class _Graph:
    """Nodes and constants, one after the other."""

    def __init__(self, onnx: Any, dtype: np.dtype) -> None:
        self.onnx, self.helper, self.dtype = onnx, onnx.helper, dtype
        self.kind = onnx.TensorProto.DOUBLE if dtype == np.float64 else onnx.TensorProto.FLOAT
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
        name, values = f"c{len(self.constants)}", np.asarray(values)
        values = values.astype(self.dtype) if values.dtype.kind == "f" else values
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def centred(self, rows: str, centre: Any, remainder: Any = None) -> str:
        """Subtract a row in two steps: what its type can hold, and what is left of it."""
        exact = namespaces.floats(centre)
        rest = exact - exact.astype(self.dtype).astype(np.float64)
        rest = rest if remainder is None else rest + namespaces.floats(remainder)
        rows = self.add("Sub", rows, self.constant(exact))
        return self.add("Sub", rows, self.constant(rest)) if rest.any() else rows

    def step(self, step: Any, rows: str) -> str:
        """Apply a step of a pipeline: a scaler, or a linear map."""
        name = type(step).__name__
        if isinstance(step, str) and step == "passthrough":
            return rows
        if hasattr(step, "levels_") and hasattr(step, "centre_"):
            if step.levels_ or step.missing != "refuse":  # a preparation: its numbers, words left to the caller
                raise _not_linear(name, "it turns words or gaps into numbers")
            self.width = self.width or len(step.columns_)
            return self.add("Div", self.centred(rows, step.centre_), self.constant(step.scale_))
        if name == "StandardScaler":
            rows = rows if step.mean_ is None or not step.with_mean else self.centred(rows, step.mean_)
            return rows if step.scale_ is None else self.add("Div", rows, self.constant(step.scale_))
        if name == "MinMaxScaler" and not step.clip:
            spread = self.add("Mul", self.centred(rows, step.data_min_), self.constant(step.scale_))
            return self.add("Add", spread, self.constant(np.full(len(step.scale_), float(step.feature_range[0]))))
        if name == "MaxAbsScaler":
            return self.add("Div", rows, self.constant(step.scale_))
        if getattr(getattr(step, "_declaration", None), "linear_map", None) is None:
            raise _not_linear(name, f"{PREPARING} known steps")
        return self.scores(step, rows)

    def scores(self, model: Any, rows: str, output: str | None = None) -> str:
        """Return what `transform` of a linear map gives."""
        subspace, basis = model.subspace_, namespaces.to_numpy(model._declaration.linear_map(model))
        rows = self.centred(rows, subspace.centre, subspace.remainder)
        return self.add("MatMul", rows, self.constant(np.asarray(basis, dtype=np.float64)), output=output)

    def finish(self, model: Any, rows: str) -> None:
        if hasattr(model, "_laws") and hasattr(model, "_log_dets"):
            self.quadratic(model, rows)
        elif getattr(getattr(model, "_declaration", None), "linear_map", None) is not None:
            scores = self.scores(model, rows, output="scores")
            self.output("scores", self.kind, 2)
            if hasattr(model, "_centroids"):
                self.rule(model, scores)
        elif self.is_linear_regressor(model):
            B = np.atleast_2d(namespaces.floats(model.coef_)).T
            fit = self.add("MatMul", rows, self.constant(B))
            a = np.broadcast_to(namespaces.floats(model.intercept_), B.shape[1])
            self.add("Add", fit, self.constant(a.copy()), output="prediction")
            self.output("prediction", self.kind, 2)
        else:
            raise _not_linear(type(model).__name__, "its scores are not a linear map of the columns")

    @staticmethod
    def is_linear_regressor(model: Any) -> bool:
        """Tell whether a model predicts numbers that are linear in the columns."""
        if not hasattr(model, "coef_") or not hasattr(model, "intercept_") or hasattr(model, "classes_"):
            return False
        return np.shape(np.atleast_2d(namespaces.to_numpy(model.coef_)))[-1] == model.n_features_in_

    def quadratic(self, model: Any, rows: str) -> None:
        """Return the posteriors of classes that have covariances of their own."""
        parts = []
        for law in model._laws:
            basis = self.constant(namespaces.floats(law.basis))
            z = self.add("MatMul", self.centred(rows, law.centre, law.remainder), basis)
            parts.append(self.add("ReduceSumSquare", z, axes=[1], keepdims=1))
        half = self.add("Mul", self.add("Concat", *parts, axis=1), self.constant(np.array(-0.5)))
        offset = np.log(np.asarray(model._priors, dtype=np.float64)) - 0.5 * np.asarray(model._log_dets)
        self.classes(model, self.add("Add", half, self.constant(offset)))

    def rule(self, model: Any, scores: str) -> None:
        C = np.asarray(model._centroids, dtype=np.float64)
        offset = np.log(np.asarray(model._priors, dtype=np.float64)) - 0.5 * np.sum(C**2, axis=1)
        linear = self.add("Add", self.add("MatMul", scores, self.constant(C.T.copy())), self.constant(offset))
        self.classes(model, linear)

    def classes(self, model: Any, log_posteriors: str) -> None:
        """Return labels and probabilities of log-posteriors, known up to a constant."""
        self.add("Softmax", log_posteriors, output="probabilities", axis=1)
        self.output("probabilities", self.kind, 2)
        codes = self.add("ArgMax", log_posteriors, axis=1, keepdims=0)
        classes = np.asarray(model.classes_)
        text = classes.dtype.kind in "OUST"
        known = self.constant(classes.astype(object) if text else classes.astype(np.int64))
        self.add("Gather", known, codes, output="label")
        self.output("label", self.onnx.TensorProto.STRING if text else self.onnx.TensorProto.INT64, 1)

    def output(self, name: str, kind: int, ndim: int) -> None:
        shape = ["rows"] if ndim == 1 else ["rows", None]
        self.outputs.append(self.helper.make_tensor_value_info(name, kind, shape))

    def serialised(self) -> bytes:
        entry = self.helper.make_tensor_value_info("X", self.kind, ["rows", self.width])
        graph = self.helper.make_graph(self.nodes, "eigenlens", [entry], self.outputs, self.constants)
        opset = self.helper.make_opsetid("", OPSET)
        made = self.helper.make_model(graph, opset_imports=[opset], producer_name="eigenlens", ir_version=8)
        self.onnx.checker.check_model(made)
        return made.SerializeToString()


def _not_linear(kind: str, why: str) -> errors.InputTypeError:
    return errors.InputTypeError(f"{kind} cannot be written as ONNX: {why}. Use eigenlens.save, or pickle.")
