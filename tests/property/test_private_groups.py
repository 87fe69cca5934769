"""Private items that are published under groups: brute force over the released file and the hierarchy alone."""

import csv
import itertools
import json
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.catalogue import build
from shoal.certification.signatures import digest
from shoal.errors import CertificateError, ParameterError
from shoal.models import Coherence, KmAnonymity, RhoUncertainty

ITEMS = "abcdefgh"
ASKED = {"linked": True, "subject": "p", "quasi": "item"}


def random_tree(random):
    """Give for each item the groups above it: blocks of random widths, and blocks of these."""
    lower = np.cumsum(random.random(len(ITEMS)) < random.uniform(0.2, 0.9))
    upper = np.cumsum(random.random(lower.max() + 1) < random.uniform(0.2, 0.9))
    return [(item, f"g{block}", f"G{upper[block]}") for item, block in zip(ITEMS, lower.tolist(), strict=True)]


def case(seed, folder):
    random = np.random.default_rng(seed)
    tree = random_tree(random)
    place = folder / "tree.csv"
    place.write_text("".join(";".join(row) + "\n" for row in tree), encoding="utf-8")
    chances = random.uniform(0.1, 0.9, len(ITEMS))
    rows = [(u, x) for u in range(14) for x, chance in zip(ITEMS, chances, strict=True) if random.random() < chance]
    rows += [(u, None) for u in sorted(set(range(14)) - {u for u, _ in rows})]
    private = tuple(random.permutation(list(ITEMS))[: random.integers(1, 5)].tolist())
    return tree, pl.DataFrame(rows, schema=["p", "item"], orient="row"), private, {"item": str(place)}


def read_sets(path):
    found = defaultdict(set)
    with path.open(newline="", encoding="utf-8") as file:
        for person, item in list(csv.reader(file))[1:]:
            found[person] |= {item} - {""}
    return list(found.values())


def label_of(tree, sets):
    """Give the published label that covers each item, for those that are published at all."""
    published = set().union(*sets)
    return {row[0]: label for row in tree for label in (*row, "*") if label in published}


def people(sets, some):
    return sum(set(some) <= mine for mine in sets)


def shares(sets, labels, known, private, sizes):
    """Give for all that can be known how many people have it, and how many of them what stands for a private item.

    ``known`` and ``private`` are items; each is looked for under the label that covers it.
    """
    seen = {}
    for size in sizes:
        for items in itertools.combinations([item for item in known if item in labels], size):
            beta = frozenset(labels[item] for item in items)
            n = people(sets, beta)
            for e in {labels[item] for item in private if item in labels} - beta if n else ():
                seen[beta, e] = n, people(sets, beta | {e})
            if n:
                seen[beta, None] = n, 0
    return seen


