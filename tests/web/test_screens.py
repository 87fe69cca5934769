"""The six screens, each in all of its states, as text."""

import random
import re
import time
from html import unescape
from urllib.parse import unquote

import pytest
from web.conftest import people, serving, until

from shoal.catalogue import entries
from shoal.methods import PrivateAverages, PrivateTree
from shoal.report.discretion import percent
from shoal.roles import DRAWN
from shoal.schema import Role
from shoal.web import code_export, figures, wording
from shoal.web.cases.aims import GUARDS, IN_POPULATION, K_LEVELS, OF_PEOPLE, Aim
from shoal.web.cases.decisions import Decisions
from shoal.web.cases.method_steps import BESIDE, OF_ITS_OWN
from shoal.web.tasks import risk

HX = {"hx-request": "true"}
CHOICE = {"method": "hilbert", "k_place": "3"}


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """Someone who has a table open, all roles decided, the risk measured and all candidates tried."""
    with serving(tmp_path_factory.mktemp("server")) as (visitor, _):
        visitor.opened(people(200))
        visitor.get("/api/risk?wait=30")
        visitor.tried()
        yield visitor


@pytest.mark.parametrize("path", ["/risk", "/hierarchies", "/protect", "/compare", "/release", "/same"])
def test_screens_without_a_file_say_what_to_do_first(visitor, path):
    text = visitor.get(path).text
    assert "No file is open" in text
    assert 'href="/data"' in text


def test_every_screen_promises_that_everything_stays_here(ready):
    for path in ("/data", "/roles", "/risk", "/protect", "/compare", "/release", "/same", "/nowhere"):
        assert "Everything stays on this computer" in ready.get(path).text


@pytest.mark.parametrize(
    "path", ["/data", "/roles", "/risk", "/hierarchies", "/protect", "/compare", "/release", "/same", "/api/docs"]
)
def test_pages_are_well_formed(ready, path):
    text = ready.get(path).text
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert text.count("<h1") == 1
    for target in re.findall(r'<label[^>]* for="([^"]+)"', text):
        assert target in ids
    for tag in ("section", "form", "div", "ul", "table", "details", "svg", "fieldset"):
        assert len(re.findall(rf"<{tag}[\s>]", text)) == text.count(f"</{tag}>"), tag


def test_the_first_screen_is_where_there_is_something_to_do(visitor):
    def first():
        return visitor.get("/", follow_redirects=False).headers["location"]

    assert first() == "/data"
    visitor.client.put("/api/file?name=a.csv&wait=20", content=people())
    assert first() == "/roles"
    visitor.post("/roles/accept")
    assert first() == "/risk"


def test_the_example_can_be_opened(visitor):
    visitor.post("/data/example")
    until(lambda: "patients.csv" in visitor.get("/data").text)


def test_roles_are_guessed_with_reasons(ready):
    text = ready.get("/roles").text
    for reason in (
        "as that of a column that names people",
        "its name has the word &#39;age&#39;: others may know it",
    ):
        assert reason in text
    assert 'aria-label="Role of age"' in text
    assert "Every column has a role" in text


def test_a_role_is_changed_by_one_field(visitor):
    visitor.opened()
    text = visitor.post("/roles", data={"role of age": ""}, headers=HX).text
    assert "1 column is undecided" in text
    assert visitor.state()["undecided"] == ["age"]
    assert "Every column has a role" in visitor.post("/roles", data={"role of age": "quasi"}, headers=HX).text
    assert visitor.post("/roles", data={"role-1": "plain", "other": "1"}).status_code == 200
    assert visitor.post("/roles", data={"role of size": "plain"}).status_code == 422
    assert visitor.state()["undecided"] == []


