"""What a template shows that no translator would find: texts, labels and constants outside of `_` and `trans`."""

import re
from html.parser import HTMLParser

from jinja2 import nodes

from shoal.web.page_templates import environment

READ = ("aria-label", "alt", "placeholder", "title")  # attributes that are read out or shown
MUTE = ("script", "style", "code", "pre", "svg")
SAME = {"CSV", "Parquet", "SHA", "shoal"}  # the same in every language
SAYING = {"_", "gettext", "ngettext"}
_TRANSLATED = re.compile(r"\{%-?\s*trans\b.*?endtrans\s*-?%\}", re.DOTALL)
_WORD = re.compile(r"[^\W\d_](?:[\w.-]*[^\W\d_])")
_CODE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


class _Shown(HTMLParser):
    def __init__(self, mute=MUTE):
        super().__init__()
        self.found = []
        self._inside, self._mute = [], mute

    def handle_starttag(self, tag, attributes):
        if tag in self._mute or (tag != "html" and ("lang", "en") in attributes):  # what is said to be English
            self._inside.append(tag)
        self.found += [value for name, value in attributes if name in READ and value]

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, text):
        if not self._inside:
            self.found.append(text)


def untranslated(source):
    """Give the texts of a template that stand outside of what translators find."""
    page = _Shown()
    page.feed(_CODE.sub(" ", _TRANSLATED.sub(" ", source)))
    words = [text.strip() for text in page.found if set(re.findall(r"[A-Za-z]{2,}", text)) - SAME]
    tree = environment().parse(source)
    said = {
        id(inner)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Getattr) or (isinstance(call.node, nodes.Name) and call.node.name in SAYING)
        for inner in call.find_all(nodes.Const)
    } | {id(each) for compared in tree.find_all(nodes.Compare) for each in compared.find_all(nodes.Const)}
    constants = [
        each.value
        for output in tree.find_all((nodes.Output, nodes.Assign, nodes.For, nodes.Call))
        for each in output.find_all(nodes.Const)
        if isinstance(each.value, str) and id(each) not in said
    ]
    return [
        *words,
        *(
            text
            for text in dict.fromkeys(constants)
            if text not in SAME and re.search(r"[A-Z][a-z]+|[a-z]{2,} [a-z]", text)
        ),
    ]


def sentences(page, names):
    """Give the texts that a page shows or has read out, figures included, if they have several words beside names."""
    shown = _Shown(mute=("script", "style", "code", "pre"))
    shown.feed(page)
    texts = (" ".join(text.split()) for text in shown.found)
    return {text for text in texts if len([word for word in _WORD.findall(text) if word not in names]) > 1}
