"""Questions in a real browser: asked by label, answered in a table, in English and German, for everyone."""

import pytest
from web.conftest import people, started
from web.test_barriers import large_enough, within_its_width, without_barriers
from web.test_browser import looking

from shoal.private.accounting import Budget, Price
from shoal.private.declarations import Said
from shoal.private.ledger import Ledger

pytest.importorskip("opendp")


@pytest.fixture
def asking(tmp_path):
    """A workbench with a ledger, in a process of its own; gives its address."""
    (tmp_path / "people.csv").write_bytes(people())
    said = Said(categories={"sex": ["f", "m"]}, bounds={"age": "0..120"})
    budget, price = Budget.of(rho="0.4", delta="1e-6"), Price.of(rho="0.2")
    Ledger.create(tmp_path / "people.ledger", tmp_path / "people.csv", budget, said=said, price=price)
    kept = tmp_path / "kept"
    with started(tmp_path / "people.ledger", "--port", 0, "--no-token", "--keep", kept) as place:
        yield place


def test_questions_are_asked_and_the_screen_is_for_everyone(browser, asking):
    with looking(browser, asking, reduced_motion="reduce") as page:

        def looked_at(where):
            without_barriers(page, where)
            within_its_width(page, where)
            large_enough(page, where)

        page.goto("/")
        page.get_by_text("100% of the budget is left.").wait_for()
        looked_at("before")
        page.get_by_label("Question", exact=True).fill("count by sex")
        page.get_by_label("Your name").fill("Ada")
        page.get_by_role("button", name="Ask, and pay for it").click()
        page.get_by_text("50% of the budget is left.").wait_for()
        page.get_by_role("region", name="Answer 1", exact=True).get_by_text("other").wait_for()
        for summary in ("What can be asked", "What is declared of the table"):
            page.get_by_text(summary).first.click()
        looked_at("after")
        page.get_by_role("button", name="Deutsch").click()
        page.get_by_text("50 % des Budgets sind übrig.").wait_for()
        without_barriers(page, "german", ("light",))
        page.get_by_label("Frage", exact=True).fill("mean age")
        page.get_by_role("button", name="Fragen und bezahlen").click()
        page.get_by_text("Das Budget ist verbraucht.").wait_for()
        looked_at("spent")
