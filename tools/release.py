"""Build the packages of a release, and try the wheel in clean environments.

    make release        builds dist/, then installs the wheel with the oldest and with the newest versions that are
                        allowed, and runs the demo and the quick tests there

The environments and what the demo wrote are kept in build/release. Nothing is uploaded or tagged:
docs/project/release.md says what a person does next.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from anywhere import lowest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "release"
DIST = ROOT / "dist"


def run(*words: object, **env: str) -> None:
    """Run a command from the root of the repository; end with its exit code where it fails."""
    print(">", *words, flush=True)
    done = subprocess.run([str(word) for word in words], cwd=ROOT, env=os.environ | env)
    if done.returncode:
        raise SystemExit(done.returncode)


def environment(name: str) -> Path:
    """Return the folder of the programs of a new environment."""
    place = FOLDER / name
    run(sys.executable, "-m", "venv", "--clear", place)
    return place / ("Scripts" if os.name == "nt" else "bin")


def build() -> Path:
    """Build the source archive, the wheel from it, and check both; return the wheel."""
    shutil.rmtree(DIST, ignore_errors=True)
    programs = environment("build")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build", "twine")
    run(programs / "python", "-m", "build", "--outdir", DIST)
    run(programs / "python", "-m", "twine", "check", "--strict", *sorted(DIST.iterdir()))
    (wheel,) = DIST.glob("*.whl")
    return wheel


def tried(name: str, wheel: Path, constraints: list[str], tests: list[str]) -> None:
    """Install the wheel in an environment of its own, run the demo as a user would, and the tests."""
    programs = environment(name)
    limits = FOLDER / f"{name}.txt"
    limits.write_text("\n".join(constraints))
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", limits]
    run(*pip, f"{wheel}[cli]")
    run(programs / "eigenlens", "report", "--demo", "wine", "--out", FOLDER / f"{name}-demo", "--force")
    run(*pip, f"{wheel}[dev]")
    run(programs / "python", "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "--quick", *tests)


def main(tests: list[str]) -> None:
    """Build, and try with the oldest and the newest versions."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wheel = build()
    for name, constraints in (("oldest", lowest()), ("newest", [])):
        tried(name, wheel, constraints, tests)
    print(f"\nReady: {', '.join(sorted(str(path.relative_to(ROOT)) for path in DIST.iterdir()))}")


if __name__ == "__main__":
    main(sys.argv[1:])
