"""The page: complete without any network, closed to scripts that are not its own, and alive in a real browser."""

import base64
import csv
import hashlib
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import eigenlens
import eigenlens.page as page_module
from eigenlens.drawing import COLOURS
from eigenlens.page import render
from eigenlens.page.beside import side_by_side
from eigenlens.page.charts import LETTER, ROW, place_names
from eigenlens.page.payload import colour_choice
from eigenlens.rows import TableFile
from eigenlens.study import Plan, read_data, study
from eigenlens.study.demos import write_demo

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

#: Names and labels as an enemy would write them.
HOSTILE = [
    "<script>window.hit=1</script>",
    "</script><script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    "<svg onload=window.hit=1>",
    "<svg><script>window.hit=1</script></svg>",
    '"><script>window.hit=1</script>',
    "'><script>window.hit=1</script>",
    '" onmouseover="window.hit=1',
    "' onfocus='window.hit=1' autofocus='",
    "<body onload=window.hit=1>",
    "<iframe src=javascript:window.hit=1>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "<a href=javascript:window.hit=1>x</a>",
    "javascript:window.hit=1",
    "<object data=javascript:window.hit=1>",
    "<embed src=javascript:window.hit=1>",
    "<form action=javascript:window.hit=1><input type=submit>",
    "<input autofocus onfocus=window.hit=1>",
    "<details open ontoggle=window.hit=1>",
    "<video><source onerror=window.hit=1>",
    "<math><mtext></p><script>window.hit=1</script>",
    "<style>@import 'http://evil.invalid/x.css';</style>",
    "<link rel=stylesheet href=http://evil.invalid/x.css>",
    "<meta http-equiv=refresh content='0;url=http://evil.invalid'>",
    "<base href=http://evil.invalid/>",
    "<!-- --><script>window.hit=1</script>",
    "<!--<script>",
    "-->",
    "]]><script>window.hit=1</script>",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "&#60;script&#62;window.hit=1&#60;/script&#62;",
    "\\u003cscript\\u003ewindow.hit=1",
    "\\x3cscript\\x3ewindow.hit=1",
    "${window.hit=1}",
    "`${window.hit=1}`",
    "{{constructor.constructor('window.hit=1')()}}",
    "';window.hit=1;//",
    '";window.hit=1;//',
    "\\';window.hit=1;//",
    "</title><script>window.hit=1</script>",
    "</style><script>window.hit=1</script>",
    "</textarea><script>window.hit=1</script>",
    "</svg><script>window.hit=1</script>",
    "<table background=javascript:window.hit=1>",
    "<div style=background:url(javascript:window.hit=1)>",
    "<x onclick=window.hit=1>",
    "__proto__",
    "constructor",
    "<ScRiPt>window.hit=1</sCrIpT>",
    "\u2028window.hit=1\u2029",
    "<noscript><p title='</noscript><img src=x onerror=window.hit=1>'>",
    "%3Cscript%3Ewindow.hit=1%3C/script%3E",
]


def findings_of(demo, folder, **changes):
    from dataclasses import replace

    path, plan = write_demo(demo, folder)
    plan = replace(plan, **changes)
    return study(read_data(TableFile(path), plan), plan).findings


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    return findings_of("wine", tmp_path_factory.mktemp("wine"), folds=3)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A study in which every name and every label is an attack."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    n, classes = 120, HOSTILE[:8]
    code = rng.integers(0, len(classes), n)
    table = {"</h1>target": [classes[c] for c in code], "names": [f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(n)]}
    for j, name in enumerate(HOSTILE[8:]):
        table[name] = rng.standard_normal(n) + (code == j % 8) * 2.0
    table["words"] = [HOSTILE[i % 20] for i in range(n)]
    path = tmp_path_factory.mktemp("hostile") / "<img src=x onerror=window.hit=1>.parquet"
    pq.write_table(pa.table(table), path)
    plan = Plan(target="</h1>target", title="<script>window.hit=1</script>", folds=2)
    return study(read_data(TableFile(path), plan), plan).findings


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


