"""`shoal check`: a certificate is proved again from the released file, and nothing in either may be changed."""

import copy
import json

import pytest

from shoal.certification.signatures import digest

ROLES = ("--quasi", "age,zip,sex", "--sensitive", "charge", "--t", "0.4", "--where", "charge > 250")
KEY = "correct horse battery staple"
OTHER_KEY = "a quite different passphrase"


@pytest.fixture
def released(desk, people):
    """Release a small table with k, t and all measures; give its certificate."""
    desk.mask(people, *ROLES).fine()
    return json.loads(desk.read("out.certificate.json"))


@pytest.fixture
def signed(desk, people):
    desk.put("key", KEY)
    desk.put("other-key", OTHER_KEY)
    desk.mask(people, *ROLES, "--key", "key").fine()
    return json.loads(desk.read("out.certificate.json"))


def leaves(value, path=()):
    """Give the path of everything in a certificate that has no parts."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inside = [leaf for key, part in parts for leaf in leaves(part, (*path, key))]
    return inside or [path]


def reach(content, path):
    for key in path:
        content = content[key]
    return content


def altered(value):
    """Give something near that is not the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    return "something"


def with_leaf(content, path, change):
    content = copy.deepcopy(content)
    holder = reach(content, path[:-1])
    holder[path[-1]] = change(holder[path[-1]])
    return content


def save(desk, content):
    desk.put("out.certificate.json", json.dumps(content))


def test_a_good_pair_passes_and_tells_what_was_proved(desk, released):
    said = desk.check().fine()
    assert said.left == ()
    for sentence in ("byte for byte", "at least 2 times", "'charge' is spread within", "attribute-disclosure is"):
        assert sentence in said.out
    assert "not shown by the file alone: information-loss" in said.out


def test_a_good_pair_passes_for_machines(desk, released):
    found = desk.check("--json").json()
    assert found["verified"] is True
    assert len(found["proved"]) == 9
    assert found["not_proved"] == ["information-loss (needs private record and original)"]
    assert found["promised"] == ["k-anonymity (2)", "t-closeness (0.4)"]
    assert found["protected"] == ["age", "zip", "sex"]
    assert found["unprotected"] == ["charge"]
    assert found["remarks"] == []


def test_with_private_record_and_original_the_loss_is_proved_too(desk, released):
    found = desk.check("--original", "in.csv", "--private", "out.private.json", "--json").json()
    assert found["not_proved"] == []
    assert "The certificate commits to this original." in found["proved"]


def test_the_original_needs_the_private_record(desk, released):
    desk.check("--original", "in.csv").refused(2, "private record")


def test_layout_of_the_certificate_does_not_matter(desk, released):
    desk.put("out.certificate.json", json.dumps(released, sort_keys=True, ensure_ascii=True))
    desk.check().fine()


def test_another_name_of_the_same_file_does_not_matter(desk, released):
    desk.put("renamed.csv", desk.read("out.csv"))
    desk.run("check", "renamed.csv", "--certificate", "out.certificate.json").fine()


def test_failure_for_machines_gives_the_reason_as_json(desk, released):
    desk.put("out.csv", desk.read("out.csv") + "\n")
    said = desk.check("--json")
    assert said.code == 1
    found = json.loads(said.out)
    assert found["verified"] is False
    assert found["reason"] in said.err


def test_any_changed_byte_of_the_file_is_seen(desk, released):
    whole = desk.read("out.csv").encode()
    for place in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 1
        desk.put("out.csv", bytes(changed))
        desk.check().refused(1, "'out.csv'", "changed")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda whole: whole[:-1], id="shorter"),
        pytest.param(lambda whole: whole + b"\n", id="longer"),
        pytest.param(lambda whole: b"\xef\xbb\xbf" + whole, id="with a byte order mark"),
        pytest.param(lambda whole: whole.replace(b"\n", b"\r\n"), id="with other line ends"),
        pytest.param(lambda whole: b"", id="empty"),
    ],
)
def test_a_file_that_was_saved_differently_is_another_file(desk, released, change):
    desk.put("out.csv", change(desk.read("out.csv").encode()))
    desk.check().refused(1, "'out.csv'")


def test_any_altered_field_of_the_certificate_is_seen(desk, released):
    paths = leaves(released)
    assert len(paths) > 60
    for path in paths:
        save(desk, with_leaf(released, path, altered))
        said = desk.check()
        assert said.code == 1, f"{path} was altered: {said}"
        assert said.out == ""