def test_columns_are_found_by_their_role(visitor):
    visitor.opened()
    text = visitor.get("/roles?having=quasi&named=E").text
    assert re.findall(r'name="role of (\w+)"', text) == ["age", "sex", "shoe"]
    assert visitor.get("/roles?having=undecided").text.count('name="role of ') == 0
    visitor.post("/roles/all", data={"having": "quasi", "named": "e", "role": "plain"})
    decided = {each["name"]: each["decided"] for each in visitor.get("/api/roles").json()}
    assert decided == {"patient_name": "identifier", "age": "plain", "sex": "plain", "zip": "quasi", "shoe": "plain",
                       "diagnosis": "sensitive"}  # fmt: skip


def test_ticked_columns_get_a_role_in_one_step(visitor):
    visitor.opened()
    visitor.post("/roles", data={"ticked": ["age", "zip"], "to-ticked": "plain", "several": "1", "role of sex": ""})
    decided = {each["name"]: each["decided"] for each in visitor.get("/api/roles").json()}
    assert [name for name, role in decided.items() if role == "plain"] == ["age", "zip"]
    assert decided["sex"] is None
    visitor.post("/undo")
    visitor.post("/roles", data={"ticked": ["age"], "to-ticked": "plain", "role of sex": "quasi"}, headers=HX)
    assert visitor.get("/api/roles").json()[1]["decided"] == "quasi"  # only the button gives it


def test_roles_that_only_columns_of_a_release_have_are_not_given(visitor):
    visitor.opened()
    offered = re.search(r'<select id="role-0".*?</select>', visitor.get("/roles").text, re.DOTALL)[0]
    assert re.findall(r'value="(\w+)"', offered) == [role.value for role in Role if role not in DRAWN]
    for role in DRAWN:
        assert visitor.client.put("/api/roles", json={"roles": {"patient_name": role}}).status_code == 422
    assert visitor.get("/api/roles").json()[0]["decided"] == "identifier"


def test_two_columns_of_a_role_that_one_can_have_are_named(visitor):
    visitor.opened()
    visitor.post("/roles", data={"role of age": "weight", "role of zip": "weight"})
    assert visitor.state()["problem"] == "Only one column can have the role 'Survey weight': age, zip."


def test_roles_are_taken_from_a_recipe_or_a_certificate(visitor):
    visitor.opened()
    job = visitor.post("/api/anonymize?wait=30", json={"k": 3}).json()
    (told,) = visitor.get("/api/releases").json()
    wanted = {each["name"]: each["decided"] for each in visitor.get("/api/roles").json()}
    for kind in ("recipe", "certificate"):
        visitor.client.put("/api/roles", json={"roles": dict.fromkeys(wanted)})
        content = visitor.get(f"/api/releases/{job['id']}/{told['files'][kind]['name']}").content
        text = visitor.post("/roles/import", files={"file": ("r.toml", content)}).text
        assert "5 columns have a role from it. 1 column of the file is not named" in text
        assert visitor.state()["undecided"] == ["patient_name"]
        roles = visitor.client.put("/api/roles/import", content=content).json()
        assert {each["name"]: each["decided"] for each in roles} == {**wanted, "patient_name": None}


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"a = ", b"{", b'{"recipe": 5}', b"[table]", b"[table]\nquasi = [1]", b"table = 5",
     b'[table]\nquasi = ["other"]', b"[" * 100_000],
)  # fmt: skip
def test_what_is_no_recipe_changes_no_role(resident, content):
    before = resident.state()
    answer = resident.post("/roles/import", files={"file": ("r.toml", content)})
    assert answer.status_code == 422
    assert "✗" in answer.text
    assert resident.client.put("/api/roles/import", content=content).status_code == 422
    assert {**resident.state(), "jobs": 0} == {**before, "jobs": 0}