ALLOWED = set(
    re.findall(
        r"\w+",
        """html head meta title style body header main footer section h1 h2 h3 p ul li a div span b strong label select
        input button canvas table caption thead tbody tr th td figure figcaption svg rect line circle text polygon
        polyline code pre details summary script""",
    )
)


def test_there_are_fifty_attacks():
    assert len(set(HOSTILE)) >= 50


def test_names_and_labels_do_not_become_markup(hostile):
    page = render(hostile)
    tags = Tags(page).found
    assert {tag for tag, _ in tags} <= ALLOWED
    for tag, attributes in tags:
        assert not any(name.startswith("on") or name in ("style", "src", "srcdoc") for name in attributes), (
            tag,
            attributes,
        )
    assert [a["href"] for t, a in tags if "href" in a] == ["#found"]
    assert sum(tag == "script" for tag, _ in tags) == 2
    assert sum(tag == "style" for tag, _ in tags) == 1


@pytest.mark.parametrize("which", ["wine", "hostile"])
def test_the_policy_allows_the_pages_own_script_and_style_alone(which, request):
    page = render(request.getfixturevalue(which))
    policy = next(a["content"] for t, a in Tags(page).found if a.get("http-equiv") == "Content-Security-Policy")
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        content = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        assert len(content) == 1
        digest = base64.b64encode(hashlib.sha256(content[0].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy


def test_it_is_one_file_that_names_no_other(wine):
    page = render(wine)
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert len(page) < 250_000  # 178 rows; a plotting library alone would be a megabyte


def test_figures_have_words_and_tables(wine):
    page = render(wine)
    tags = Tags(page).found
    assert sum(t == "svg" for t, _ in tags) >= 5
    assert all(a.get("role") == "img" for t, a in tags if t == "svg")
    assert len(re.findall(r"<svg[^>]*><title>[^<]+</title>", page)) == sum(t == "svg" for t, _ in tags)
    assert all("scope" in a for t, a in tags if t == "th")
    assert any("aria-live" in a for _, a in tags)
    assert "The numbers as a table" in page


@pytest.mark.parametrize("demo", ["iris", "diabetes", "exercise", "cities"])
def test_every_kind_of_study_has_a_page(demo, tmp_path):
    page = render(findings_of(demo, tmp_path, folds=2))
    for words in {
        "iris": ["Confusion"],
        "diabetes": ["Inverse-regression curve"],
        "exercise": ["Pair 1"],
        "cities": ["Shepard"],
    }[demo]:
        assert words in page
    assert (
        "nan"
        not in re.sub(r'<script type="application/json".*?</script>|<script>.*?</script>', "", page, flags=re.S)
        .lower()
        .split()
    )


def test_one_direction_and_one_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n" + "".join(f"{i * i % 17},{'ab'[i % 2]}\n" for i in range(40)))
    plan = Plan(target="kind", folds=2)
    assert "<canvas" in render(study(read_data(TableFile(path), plan), plan).findings)


# -- in a browser --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    import playwright.sync_api as sync

    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with sync.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, tmp_path):
    contexts, complaints, requests = [], [], []

    def open_page(findings, width=1280, scheme="light"):
        path = tmp_path / "report.html"
        path.write_text(render(findings), encoding="utf8")
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text))
        page.on("pageerror", lambda e: complaints.append(str(e)))
        page.on("dialog", lambda d: complaints.append("dialog"))
        page.on("request", lambda r: requests.append(r.url))
        page.goto(path.as_uri())
        return page

    yield open_page
    assert complaints == []
    assert [url for url in requests if not url.startswith("file:")] == []
    assert len(requests) == len(contexts)
    for context in contexts:
        context.close()


