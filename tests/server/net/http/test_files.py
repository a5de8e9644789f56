"""The page's files as a browser gets them: packed, kept for good by version, named ahead."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from http import HTTPStatus
from pathlib import Path

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Response

from server.net.http.files import KEEP, Site
from server.net.http.minify import minify
from server.net.http.modules import read_needs
from server.net.http.preferences import best_language, takes_gzip, takes_html

INDEX = """<head>
<link rel="stylesheet" href="/page/style.css">
<script type="module" src="/main.js"></script>
</head><a href="/ladder">Ladders</a>"""
STYLED = """<link rel="stylesheet" href="/page/style.css">
<link rel="stylesheet" href="/boards/four.css">
<title>Styled</title>"""
MAIN = """/** @import { Words } from "./texts/types.js" */
import { one, two }
  from "./page/one.js";
import './boards/registry.js';
export * from "./texts/words.js";
const x = 'from "./none.js"';
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "index.html": INDEX,
        "plain.html": '<link rel="icon" href="/icon.svg">',
        "icon.svg": "<svg/>",
        "main.js": MAIN,
        "page/one.js": 'import { x } from "../page/two.js";\n' + "// filler\n" * 20,
        "page/two.js": "export const x = 1;\n",
        "page/style.css": "body { color: red; }\n" * 20,
        "page/other.js": "export {};\n",
        "boards/registry.js": 'const later = () => import("./four.js");\n',
        "boards/four.js": 'import "../page/other.js";\n',
        "boards/four.css": "p { color: red; }\n",
        "texts/words.js": 'export const load = { a: import("./en.js"), b: import("./de.js") };\n',
        "texts/en.js": "export default 1;\n",
        "texts/de.js": "export default 2;\n",
        "styled.html": STYLED,
        "notes.md": "not served",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def got(site: Site, path: str, query: str = "", **asked: str) -> Response:
    headers = Headers({name.replace("_", "-"): value for name, value in asked.items()})
    response = site.respond(path, query, headers)
    assert response is not None
    return response


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ("/* About\n   this. */\nimport { x } from './x.js'; // gone\n",
         "\n\nimport{x}from'./x.js';\n"),
        ("const y = /** @type {any} */ (x + 2); // gone\n", "const y=(x+2);\n"),
        ("/** @type {number} */ (y).z();\nfunction f() {\n  // gone\n}",
         "(y).z();\nfunction f(){\n\n}"),
        ('return "/* kept */" + `// kept ${x + y} so`;', 'return"/* kept */"+`// kept ${x+y} so`;'),
        ("`a ${b ? `c  ${{ d: e }} f` : ''}  g` + h", "`a ${b?`c  ${{d:e}} f`:''}  g`+h"),
        ("x = `\n  // a\n`;", "x=`\n  // a\n`;"),
        ('x = "a\\\n  // b";', 'x="a\\\n  // b";'),
        ("a + +b - -c / d / e in f", "a+ +b- -c/d/e in f"),
        ("x = /[/ ] '\\/  \"/u.test(y)", "x=/[/ ] '\\/  \"/u.test(y)"),
        ("return /'/.test(y) ? 1 : 2;", "return/'/.test(y)?1:2;"),
        ("x = `open ${y", "x = `open ${y"),  # no script: it stays as it is
    ],
)  # fmt: skip
def test_scripts_lose_comments_and_spaces_and_each_line_stays(source: str, bare: str) -> None:
    assert minify(".js", source) == bare
    assert bare.count("\n") == source.count("\n")


def test_style_sheets_lose_comments_and_spaces_but_in_texts() -> None:
    source = (
        '/* A\n b */\n  a :is(b, c) { d: url(//e); f: calc(1px + 2px) }\n  g { h: " {x: y}, "; }\n'
    )
    bare = '\n\na :is(b,c){d:url(//e);f:calc(1px + 2px)}\ng{h:" {x: y}, ";}\n'
    assert minify(".css", source) == bare


def test_a_file_is_packed_for_who_can_unpack_it(folder: Path) -> None:
    site = Site(folder)
    plain, packed = got(site, "/main.js"), got(site, "/main.js", Accept_Encoding="br, gzip")
    bare = ["import'./boards/registry.js';", 'export*from"./texts/words.js";']
    assert plain.body.decode().splitlines()[3:5] == bare
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) == int(packed.headers["Content-Length"]) < len(plain.body)
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["ETag"] != packed.headers["ETag"]
    small = got(site, "/page/two.js", Accept_Encoding="gzip")
    assert "Content-Encoding" not in small.headers  # packed it would be longer
    assert site.respond("/notes.md", "", Headers()) is None


