"""The documentation site: built without a warning, whole, and alone."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OUTSIDE = {"CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "mutants/README.md"}
SCREENS = runpy.run_path(str(DOCS / "screens.py"))


def build(root, target):
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(target)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    target = tmp_path_factory.mktemp("site")
    done = build(ROOT, target)
    assert done.returncode == 0, done.stderr
    return target, done.stderr


class Page(HTMLParser):
    """Links, anchors and what is loaded of one page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.pictures = [], [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.add(given.get("id"))
        if tag == "a" and given.get("href") is not None:
            self.links.append(given["href"])
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link":
            self.loaded.append(given["href"])
        if tag == "img":
            self.pictures.append(given)


@pytest.fixture(scope="module")
def pages(built):
    found = {path.resolve(): Page(path) for path in built[0].rglob("*.html") if path.name != "404.html"}
    assert len(found) > 100
    return found


def test_the_site_builds_without_a_warning(built):
    assert not re.search("warning|error", built[1], re.I), built[1]


def test_every_link_and_anchor_of_the_site_resolves(pages):
    for path, page in pages.items():
        for link in page.links:
            where, _, anchor = urllib.parse.unquote(link).partition("#")
            if re.match(r"[a-z]+:", where):
                continue
            target = (path.parent / where).resolve() if where else path
            assert target.exists(), f"{path.name} links to {link}"
            if anchor and target in pages:
                assert anchor in pages[target].anchors, f"{path.name} links to {link}"


def test_the_site_loads_nothing_from_elsewhere(built, pages):
    for path, page in pages.items():
        for loaded in page.loaded:
            assert not re.match(r"[a-z]+:|//", loaded), f"{path.name} loads {loaded}"
            assert (path.parent / urllib.parse.unquote(loaded).partition("?")[0]).exists(), loaded
    for sheet in built[0].rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text(encoding="utf-8")), (
            sheet.name
        )


def test_the_navigation_lists_every_page(built, pages):
    target, _ = built
    listed = {(target / link.partition("#")[0]).resolve() for link in pages[target / "index.html"].links}
    written = {
        target / page.relative_to(DOCS).with_suffix(".html")
        for page in DOCS.rglob("*.md")
        if page.relative_to(DOCS).parts[0] != "published"
    }
    assert written <= listed
    assert len(pages) == len(written) + len(OUTSIDE)
    assert set(pages) <= listed


def test_the_navigation_goes_from_users_to_developers_to_reviewers(pages, built):
    first = [link for link in pages[built[0] / "index.html"].links if link.endswith(".html")]
    # the tabs at the top link to the first page of each group, so these are pages further down
    order = ["start.html", "tutorial.html", "guide/choose.html", "glossary.html"]
    order += ["methods/index.html", "contributing.html", "reproduced/papers.html"]
    places = [first.index(page) for page in order]
    assert places == sorted(places)


def test_a_heading_has_the_anchor_that_the_repository_gives_it(pages, built):
    assert "protect" in pages[built[0] / "guide" / "plans.html"].anchors
    assert "unique-combinations" in pages[built[0] / "guide" / "warnings-columns.html"].anchors
    assert "how-a-change-is-made" in pages[built[0] / "contributing.html"].anchors


def test_a_fence_that_names_a_file_shows_its_name_and_what_is_for_the_tests_only_is_not_shown(built):
    text = (built[0] / "guide" / "roles.html").read_text(encoding="utf-8")
    assert "needs: eia" not in text
    text = (built[0] / "start.html").read_text(encoding="utf-8")
    assert '<span class="filename">plan.toml</span>' in text
    assert "```" not in text


def test_the_first_use_of_a_term_on_a_page_opens_its_entry_in_the_glossary(built, pages):
    text = (built[0] / "guide" / "tables.html").read_text(encoding="utf-8")
    assert text.count('<a href="../glossary.html#contributor">') == 1
    assert text.index(">contributor</a>") < text.index("contributors")
    entries = pages[built[0] / "glossary.html"].anchors
    assert {"primary-suppression", "p-percent-rule", "population-unique", "pram"} <= entries


def test_terms_are_linked_in_prose_alone(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "site")
    import hooks

    text = "# Singletons\n```sh\nsingleton\n```\n`singleton` [singleton](x.md) Singletons and a singleton.\n"
    linked = text.replace("Singletons and", "[Singletons](../glossary.md#singleton) and")
    assert hooks.with_terms_linked(text, "../glossary.md") == linked


@pytest.mark.long
def test_the_build_refuses_links_anchors_and_pictures_that_lead_nowhere(tmp_path):
    planted = ["[text](gone.md)", "[text](start.md#went)", "![text](images/lost.png)"]
    for name in ("mkdocs.yml", "src/tacita/report/templates/style.css", *OUTSIDE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    index = tmp_path / "docs" / "index.md"
    index.write_text("\n\n".join([index.read_text(encoding="utf-8"), *planted]), encoding="utf-8")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert all(name in done.stderr for name in ("gone.md", "#went", "lost.png"))


PICTURES = sorted((DOCS / "images").iterdir())
WRITTEN = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]


def test_every_picture_of_a_page_is_there_and_told_in_words():
    used = set()
    for page in WRITTEN:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            assert len(words.split()) >= 3, f"{page.name}: {target}"
            used.add((page.parent / target).resolve())
    assert all(picture.exists() for picture in used)
    assert set(PICTURES) <= used, "a picture that no page shows"


def test_every_picture_of_the_site_is_told_in_words(pages):
    for path, page in pages.items():
        assert all(given.get("alt") for given in page.pictures), path.name


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_small_and_loads_nothing(picture):
    assert picture.stat().st_size < 150_000
    if picture.suffix == ".svg":
        assert not re.search(r"href|url\(|@import", picture.read_text(encoding="utf-8"))


def words_of(svg):
    return re.sub(
        r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]*>", " ", svg, flags=re.S).replace("&#160;", " ")
    )


@pytest.mark.long
def test_a_picture_of_the_terminal_shows_what_the_commands_print(tmp_path):
    SCREENS["typed"](SCREENS["SURVEY"], tmp_path)
    for name, commands in SCREENS["TERMINALS"].items():
        committed = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
        drawn = SCREENS["terminal"](commands, tmp_path)
        assert words_of(committed) == words_of(drawn), "run `make docs-pictures`"


def test_every_picture_of_the_page_is_of_a_state_that_is_visited():
    program = (DOCS / "page_screens.py").read_text(encoding="utf-8")
    visited = re.findall(r'see\("([^"]+)"\)', program)
    assert len(set(visited)) == len(visited)
    kept = runpy.run_path(str(DOCS / "page_screens.py"))["KEPT"]
    assert {state for state, _ in kept.values()} <= set(visited)
    assert {f"{name}.png" for name in kept} == {
        each.name for each in PICTURES if each.name.startswith("page")
    }
