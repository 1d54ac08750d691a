"""The site builds without a warning, its links lead somewhere, and every public name has a page with an example.

The gallery's pages are made without running the examples: `make docs` runs them.
"""

import fcntl
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from docutils import nodes

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import _math  # noqa: E402
import _reference  # noqa: E402
import _search  # noqa: E402

ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "src"), "EIGENLENS_DOCS_KEEP_PICTURES": "1"}

pytest.importorskip("sphinx", reason="the site needs the extra 'docs'")


@pytest.fixture(scope="module")
def site():
    """Build the pages that changed since the last run of the tests, in whichever worker comes first.

    Where the way in which pages are made has changed, that is all of them: the folder bears its digest.
    """
    builders = b"".join(path.read_bytes() for path in sorted((ROOT / "docs").glob("*.py")))
    folder = ROOT / "build/site-of-tests" / sha256(builders).hexdigest()[:12]
    for old in folder.parent.glob("*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    run, last = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid())), folder / "last.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not last.exists() or json.loads(last.read_text())["run"] != run:
            done = subprocess.run(
                sphinx(folder), capture_output=True, text=True, env=ENVIRONMENT, cwd=ROOT, check=False
            )
            if done.returncode:  # pages with warnings would not be read again
                shutil.rmtree(folder / "doctrees", ignore_errors=True)
            last.write_text(json.dumps({"run": run, "failed": done.returncode, "said": done.stdout + done.stderr}))
        built = json.loads(last.read_text())
    assert not built["failed"], built["said"]
    remove_stale(folder / "html")
    return folder / "html"


def remove_stale(site):
    """Remove pages of an earlier build whose source is gone."""
    known = {*search_index(site)["docnames"], "genindex", "search"}
    for path in site.rglob("*.html"):
        if path.relative_to(site).with_suffix("").as_posix() not in known and "_static" not in path.parts:
            path.unlink(missing_ok=True)


def sphinx(folder):
    options = ["-q", "-W", "--keep-going", "-b", "html", "-D", "plot_gallery=0", "-d", str(folder / "doctrees")]
    return [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(folder / "html")]


#: A parser would take twenty seconds for all pages. Quotes in text and code are written as &quot;.
ATTRIBUTE = re.compile(r'\s(href|src|id|name)="([^"]*)"')
FETCHED = re.compile(r'<(?:link|script|img|iframe)\b[^>]*\s(?:href|src)="((?:https?:)?//[^"]*)"')


class Page:
    """What a page links to, where it can be linked to, and what it fetches from other hosts."""

    def __init__(self, path):
        text = path.read_text(encoding="utf8")
        self.links, self.anchors, self.fetched = [], set(), FETCHED.findall(text)
        for name, value in ATTRIBUTE.findall(text):
            if value and name in ("id", "name"):
                self.anchors.add(unescape(value))
            elif value:
                self.links.append(unescape(value))


@cache
def pages_of(site):
    """Read every page, except the templates of the theme."""
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def broken(site):
    """Return the links inside the site that lead nowhere, as 'page: link'."""
    pages, files = {str(path): page for path, page in pages_of(site).items()}, {str(path) for path in site.rglob("*")}
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            address, anchor = urldefrag(unquote(link))
            if re.match(r"[a-z]+:", address):
                continue
            target = os.path.normpath(f"{os.path.dirname(path)}/{address.split('?')[0]}") if address else path
            if target not in files or (anchor and target in pages and anchor not in pages[target].anchors):
                yield f"{os.path.relpath(path, site)}: {link}"


def test_no_link_inside_the_site_is_broken(site):
    assert list(broken(site)) == []


def test_a_broken_link_would_be_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><a href="c.html">c</a><a href="#top">top</a>')
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    assert list(broken(tmp_path)) == ["a.html: b.html#here", "a.html: c.html", "a.html: #top"]


def test_no_page_fetches_anything_from_the_network(site):
    assert {path.name: page.fetched for path, page in pages_of(site).items() if page.fetched} == {}
    assert "<math " in (site / "api/generated/eigenlens.kernels.Matern.html").read_text(encoding="utf8")


def test_indices_of_formulas_are_indices(site):
    """An underscore that was escaped as text would be drawn as one."""
    texts = {path.name: path.read_text(encoding="utf8") for path in pages_of(site)}
    assert [name for name, text in texts.items() if re.search(r"<m[a-z]+[^>]*>_</m", text)] == []


def test_a_script_of_another_host_would_be_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<script src="https://cdn.example/m.js"></script><a href="https://x.example">x</a>'
    )
    assert [page.fetched for page in pages_of(tmp_path).values()] == [["https://cdn.example/m.js"]]


def test_every_public_name_has_a_page_with_an_example(site):
    pages = {name: site / f"api/generated/{name}.html" for name in _reference.public()}
    assert [name for name, page in pages.items() if not page.exists()] == []
    shown = {name for name, page in pages.items() if "&gt;&gt;&gt;" in page.read_text(encoding="utf8")}
    wanted = {name for name, thing in _reference.public().items() if _reference.needs_example(thing)}
    assert sorted(wanted - shown) == [], "add an example to their docstrings, or list them in docs/_reference.py"


def article(path):
    text = path.read_text(encoding="utf8")
    return text[text.index("<article") : text.index("</article>")]


def takes_parameters(thing):
    try:
        return bool(inspect.signature(thing).parameters)
    except ValueError:  # Python has no signature for classes made of built-in ones
        return False