def test_any_missing_or_additional_field_of_the_certificate_is_seen(desk, released):
    for path in [(), *{path[:-1] for path in leaves(released) if isinstance(reach(released, path[:-1]), dict)}]:
        content = copy.deepcopy(released)
        reach(content, path)["note"] = "added"
        save(desk, content)
        desk.check().refused(1)
    for name in released:
        save(desk, {key: value for key, value in released.items() if key != name})
        desk.check().refused(1)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), "\ud800", "é", None, [], {}, 10**400],
    ids=["nan", "infinity", "half a character", "accent", "null", "list", "object", "long number"],
)
def test_odd_values_in_a_certificate_are_seen_like_others(desk, released, value):
    released["scores"][0]["value"] = value
    save(desk, released)
    desk.check().refused(1)


# What a digest that was made anew cannot hide: the claims are proved from the file


def reseal(desk, content):
    content["digest"] = digest(content)
    save(desk, content)


CLAIMS = [
    ("verdicts", 0, "level"),
    ("verdicts", 0, "classes"),
    ("verdicts", 0, "failing_classes"),
    ("verdicts", 0, "holds"),
    ("verdicts", 0, "sentence"),
    ("verdicts", 0, "convention"),
    ("verdicts", 0, "model", "k"),
    ("verdicts", 1, "level"),
    ("verdicts", 1, "classes"),
    ("verdicts", 1, "sentence"),
    ("verdicts", 1, "convention"),
    ("verdicts", 0, "kind"),
    ("scores", 0, "value"),
    ("scores", 1, "value"),
    ("scores", 2, "value"),
    ("scores", 4, "value"),
    ("recipe", "table", "quasi", 0),
    ("output", "row_order"),
    ("recipe", "model", 0, "k"),
    ("output", "records"),
    ("output", "bytes"),
    ("output", "sha256"),
]


@pytest.mark.parametrize("path", CLAIMS, ids=lambda path: "-".join(map(str, path)))
def test_a_false_claim_is_found_out_although_the_digest_was_made_anew(desk, released, path):
    reseal(desk, with_leaf(released, path, altered))
    said = desk.check()
    said.refused(1)
    assert "digest" not in said.err


def test_a_stricter_t_than_the_file_keeps_is_found_out(desk, released):
    released["verdicts"][1]["model"]["t"] = 0.01
    released["recipe"]["model"][1]["t"] = 0.01
    reseal(desk, released)
    desk.check().refused(1, "t-closeness does not hold")


def test_a_dropped_verdict_is_found_out_although_the_digest_was_made_anew(desk, released):
    released["verdicts"].pop()
    reseal(desk, released)
    desk.check().refused(1)


def test_a_dropped_score_is_found_out_although_the_digest_was_made_anew(desk, released):
    released["scores"].pop()
    reseal(desk, released)
    desk.check().refused(1)


def test_a_claim_cannot_be_declared_beyond_proof(desk, released):
    # Only people who are counted by an unreleased column cannot be counted again; there is none here.
    released["verdicts"][0] |= {"kind": "attested", "classes": 77, "sentence": "Nobody can be found."}
    reseal(desk, released)
    desk.check().refused(1)


def test_a_false_loss_is_found_out_with_the_original(desk, released):
    reseal(desk, with_leaf(released, ("scores", 3, "value"), altered))
    record = json.loads(desk.read("out.private.json"))
    record["certificate"] = json.loads(desk.read("out.certificate.json"))["digest"]
    desk.put("out.private.json", json.dumps(record))
    desk.check("--original", "in.csv", "--private", "out.private.json").refused(1, "information-loss")


def test_a_false_original_is_found_out(desk, released):
    desk.put("in.csv", desk.read("in.csv").replace("34", "35"))
    desk.check("--original", "in.csv", "--private", "out.private.json").refused(1, "original")


def test_each_of_two_measures_of_one_name_is_proved(desk, people):
    desk.put("in.csv", people)
    desk.put(
        "recipe.toml",
        'table = {file = "in.csv", quasi = ["age", "zip"], sensitive = ["charge"]}\n'
        'method = {name = "sorted-clusters"}\n'
        'model = {name = "k-anonymity", k = 2}\n'
        'measure = [{name = "attribute-disclosure", where = "charge > 250"}, '
        '{name = "attribute-disclosure", where = "charge > 100"}]\n'
        'release = {file = "out.csv"}\n',
    )
    desk.run("run", "recipe.toml").fine()
    content = json.loads(desk.read("out.certificate.json"))
    first, second = (score["value"] for score in content["scores"])
    assert first != second
    said = [line.split() for line in desk.check("--json").json()["proved"] if line.startswith("attribute-disclosure")]
    assert [f"{float(words[-1][:-1]):.3g}" for words in said] == [f"{first:.3g}", f"{second:.3g}"]
    for path in (("scores", 0, "value"), ("scores", 1, "value")):
        reseal(desk, with_leaf(content, path, altered))
        desk.check().refused(1, "attribute-disclosure")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("recipe", "measure"), ["uniqueness"]),
        (("recipe", "measure"), "uniqueness"),
        (("recipe", "table", "quasi"), 5),
        (("recipe", "table", "quasi"), ["agee"]),
        (("recipe", "table", "kinds", "sex"), "integer"),
        (("recipe", "table", "kinds", "sex"), "nonsense"),
        (("output", "delimiter"), ";"),
        (("output", "delimiter"), 5),
        (("verdicts", 0, "model", "name"), "nonsense"),
        (("verdicts", 0, "model"), "k-anonymity"),
        (("verdicts",), {}),
        (("scores", 0), []),
        (("output",), "out.csv"),
    ],
    ids=str,
)
def test_a_certificate_that_makes_no_sense_does_not_pass(desk, released, path, value):
    reseal(desk, with_leaf(released, path, lambda _: value))
    desk.check().refused(1)


