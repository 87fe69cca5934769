"""The forms of a page, what is sent when one is submitted as it stands, and all that can be asked of the workbench."""

import pkgutil
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib import import_module
from urllib.parse import parse_qsl, urlsplit

from shoal.web import reader, routes


def addresses(method):
    """Give all addresses that can be asked in a way, each with the pattern that it has."""
    modules = [import_module(f"{routes.__name__}.{each.name}") for each in pkgutil.iter_modules(routes.__path__)]
    routers = [getattr(module, name) for module in modules for name in ("api", "pages") if hasattr(module, name)]
    found = [route for router in (*routers, reader.router) for route in router.routes if method in route.methods]
    assert len(found) > 20
    return {route.path: route.path_regex for route in found}


@dataclass
class Form:
    """Where a form is sent, and with what."""

    action: str
    sends_file: bool = False
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def path(self):
        return urlsplit(self.action).path

    @property
    def query(self):
        return dict(parse_qsl(urlsplit(self.action).query))

    @property
    def version(self):
        return self.fields.get("version") or self.query.get("version")

    def elsewhere(self, action, **more):
        """Give the form as one of its buttons or scripts sends it."""
        return Form(action, self.sends_file, self.fields | more)

    def sent(self, client, version, **more):
        """Submit it as one that shows another version, or none."""
        shown = {} if version is None else {"version": version}
        fields = {name: value for name, value in self.fields.items() if name != "version"}
        query = {name: value for name, value in self.query.items() if name != "version"}
        if self.sends_file:
            files = {"file": ("people.csv", b"age,sex\n1,f\n2,m\n")}
            return client.post(self.path, params=query | shown, files=files, **more)
        return client.post(self.path, params=query, data=fields | shown, **more)


class _Forms(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self._form, self._select, self._scripted = [], None, "", []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self._form = Form(given.get("action", ""), "multipart" in given.get("enctype", ""))
            if given.get("method") != "post":
                self._form = Form("")
        if self._form is not None and self._form.action:
            self._inside(tag, given)

    def _inside(self, tag, given):
        name, fields = given.get("name"), self._form.fields
        if "hx-post" in given:
            self._scripted.append((given["hx-post"], {}))
        if tag == "button" and name:
            fields.setdefault(name, given.get("value", ""))
        if "formaction" in given:
            self._scripted.append((given["formaction"], {name: given.get("value", "")}))
        if tag == "input" and name and given.get("type") not in ("file", "checkbox", "radio"):
            fields[name] = given.get("value") or "2"
        elif tag == "input" and name and (given.get("type") == "checkbox" or "checked" in given):
            fields[name] = given.get("value", "on")
        elif tag == "select" and name:
            self._select = name
        elif tag == "option" and self._select and (self._select not in fields or "selected" in given):
            fields[self._select] = given.get("value", "")

    def handle_endtag(self, tag):
        if tag == "select":
            self._select = ""
        if tag == "form" and self._form is not None:
            if self._form.action:
                self.found.append(self._form)
                self.found += [self._form.elsewhere(action, **more) for action, more in self._scripted]
            self._form, self._scripted = None, []


def forms_of(page):
    """Give every form of a page that changes something, once for each address that it can be sent to."""
    reader = _Forms()
    reader.feed(page)
    return reader.found
