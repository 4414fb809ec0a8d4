"""The HTML sanitizer: for any input, the output only displays something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.exporters.sanitizer import TAGS, safe_style, sanitize
from tests.exporters.reading import Page

HOSTILE = [
    "<script>alert(1)</script>",
    '<script src="https://evil.example/x.js"></script>',
    '<img src="https://evil.example/x.png">',
    "<img src=x onerror=alert(1)>",
    '<img src="data:text/html;base64,AAAA">',
    '<img srcset="https://evil.example/x.png 2x">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" JaVaScRiPt:alert(1)">x</a>',
    '<a href="//evil.example">x</a>',
    '<a href="other.html">x</a>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="https://evil.example/x.swf"></object>',
    '<embed src="https://evil.example/x.swf">',
    '<link rel="stylesheet" href="https://evil.example/x.css">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<base href="https://evil.example">',
    '<form action="https://evil.example"><button>x</button></form>',
    "<style>@import 'https://evil.example/x.css';</style>",
    "<style>p { background: url(https://evil.example/x.png) }</style>",
    "<style>p { background: u\\72l(https://evil.example/x.png) }</style>",
    '<p style="background:url(https://evil.example/x.png)">x</p>',
    '<p style="background:u\\72l(https://evil.example/x.png)">x</p>',
    "<p style=\"background-image:image-set('https://evil.example/x.png' 1x)\">x</p>",
    '<svg><image href="https://evil.example/x.png"/></svg>',
    '<svg><use xlink:href="https://evil.example/x.svg#a"/></svg>',
    '<svg><rect fill="url(https://evil.example/x.svg#a)"/></svg>',
    "<svg><style>&#64;import 'https://evil.example/x.css';</style></svg>",
    "<svg><foreignObject><iframe src=https://evil.example></iframe></foreignObject></svg>",
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    "<svg><script>alert(1)</script></svg>",
    '<math href="javascript:alert(1)"><mi>x</mi></math>',
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<textarea></textarea><img src=x onerror=alert(1)></textarea>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<video src=https://evil.example/x.mp4></video>",
    "<p onclick=alert(1) ONMOUSEOVER=alert(1)>x</p>",
    '<td background="https://evil.example/x.png">x</td>',
    "<plaintext><img src=x onerror=alert(1)>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_loaded_and_nothing_runs(text: str) -> None:
    page = Page(sanitize(text))
    assert not page.diagnostics
    assert set(page.tags) <= TAGS


@given(st.lists(st.sampled_from(HOSTILE) | st.text(alphabet="<>/='\" \\&;abps!-#[]", max_size=12), max_size=6).map("".join))
def test_nothing_is_loaded_and_nothing_runs_however_it_is_put_together(text: str) -> None:
    page = Page(sanitize(text))
    assert not page.diagnostics
    assert set(page.tags) <= TAGS


@given(st.lists(st.sampled_from(HOSTILE) | st.text(alphabet="<>/='\" &;abps", max_size=12), max_size=6).map("".join))
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    once = sanitize(text)
    assert sanitize(once) == once


@given(st.text())
def test_text_stays_text(text: str) -> None:
    import html

    assert Page(sanitize(f"<pre>{html.escape(text)}</pre>")).text == Page(f"<pre>{html.escape(text)}</pre>").text


@pytest.mark.parametrize(
    "text",
    [
        '<details open=""><summary>a</summary>b</details>',
        '<span style="color:#fff;opacity:0.5" title="a &quot;b&quot;">x</span>',
        '<table style="border-collapse:collapse"><tr><td colspan="2">1</td></tr></table>',
        '<img src="data:image/svg+xml;base64,PHN2Zz4=" alt="a">',
        '<svg viewbox="0 0 1 1" role="img" aria-label="a"><title>t</title><path d="M0 0" fill="#fff"></path></svg>',
        "<style>.rh-live:has(svg){display:block!important}.a+.b{display:none}</style>",
        '<math display="block"><mfrac><mn>1</mn><mi>x</mi></mfrac></math>',
        '<a href="#there">x</a>',
    ],
)
def test_what_only_shows_something_stays(text: str) -> None:
    assert sanitize(text) == text


def test_a_link_out_of_the_page_tells_where_it_led() -> None:
    assert (
        Page(sanitize('see <a href="https://a.example/b">the <b>paper</b></a>.')).text == "see the paper (https://a.example/b)."
    )
    assert Page(sanitize('<a href="https://a.example">https://a.example</a>')).text == "https://a.example"


def test_an_image_from_elsewhere_is_its_words() -> None:
    assert Page(sanitize('<img src="https://a.example/b.png" alt="a cat">')).text == "[a cat]"


def test_a_style_keeps_its_harmless_declarations() -> None:
    assert safe_style("color: red; background: url(x); margin: 0") == "color: red;margin: 0"


@pytest.mark.parametrize("text", ["<div><b>x", "</div>x</b>", "<b><i>x</b>y</i>", "<p>a<p>b"])
def test_elements_are_closed_in_order(text: str) -> None:
    open_tags: list[str] = []
    import re

    for end, tag in re.findall(r"<(/?)(\w+)>", sanitize(text)):
        if end:
            assert open_tags.pop() == tag
        else:
            open_tags.append(tag)
    assert not open_tags