def test_the_risk_leads_with_one_sentence(ready):
    text = ready.get("/risk").text
    found = ready.get("/api/risk").json()
    assert f"<h1 data-say>{wording.headline(found)}</h1>" in text
    assert "of people stand alone" in text
    assert {each["column"] for each in found["without"]} == {"age", "sex", "zip", "shoe"}
    assert len(found["sets"]) == 15
    assert found["complete"]
    assert found["sampled"] is None
    alone = next(each["uniqueness"] for each in found["sets"] if len(each["known"]) == 4)
    assert alone == found["uniqueness"]
    for each in found["without"]:
        same = next(s for s in found["sets"] if set(s["known"]) == {"age", "sex", "zip", "shoe"} - {each["column"]})
        assert each["uniqueness"] == same["uniqueness"] <= found["uniqueness"]


def test_every_choice_of_attributes_is_a_dot_between_worst_and_nothing(ready):
    figure = figures.knowledge(ready.get("/api/risk").json()).wide
    assert figure.svg.count('class="faint"') == 15
    assert "<title>2, age, sex: " in figure.svg
    assert "all 15 choices" in figure.description
    rows = [row for row in figure.rows if row["which"] == "worst choice"]
    for row in rows:
        assert row["share"] == max(each["share"] for each in figure.rows if each["known"] == row["known"])
    assert "all 15 choices" in ready.get("/risk").text


def test_who_knows_more_columns_finds_no_fewer_whatever_was_drawn():
    names = [f"c{n}" for n in range(11)]
    sets = [{"known": names[:size], "uniqueness": share} for size, share in [(2, 0.1), (7, 0.8), (9, 0.6), (11, 0.9)]]
    rows = figures.knowledge({"sets": sets, "quasi": names}).wide.rows
    assert [row["share"] for row in rows if row["which"] == "worst choice"] == [0.1, 0.8, 0.8, 0.9]


@pytest.mark.parametrize(("columns", "most"), [(3, 120), (11, 120), (60, 120), (300, 40)])
def test_of_many_attributes_some_choices_of_all_sizes_are_drawn(columns, most):
    quasi = [f"c{n}" for n in range(columns)]
    chosen = risk._chosen(quasi, risk._ALL_SETS, most)
    assert chosen == risk._chosen(quasi, risk._ALL_SETS, most)
    assert len(set(chosen)) == len(chosen) <= most
    assert len(chosen) == min(7, most) if columns == 3 else len(chosen) > most / 2
    sizes = {len(names) for names in chosen}
    assert {1, columns} <= sizes
    first = {len(names) for names in chosen[: len(sizes)]}
    assert first == sizes  # whoever stops early has seen every size
    found = {"sets": chosen, "quasi": quasi}
    assert ("all 7 choices" if columns == 3 else "drawn by lot") in figures._looked_at(found)


def test_all_choices_among_ten_attributes_are_looked_at(visitor):
    draw = random.Random(5)
    names = [f"code_{n}" for n in range(10)]
    rows = [",".join(str(draw.randrange(4)) for _ in names) for _ in range(50)]
    visitor.opened("\n".join([",".join(names), *rows]).encode())
    visitor.post("/roles", data={f"role of {name}": "quasi" for name in names})
    found = visitor.get("/api/risk?wait=30").json()
    assert len({frozenset(each["known"]) for each in found["sets"]}) == len(found["sets"]) == 1023
    assert "all 1,023 choices" in visitor.get("/risk").text


def test_a_table_that_is_safe_already_is_told_so(visitor):
    visitor.opened(b"age,sex\n" + b"30,f\n40,m\n" * 20)
    visitor.get("/api/risk?wait=20")
    text = visitor.get("/risk").text
    assert "Nobody stands alone" in text
    assert "at least 20 rows" in text
    assert "there is nothing to do" in text


def test_work_that_goes_on_is_shown_with_a_way_to_stop_it(visitor):
    visitor.opened(people(3000))
    text = visitor.post("/protect/choose", data={**CHOICE, "guard": "t-closeness"}).text
    assert "<progress" in text
    assert "Cancel" in text
    assert 'hx-get="/protect/result?version=' in text


