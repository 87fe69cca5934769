"""Sentences that come finished, in English: what the library says of columns, models and progress, and what tasks say.

The library answers in one language wherever it runs, so that its papers do not depend on who asked for them. Its
sentences are recognized here by their form, and said again in the language of the reader; others stay as they are.
"""

from __future__ import annotations

import re
from functools import cache

from shoal.languages import ENGLISH, N_, _, current, written
from shoal.web.question_words import REFUSALS

_SENTENCES = (
    # kinds of columns
    N_("category"),
    N_("integer"),
    N_("float"),
    N_("date"),
    N_("datetime"),
    N_("ordered"),
    # why a role is suggested
    N_("its name has the word '%(word)s': others may know it"),
    N_("its name has the word '%(word)s': something confidential"),
    N_("its name has '%(word)s', as that of a column that names people, or says how to reach them"),
    N_("its name has '%(word)s', as that of a column that tells people apart"),
    N_("its name has '%(word)s', as that of a number of households, which links their members"),
    N_("its name has '%(word)s', as that of a survey weight"),
    N_("its name has '%(word)s', as that of a survey weight, or of a mass"),
    N_("its name has '%(word)s', as that of a diagnosis or procedure"),
    N_("every record has a value of its own: %(values)s values for %(rows)s rows"),
    N_("it hardly varies: %(values)s value for %(rows)s rows"),
    N_("it hardly varies: %(values)s values for %(rows)s rows"),
    N_("a measured number that others rarely know exactly: %(values)s values for %(rows)s rows"),
    N_("it varies and might be known to others: %(values)s values for %(rows)s rows"),
    # what models promise
    N_("Some combination of quasi-identifiers occurs only once."),
    N_("Each combination of quasi-identifiers occurs at least %(times)s times."),
    N_("Each combination of quasi-identifiers is shared by at least %(people)s different people."),
    N_("Every class holds at least %(values)s different values of '%(column)s'."),
    N_("Every class has at least %(people)s people no two of whom have a value of '%(column)s' in common."),
    N_("In some class no two people are sure to differ in '%(column)s'."),
    N_("In every class, '%(column)s' is spread within %(level)s of the whole table."),
    N_(
        "In every class, '%(column)s' is spread within %(level)s of the whole table, counting each person once for "
        "each value."
    ),
    # what was proved
    N_("The certificate has not been changed since its digest was made."),
    N_("The file is the one that was released, byte for byte."),
    N_("Rows stand in the released order, which tells nothing beyond what is released."),
    N_("The certificate commits to this original."),
    # what is being done
    N_("Looking at the columns"),
    N_("Reading the first rows"),
    N_("Reading a sample"),
    N_("Reading all of %(file)s"),
    N_("Reading %(file)s"),
    N_("Counting the values of %(column)s"),
    N_("Trying ways to protect"),
    N_("Trying choices of columns"),
    N_("Which columns drive the risk"),
    N_("Making the rows"),
    N_("Waiting for its turn"),
    N_("Looking for people by what is known of them"),
    N_("Looking for what puts rows at risk"),
    N_("Looking at every combination of levels"),
    N_("Attacking the release"),
    N_("It cannot be made again without some of its people."),
    N_("Making the release"),
    N_("Writing the release"),
    N_("Writing the report"),
    N_("Proving it from what was written"),
    # what tasks refuse
    N_("The file has changed since it was opened, so nothing was written."),
    N_("Open it again, and look again."),
    N_("The file has %(columns)s columns; at most %(most)s can be worked with here."),
    N_("Leave out columns that are not needed, or use the command line."),
    N_("Ask for less, or take another method."),
    # what the workbench refuses
    N_("This path does not lie in a folder that was named when the workbench was started."),
    N_("Start it with --folder DIR, or send the file."),
    N_("There is no such file."),
    N_("Check the path."),
    N_("Start the workbench with the file's name, which sends nothing: shoal web FILE."),
    N_("No file was sent, or an empty one."),
    N_("Choose a file, then send it."),
    N_("What was sent is not a form with a file."),
    N_("Send multipart/form-data, or name the file."),
    N_("Send it again."),
    N_("There is no such promise."),
    N_("The promise and its column do not fit."),
    N_("Name the confidential column it is about."),
    N_("There is no such candidate."),
    N_("Choose one of those on the page."),
    N_("There is no such audience."),
    N_("Choose internal or external."),
    N_("A PDF needs WeasyPrint, which is not installed."),
    N_("There is no such release."),
    N_("Write it first, or choose one of those on the page."),
    N_("There is no such hierarchy."),
    N_("Build it first."),
    N_("Open one first."),
    N_("Give every column a role first."),
    N_("Only a quasi-identifier can have a hierarchy here."),
    N_("Choose another column."),
    N_("There is no such column in the file."),
    N_("Reload the page and choose again."),
    N_("The promise is not about a confidential column."),
    N_("Choose a confidential column."),
    N_("Take one away before you add another."),
    N_("The values of this hierarchy are not known here."),
    N_("Build it again."),
    N_("Groups of one person are the smallest there are."),
    N_("Choose at least 2 people."),
    N_("There is nothing to merge."),
    N_("This is no way to build a hierarchy."),
    N_("The hierarchy is not UTF-8 text."),
    N_("Save it as UTF-8."),
    N_("The release has no such file."),
    N_("It gives no column of this file a role."),
    N_("Choose the recipe of a file with the same columns."),
    N_("This is neither a recipe nor a certificate."),
    N_("Choose a .recipe.toml or .certificate.json."),
    N_("The roles in it are not names of columns."),
    N_("Mend the recipe."),
    N_("The checklist is not complete."),
    N_("Confirm both points that only a person can check."),
    N_("'%(name)s' is not offered here."),
    N_("Choose one of: %(names)s."),
    N_("%(name)s = %(value)s makes no sense."),
    N_("Choose a whole number from %(low)s to %(high)s."),
    N_("Choose a number from %(low)s to %(high)s."),
    N_("No group has fewer than %(least)s people."),
    N_("At most %(most)s candidates are compared."),
    N_("The release cannot be kept: %(reason)s."),
    N_("The file is larger than %(most)s, which is the most that can be sent."),
    N_("Files that end in '%(suffix)s' cannot be read here."),
    N_("Save it as CSV or Parquet."),
    N_("Write: %(ways)s."),
    N_("There is no such page."),
    N_("Go back to the workbench."),
    N_("What was sent makes no sense (%(where)s)."),
    N_("See /api/docs for what is expected."),
    N_("There is no such work."),
    N_("Reload the page."),
    N_("Something went wrong inside shoal (%(kind)s). This is a defect, not your mistake."),
    N_("Please report it. Your file and your decisions are as they were."),
    N_("%(command)s, then start the workbench again."),
    N_("Run: %(command)s, then start the workbench again."),
    *REFUSALS,
)
_NUMBER = re.compile(r"[<>≈]? ?[−-]?\d[\d,]*(?:\.\d+)?%?")


def reported(sentence: str) -> str:
    """Say a finished sentence in the language that is spoken now.

    >>> from shoal.languages import languages, speaking
    >>> with speaking(languages()["de"]):
    ...     reported("Each combination of quasi-identifiers occurs at least 1,200 times.")
    'Jede Kombination der Quasi-Identifikatoren kommt mindestens 1.200-mal vor.'
    >>> reported("Reading all of people.csv")
    'Reading all of people.csv'
    """
    if current() == ENGLISH or not sentence:
        return sentence
    for form, message in _forms():
        if found := form.fullmatch(sentence):
            return _(message, **{name: _value(text) for name, text in found.groupdict().items()})
    return sentence


def _value(text: str) -> str:
    return written(text) if _NUMBER.fullmatch(text) else text


@cache
def _forms() -> list[tuple[re.Pattern[str], str]]:
    """Give the sentences as patterns, the longest first: the more is known of a sentence, the surer it is meant."""
    ordered = sorted(_SENTENCES, key=len, reverse=True)
    return [(re.compile(re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+?)", re.escape(each))), each) for each in ordered]
