"""A film of a still room in which something moves, separated by robust PCA.

Run it with a folder for the picture: `python examples/surveillance.py pictures`. Every frame is a row of the table. The
background, lit by a lamp that slowly changes, is the low-rank part; a block that walks through the room, and a tenth of
the pixels lost, are not.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from eigenlens import RobustPCA
from eigenlens.exceptions import ScaleWarning

SHAPE, FRAMES = (36, 48), 120


def film(seed: int = 0, lost: float = 0.1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the frames as seen (NaN where a pixel was lost), the background, and where the block is."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    room = 0.45 + 0.2 * np.sin(x / 5.0) * (y > 22) + 0.25 * ((x > 30) & (x < 42) & (y > 5) & (y < 18))
    lamp = np.exp(-((x - 10) ** 2 + (y - 6) ** 2) / 250.0)
    light = 0.2 + 0.15 * np.sin(np.arange(FRAMES) / 15.0)
    background = room.ravel() + np.outer(light, lamp.ravel())
    block = np.zeros((FRAMES, *SHAPE), dtype=bool)
    for t in range(FRAMES):
        left, top = int(t * (SHAPE[1] - 8) / FRAMES), int(14 + 6 * np.sin(t / 11.0))
        block[t, top : top + 10, left : left + 6] = True
    block = block.reshape(FRAMES, -1)
    seen = np.where(block, 0.95, background)
    return np.where(rng.random(seen.shape) < lost, np.nan, seen), background, block


def separate(frames: np.ndarray) -> RobustPCA:
    """Split the film."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScaleWarning)  # pixels differ in spread, but they have one unit
        return RobustPCA().fit(frames)


def draw(model: RobustPCA, frames: np.ndarray, folder: Path) -> Path:
    """Draw four frames next to their two parts."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from eigenlens import displays

    folder.mkdir(parents=True, exist_ok=True)
    chosen = (5, 40, 75, 110)
    figure, axes = plt.subplots(len(chosen), 3, figsize=(8.6, 9.0), layout="constrained")
    for line, t in zip(axes, chosen, strict=True):
        displays.robust_split(model, frames, row=t, shape=SHAPE, ax=line)
        line[0].set_ylabel(f"frame {t}")
        if t != chosen[0]:
            for ax in line:
                ax.set_title("")
    for ax, title in zip(axes[0], ("as filmed (lost pixels in sand)", "background", "what moves"), strict=True):
        ax.set_title(title, fontsize=11)
    figure.savefig(folder / "surveillance.png", dpi=110)
    return folder / "surveillance.png"


def main() -> None:
    """Separate the film, print how well, and draw it."""
    frames, background, block = film()
    model = separate(frames)
    error = np.linalg.norm(model.low_rank_ - background) / np.linalg.norm(background)
    moving, seen = abs(model.sparse_) > 0.02, ~np.isnan(frames)
    visible = block & seen & (abs(frames - background) > 0.02)
    print(f"rank {model.rank_} after {model.n_iter_} rounds; relative error of the background {error:.1e}")
    print(
        f"of {visible.sum()} pixels of the block that can be told from the background, {(moving & visible).sum()} found"
    )
    print(f"pixels taken for moving elsewhere: {(moving & ~block).sum()}")
    print(f"wrote {draw(model, frames, Path(sys.argv[1] if len(sys.argv) > 1 else 'pictures'))}")


if __name__ == "__main__":
    main()
