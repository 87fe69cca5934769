"""Methods on the page: all of the catalogue, with the parameters they have, and one after the other."""

import io
import zipfile
from dataclasses import fields
from html import unescape

import pytest
from web.conftest import people

from shoal import read as read_table
from shoal.atomic_files import files_read_by
from shoal.catalogue import entries, look_up
from shoal.errors import ParameterError
from shoal.web.cases.aims import METHODS, Aim
from shoal.web.cases.method_steps import BESIDE, OF_ITS_OWN, MethodStep, parameters, promises, read, summary, written
from shoal.web.tasks.changed_cells import changed_cells

SCREENS = ("/protect", "/protect?view=cost&whole=true", "/risk", "/compare", "/release", "/same", "/cases")
STEPS = "age -> bands 0,30,50; zip -> prefix 3; shoe -> *; sex -> *; age -> *; zip -> *"


@pytest.fixture(scope="module")
def steward(house):
    """Somebody who tries one method after the other."""
    return house[1]().opened(people(80))


def chosen(visitor, **form):
    """Choose as the form does, and give what that gives."""
    answer = visitor.post("/protect/choose", data=form)
    assert answer.status_code == 200, answer.text
    visitor.get("/api/candidates?wait=30")
    return visitor.client.get("/api/candidates?wait=30").json()["candidates"][visitor.state()["aim"]["key"]]


@pytest.mark.parametrize("method", METHODS)
def test_no_method_of_the_catalogue_breaks_a_screen(steward, method):
    found = chosen(steward, method=method, k="3")
    assert "Something went wrong" not in found.get("impossible", "")
    steward.post("/compare/pin", data={"key": steward.state()["aim"]["key"], "pinned": "true"})
    for screen in SCREENS:
        answer = steward.get(screen)
        assert answer.status_code == 200
        assert "Something went wrong" not in answer.text
    steward.client.put("/api/comparison", json={"keys": []})
    text = unescape(steward.get("/protect").text)
    for each in fields(look_up("methods", method)):
        assert f'name="setting of {method}.{each.name}"' in text


def test_a_parameter_that_names_a_file_is_known_for_one():
    found = {(method, each.name) for method in METHODS for each in parameters(method) if each.file}
    assert found == {("same-classes", "release"), ("same-signatures", "after"), ("regenerate", "counts")}
    for method, name in found:
        assert list(files_read_by([look_up("methods", method)(**{name: "counts.csv"})]))


@pytest.mark.parametrize("method", METHODS)
def test_what_a_method_says_of_itself_is_read_from_it(method):
    assert summary(method).endswith(".")
    for each in parameters(method):
        assert each.meaning.endswith((".", ")")), each.name
        default = getattr(look_up("methods", method), each.name, None)
        again = read(method, {each.name: written(default)}).get(each.name)
        assert MethodStep.of({"name": method, each.name: again}) == MethodStep(method)


def test_a_parameter_changes_what_is_tried_shown_and_written(steward):
    usual = chosen(steward, method="mondrian", k="5")
    name = "setting of mondrian.mode"
    found = chosen(steward, method="mondrian", k="5", **{name: "relaxed", "setting of hilbert.quality": "3"})
    assert found["key"] == '[{"mode":"relaxed","name":"mondrian"}]~5~none~0~'
    assert found["groups"] != usual["groups"]
    text = unescape(steward.get("/protect").text)
    assert "Cuts at medians (mondrian) (mode = relaxed), k = 5" in text
    assert "<option selected>relaxed</option>" in text
    code = unescape(steward.get("/same").text)
    assert """--method mondrian --k 5 \\\n  --param 'mode="relaxed"'""" in code
    assert "method=shoal.methods.Mondrian(mode='relaxed')" in code
    chosen(steward, method="mondrian", k="7", **{name: "relaxed"})
    steward.client.post("/api/undo")
    assert steward.state()["aim"]["key"] != found["key"]