def test_the_slider_looks_up_what_was_tried_once(ready):
    jobs = [job["id"] for job in ready.state()["jobs"]]
    for place, k in enumerate(K_LEVELS):
        begun = time.process_time()
        text = ready.post("/protect/choose", data={**CHOICE, "k_place": place}, headers=HX).text
        assert time.process_time() - begun < 0.3
        assert f"hilbert, k = {k}" in text
        assert int(re.search(r"occurs at least ([\d,]+) times", text)[1].replace(",", "")) >= k
        assert "<progress" not in text
    assert [job["id"] for job in ready.state()["jobs"]] == jobs


def test_a_number_that_was_not_tried_ahead_is_tried_when_it_is_typed(ready):
    ready.post("/protect/choose", data=CHOICE)
    text = ready.post("/protect/choose", data={**CHOICE, "k": 6}, headers=HX).text
    assert "<h2>Close neighbours (hilbert), k = 6</h2>" in text
    assert ready.tried()[Aim(k=6).key]["smallest"] >= 6
    text = ready.get("/protect").text
    assert 'value="6" required aria-label="k, as a number"' in text
    assert 'aria-valuetext="k = 6"' in text
    assert "occurs at least 6 times" in text
    jobs = [job["id"] for job in ready.state()["jobs"]]
    assert "k = 20" in ready.post("/protect/choose", data={"method": "hilbert", "k": 6, "k_place": 7}, headers=HX).text
    assert "k = 6<" in ready.post("/protect/choose", data={"method": "hilbert", "k": 6, "k_place": 3}, headers=HX).text
    assert [job["id"] for job in ready.state()["jobs"]] == jobs
    assert ready.post("/protect/choose", data={"method": "hilbert", "k": 1}).status_code == 422
    ready.post("/protect/choose", data={**CHOICE, "guard": "l-diversity"})
    assert "l = 3" in ready.post("/protect/choose", data={**CHOICE, "guard": "l-diversity", "level": 3}).text
    wrong = ready.post("/protect/choose", data={**CHOICE, "guard": "l-diversity", "level": 2.5})
    assert "Choose a whole number from 2" in wrong.text
    ready.post("/protect/choose", data=CHOICE)


def test_a_typed_number_comes_before_what_is_still_being_tried(visitor):
    visitor.opened(people(3000))
    visitor.post("/protect/choose", data={**CHOICE, "guard": "t-closeness"})
    first = next(job["id"] for job in visitor.state()["jobs"] if job["task"] == "search")
    visitor.post("/protect/choose", data={**CHOICE, "guard": "t-closeness", "level": 0.21})
    second = next(job["id"] for job in visitor.state()["jobs"] if job["task"] == "search")
    assert first != second
    until(lambda: Aim("hilbert", 5, "t-closeness", 0.21, "diagnosis").key in visitor.get("/api/candidates").text)


def test_every_point_of_the_map_leads_to_its_candidate(ready):
    ready.post("/protect/choose", data=CHOICE)
    near, all_of_them = (
        re.findall(r'<a href="(\?see=[^"]+)"', ready.get(f"/protect{whole}").text) for whole in ("", "?whole=true")
    )
    links = set(all_of_them)
    assert len(links) == len(K_LEVELS) * 3
    assert len(all_of_them) == 2 * len(links)  # drawn for wide screens and for narrow ones
    assert set(near) <= links
    link = next(each for each in links if "sorted-clusters~7~" in unquote(each))
    before = {**ready.state(), "jobs": 0}
    assert "You looked at Sorted groups (sorted-clusters), k = 7" in ready.get(f"/protect{link}").text
    assert {**ready.state(), "jobs": 0} == before  # to look at a page changes nothing
    key = unquote(link.removeprefix("?see="))
    assert "<h2>Sorted groups (sorted-clusters), k = 7</h2>" in ready.post("/protect/candidate", data={"key": key}).text
    assert ready.state()["undoes"] == "choice of protection"