def lasso(page, corners):
    page.locator("#plot").scroll_into_view_if_needed()
    box = page.locator("#plot").bounding_box()
    points = [(box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in corners]
    page.mouse.move(*points[0])
    page.mouse.down()
    for point in [*points[1:], points[0]]:
        page.mouse.move(*point, steps=4)
    page.mouse.up()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")])
def test_it_fits_its_window_and_draws(wine, opened, width, scheme, tmp_path):
    page = opened(wine, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    shot = page.screenshot(full_page=True, path=tmp_path / "page.png")
    assert len(shot) > 20_000
    drawn = page.evaluate(
        """() => {
            const c = document.getElementById("plot"), seen = new Set();
            const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
            for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) seen.add(d[i] + "," + d[i + 1] + "," + d[i + 2]);
            return seen.size;
        }"""
    )
    assert drawn > 3  # a colour for each class, and ink
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(17, 22, 29)")


def test_brushing_changes_the_table_and_the_columns(wine, opened):
    page = opened(wine)
    rows = page.locator("#rows-body tr")
    assert rows.count() == 178
    lasso(page, [(0.08, 0.05), (0.45, 0.05), (0.45, 0.45), (0.08, 0.45)])
    chosen = rows.count()
    assert 10 < chosen < 120
    assert f"{chosen} rows are selected" in page.inner_text("#count")
    assert page.locator("#apart .track").count() == 8
    first = page.inner_text("#apart")
    assert page.locator("svg .hot").count() > 3  # the loadings show the same columns in bold
    page.click("#legend button:nth-child(1)")
    assert rows.count() == 59
    assert page.inner_text("#apart") != first
    assert set(page.locator("#rows-body td:nth-child(4)").all_inner_texts()) == {"class_0"}
    page.click("#clear")
    assert rows.count() == 178
    assert page.locator("#apart .track").count() == 0
    assert page.locator("svg .hot").count() == 0


def test_axes_colours_keys_and_copying(wine, opened):
    page = opened(wine)

    def picture():
        return page.evaluate("document.getElementById('plot').toDataURL()")

    start = picture()
    page.select_option("#axis-y", "0")
    assert picture() != start
    page.select_option("#axis-y", "1")
    assert picture() == start
    page.select_option("#colour", label="alcohol")
    assert picture() != start
    page.select_option("#colour", label="kind")
    page.focus("#plot")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.wait_for_timeout(60)
    assert picture() != start
    page.keyboard.press("0")
    page.wait_for_timeout(60)
    assert picture() == start
    page.click("#copy")
    assert "LDA" in page.inner_text("#code")


def test_a_keyboard_reaches_every_control_and_can_select(wine, opened):
    page = opened(wine)
    reached, rings = [], set()
    for _ in range(80):
        page.keyboard.press("Tab")
        name, ring = page.evaluate(
            "() => { const e = document.activeElement, s = getComputedStyle(e);"
            " return [e.id || e.textContent.trim().slice(0, 20), s.outlineStyle + ' ' + s.outlineWidth] }"
        )
        if reached and name == reached[0]:
            break
        reached.append(name)
        rings.add(ring)
    wanted = page.evaluate(
        "() => [...document.querySelectorAll('a, button, select, input, summary, [tabindex]')]"
        ".filter(e => e.offsetParent !== null || e.classList.contains('skip'))"
        ".filter(e => e.tagName === 'SUMMARY' || !e.closest('details:not([open])'))"
        ".map(e => e.id || e.textContent.trim().slice(0, 20))"
    )
    assert set(wanted) <= set(reached)
    assert rings == {"solid 2px"}
    rows = page.locator("#rows-body tr")
    for text, count in (
        ("kind = class_0", 59),
        ("CLASS_1", 71),
        ("alcohol >= 14.1", int((wine.columns["alcohol"] >= 14.1).sum())),
        ("discriminant 1 > 1000", 178),
    ):
        page.focus("#filter")
        page.fill("#filter", text)
        page.keyboard.press("Enter")
        assert rows.count() == count, text
    assert "No row matches discriminant 1 > 1000" in page.inner_text("#count")
    page.fill("#filter", "class_2")
    page.keyboard.press("Enter")
    assert "48 rows are selected" in page.inner_text("#count")
    assert page.locator("#apart .track").count() == 8
    page.focus("#clear")
    page.keyboard.press("Space")
    assert rows.count() == 178
    page.focus("#legend button")
    page.keyboard.press("Space")
    assert rows.count() == 59


READ = {
    "kind != class_0": lambda t: t["kind"] != "class_0",
    "alcohol > 13 and proline > 900": lambda t: (t["alcohol"] > 13) & (t["proline"] > 900),
    "kind contains S_1 or alcohol >= 14": lambda t: (t["kind"] == "class_1") | (t["alcohol"] >= 14),
    "not (kind in (class_0, 'class_1'))": lambda t: t["kind"] == "class_2",
    "ash<2 or kind = class_2 and hue > 1": lambda t: (t["ash"] < 2) | (t["kind"] == "class_2") & (t["hue"] > 1),
    "alcohol between 13 and 14": lambda t: (t["alcohol"] >= 13) & (t["alcohol"] <= 14),
    "13 < alcohol <= 14 and hue > 1": lambda t: (t["alcohol"] > 13) & (t["alcohol"] <= 14) & (t["hue"] > 1),
    "kind not in (class_0, class_1)": lambda t: t["kind"] == "class_2",
    "kind not contains S_1": lambda t: t["kind"] != "class_1",
    "od280/od315_of_diluted_wines ≤ 2 and kind is not missing": lambda t: t["od280/od315_of_diluted_wines"] <= 2,
}
UNREAD = {
    "alcohl > 13": "There is no column “alcohl” on this page. Did you mean “alcohol”?",
    "alcohol > high": "alcohol is a column of numbers, and “high” is not a number.",
    "kind < 3": "kind is a column of words: use =, !=, in or contains.",
    "(alcohol > 13": "A parenthesis is not closed.",
    "alcohol above 2": "This cannot be read from “above 2” on.",
    "alcohol between 1": "After “between” come two numbers: between 20 and 25.",
    "13 < alcohl": "There is no column “alcohl” on this page. Did you mean “alcohol”?",
    "alcohol >": "Something is missing after “>”.",
}


def test_filters_read_what_people_write(wine, opened):
    page, table = opened(wine), {name: np.asarray(values) for name, values in wine.columns.items()}
    for text, where in READ.items():
        page.fill("#filter", text)
        page.press("#filter", "Enter")
        assert page.inner_text("#count").startswith(f"{int(where(table).sum())} rows are selected"), text


def test_filters_say_what_they_cannot_read(wine, opened):
    page = opened(wine)
    for text, words in UNREAD.items():
        page.fill("#filter", text)
        page.press("#filter", "Enter")
        assert page.inner_text("#count").startswith(words), text


def test_rows_and_pictures_can_be_saved(wine, opened, tmp_path):
    page = opened(wine)
    page.fill("#filter", "alcohol > 14")
    page.press("#filter", "Enter")
    saved = {}
    for name in ("save-rows", "save-svg", "save-png"):
        with page.expect_download() as download:
            page.click(f"#{name}")
        saved[name] = tmp_path / name
        download.value.save_as(saved[name])
    lines = saved["save-rows"].read_text().splitlines()
    assert len(lines) == 1 + int((wine.columns["alcohol"] > 14).sum())
    assert lines[0].startswith("row,discriminant 1,discriminant 2,kind,alcohol")
    ElementTree.parse(saved["save-svg"])
    assert saved["save-png"].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_names_that_differ_in_capitals_are_told_apart(opened):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"Mass": rng.normal(50, 9, 60), "mass": rng.normal(5, 1, 60), "Size": rng.normal(9, 2, 60)})
    page = opened(eigenlens.report(frame).findings)
    for name, limit in (("Mass", 50), ("mass", 5), ("size", 9)):  # the last has one meaning in any capitals
        page.fill("#filter", f"{name} > {limit}")
        page.press("#filter", "Enter")
        column = name if name in frame else "Size"
        assert f"{int((frame[column] > limit).sum())} rows are selected" in page.inner_text("#count")
    page.fill("#filter", "MASS > 50")
    page.press("#filter", "Enter")
    assert "Write one of these names as it is" in page.inner_text("#count")