def test_an_odd_parameter_is_refused_or_told_and_changes_nothing(steward):
    before = chosen(steward, method="hilbert", k="5")["key"]
    for given in ({"settings": {"magic": 1}}, {"then": {"name": "magic"}}, {"then": {"name": "coarsen", "magic": 1}},
                  {"settings": {"quality": "x" * 2000}}):  # fmt: skip
        answer = steward.client.put("/api/aim", json={"method": "hilbert", **given})
        assert answer.status_code == 422
        assert steward.state()["aim"]["key"] == before
    found = chosen(steward, method="hilbert", k="5", **{"setting of hilbert.quality": "99"})
    assert "quality" in found["impossible"].lower()
    assert "This cannot be done" in steward.get("/protect").text
    with pytest.raises(ParameterError):
        Aim("coarsen", 5)
    with pytest.raises(ParameterError):
        Aim("hilbert", 0)


def test_no_file_of_the_server_can_be_named(steward, tmp_path):
    (tmp_path / "counts.csv").write_text("column,value,count\nage,20,1\n", encoding="utf-8")
    given = {"method": "regenerate", "settings": {"counts": str(tmp_path / "counts.csv")}}
    answer = steward.client.put("/api/aim?wait=30", json=given)
    assert answer.status_code == 422
    assert "beside the table" in answer.json()["error"]


@pytest.fixture(scope="module")
def changing():
    """Cells of people who stand alone are hidden, and then have values of others."""
    return {"method": "mask-uniques", "then": "regenerate", "setting of mask-uniques.order": STEPS}


def test_what_changes_values_promises_nothing_and_says_so(steward, changing):
    found = chosen(steward, **changing)
    assert "k-anonymity" not in str(steward.state()["aim"]["models"])
    assert set(found["changed"]) <= {"age", "sex", "zip", "shoe"}
    assert all(0 < share <= 1 for share in found["changed"].values())
    text = unescape(steward.get("/protect").text)
    assert "This promises nothing" in text
    assert "It is not on the map" in text
    assert "of the cells of quasi-identifiers show another value" in text
    assert "% of the detail in" not in text  # which would be said of made-up values
    checklist = unescape(steward.get("/release").text)
    assert "I know that this release promises nothing" in checklist


def test_a_release_that_promises_nothing_is_written_only_by_who_says_to_know_it(steward, changing):
    chosen(steward, **changing)
    confirmed = {"looked": "true", "others": "true"}
    assert steward.post("/release/write", data=confirmed).status_code == 422
    assert steward.get("/api/releases").json() == []
    assert steward.post("/release/write", data={**confirmed, "nothing": "true"}).status_code == 200
    steward.session.case.jobs.wait("publish", 30)
    (told,) = steward.get("/api/releases").json()
    assert told["label"].startswith("mask-uniques (order = ")
    assert told["verdicts"] == []
    assert "The release is written, and promises nothing" in steward.get("/release").text
    pack = zipfile.ZipFile(io.BytesIO(steward.get(f"/api/releases/{told['id']}.zip").content))
    (name,) = (each for each in pack.namelist() if each.endswith(".certificate.json"))
    assert "promises nothing" in pack.read(name).decode()
    assert "shoal run people_release.recipe.toml" in unescape(steward.get("/release").text)


def test_cells_that_show_another_value_are_counted(tmp_path, steward, changing):
    found = chosen(steward, **changing)
    steward.post("/protect/rows", data={})
    job = steward.session.case.rows()
    job.wait(30)
    names, pairs = job.result.names, list(zip(job.result.before, job.result.after, strict=True))
    for place, name in enumerate(names):
        seen = sum(before[place] != after[place] for before, after in pairs)
        assert name in found["changed"] or not seen
    assert "diagnosis" not in found["changed"]