def test_what_cannot_be_done_is_told_with_what_can(visitor):
    visitor.opened(people(12))
    visitor.tried(method="hilbert", k_place=9)
    text = visitor.get("/protect").text
    assert "This cannot be done" in text
    assert "k = 50 cannot be reached" in text
    assert "The nearest that can" in text
    assert "disabled" in visitor.get("/release").text.partition("Write release</button>")[0][-60:]


def test_another_promise_brings_its_own_controls(ready):
    answer = ready.post("/protect/choose", data={**CHOICE, "guard": "l-diversity"}, headers=HX)
    assert answer.status_code == 204
    assert "/protect" in answer.headers["hx-location"]
    assert 'name="level_place"' in ready.get("/protect").text
    found = ready.tried()
    aim = Aim("hilbert", 5, "l-diversity", 2, "diagnosis")
    assert found[aim.key]["levels"][1] >= 2
    assert "l = 2" in ready.get("/protect").text
    ready.post("/protect/choose", data=CHOICE)
    assert 'name="level_place"' not in ready.get("/protect").text


def test_candidates_are_compared_and_it_is_told_who_pays(ready):
    assert "Nothing to compare yet" in ready.get("/compare").text
    for aim in (Aim(k=2), Aim(k=20), Aim("mondrian", 5)):
        ready.post("/compare/pin", data={"key": aim.key, "pinned": "true"})
    text = ready.get("/compare?by=sex").text
    assert "A keeps most detail" in text
    assert "B is safest" in text
    assert "Who loses detail, by sex" in text
    for column in ("age", "sex", "zip", "shoe"):
        assert f'<code dir="auto">{column}</code>' in text
    found = ready.tried()[Aim(k=20).key]
    groups = found["loss_by_group"]["sex"]
    mean = sum(g["lost"] * g["records"] for g in groups) / sum(g["records"] for g in groups)
    assert mean == pytest.approx(1 - found["kept"])
    ready.post("/compare/pin", data={"key": Aim(k=2).key, "pinned": "false"})
    assert "2 candidates" in ready.get("/compare").text


def test_it_is_told_who_pays_where_most_have_the_highest_value(visitor):
    ages = [*range(20, 30), *[30] * 50]
    visitor.opened(b"age,sex\n" + b"".join(b"%d,%d\n" % (age, age % 2) for age in ages))
    found = visitor.tried()[Aim().key]
    groups = found["loss_by_group"]["age"]
    assert groups[-1]["group"] == "30"
    assert groups[-1]["records"] == 50


def test_columns_are_shown_before_and_after_in_every_candidate(ready):
    keys = [Aim(k=2).key, Aim("mondrian", 20).key]
    found = ready.client.put("/api/comparison?wait=30", json={"keys": keys}).json()
    assert found["job"]["state"] == "done"
    assert list(found["candidates"]) == list(found["spreads"]) == keys
    women = sum(line.split(b",")[2] == b"f" for line in people(200).splitlines()[1:]) / 200
    for key in keys:
        assert found["spreads"][key]["sampled"] is None
        columns = {each["column"]: each for each in found["spreads"][key]["columns"]}
        assert set(columns) == {"age", "sex", "zip", "shoe"}
        for each in columns.values():
            for side in ("before", "after"):
                assert sum(row[side] for row in each["rows"]) == pytest.approx(1)
        assert next(row["before"] for row in columns["sex"]["rows"] if row["label"] == "f") == pytest.approx(women)
        assert columns["age"]["stepped"]
    for column in ("age", "sex"):
        text = ready.get("/compare", params={"of": column, "by": "sex"}).text
        assert f"{column} before and after" in text
        assert f'<option value="{column}" selected>{column}</option>' in text
        assert "A: hilbert, k = 2" in text
        assert "B: mondrian, k = 20" in text
    assert ready.client.put("/api/comparison", json={"keys": ["nothing"]}).status_code == 422
    assert list(ready.get("/api/comparison").json()["spreads"]) == keys