def test_no_saved_table_holds_a_formula(opened, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"=cmd|'/C calc'!A0": rng.normal(size=60), "b": rng.normal(size=60) - 9})
    frame["kind"] = np.where(np.arange(60) % 2, "=1+1", "@x")
    page = opened(eigenlens.report(frame, "kind", cv=0).findings)
    with page.expect_download() as download:
        page.click("#save-rows")
    download.value.save_as(tmp_path / "rows.csv")
    saved = [(tmp_path / "rows.csv").read_text()]
    for button in page.get_by_text("Save as CSV").all():
        page.evaluate("(b) => { b.closest('details').open = true; }", button.element_handle())
        with page.expect_download() as download:
            button.click()
        download.value.save_as(tmp_path / "table.csv")
        saved.append((tmp_path / "table.csv").read_text())
    assert len(saved) > 1
    cells = [cell for text in saved for line in csv.reader(text.splitlines()) for cell in line]
    assert "'=1+1" in cells
    assert any(cell.startswith("-") for cell in cells)  # numbers stay numbers
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_the_column_that_explains_the_picture_gives_the_colour():
    rng = np.random.default_rng(0)
    kind, size = rng.integers(0, 3, 90), rng.normal(size=90)
    scores = np.stack([3.0 * kind, size], axis=1) + 0.1 * rng.normal(size=(90, 2))
    columns = {"noise": rng.normal(size=90), "kind": np.array(list("abc"))[kind].astype(object), "size": size}
    seen = SimpleNamespace(target=None, scores=scores, columns=columns)
    name, words = colour_choice(seen, list(columns))
    assert name == "kind"
    assert "explains 8" in words
    assert colour_choice(seen, ["noise"]) == (None, "")
    assert colour_choice(SimpleNamespace(target="noise", scores=scores, columns=columns), list(columns))[0] == "noise"


