"""Chapters of the ICD, and where a diagnosis code lies in them: its category and its chapter.

Chapters are stretches of categories. Of the tenth revision they hold what either edition in use has, that of the WHO
and the clinical modification (CM): where one ends later, the later end is meant.

References
----------
World Health Organization: International Statistical Classification of Diseases and Related Health Problems, 10th
revision, 2019, https://icd.who.int/browse10/2019/en; National Center for Health Statistics: ICD-9-CM, 2011, and
ICD-10-CM, 2024, https://www.cdc.gov/nchs/icd.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Revision:
    """A revision of the ICD: how its codes are written, with the category first, and the ends of its chapters.

    >>> ICD9.place("250.01"), ICD9.place("e8120"), ICD10.place("C4A.0"), ICD10.place("hello")
    (('250.-', '240-279 Endocrine, nutritional, metabolic, immunity'), ('E812.-', 'E000-E999 External causes'), \
('C4A.-', 'C00-D49 Neoplasms'), None)
    """

    code: re.Pattern[str]
    chapters: Mapping[tuple[str, str], str]

    @cached_property
    def _first(self) -> list[str]:
        return [first for first, _ in self.chapters]

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        return [(last, f"{first}-{last} {title}") for (first, last), title in self.chapters.items()]

    def place(self, text: str) -> tuple[str, str] | None:
        """Give the names of the category and the chapter of a code, with or without its dot; None if it is no code."""
        found = self.code.fullmatch(text.upper())
        if found is None:
            return None
        category = found[1]
        number = bisect_right(self._first, category) - 1
        if number < 0 or category > self._names[number][0]:
            return None
        return f"{category}.-", self._names[number][1]


ICD9 = Revision(
    re.compile(r"(\d{3}|V\d{2}|E\d{3})(?:\.?\d{1,2})?", re.ASCII),
    {
        ("001", "139"): "Infectious and parasitic diseases",
        ("140", "239"): "Neoplasms",
        ("240", "279"): "Endocrine, nutritional, metabolic, immunity",
        ("280", "289"): "Blood and blood-forming organs",
        ("290", "319"): "Mental disorders",
        ("320", "389"): "Nervous system and sense organs",
        ("390", "459"): "Circulatory system",
        ("460", "519"): "Respiratory system",
        ("520", "579"): "Digestive system",
        ("580", "629"): "Genitourinary system",
        ("630", "679"): "Pregnancy, childbirth, puerperium",
        ("680", "709"): "Skin and subcutaneous tissue",
        ("710", "739"): "Musculoskeletal system and connective tissue",
        ("740", "759"): "Congenital anomalies",
        ("760", "779"): "Perinatal period",
        ("780", "799"): "Symptoms, signs, ill-defined conditions",
        ("800", "999"): "Injury and poisoning",
        ("E000", "E999"): "External causes",
        ("V01", "V91"): "Health status and contact with health services",
    },
)
ICD10 = Revision(
    re.compile(r"([A-Z]\d[0-9A-Z])(?:\.?[0-9A-Z]{1,4})?", re.ASCII),
    {
        ("A00", "B99"): "Infectious and parasitic diseases",
        ("C00", "D49"): "Neoplasms",
        ("D50", "D89"): "Blood, blood-forming organs, immune mechanism",
        ("E00", "E90"): "Endocrine, nutritional, metabolic",
        ("F00", "F99"): "Mental and behavioural disorders",
        ("G00", "G99"): "Nervous system",
        ("H00", "H59"): "Eye and adnexa",
        ("H60", "H95"): "Ear and mastoid process",
        ("I00", "I99"): "Circulatory system",
        ("J00", "J99"): "Respiratory system",
        ("K00", "K95"): "Digestive system",
        ("L00", "L99"): "Skin and subcutaneous tissue",
        ("M00", "M99"): "Musculoskeletal system and connective tissue",
        ("N00", "N99"): "Genitourinary system",
        ("O00", "O9A"): "Pregnancy, childbirth, puerperium",
        ("P00", "P96"): "Perinatal period",
        ("Q00", "Q99"): "Congenital malformations",
        ("R00", "R99"): "Symptoms, signs, abnormal findings",
        ("S00", "T98"): "Injury, poisoning, consequences of external causes",
        ("U00", "U99"): "Special purposes",
        ("V00", "Y99"): "External causes",
        ("Z00", "Z99"): "Health status and contact with health services",
    },
)
