"""What PDF/UA asks of tags beyond what WeasyPrint writes: what heads stand over, and that page numbers are no text."""

from __future__ import annotations

from typing import Any

_PRINTED = 4  # the flag of a link that is on paper too (ISO 32000-1, 12.5.3)


def finish(_: object, pdf: Any) -> None:
    """Complete the tags of a document that is drawn."""
    structure = pdf.objects[_number(pdf.catalog["StructTreeRoot"])]
    _scopes(pdf.objects)
    _page_numbers(pdf, structure)
    for page in _pages(pdf):
        for link in page.get("Annots", ()):
            pdf.objects[_number(link)]["F"] = _PRINTED


def _scopes(objects: list[Any]) -> None:
    """Say of each head of a table whether it stands over a column or before a row."""
    for each in objects:
        if isinstance(each, dict) and each.get("S") == "/TH":
            row = objects[_number(each["P"])]
            each["A"]["Scope"] = "/Column" if objects[_number(row["P"])]["S"] == "/THead" else "/Row"


def _page_numbers(pdf: Any, structure: Any) -> None:
    """Take what stands in margins, which no element of the document holds, out of what is read aloud."""
    read = _reached(pdf.objects, [_number(each) for each in structure["K"]])
    places = pdf.objects[_number(structure["ParentTree"])]["Nums"]
    elements = dict(zip(places[::2], places[1::2], strict=True))
    for page in _pages(pdf):
        drawn = pdf.objects[_number(page["Contents"])].stream
        for place, part in enumerate(drawn):
            mark = part.get("MCID") if isinstance(part, dict) else None
            if mark is not None and _number(elements[page["StructParents"]][mark]) not in read:
                drawn[place - 1 : place + 2] = [b"/Artifact", type(part)({"Type": "/Pagination"}), b"BDC"]


def _reached(objects: list[Any], found: list[int]) -> set[int]:
    reached: set[int] = set()
    while found:
        number = found.pop()
        if number not in reached and "S" in objects[number]:
            reached.add(number)
            found += [_number(each) for each in objects[number]["K"] if isinstance(each, bytes)]
    return reached


def _pages(pdf: Any) -> list[Any]:
    return [pdf.objects[_number(each)] for each in pdf.page_references]


def _number(reference: bytes) -> int:
    return int(reference.split()[0])