def test_paper_is_white_and_nothing_is_cut(wine, opened, tmp_path):
    """Printed from a dark screen: the plot is drawn again in the colours of paper, and gets its own back."""
    page = opened(wine, scheme="dark")
    inks = "() => document.getElementById('plot').toDataURL()"
    screen = page.evaluate(inks)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    paper = page.evaluate(inks)
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.set_viewport_size({"width": 703, "height": 900})  # A4 between its margins
    cut = page.evaluate(
        "() => [...document.querySelectorAll('main table, main pre, main svg, canvas')]"
        ".filter(e => e.offsetParent !== null && e.getBoundingClientRect().right > innerWidth + 1).length"
    )
    assert cut == 0
    assert not page.locator("#filter").is_visible()
    assert not page.locator("summary").first.is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(media="screen", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_timeout(60)
    assert paper != screen
    assert page.evaluate(inks) == screen
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert (tmp_path / "page.pdf").stat().st_size > 20_000


def test_numbers_beyond_single_precision_are_listed_as_they_are(opened, tmp_path):
    rng = np.random.default_rng(0)
    b, c = rng.standard_normal(20) * 1e200, rng.standard_normal(20) * 1e-90
    a = rng.integers(0, 40, 20)
    lines = [f"{x!r},{y!r},{z!r}" for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)]
    (tmp_path / "huge.csv").write_text("\n".join(["a,b,c", *lines]))
    page = opened(study(read_data(TableFile(tmp_path / "huge.csv"), Plan()), Plan()).findings)
    cells = page.locator("#rows-body tr").first.locator("td").all_inner_texts()
    assert np.isclose(float(cells[-2]), b[0], rtol=0.01)
    assert np.isclose(float(cells[-1]), c[0], rtol=0.01)
    page.fill("#filter", "b > 1e199")
    page.keyboard.press("Enter")
    assert page.locator("#rows-body tr").count() == (b > 1e199).sum()
    for name in "abc":
        page.select_option("#colour", label=name)


