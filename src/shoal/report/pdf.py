"""Pages as PDF, by WeasyPrint. It is not a part of the core: `make install EXTRAS=report` brings it."""

from __future__ import annotations

import hashlib
import re
from importlib.util import find_spec
from typing import Any

from shoal.charts.style import resolved
from shoal.errors import ParameterError
from shoal.extras import missing


def installed() -> bool:
    """Tell whether WeasyPrint is there, without loading it."""
    return find_spec("weasyprint") is not None


def insist() -> None:
    """Say that WeasyPrint is missing before any work is done for nothing."""
    _weasyprint()


def pdf(html: str) -> bytes:
    """Give a page as PDF. The same page gives the same bytes on the same machine."""
    document = _weasyprint().HTML(string=_for_paper(html), url_fetcher=_refuse)
    name = hashlib.sha256(html.encode()).hexdigest()[:32].encode()
    content: bytes = document.write_pdf(pdf_identifier=name)
    return content


def _for_paper(html: str) -> str:
    """Open what is closed, and give each drawing its style: printers draw them as pictures of their own."""
    opened = html.replace("<details>", "<details open>")
    return re.sub(
        r'(<svg [^>]*class="shoal-chart"[^>]*>)', lambda found: f"{found[1]}<style>{_style()}</style>", opened
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