def test_a_release_is_written_only_when_a_person_has_checked(ready):
    ready.post("/protect/choose", data=CHOICE)
    refused = ready.post("/release/write", data={"looked": "true"})
    assert refused.status_code == 422
    assert "checklist" in refused.text
    ready.post("/release/write", data={"looked": "true", "others": "true", "approver": "<b>Ada</b>"})
    until(lambda: "written and proved" in ready.get("/release").text)
    text = ready.get("/release").text
    assert "approved by &lt;b&gt;Ada&lt;/b&gt;" in text
    for name in ("people_release.csv", ".certificate.json", ".report.html", ".recipe.toml"):
        assert name in text
    assert "byte for byte" in text
    report = ready.get(re.search(r'href="(/release/[^"]+/report)"', text)[1])
    assert "Report on people_release.csv" in report.text
    policy = report.headers["content-security-policy"]
    assert "sha256-" in policy
    assert "script-src" not in policy
    assert "sandbox" in policy


def test_errors_come_in_the_form_in_which_one_asked(ready):
    part = ready.post("/protect/choose", data={**CHOICE, "method": "magic"}, headers=HX)
    assert part.status_code == 422
    assert part.headers["hx-retarget"] == "#message"
    assert "<html" not in part.text
    whole = ready.post("/protect/choose", data={**CHOICE, "method": "magic"})
    assert whole.status_code == 422
    assert "That did not work" in whole.text
    assert ready.get("/nowhere").status_code == 404
    assert ready.get("/api/nowhere").json()["remedy"]
    assert "makes no sense (k_place)" in ready.post("/protect/choose", data={"method": "hilbert", "k_place": 77}).text


def test_names_of_columns_cannot_become_part_of_the_page(visitor):
    name = "<img src=x onerror=alert(1)>"
    visitor.opened(f'age,"{name}",ill\n'.encode() + b"".join(b"%d,%d,a\n" % (n, n % 3) for n in range(30)))
    visitor.get("/api/risk?wait=20")
    visitor.tried()
    for path in ("/roles", "/risk", "/protect", "/release", "/same"):
        text = visitor.get(path).text
        assert "<img" not in text
        assert "&lt;img" in text


def test_a_large_file_is_first_shown_by_a_sample_that_is_labelled(tmp_path, ready):
    with serving(tmp_path, large=1) as (visitor, _):
        visitor.opened(people(4000))
        assert visitor.state()["rows"] == 4000
        assert visitor.state()["sampled"] is None
        seen = set()

        def complete():
            found = visitor.get("/api/risk").json()
            seen.add((found.get("sampled") is not None, "From a sample of" in visitor.get("/risk").text))
            return found.get("complete")

        until(complete)
        assert visitor.get("/api/risk").json()["records"] == 4000
        assert "From a sample" not in visitor.get("/risk").text
        found = visitor.tried()
        assert found[Aim().key]["sampled"] is None
        estimate = found[Aim("mondrian", 5).key]
        low, high = estimate["kept_interval"]
        assert low <= estimate["kept"] <= high
        text = visitor.get("/protect?whole=true").text
        assert 'class="error ' in text
        kept, average = ([percent(share) for share in (estimate[name], *estimate[f"{name}_interval"])]
                         for name in ("kept", "guess"))  # fmt: skip
        said = "keeps ≈ {} ({} to {}), average risk ≈ {} ({} to {})".format(*kept, *average)
        assert f"Cuts at medians (mondrian), k = 5: {said}" in text or f"mondrian, k = 5: {said}" in text
        assert 'class="error ' not in ready.get("/protect?whole=true").text
        visitor.post("/protect/choose", data={**CHOICE, "method": "mondrian"})
        assert visitor.tried()[Aim("mondrian", 5).key]["sampled"] is None


