"""A form of a page as a browser would send it, out of the page's text."""

from html.parser import HTMLParser
from urllib.parse import urlencode


class _Reader(HTMLParser):
    def __init__(self, action):
        super().__init__()
        self.action, self.inside, self.fields = action, False, []
        self.select, self.disabled = None, []

    def handle_starttag(self, tag, pairs):
        given = dict(pairs)
        if tag == "form":
            self.inside = given.get("method") == "post" and given.get("action") == self.action
        if tag == "fieldset":
            self.disabled.append("disabled" in given)
        if not self.inside or any(self.disabled) or "disabled" in given:
            return
        if tag == "input" and given.get("name") and given.get("type") != "file":
            if given.get("type") in ("checkbox", "radio") and "checked" not in given:
                return
            self.fields.append((given["name"], given.get("value", "on")))
        if tag == "select":
            self.select = [given["name"], None]
        if tag == "option" and self.select is not None:
            self.option, self.text = given, ""

    def handle_data(self, data):
        self.text = getattr(self, "text", "") + data

    def handle_endtag(self, tag):
        if tag == "fieldset":
            self.disabled.pop()
        if tag == "option" and self.select is not None:
            value = self.option.get("value", self.text)
            if self.select[1] is None or "selected" in self.option:
                self.select[1] = value
        if tag == "select" and self.select is not None:
            self.fields.append((self.select[0], self.select[1] or ""))
            self.select = None
        if tag == "form":
            self.inside = False


def shown(text, action):
    """The fields of the form that is sent to an address, filled in as the page shows them."""
    reader = _Reader(action)
    reader.feed(text)
    return reader.fields


def send(visitor, path, action=None, **more):
    """Press the button of a form, nothing changed but what is named."""
    address = (action or path).partition("?")[0]
    found = [pair for pair in shown(visitor.get(path).text, action or path) if pair[0] not in more]
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return visitor.ask("POST", address, urlencode([*found, *more.items()]), kind)
