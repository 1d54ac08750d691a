"""Every public method and attribute of every estimator works after every way of fitting, or refuses in our words."""

import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone

from eigenlens import load, open_rows, save
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.methods.spine.rows_estimator import MODELLED
from eigenlens.testing import sample_for
from variants import all_variants, regressor_variants

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
plt = pytest.importorskip("matplotlib.pyplot")

ESTIMATORS = [*all_variants(), *regressor_variants()]
MODELLING = [model for model in ESTIMATORS if model.get_params().get("missing") in MODELLED]
#: Parameters change little of what a way of fitting leaves behind: the first of each class goes all ways.
FIRST = {type(model): model for model in [*reversed(ESTIMATORS), *reversed(MODELLING)]}.values()
FIRST = [*FIRST, *{type(model): model for model in reversed(ESTIMATORS)}.values()]

#: Those of scikit-learn, which ask nothing of a fit, and what builds a model from its parts.
NOT_WALKED = {"set_params", "get_params", "set_output", "get_metadata_routing", "from_coefficients"}
FITS = ("fit", "partial_fit", "fit_moments", "fit_transform")  # the last ones: they change the model


def with_gaps(X):
    holed = X.copy()
    holed[np.arange(0, len(X), 7), np.arange(0, len(X), 7) % X.shape[1]] = np.nan
    return holed


def rows_of(estimator):
    data = sample_for(estimator, 70, 4, target="table")
    if estimator.get_params().get("missing", "refuse") in MODELLED:
        data = data.with_X(with_gaps(data.X))
    return data


def fitted(estimator, data, folder):
    return estimator.fit(*data.arguments())


def complete(estimator, data, folder):
    whole = sample_for(estimator, 70, 4, target="table")
    return estimator.fit(*whole.arguments())


def weighted(estimator, data, folder):
    return estimator.fit(*data.arguments(), sample_weight=1.0 + np.arange(len(data)) % 3)


def in_batches(estimator, data, folder):
    for index in np.array_split(np.arange(len(data)), 3):
        estimator.partial_fit(*data.rows(index).arguments())
    return estimator


def from_moments(estimator, data, folder):
    return estimator.fit_moments(clone(estimator).fit(*data.arguments()).moments_)


def loaded(estimator, data, folder):
    return load(save(estimator.fit(*data.arguments()), folder / "model.eigenlens"))


def named(data):
    names = [f"x{j}" for j in range(data.X.shape[1])]
    columns = dict(zip(names, data.X.T, strict=True))
    if data.y is None:
        return columns, None
    targets = data.y[:, None] if data.y.ndim == 1 else data.y
    responses = {f"y{j}": targets[:, j] for j in range(targets.shape[1])}
    return {**columns, **responses}, list(responses) if data.y.ndim > 1 else "y0"


def from_file(estimator, data, folder):
    columns, target = named(data)
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    return estimator.fit(open_rows(folder / "rows.parquet", target=target))


WAYS = {
    "fit": fitted,
    "complete": complete,
    "weights": weighted,
    "partial_fit": in_batches,
    "fit_moments": from_moments,
    "load": loaded,
    "file": from_file,
}
NEEDS = {"partial_fit": "partial_fit", "fit_moments": "fit_moments"}


def public_names(model):
    names = {name for name in (*dir(type(model)), *vars(model)) if not name.startswith("_")}
    return sorted(name for name in names - NOT_WALKED if not re.fullmatch(r"set_\w+_request", name))


def calls(model, name, data):
    """Yield the arguments with which a method is called: each of the ways of a test, with rows and without."""
    parameters = inspect.signature(getattr(model, name)).parameters
    rows, target = data.X, data.y
    if name == "inverse_transform":
        rows = np.nan_to_num(np.asarray(model.transform(data.X)))
    if name == "fit_moments":
        yield (model.moments_,), {}
    elif name == "rayleigh":
        yield (model.scalings_,), {}
    elif name == "path":  # of few penalties; which ones makes no difference here
        yield (), {"alphas": [0.1, 0.5]}
    elif name == "supplementary":
        yield (rows[:, :2] ** 2, rows), {}
    elif name == "test_dimension":
        options = {"n_draws": 1, "alpha": 0.5} if "n_draws" in parameters else {}
        for method in (None, *re.findall(r"'([\w-]+)'", str(parameters["method"].annotation))):
            choice = options if method is None else {**options, "method": method}
            yield (), choice
            if "X" in parameters:
                yield data.arguments(), choice
    elif name == "impute":
        yield (rows,), {}
        yield (rows,), {"return_std": True}
    elif name == "all_eigenvalues" or name == "plot":
        yield (), {}
        yield (data.arguments() if "y" in parameters else (rows,)), {}
    elif "Y" in parameters or (name in ("score", "fit", "partial_fit", "fit_transform") and target is not None):
        yield (rows, target), {}
    elif "X" in parameters or "N" in parameters:
        yield (rows,), {}
    else:
        yield (), {}


def raw_errors(model, data, draws):
    """Return what ended in an error that is not of our words: name, error. Results are drawn where that is asked."""
    raw = []

    def tried(name, call):
        try:
            return call()
        except (InputError, InputTypeError):
            return None
        except Exception as error:
            if isinstance(error, AttributeError) and name in attributes and " " in str(error):
                return None  # a property says why it is not there
            raw.append(f"{name}: {error!r}")
        finally:
            plt.close("all")

    names = public_names(model)
    attributes = {name for name in names if not callable(getattr(type(model), name, None))}
    for name in [name for name in names if name not in FITS] + [name for name in FITS if name in names]:
        if name in attributes:
            value = tried(name, lambda name=name: getattr(model, name))
            tried(f"str of {name}", lambda value=value: (str(value), repr(value)))
        elif hasattr(model, name):
            for arguments, options in calls(model, name, data):
                found = tried(
                    f"{name}{options or ''}", lambda a=arguments, o=options, n=name: getattr(model, n)(*a, **o)
                )
                tried(f"str of {name}()", lambda found=found: (str(found), repr(found)))
                if hasattr(found, "to_frame"):
                    tried(f"{name}().to_frame()", found.to_frame)
                if draws and hasattr(found, "plot"):
                    tried(f"{name}{options or ''}.plot()", found.plot)
    return raw


def combinations():
    """Yield each estimator with the ways of fitting it has: all of them for the first of each class."""
    for estimator in ESTIMATORS:
        ways = [way for way in WAYS if hasattr(estimator, NEEDS.get(way, "fit"))]
        for way in ways if any(estimator is first for first in FIRST) else ways[:1]:
            yield pytest.param(estimator, way, id=f"{estimator!r}-{way}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "way"), list(combinations()))
def test_what_is_public_works_after_every_way_of_fitting(estimator, way, tmp_path):
    data = rows_of(estimator)
    model = WAYS[way](clone(estimator), data, tmp_path)
    raw = raw_errors(model, data, draws=way == "fit")  # a result no longer knows how its model was fitted
    assert not raw, "\n".join(raw)