def test_a_second_step_is_checked_on_what_is_released(steward):
    """k-anonymity of groups does not outlive a step that takes them apart, and then the way cannot be had."""
    kept = chosen(steward, method="hilbert", k="5", then="coarsen", **{"then setting of coarsen.resolution": "2"})
    assert kept["smallest"] >= 5 if "kept" in kept else kept["impossible"]
    assert steward.state()["aim"]["key"].startswith('[{"name":"hilbert"},{"name":"coarsen","resolution":2}]~5~')
    chosen(steward, method="hilbert", k="5")


def test_a_step_before_the_method_is_one_of_what_is_tried_and_written(steward):
    """Cells of few people are hidden first; k is proved of what comes out at the end."""
    own = {"first": "mask-uniques", "first setting of mask-uniques.order": "shoe -> *"}
    found = chosen(steward, method="mondrian", k="4", **own)
    key = steward.state()["aim"]["key"]
    assert key.startswith('[{"name":"mask-uniques","order":["shoe -> *"]},{"name":"mondrian"}]~4~')
    assert Aim.of(key).first.name == "mask-uniques"
    assert found.get("smallest", 4) >= 4
    text = unescape(steward.get("/protect").text)
    assert "mask-uniques (order = shoe -> *) + Cuts at medians (mondrian), k = 4" in text
    assert "promises nothing" not in text
    chosen(steward, method="coarsen", **own)  # which has nothing before it
    assert steward.state()["aim"]["key"] == "coarsen~0~none~0~"
    with pytest.raises(ParameterError, match="step before"):
        Aim("hilbert", first=MethodStep("mondrian"))


def test_what_is_drawn_anew_for_each_release_is_said_to_be(steward, monkeypatch):
    monkeypatch.setattr(look_up("methods", "coarsen"), "repeatable", False, raising=False)
    chosen(steward, method="coarsen")
    assert "drawn at random, anew for each release" in steward.get("/protect").text
    chosen(steward, method="hilbert")
    assert "drawn at random" not in steward.get("/protect").text


def table(path, rows):
    path.write_text(f"age,sex,ill\n{rows}\n", encoding="utf-8")
    return read_table(path, quasi=["age", "sex"], sensitive=["ill"], masked=True)


@pytest.mark.parametrize(
    ("released", "found"),
    [
        ("30,f,flu\n40,m,ok\n50,f,ok\n60,m,flu", {}),
        ("30,f,flu\n41,m,ok\n50,m,ok\n60,m,flu", {"age": 0.25, "sex": 0.25}),
        ("[30;40],f,flu\n[30;39],m,ok\n*,f,ok\n60,{f;m},flu", {"age": 0.25}),
        ("30,f,ok\n40,m,flu\n50,f,flu\n60,m,ok", {"ill": 1.0}),
        ("30,{f;m},flu\n40,f,ok", {}),  # other records: nothing can be said
    ],
)
def test_what_a_cell_shows_is_compared_with_its_own_value(tmp_path, released, found):
    original = table(tmp_path / "original.csv", "30,f,flu\n40,m,ok\n50,f,ok\n60,m,flu")
    assert changed_cells(original, table(tmp_path / "released.csv", released)) == found


def test_what_the_catalogue_has_is_what_is_offered():
    assert set(METHODS) == {
        name
        for name, kind in entries("methods").items()
        if {"k-anonymity", OF_ITS_OWN} & set(kind.enforces) or set(kind.enforces) <= BESIDE
    } - {"private-averages", "private-tree"}
    assert [promises(name) for name in METHODS] == sorted((promises(name) for name in METHODS), reverse=True)


def test_a_release_whose_noise_is_reckoned_with_is_not_tried_again_and_again(visitor):
    visitor.opened()
    for name in ("private-averages", "private-tree"):
        answer = visitor.client.put("/api/aim", json={"method": name, "k": 0})
        assert answer.status_code == 422
        assert f"'{name}' is not offered here" in answer.text
    assert "private-tree" not in visitor.get("/protect").text