def test_what_a_browser_has_is_not_sent_again(folder: Path) -> None:
    site = Site(folder)
    for path in ("/main.js", "/index.html"):
        tag = got(site, path, Accept_Encoding="gzip").headers["ETag"]
        for given in (tag, f'"x", W/{tag}', "*"):
            unchanged = got(site, path, Accept_Encoding="gzip", If_None_Match=given)
            assert (unchanged.status_code, unchanged.body) == (304, b"")
            assert unchanged.headers["ETag"] == tag
            assert "Content-Length" not in unchanged.headers
        assert got(site, path, If_None_Match=tag).status_code == 200  # of the packed one
    (folder / "page" / "two.js").write_text("export const x = 2;\n")
    after = Site(folder)
    assert got(after, "/index.html").headers["ETag"] != got(site, "/index.html").headers["ETag"]
    assert got(after, "/main.js").headers["ETag"] == got(site, "/main.js").headers["ETag"]


def test_only_what_is_asked_for_by_its_version_is_kept_for_good(folder: Path) -> None:
    site = Site(folder)
    version = site.files["/main.js"].version
    assert got(site, "/main.js", f"v={version}").headers["Cache-Control"] == KEEP
    for query in ("", "v=", "v=0123456789", f"v={version}&x", "x"):
        assert got(site, "/main.js", query).headers["Cache-Control"] == "no-cache"
    index = got(site, "/index.html").headers
    assert index["Cache-Control"] == "no-cache"
    assert index["Vary"] == "Accept-Encoding, Accept-Language"


def test_a_page_names_what_it_needs_at_once_and_every_version(folder: Path) -> None:
    site = Site(folder)
    html = got(site, "/index.html", Accept_Language="de-CH, en;q=0.5").body.decode()

    def address(path: str) -> str:
        return f"{path}?v={site.files[path].version}"

    preloaded = re.findall(r'rel="modulepreload" href="([^"]+)"', html)
    at_once = ["/page/one.js", "/boards/registry.js", "/texts/words.js", "/page/two.js"]
    assert (
        "/scripts/index.js" not in site.files
    )  # `export *` is a form that scripts.py does not know
    assert preloaded == [*map(address, ("/main.js", "/texts/de.js", *at_once))]
    assert f'src="{address("/main.js")}"' in html
    assert f'href="{address("/page/style.css")}"' in html
    assert 'href="/ladder"' in html
    found = re.search(r'<script type="importmap">(.*?)</script>', html)
    assert found is not None
    assert found.start() < html.index("modulepreload")
    mapped = json.loads(found[1])["imports"]
    assert {path: address(path) for path in mapped} == mapped
    needed = {"/boards/four.js", "/page/other.js", "/boards/four.css", "/texts/en.js", *at_once}
    assert needed <= mapped.keys()
    digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
    rules = got(site, "/index.html").headers["Content-Security-Policy"]
    assert f"script-src 'self' 'sha256-{digest}';" in rules
    assert "unsafe" not in rules
    english = got(site, "/index.html", Accept_Language="ja").body.decode()
    assert f'rel="modulepreload" href="{address("/texts/en.js")}"' in english
    assert "importmap" not in got(site, "/plain.html").body.decode()


def test_style_sheets_come_as_one_and_later_modules_with_less_haste(folder: Path) -> None:
    text = 'import { x as y } from "./page/two.js";\nimport("./boards/four.js");\n'
    (folder / "main.js").write_text(text)
    (folder / "boards" / "four.js").write_text('import * as all from "../page/two.js";\n')
    site = Site(folder)
    html = got(site, "/styled.html").body.decode()
    united = site.files["/styles/styled.css"]
    sheets = [site.files[path].body for path in ("/page/style.css", "/boards/four.css")]
    assert united.body == b"\n".join(sheets)
    assert re.findall(r'rel="stylesheet" href="([^"]+)"', html) == [
        f"/styles/styled.css?v={united.version}"
    ]
    main = got(site, "/index.html").body.decode()
    assert re.findall(r'modulepreload" href="([^?]+)[^"]+"(.*)>', main) == [
        ("/scripts/index.js", ""),
        ("/boards/four.js", ' fetchpriority="low"'),
    ]
    script = site.files["/scripts/index.js"]
    assert script.body.decode().split("\n") == [
        "let $m0;{const x=1;",
        "$m0={x}}",
        "export const{x}=$m0;",
        "let $m1;{const{x:y}=$m0;",
        'import("/boards/four.js");',
        "$m1={}}",
    ]
    address = f"/scripts/index.js?v={script.version}"
    assert f'"/page/two.js":"{address}"' in main
    assert f'<script type="module" src="{address}">' in main
    (folder / "boards" / "four.css").unlink()
    assert got(Site(folder), "/styled.html").body.decode().count("stylesheet") == 2