@pytest.mark.parametrize("method", ["cover-cut", "cut-and-suppress", "suppress-points"])
def test_private_items_are_as_safe_as_the_file_and_the_hierarchy_show(method, tmp_path):
    counted = Counter()
    for seed in range(60):
        tree, frame, private, trees = case(seed, tmp_path)
        k, p = 2 + seed % 2, 1 + seed % 3
        public = sorted(set(ITEMS) - set(private))
        models = [Coherence(k, p, 0.99, private), RhoUncertainty(0.99, p, private)]
        models.append(RhoUncertainty(0.99, p, private, "public"))
        release = shoal.anonymize(frame, method, models, k=k, m=1 + seed % 2, hierarchies=trees, **ASKED)
        if not release.holds:  # it is not to be written; what is measured of it is the same
            release = shoal.anonymize(frame, method, k=k, m=1 + seed % 2, hierarchies=trees, **ASKED)
        release.write(tmp_path / "out.csv", overwrite=True)
        sets = read_sets(tmp_path / "out.csv")
        labels = label_of(tree, sets)
        found = shoal.models.check(release.table, models)

        seen = shares(sets, labels, public, private, range(1, p + 1))
        betas = {beta for beta, _ in seen}
        worst = {beta: max(having for (b, _), (_, having) in seen.items() if b == beta) for beta in betas}
        few = {beta for beta in betas if seen[beta, None][0] < k}
        wanted = {beta: 1.0 if beta in few else worst[beta] / seen[beta, None][0] for beta in betas}
        assert found[0].classes == len(betas)
        assert found[0].level == pytest.approx(max(wanted.values(), default=0.0))
        assert found[0].failing == sum(share > 0.99 for share in wanted.values())

        for verdict, known in ((found[1], ITEMS), (found[2], public)):
            rules = shares(sets, labels, known, private, range(p + 1)) | {
                (frozenset(), labels[item]): (len(sets), people(sets, {labels[item]}))
                for item in private
                if item in labels
            }
            rules = [having / n for (_, e), (n, having) in rules.items() if e is not None and having]
            assert verdict.classes == len(rules)
            assert verdict.level == pytest.approx(max(rules, default=0.0))

        if len(release.verdicts) == 4:
            assert shoal.verify(tmp_path / "out.csv").holds
            counted["proved"] += 1
            counted["groups"] += bool(release.verdicts[1].model.groups)
            counted["mixed"] += bool(release.verdicts[1].model.mixed)
    assert counted["proved"] >= 5
    if method != "suppress-points":
        assert counted["mixed"] >= 2


DRINKS = "liquor,spirits\nvodka,spirits\nmilk,food\nbread,food\n"