def test_attacks_do_not_run(hostile, opened):
    page = opened(hostile)
    lasso(page, [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)])
    for option in page.locator("#colour option").all()[:12]:
        page.select_option("#colour", option.get_attribute("value"))
    page.select_option("#colour", "1")
    for button in page.locator("#legend button").all():
        button.click()
    assert page.evaluate("window.hit") is None
    inside = page.evaluate("[...document.querySelectorAll('*')].map(e => e.tagName.toLowerCase())")
    assert set(inside) <= ALLOWED | {"option"}
    attributes = page.evaluate("[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())")
    assert not [a for a in attributes if a.startswith("on")]
    assert HOSTILE[0] in page.inner_text("h1")


def test_fifty_thousand_points_stay_fluid(opened):
    from dataclasses import replace

    from eigenlens.page.findings import Direction, Findings

    n = 60_000
    Z = np.random.default_rng(0).standard_normal((n, 3))
    big = Findings(
        title="big", source="big", method="PCA", kind="none", n_rows=n, n_columns=3, notes=[], value_name="variance",
        directions=[Direction(f"component {j}", 1.0, 1 / 3) for j in range(3)], axes=["a", "b", "c"], scores=Z,
        loading_names=["x", "y", "z"], loadings=np.eye(3), loading_kind="weight", columns={"x": Z[:, 0]},
        scree={"values": np.ones(3), "band": None},
    )  # fmt: skip
    page = opened(replace(big))
    assert "50,000 of 60,000 rows are drawn" in page.inner_text("#scores")
    page.click("#move")
    box = page.locator("#plot").bounding_box()
    page.evaluate(
        "() => { window.frames_ = []; let last = performance.now(); const f = () => { const now = performance.now();"
        "frames_.push(now - last); last = now; requestAnimationFrame(f); }; requestAnimationFrame(f); }"
    )
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    for step in range(12):
        page.mouse.move(box["x"] + 300 + 3 * step, box["y"] + 200 + step)
    page.mouse.up()
    frames = page.evaluate("frames_")
    assert np.median(frames) < 100  # 17 ms on two idle cores


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(scheme):
    """4.5 for text, 3 for marks that carry meaning."""
    css = (Path(page_module.__file__).parent / "page.css").read_text()
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", css)
    pairs = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", blocks[0] + (blocks[1] if scheme == "dark" else "")))
    colours = {name: v if len(v) == 7 else "#" + "".join(2 * c for c in v[1:]) for name, v in pairs.items()}
    for text in ("ink", "soft", "good", "bad"):
        for ground in ("paper", "panel"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["accent-ink"], colours["accent"]) >= 4.5
    for mark in ("pos", "neg", *(f"c{j}" for j in range(10))):
        for ground in ("paper", "panel"):
            assert contrast(colours[mark], colours[ground]) >= 3, (mark, ground)
    if scheme == "light":
        assert tuple(colours[f"c{j}"] for j in range(10)) == COLOURS
    for shade in shades(blocks[0] if scheme == "light" else blocks[1]):
        for ground in ("paper", "panel"):
            assert contrast(shade, colours[ground]) >= 3, (shade, ground)