def test_modules_that_need_others_of_a_script_come_as_one_beside_it(folder: Path) -> None:
    (folder / "main.js").write_text('import"./page/two.js";\nimport("./boards/four.js");\n')
    four = 'import * as two from "../page/two.js";\nimport { z } from "../page/other.js";\n'
    (folder / "boards" / "four.js").write_text(f"{four}export const four = z;\n")
    (folder / "page" / "other.js").write_text('export function z() { return import("./o.js"); }')
    files = Site(folder).files
    later = files["/scripts/index.later.js"].body.decode()
    assert later.split("\n") == [
        'import*as $o0 from"/page/two.js";',
        'let $m0;{function z(){return import("/page/o.js");}',
        "$m0={z}}",
        "export const{z}=$m0;",
        "let $m1;{const two=$o0;",
        "const{z}=$m0;",
        "const four=z;",
        "$m1={four}}",
        "export const{four}=$m1;",
    ]
    (folder / "page" / "other.js").write_text("export class four {}\nexport const z = 1;\n")
    assert "/scripts/index.later.js" not in Site(folder).files  # both export the same name


def test_documents_are_told_what_they_may_not(folder: Path) -> None:
    site = Site(folder)
    for path in ("/index.html", "/plain.html", "/icon.svg"):
        headers = got(site, path).headers
        rules = headers["Content-Security-Policy"]
        for rule in ("default-src 'self'", "object-src 'none'", "base-uri 'none'",
                     "form-action 'self'", "frame-ancestors 'none'"):  # fmt: skip
            assert rule in rules.split("; ")
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "camera=()" in headers["Permissions-Policy"]
    missing = site.respond("/plain.html", "", Headers({"If-None-Match": "*"}), HTTPStatus.NOT_FOUND)
    assert missing is not None
    assert missing.status_code == 404


def test_imports_are_read_from_a_module_and_not_from_its_comments() -> None:
    needs = read_needs(
        "/a/b/c.js", MAIN + '/* import("./no.js") */ const f = () => import("./d.js");'
    )
    assert needs.at_once == ("/a/b/page/one.js", "/a/b/boards/registry.js", "/a/b/texts/words.js")
    assert needs.later == ("/a/b/d.js",)
    assert read_needs("/c.js", 'import x from "../../../etc/passwd";').at_once == ("/etc/passwd",)


@pytest.mark.parametrize(
    ("field", "takes"),
    [
        ("gzip", True), ("GZIP;q=0.5", True), ("deflate, gzip;q=1.0, *;q=0.5", True), ("*", True),
        ("x-gzip", True), ("", False), ("identity", False), ("br", False), ("gzip;q=0", False),
        ("*;q=0", False), ("gzip;q=0.000, *", False), ("gzip;q=0.5, identity", False),
        ("gzip;q=2", False), ("gzip;q=nan", False), (",,;q=1,", False), ("gzip" * 9, False),
    ],
)  # fmt: skip
def test_what_a_browser_can_unpack(field: str, takes: bool) -> None:
    assert takes_gzip([field]) is takes
    assert takes_gzip([]) is False


@pytest.mark.parametrize(
    ("field", "language"),
    [
        ("de", "de"), ("de-AT, de;q=0.9", "de"), ("fr, de;q=0.3, en;q=0.5", "en"),
        ("DE;q=0.8, en;q=0.1", "de"), ("ja", "en"), ("*", "en"), ("", "en"), ("de;q=0", "en"),
    ],
)  # fmt: skip
def test_the_language_that_somebody_reads_best(field: str, language: str) -> None:
    assert best_language([field], ("de", "en")) == language


def test_browsers_want_html_and_programs_take_anything() -> None:
    assert takes_html(["text/html,application/xhtml+xml,*/*;q=0.8"])
    assert not any(map(takes_html, ([], ["*/*"], ["application/json"], ["text/html;q=0"])))