def test_three_hundred_columns_and_names_in_other_scripts(visitor):
    names = [f"spalte_{n}" for n in range(298)] + ["الاسم", "x" * 200]
    draw = random.Random(1)
    rows = [",".join(str(draw.randrange(3)) for _ in names) for _ in range(40)]
    visitor.opened("\n".join([",".join(names), *rows]).encode())
    text = visitor.get("/roles").text
    assert text.count('name="role of ') == 300
    assert '<code dir="auto">الاسم</code>' in text
    some = visitor.get("/roles?named=SPALTE_29").text
    assert re.findall(r'name="role of spalte_(\d+)"', some) == [str(n) for n in (29, *range(290, 298))]
    assert "these 9 columns" in visitor.post("/roles/all", data={"named": "spalte_29", "role": "plain"}).text
    roles = {each["name"]: each["decided"] for each in visitor.get("/api/roles").json()}
    assert {name for name, role in roles.items() if role == "plain"} == {f"spalte_{n}" for n in (29, *range(290, 298))}
    visitor.post("/undo")
    assert "plain" not in {each["decided"] for each in visitor.get("/api/roles").json()}
    assert "No column is like that" in visitor.get("/roles?named=nothing").text


def test_names_are_quoted_in_commands():
    roles = {"a,b": Role.QUASI, "it's": Role.QUASI, "c d": Role.SENSITIVE, "w": Role.PLAIN}
    decisions = Decisions(roles)
    files = {"table": "my table_release.csv", "recipe": "r.toml", "report": "r.html"}
    text = code_export.command("my table.csv", decisions, files)
    assert "'my table.csv'" in text
    assert """'"a,b",it'"'"'s'""" in text
    assert "--weight w " in code_export.command("t.csv", Decisions({**roles, "w": Role.WEIGHT}), files)
    compile(code_export.python("t.csv", decisions, files), "shown", "exec")
    assert code_export.command("-rf.csv", decisions, files).startswith("shoal anonymize ./-rf.csv --out")
    assert code_export.risk_command("-rf.csv", decisions).startswith("shoal risk ./-rf.csv ")


def test_every_method_and_promise_of_the_catalogue_that_fits_is_offered(ready):
    text = ready.get("/protect").text
    for name, kind in entries("methods").items():
        fits = {"k-anonymity", OF_ITS_OWN} & set(kind.enforces) or set(kind.enforces) <= BESIDE
        one_draw = issubclass(kind, PrivateAverages | PrivateTree)
        assert (f'<option value="{name}"' in text) is (bool(fits) and not one_draw)
    beside = (OF_PEOPLE | IN_POPULATION | {OF_ITS_OWN}) - {"reidentification-risk"}  # which have a test of their own
    assert set(GUARDS) - beside == {"none", "t-closeness", "l-diversity", "alpha-k", "reidentification-risk"}
    for name in GUARDS:  # what is promised of all rows of a person makes no sense where none has several
        assert (f'<option value="{name}"' in text) is (name not in beside)
    ready.post("/protect/choose", data={**CHOICE, "guard": "alpha-k"})
    found = ready.tried()[Aim("hilbert", 5, "alpha-k", 0.8, "diagnosis").key]
    assert found["levels"][1] <= 0.8
    code = unescape(ready.get("/same").text)
    assert "--alpha 0.8 --alpha-column diagnosis" in code
    assert "models=[shoal.models.AlphaK(alpha=0.8, column='diagnosis')]" in code
    ready.post("/protect/choose", data=CHOICE)


def test_numbers_before_are_there_for_who_was_never_on_the_screen_of_the_risk(visitor):
    visitor.opened().get("/protect")
    visitor.tried()
    visitor.session.case.jobs.of("measure").wait(30)
    text = visitor.get("/protect").text
    measures = text[text.index('<table class="measures">') :].partition("</table>")[0]
    assert measures.count("<tr>") > 4
    assert "–" not in measures