def shades(block):
    """Colours of numbers, from the lowest to the highest."""
    script = (Path(page_module.__file__).parent / "page.js").read_text()
    stops = np.array(re.findall(r"\[(\d+), (\d+), (\d+)\]", re.search("const RAMP = (.*);", script)[1]), dtype=float)
    low, high = (float(re.search(rf"--ramp-{end}: ([\d.]+)", block)[1]) for end in ("from", "to"))
    places = np.linspace(4 * low, 4 * high, 21)
    parts = [np.rint(np.interp(places, np.arange(5), stop)).astype(int) for stop in stops.T]
    return ["#" + "".join(f"{part:02x}" for part in colour) for colour in zip(*parts, strict=True)]


def test_names_of_arrows_do_not_cover_each_other():
    """Twelve long names at one place, at the ends of the longest arrows."""
    names = [f"a rather long name {j}"[:18] for j in range(12)]
    half = np.array([LETTER * 18 + 2, ROW]) / 2
    for tip in ((200.0, 60.0), (340.0, 340.0), (200.0, 200.0)):
        centres = np.array([centre for centre, _ in place_names(names, np.array([tip] * 12), np.zeros((0, 2)))])
        assert (centres - half >= 2).all()
        assert (centres + half <= 398).all()
        apart = (np.abs(centres[:, None] - centres) >= 2 * half - 1e-9).any(axis=2)
        assert apart[~np.eye(12, dtype=bool)].all()


def test_names_of_arrows_leave_other_arrows_free():
    """An arrow beside a longer one: its name moves to the other side, as on the biplot of a decathlon."""
    tips = np.array([[100.0, 100.0], [160.0, 150.0]])
    along = np.concatenate([np.linspace(200, tip, 100) for tip in tips])
    for centre, _ in place_names(["High.jump", "Javeline"], tips, along):
        size = np.array([LETTER * 8, ROW]) / 2
        assert not (np.abs(along - centre) < size).all(axis=1).any()


def test_two_pages_are_shown_whole_on_a_phone(wine, browser, tmp_path):
    path, complaints = tmp_path / "beside.html", []
    path.write_text(side_by_side("Wine", [("LDA", render(wine)), ("again", render(wine))]), encoding="utf8")
    page = browser.new_page(viewport={"width": 400, "height": 900})
    page.on("console", lambda m: complaints.append(m.text))
    page.goto(path.as_uri())
    page.wait_for_function("() => [...document.querySelectorAll('iframe')].every(f => f.offsetHeight > 2000)")
    page.wait_for_function("() => document.documentElement.scrollWidth == 400")  # once the frames have grown
    assert complaints == []
    assert page.frames[1].evaluate("document.querySelectorAll('#rows-body tr').length") == 178
    page.close()


def test_two_pages_allow_no_script_but_their_own(wine, browser, tmp_path):
    path, refused = tmp_path / "beside.html", []
    shown = side_by_side("Wine", [("LDA", render(wine)), ("again", render(wine))])
    path.write_text(shown.replace("</main>", "<script>window.hit = 1</script></main>"), encoding="utf8")
    page = browser.new_page()
    page.on("console", lambda m: refused.append(m.text))
    page.goto(path.as_uri())
    assert page.evaluate("window.hit") is None
    assert "Content Security Policy" in " ".join(refused)
    page.close()


def test_a_biplot_is_no_higher_than_what_it_shows():
    """A cloud that is much wider than high was drawn in a square, half of it empty."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(80)
    frame = pd.DataFrame({"a": 10 * x, "b": 10 * x + 0.1 * rng.standard_normal(80), "c": 0.2 * rng.standard_normal(80)})
    drawn = render(eigenlens.report(frame, standardise=False).findings)
    box = re.search(r'viewBox="0 ([\d.-]+) [\d.]+ ([\d.]+)"[^>]*><title>biplot', drawn)
    top, height = map(float, box.groups())
    assert height < 330
    ys = [float(y) for y in re.findall(r'cy="([\d.]+)" r="1.8"', drawn)]
    assert min(ys) > top
    assert max(ys) < top + height
