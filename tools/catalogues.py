"""Bring the catalogues of translations up to what is said in source and templates: python tools/catalogues.py.

What is new gets an empty place, for translators to fill; what nobody says any more goes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "shoal"
FOLDER = PACKAGE / "languages" / "catalogues"
KINDS = [("**.py", "python"), ("**/templates/**.html", "jinja2")]
# As `shoal.report.rendering` reads templates.
TEMPLATES = {
    "newstyle_gettext": "true",
    "silent": "false",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "trimmed": "true",
}


def said() -> Catalog:
    """Gather all that is said."""
    found = Catalog(project="shoal")
    for _, _, message, _, _ in extract_from_dir(PACKAGE, KINDS, {"**/templates/**.html": TEMPLATES}):
        found.add(message)
    for file in (PACKAGE / "web" / "texts").glob("*.toml"):
        for message in texts(tomllib.loads(file.read_text(encoding="utf-8"))):
            found.add(message)
    return found


def texts(content: Any) -> Iterator[str]:
    """Give all texts in a file of words, but examples, which are the same in all languages."""
    if isinstance(content, str):
        yield content
        return
    inside = content if isinstance(content, list) else (each for key, each in content.items() if key != "examples")
    for each in inside:
        yield from filter(None, texts(each))


def renewed(file: Path) -> Catalog:
    """Give a catalogue with all that is said, and nothing else."""
    with file.open("rb") as opened:
        catalogue = read_po(opened, locale=file.stem)
    catalogue.update(said(), no_fuzzy_matching=True)
    return catalogue


def missing(catalogue: Catalog) -> list[str]:
    """Give what has no translation yet, or not in all forms."""
    forms = [(each.id, [each.string] if isinstance(each.id, str) else each.string) for each in catalogue if each.id]
    return [str(said) for said, given in forms if not given or not all(given)]


def write(catalogue: Catalog, file: Path) -> None:
    """Write a catalogue, with a header that says only what programs need."""
    text = BytesIO()
    write_po(text, catalogue, width=120, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True)
    needed = {"Language", "Plural-Forms", "Content-Type", "Content-Transfer-Encoding"}
    header = [f'"{name}: {value}\\n"' for name, value in catalogue.mime_headers if name in needed]
    file.write_text("\n".join(['msgid ""', 'msgstr ""', *header, "", text.getvalue().decode()]), encoding="utf-8")


if __name__ == "__main__":
    for file in FOLDER.glob("*.po"):
        catalogue = renewed(file)
        write(catalogue, file)
        print(f"{file.name}: {len(catalogue)} sentences, {len(missing(catalogue))} without a translation")  # noqa: T201