def shop(tmp_path, tree=DRINKS, private=("liquor", "vodka"), share=0.1):
    """Release baskets in which most people have spirits, under groups."""
    (tmp_path / "tree.csv").write_text(tree, encoding="utf-8")
    rows = [(u, x) for u in range(12) for x in (["liquor", "vodka"][u % 2 :: 2] + ["milk", "bread"][u // 6 :: 2])]
    frame = pl.DataFrame(rows, schema=["p", "item"], orient="row")
    models = [KmAnonymity(7, 2), Coherence(2, 1, share, private), RhoUncertainty(share, 1, private)]
    trees = {"item": str(tmp_path / "tree.csv")}
    return shoal.anonymize(frame, "cover-cut", models, hierarchies=trees, **ASKED)


def test_a_group_of_private_items_is_private(tmp_path):
    release = shop(tmp_path)
    assert {*release.table.to_polars()["item"]} == {"spirits", "food"}
    assert [verdict.holds for verdict in release.verdicts] == [True, False, False]
    assert [verdict.level for verdict in release.verdicts[1:]] == [1.0, 1.0]
    assert (release.verdicts[1].model.groups, release.verdicts[1].model.mixed) == (("spirits",), None)


def test_a_group_of_private_and_public_items_can_be_known_and_says_something_private(tmp_path):
    release = shop(tmp_path, private=("liquor", "milk"))
    assert release.verdicts[1].model.mixed == ("food", "spirits")
    assert [(verdict.level, verdict.classes) for verdict in release.verdicts[1:]] == [(1.0, 2), (1.0, 4)]


def written(tmp_path):
    """Write a release in which spirits are a group that is private, and few people have it."""
    (tmp_path / "tree.csv").write_text(DRINKS, encoding="utf-8")
    rows = [(u, x) for u in range(12) for x in ("milk", "bread")] + [(u, ["liquor", "vodka"][u % 2]) for u in range(2)]
    frame = pl.DataFrame(rows, schema=["p", "item"], orient="row")
    models = [KmAnonymity(2, 1), Coherence(2, 2, 0.5, ("liquor", "vodka"))]
    trees = {"item": str(tmp_path / "tree.csv")}
    shoal.anonymize(frame, "cover-cut", models, hierarchies=trees, **ASKED).write(tmp_path / "out.csv")
    paper = tmp_path / "out.certificate.json"
    return frame, paper, json.loads(paper.read_text(encoding="utf-8"))


def test_the_certificate_says_which_labels_are_private_and_the_original_proves_it(tmp_path):
    frame, _, content = written(tmp_path)
    assert content["recipe"]["model"][1]["groups"] == ["spirits"]
    assert "mixed" not in content["recipe"]["model"][1]
    said = "coherence takes 1 published group for private"
    assert said in " ".join(shoal.verify(tmp_path / "out.csv").not_proved)
    proof = shoal.verify(tmp_path / "out.csv", private=tmp_path / "out.private.json", original=frame)
    assert said in " ".join(proof.proved)


FORGED = {
    "none is private": ({"groups": None}, "groups of private items"),
    "one is not published": ({"groups": ["spirits", "wine"]}, "file does not have"),
    "a private name is mixed": ({"groups": ["spirits", "liquor"], "mixed": ["liquor"]}, "mixed"),
    "a mixed one is no group": ({"mixed": ["food"]}, "mixed"),
}


@pytest.mark.parametrize(("change", "message"), FORGED.values(), ids=FORGED)
def test_labels_that_contradict_the_file_or_the_original_are_refused(change, message, tmp_path):
    frame, paper, content = written(tmp_path)
    for model in (content["recipe"]["model"][1], content["verdicts"][1]["model"]):
        model |= change
        for name in [name for name, value in model.items() if value is None]:
            del model[name]
    if "mixed" not in change and "wine" not in (change.get("groups") or ()):  # all numbers fit what is claimed
        model = build("models", content["verdicts"][1]["model"])
        table = shoal.read(tmp_path / "out.csv", masked=True, **ASKED)
        (verdict,) = shoal.models.check(table, model)
        parts = {"level": verdict.level, "classes": verdict.classes, "sentence": verdict.sentence}
        content["verdicts"][1] |= parts
        assert verdict.holds
    content["digest"] = digest(content)
    paper.write_text(json.dumps(content), encoding="utf-8")
    record = tmp_path / "out.private.json"
    kept = json.loads(record.read_text(encoding="utf-8")) | {"certificate": content["digest"]}
    record.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(CertificateError, match=message):
        shoal.verify(tmp_path / "out.csv", private=record, original=frame)


def test_private_items_that_nothing_knows_are_refused_with_the_nearest_name(tmp_path):
    for model in (Coherence(2, 1, 0.5, ("liquor", "breed")), RhoUncertainty(0.5, 1, ("liquor", "breed"))):
        _, frame, _, _ = case(0, tmp_path)
        frame = frame.with_columns(item=pl.lit("liquor"))
        (tmp_path / "tree.csv").write_text(DRINKS, encoding="utf-8")
        with pytest.raises(ParameterError, match=r"1 of 2 private items .* 'breed'") as found:
            shoal.anonymize(frame, models=model, hierarchies={"item": str(tmp_path / "tree.csv")}, **ASKED)
        assert "'bread'" in found.value.remedy
        with pytest.raises(ParameterError, match="1 of 2 private items"):
            shoal.anonymize(frame, models=model, **ASKED)


def test_a_group_can_be_named_for_all_that_is_below_it(tmp_path):
    release = shop(tmp_path, private=("spirits",))
    assert release.verdicts[1].level == 1.0
    assert release.verdicts[1].model.groups is None


def test_ranges_of_numbers_stand_for_the_private_numbers_inside(tmp_path):
    rows = [(u, 10 * (u // 4) + u % 4) for u in range(8)]
    frame = pl.DataFrame(rows, schema=["p", "item"], orient="row")
    way = shoal.methods.CutAndSuppress(levels=("item=10@0",))
    release = shoal.anonymize(frame, way, [KmAnonymity(4, 1), RhoUncertainty(0.6, 0, ("2",))], **ASKED)
    assert release.verdicts[1].level == 0.5
    release.write(tmp_path / "out.csv")
    assert "[0;9]" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert shoal.verify(tmp_path / "out.csv").holds
    assert (release.verdicts[1].model.groups, release.verdicts[1].model.mixed) == (("[0;9]",), ("[0;9]",))