def lacking(name, thing, shown):
    """Yield what the page of a public name should have and does not."""
    if re.search(r"system-message|problematic|Unknown|\w\\_|bool\(x\) -&gt; bool|\*keywords", shown):
        yield "a clean page"
    if not _reference.needs_example(thing):
        return
    if takes_parameters(thing) and not re.search("Parameters|Attributes", shown):
        yield "parameters"
    if inspect.isfunction(thing):
        if thing.__annotations__.get("return") not in (None, "None") and not re.search("Returns|Yields", shown):
            yield "what it returns"
        if 'class="go"' not in shown and thing.__annotations__.get("return") != "None":
            yield "an example with output"
    elif hasattr(thing, "fit") and (name.count(".") == 1 or ".regress." in name):  # estimators
        yield from (head for head in ("Attributes", "See also") if head.lower() not in shown.lower())


def test_pages_of_the_reference_are_complete(site):
    pages = {name: article(site / f"api/generated/{name}.html") for name in _reference.public()}
    found = {name: list(lacking(name, thing, pages[name])) for name, thing in _reference.public().items()}
    assert {name: what for name, what in found.items() if what} == {}


def test_names_that_are_not_public_exist():
    import eigenlens

    for room, hidden in _reference.PLUMBING.items():
        assert hidden <= set(getattr(eigenlens, room).__all__)


def search_index(site):
    text = (site / "searchindex.js").read_text(encoding="utf8")
    return json.loads(text[text.index("{") : text.rindex("}") + 1])


ANSWERS = {"missing values": "guide/holes", "how many components": "guide/how_many", "sparse": "guide/wide_and_sparse"}


@pytest.mark.parametrize("words", ANSWERS)
def test_search_shows_the_page_that_answers_first(site, words):
    """The main entry of the index that is the question itself has the highest score that there is."""
    index = search_index(site)
    assert [index["docnames"][file] for file, _, main in index["indexentries"][words] if main] == [ANSWERS[words]]


def test_words_that_people_search_for_belong_to_pages(site):
    assert sorted(set(_search.WORDS) - set(search_index(site)["docnames"])) == []


COLUMNS = 90  # of the code that fits into the narrowest page at 1,280 pixels, with both side bars


def code_of(path):
    """Return the lines of code that a page shows, without the flags of doctests."""
    lines = path.read_text(encoding="utf8").splitlines()
    if path.suffix == ".md":
        return [re.sub(r" *# doctest:.*", "", line) for line in lines if line.startswith((">>> ", "... "))]
    title = lines.index('"""', 1)  # the end of the docstring
    return [line for line in lines[title:] if not re.match(r"# |[A-Z][A-Za-z ]+[\d ]+$", line)]  # prose, tables


@pytest.mark.parametrize("place", ["docs/**/*.md", "docs/gallery/**/plot_*.py"])
def test_no_line_of_code_is_cut_at_1280_pixels(place):
    wide = {path.name: [line for line in code_of(path) if len(line) > COLUMNS] for path in ROOT.glob(place)}
    assert {name: lines for name, lines in wide.items() if lines} == {}


def test_symbols_in_sentences_have_indices_and_powers():
    found = list(_math.set_indices("T_W and Σ_xx^{−½}, ‖L‖_*, 10^±60, but n_rows and max_df, x_ and 2^many"))
    marked = [type(node).__name__[:3] + ":" + node.astext() for node in found if not isinstance(node, nodes.Text)]
    assert marked == ["sub:W", "sub:xx", "sup:−½", "sub:*", "sup:±60"]


@pytest.mark.parametrize("page", ["start", "which_method", "one_idea"])
def test_pages_for_newcomers_have_pictures(site, page):
    assert "<img" in (site / f"{page}.html").read_text(encoding="utf8")


def test_start_installs_what_its_examples_need():
    """pandas is not among the needs of the package or of its command line, and `as_frame` needs it."""
    page = (ROOT / "docs/start.md").read_text(encoding="utf8")
    extras = set(re.search(r"pip install '\.\[([\w,]+)\]'", page)[1].split(","))
    assert extras >= ({"cli", "frames"} if "as_frame=True" in page else {"cli"})


#: What the README says → the claim and the peer of a benchmark, and the least ratio that bears it out
CLAIMED = {
    "LDA is twice as fast as scikit-learn's fastest solver": ("LDA 200,000", "scikit-learn", 1.8),
    "ten times as fast as its default": ("LDA 200,000", "scikit-learn default", 10),
    "classical MDS over 20 times": ("ClassicalMDS(2)", "scikit-learn", 20),
    "CCA over 200 times (its NIPALS)": ("CCA", "scikit-learn", 200),
    "MDA over 10 times as fast as R's with as many starts": ("MDA 20,000×20, 5×3, 5 steps", "R", 10),
    "with the defaults of both at par": ("MDA 20,000×20, 5×3, defaults of both", "R", 1),
}


def test_the_readme_says_what_was_measured():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf8").split())
    rows = json.loads((ROOT / "benchmarks/results.json").read_text(encoding="utf8"))["results"]
    for words, (claim, peer, least) in CLAIMED.items():
        assert words in readme
        assert min(r["ratio"] for r in rows if r["claim"].startswith(claim) and peer in r["peer"]) >= least
    notes = {r["claim"]: r["note"] for r in rows}
    digits = re.search(r"the variances keep (\d+) correct digits", readme)[1]
    assert float(re.search(r"ours ([\d.]+)", notes["PCA 200,000×200, k=10, offset 1e+08"])[1]) >= float(digits)
    most = float(re.search(r"PCA needs at most (\d+) MiB on top of its input", readme)[1])
    assert all(float(notes[f"PCA {n},000×200 memory"].split()[0]) <= most for n in (100, 400))


def test_the_version_is_the_same_everywhere():
    from eigenlens import __version__

    for place in ("CITATION.cff", "docs/project/cite.md", "conda/meta.yaml"):
        assert __version__ in (ROOT / place).read_text(encoding="utf8"), place
