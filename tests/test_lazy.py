"""Names loaded when they are first used: from many threads at once, and never while a module is imported."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import eigenlens
import eigenlens.displays
import eigenlens.regress

SOURCE = Path(eigenlens.__file__).parent
FIRST_USE = """
import sys, threading, time, eigenlens

class Slow:
    def find_spec(self, *what):
        time.sleep(0.0003)  # lets other threads run in the middle of every import

sys.meta_path.insert(0, Slow())
uses = [*[("", name) for name in eigenlens.__all__], *USES]
start, wrong = threading.Barrier(len(uses)), []

def use(room, name):
    start.wait()
    try:
        getattr(getattr(eigenlens, room) if room else eigenlens, name)
    except BaseException as error:
        wrong.append(f"{room or 'eigenlens'}.{name}: {error!r}")

threads = [threading.Thread(target=use, args=use_of, daemon=True) for use_of in uses]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60)
wrong += [f"{uses[i]} never came" for i, thread in enumerate(threads) if thread.is_alive()]
print("\\n".join(wrong))
"""


def test_first_uses_from_many_threads():
    uses = [(room, name) for room in ("regress", "displays") for name in getattr(eigenlens, room).__all__]
    command = [sys.executable, "-c", f"USES = {uses}\n{FIRST_USE}"]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]  # luck may save one
    assert [run.communicate(timeout=120)[0].strip() for run in runs] == ["", "", ""]


def lazy_names(package):
    return set(package._HOMES) | set(getattr(package, "_ROOMS", ()))


LAZY = {p.__name__: lazy_names(p) for p in (eigenlens, eigenlens.regress)}


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_module_uses_a_lazy_name_while_it_is_imported(file):
    package = ["eigenlens", *file.relative_to(SOURCE).parts[:-1]]
    for node in ast.parse(file.read_text()).body:  # the top level alone: functions run later
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            used = LAZY.get(source, set()) & {alias.name for alias in node.names}
            assert not used, f"{file.name} imports {used} from {source}; import from the module that defines it"
