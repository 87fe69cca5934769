"""Pages as PDF, by WeasyPrint. It is not a part of the core: `make install EXTRAS=report` brings it.

PDFs are tagged as PDF/UA-1 (ISO 14289-1) asks for, so that they can be read without being seen: headings, tables and
lists are what they are, and each drawing has its title and description as its alternative text.
"""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from typing import Any

from shoal.charts.style import resolved
from shoal.errors import ParameterError
from shoal.extras import missing
from shoal.report.pdf_tags import finish

_TABLE = re.compile(r"<details>\n<summary>The numbers behind this figure</summary>.*?</details>\n", re.DOTALL)
_PAIR = re.compile(r"<div>(<dt>.*?</dd>)</div>", re.DOTALL)
_DRAWING = re.compile(
    r'(?P<svg><svg [^>]*class="shoal-chart"[^>]*>)\n'
    r"<title[^>]*>(?P<title>[^<]*)</title>\n<desc[^>]*>(?P<desc>[^<]*)</desc>"
)


def installed() -> bool:
    """Tell whether WeasyPrint is there, without loading it."""
    return find_spec("weasyprint") is not None


def insist() -> None:
    """Say that WeasyPrint is missing before any work is done for nothing."""
    _weasyprint()


def pdf(html: str) -> bytes:
    """Give a page as a tagged PDF. The same page gives the same bytes on the same machine."""
    document = _weasyprint().HTML(string=_for_paper(html), url_fetcher=_refuse)
    name = hashlib.sha256(html.encode()).hexdigest()[:32].encode()
    content: bytes = document.write_pdf(pdf_identifier=name, pdf_variant="pdf/ua-1", finisher=finish)
    return content


def _for_paper(html: str) -> str:
    """Give each drawing its style, as printers draw them as pictures of their own, and all that is said of it as its
    title, which becomes its alternative text.

    The tables behind figures stay in the page: on paper they would take more room than all else. Facts lose the boxes
    around them, since a list in a PDF holds its entries and nothing else.
    """  # noqa: D205
    bare = _PAIR.sub(r"\1", _TABLE.sub("", html))
    return _DRAWING.sub(
        lambda found: f"{found['svg']}<title>{found['title']}. {found['desc']}</title><style>{_style()}</style>", bare
    )


def _style() -> str:
    """Give the style of a drawing. Halos go: WeasyPrint would paint them over the letters that they are to set off."""
    return resolved().partition("@media")[0] + ".shoal-chart .halo { stroke: none; }\n"


def _refuse(url: str, *_: Any, **__: Any) -> Any:
    raise ValueError(f"a page fetches nothing, but asks for {url}")


def _weasyprint() -> Any:
    try:
        import weasyprint  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise missing("A PDF needs WeasyPrint", "report", "Or write .html.") from None
    except OSError as error:  # it is there, but the libraries that it calls are not
        raise ParameterError(
            f"WeasyPrint cannot start: {str(error).splitlines()[0]}.", "Install Pango, or write .html and print it."
        ) from None
    return weasyprint