# Signatures


def test_a_signed_certificate_passes_with_its_key(desk, signed):
    assert "issued by a holder of the key" in desk.check("--key", "key").fine().out


def test_a_signed_certificate_can_be_checked_without_the_key(desk, signed):
    assert "holder of the key" not in desk.check().fine().out


def test_the_wrong_key_fails(desk, signed):
    desk.check("--key", "other-key").refused(1, "not sealed with this key")


def test_an_unsigned_certificate_fails_where_a_key_is_asked_for(desk, released):
    desk.put("key", KEY)
    desk.check("--key", "key").refused(1, "not sealed")


def test_a_signature_makes_the_digest_binding(desk, signed):
    reseal(desk, with_leaf(signed, ("input", "commitment"), altered))
    desk.check("--key", "key").refused(1, "not sealed with this key")


def test_any_altered_field_of_a_signed_certificate_is_seen(desk, signed):
    assert ("signature",) in leaves(signed)
    for path in leaves(signed):
        save(desk, with_leaf(signed, path, altered))
        assert desk.check("--key", "key").code == 1, f"{path} was altered"


def test_the_key_stays_out_of_the_certificate_and_the_release(desk, signed):
    assert KEY not in desk.read("out.certificate.json") + desk.read("out.csv")


@pytest.mark.parametrize(("name", "content"), [("short", "123"), ("empty", ""), ("nothing", None)])
def test_a_key_that_cannot_be_used_is_wrong_use(desk, people, name, content):
    if content is not None:
        desk.put(name, content)
    desk.mask(people, *ROLES, "--key", name).refused(2, "key")


# What is not a pair at all


def test_the_certificate_of_another_file_fails(desk, people, released):
    desk.put("other.csv", people.replace("34", "36"))
    desk.run("anonymize", "other.csv", "--out", "other-out.csv", "--k", 2, *ROLES).fine()
    said = desk.run("check", "out.csv", "--certificate", "other-out.certificate.json")
    said.refused(1, "'out.csv'", "'other-out.csv'")


def test_the_original_is_not_its_own_release(desk, released):
    desk.run("check", "in.csv", "--certificate", "out.certificate.json").refused(1, "'in.csv'")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"no json", id="text"),
        pytest.param(b"[]", id="list"),
        pytest.param(b"1", id="number"),
        pytest.param(b"{}", id="nothing in it"),
        pytest.param(b'{"format": 99}', id="another format"),
        pytest.param(b"\xff\xfe", id="binary"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b'{"format": ' + b"1" * 5000 + b"}", id="long number"),
    ],
)
def test_what_is_not_a_certificate_does_not_pass(desk, released, content):
    desk.put("out.certificate.json", content)
    desk.check().refused(1, "not a certificate")


def test_a_key_that_stands_twice_in_the_certificate_is_not_overlooked(desk, released):
    text = desk.read("out.certificate.json")
    desk.put("out.certificate.json", text.replace('"format": 2,', '"format": 2, "engine": "another",', 1))
    desk.check().refused(1)


def test_a_released_file_that_is_not_there_is_unreadable(desk, released):
    desk.run("check", "nothing.csv", "--certificate", "out.certificate.json").refused(3, "nothing.csv")


def test_the_certificate_beside_a_release_is_found(desk, people):
    desk.mask(people, "--quasi", "age,zip,sex", "--sensitive", "charge").fine()
    assert desk.run("check", "out.csv").fine().out == desk.check().out
    (desk.folder / "out.certificate.json").unlink()
    desk.run("check", "out.csv").refused(3, "There is no certificate 'out.certificate.json'")
    desk.run("check", "out.csv", "--certificate", "c.json").refused(3, "There is no certificate 'c.json'")
    desk.run("check", "duckdb:///d.db?table=t").refused(2, "--certificate")
