"""Questions to a table: asked by name, paid for from the budget, refused when it is spent."""

import json
import re

import pytest
from web.conftest import people, serving
from web.forms import forms_of
from web.visible_text import sentences

from shoal.private.accounting import Budget, Price
from shoal.private.declarations import Said
from shoal.private.ledger import Ledger
from shoal.private.ledger_proof import Receipt, proved

pytest.importorskip("opendp")

NAMES = {"age", "sex", "zip", "shoe", "diagnosis", "patient_name", "count by sex", "mean age", "median age over 20, 45"}
GERMAN = {"accept-language": "de"}
QUESTION = re.compile("(count|sum|mean|histogram|median|quantile) |[0-9a-f]{64}|0..120")  # the same in all languages


@pytest.fixture
def desk(tmp_path):
    """A server with a ledger whose budget lasts for four answers, a way to enter it, and the ledger."""
    (tmp_path / "people.csv").write_bytes(people())
    said = Said(categories={"sex": ["f", "m"]}, bounds={"age": "0..120"})
    ledger = Ledger.create(
        tmp_path / "people.ledger", tmp_path / "people.csv", Budget.of(rho="0.4", delta="1e-6"), said=said,
        subject="patient_name", rows_per_person=1, price=Price.of(rho="0.1"),
    )  # fmt: skip
    with serving(tmp_path, ledger=ledger.path) as (visitor, enter):
        yield visitor, enter, ledger


def ask(visitor, question, asker="Ada", **more):
    return visitor.post("/questions", data={"question": question, "asker": asker, **more})


def shares(text):
    return re.search(r"<strong>(\d+)%.*?of the budget is left", text)[1]


def test_a_ledger_opens_on_its_screen_with_the_budget(desk):
    visitor, _, _ = desk
    assert visitor.get("/", follow_redirects=False).headers["location"] == "/questions"
    text = visitor.get("/questions").text
    assert shares(text) == "100"
    assert 'href="/questions"' in visitor.get("/data").text
    assert "P1" not in text


def test_an_answer_is_shown_with_its_interval_and_booked_under_a_name(desk):
    visitor, enter, ledger = desk
    answer = ask(visitor, "count by sex", "Ada Lovelace")
    assert answer.status_code == 200
    text = answer.text
    assert shares(text) == "75"
    rows = re.findall(
        r'<th scope="row">(f|m|other)</th><td class="number">(-?\d+)</td><td[^>]*>(-?\d+) to (-?\d+)<', text
    )
    assert [row[0] for row in rows] == ["f", "m", "other"]
    assert all(int(low) < int(value) < int(high) for _, value, low, high in rows)
    assert 'value="Ada Lovelace"' in text  # who asked asks again without typing it
    (booked,) = ledger.account().spendings
    assert (booked.body["asker"], booked.body["query"]) == ("Ada Lovelace", "count by sex")
    assert booked.seal in text
    other = enter()
    seen = other.get("/questions").text
    assert shares(seen) == "75"
    assert booked.seal not in seen  # answers are for those who asked


def test_when_the_budget_is_spent_nothing_is_answered(desk):
    visitor, _, ledger = desk
    for question in ("count", "mean age", "median age over 20, 45"):
        assert ask(visitor, question).status_code == 200
    refused = ask(visitor, "count by sex", rho="0.11")
    assert refused.status_code == 422
    assert "The budget does not last" in refused.text
    assert 'value="count by sex"' in refused.text  # what was typed stays
    assert ask(visitor, "count", rho="0.1").status_code == 200
    text = visitor.get("/questions").text
    assert "The budget is spent." in text
    assert "/questions" not in {form.path for form in forms_of(text)}
    assert ask(visitor, "count").status_code == 422
    assert len(ledger.account().spendings) == 4


@pytest.mark.parametrize(
    ("question", "asker", "said"),
    [
        ("count by diagnosis", "Ada", "No categories are declared"),
        ("cuont", "Ada", "Did you mean"),
        ("count", "  ", "name"),
        ("", "Ada", "one line"),
        ("count by <b>", "Ada", "no column"),
        ("count", "a\nb", "one short line"),
    ],
)
def test_what_cannot_be_answered_says_why_and_costs_nothing(desk, question, asker, said):
    visitor, _, ledger = desk
    answer = ask(visitor, question, asker)
    assert answer.status_code == 422
    assert said in answer.text
    assert "<b>" not in answer.text.replace("</b>", "")
    assert ledger.account().spent == 0


def test_a_form_of_a_stale_tab_costs_nothing(desk):
    visitor, _, ledger = desk
    for stale in ("", "another.7"):
        answer = visitor.client.post("/questions", data={"question": "count", "asker": "Ada", "version": stale})
        assert answer.status_code == 409
    assert ledger.account().spent == 0


def test_programs_ask_too(desk):
    visitor, _, ledger = desk
    assert visitor.get("/api/budget").json()["left"]["rho"] == "0.4"
    found = visitor.client.post("/api/questions", json={"question": "count", "asker": "a program"}).json()
    assert found["certificate"]["kind"] == "stated"
    assert proved(ledger, [Receipt(**found["receipt"])])
    refused = visitor.client.post("/api/questions", json={"question": "count", "asker": "p", "rho": "9"})
    assert (refused.status_code, refused.json()["error"].startswith("The budget does not last")) == (422, True)
    assert visitor.client.post("/api/questions", json={"question": "count"}).status_code == 422


def test_a_ledger_that_was_changed_answers_nothing(desk):
    visitor, _, ledger = desk
    ledger.path.write_bytes(ledger.path.read_bytes().replace(b"0.4", b"4.0"))
    for answer in (visitor.get("/questions"), ask(visitor, "count")):
        assert answer.status_code == 422
        assert "chain" in answer.text


def test_without_a_ledger_there_is_nothing_to_ask(visitor):
    assert visitor.get("/questions", follow_redirects=False).headers["location"] == "/data"
    assert visitor.get("/api/budget").json() == {}
    assert visitor.client.post("/api/questions", json={"question": "count", "asker": "a"}).status_code == 404
    assert 'href="/questions"' not in visitor.get("/data").text


def test_the_screen_speaks_german(desk):
    visitor, _, _ = desk
    for question in ("count by sex", "mean age", "median age over 20, 45"):
        ask(visitor, question)
    english, german = (
        sentences(visitor.get("/questions", headers=headers).text, NAMES)
        for headers in ({"accept-language": "en"}, GERMAN)
    )
    assert len(german) > 20
    assert not {each for each in english & german if not QUESTION.match(each)}
    refused = visitor.client.post(
        "/questions",
        headers=GERMAN,
        data={"question": "count", "asker": "A", "rho": "9", "version": visitor.state()["version"]},
    )
    assert "Das Budget reicht nicht" in refused.text


def test_answers_leave_the_page_as_plain_numbers(desk):
    visitor, _, _ = desk
    text = ask(visitor, "mean age").text
    assert not re.search(r"<style|style=|<script(?! src=\"/static/)|\son\w+=|javascript:", text)
    assert json.dumps(visitor.get("/api/budget").json())
