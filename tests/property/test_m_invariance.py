"""m-invariance over random sequences, by brute force: however many releases, no value is likelier than 1 in m."""

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from engines.tiny import Tiny

import shoal
from shoal.errors import CertificateError, DataError, GuaranteeError, ParameterError, SchemaError
from shoal.methods import SameSignatures
from shoal.models import KAnonymity, MInvariance

ROLES = {"quasi": ["age", "zip"], "sensitive": "ill", "subject": "id"}


def population(draw, people, values):
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(people)], "age": draw.integers(0, 30, people),
            "zip": draw.integers(0, 9, people), "ill": [f"v{i}" for i in draw.integers(0, values, people)],
        }
    )  # fmt: skip


def sequence(frames, m, folder, seed=None, models=(), engine=None):
    """Release tables one after the other; gives the files of those that could be, the tables, and the rows shown."""
    made, last = [], None
    for number, frame in enumerate(frames):
        table = shoal.read(frame, engine=engine, **ROLES)
        try:
            release = shoal.anonymize(table, SameSignatures(last), [MInvariance(m), *models], measures=[], seed=seed)
        except GuaranteeError:
            continue  # too few values to form a single class
        assert release.holds
        release.write(folder / f"r{number}.csv", overwrite=True)
        last = folder / f"r{number}.private.json"
        made.append((folder / f"r{number}.csv", frame, release.table.to_polars(cells="text").rows()))
    return made


def covers(cell, value):
    low, high = ([*cell.strip("[]").split(";")] * 2)[:2]
    return cell == "*" or int(low) <= value <= int(high)


def posteriors(sizes, shown):
    """Give the chance of each value of each person, over all worlds that agree with what all releases show.

    ``shown`` has, for each class of each release, who is in it and which values; everybody's value stays.
    """
    people = sorted({person for members, _ in shown for person in members}, key=str)
    of = defaultdict(list)
    for number, (members, _) in enumerate(shown):
        for person in members:
            of[person].append(number)
    left = [Counter(values) for _, values in shown]
    worlds, total = defaultdict(Counter), 0
    world = {}

    def go(place):
        nonlocal total
        if place == len(people):
            total += 1
            for person, value in world.items():
                worlds[person][value] += 1
            return
        person = people[place]
        for value in set(left[of[person][0]]):
            if all(left[number][value] > 0 for number in of[person]):
                for number in of[person]:
                    left[number][value] -= 1
                world[person] = value
                go(place + 1)
                for number in of[person]:
                    left[number][value] += 1

    go(0)
    return {person: {value: count / total for value, count in found.items()} for person, found in worlds.items()}


@pytest.mark.parametrize("seed", range(25))
def test_no_value_is_likelier_than_one_in_m_in_all_worlds(seed, tmp_path):
    draw = np.random.default_rng(seed)
    m = 2 + seed % 2
    everybody = population(draw, 9, m + 1)
    frames = [everybody[np.flatnonzero(draw.random(9) < 0.75).tolist()] for _ in range(3)]
    shown = []
    for _, frame, rows in sequence([each for each in frames if each.height >= m], m, tmp_path):
        classes = defaultdict(lambda: ([], []))
        for person, row in zip(frame["id"], rows, strict=True):
            if row[2] is not None:
                classes[row[:2]][0].append(person)
                classes[row[:2]][1].append(row[2])
        shown += classes.values()
    for found in posteriors(9, shown).values():
        assert max(found.values()) <= 1 / m + 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_intersecting_all_releases_leaves_m_values_of_everybody_though_values_change(seed, tmp_path):
    draw = np.random.default_rng(seed)
    m, frame, frames = 3, population(draw, 160, 7), []
    for _ in range(4):
        frames.append(frame.sample(110, seed=int(draw.integers(1 << 30))))
        changed = [
            f"v{draw.integers(0, 7)}" if draw.random() < 0.1 else value for value in frame["ill"]
        ]  # some recover
        frame = frame.with_columns(ill=pl.Series(changed))
    left, by_class, withheld = {}, {}, 0
    made = sequence(frames, m, tmp_path, models=[KAnonymity(3)])
    for _, frame, rows in made:
        secrets = defaultdict(set)
        for *cells, secret in rows:
            secrets[tuple(cells)] |= {secret}
        for (person, age, zipped, _), (*cells, secret) in zip(frame.rows(), rows, strict=True):
            if secret is None:
                assert cells == ["*", "*"]
                withheld += 1
                continue
            assert covers(cells[0], age)
            assert covers(cells[1], zipped)
            fits = {
                value for row in rows if row[2] and covers(row[0], age) and covers(row[1], zipped) for value in [row[2]]
            }
            left[person] = left.get(person, fits) & fits
            by_class[person] = by_class.get(person, secrets[tuple(cells)]) & secrets[tuple(cells)]
    assert len(made) == 4
    assert min(map(len, by_class.values())) >= m
    assert min(map(len, left.values())) >= m
    assert withheld < 0.25 * 440
    *earlier, last = [path for path, *_ in made]
    proof = shoal.verify(last, private=last.with_suffix(".private.json"), like=earlier)
    assert any(
        "In 4 releases everybody's classes show the same 3 or more values of 'ill'" in line for line in proof.proved
    )
    assert not any("earlier ones" in line or "not named" in line for line in proof.not_proved)


def test_without_signatures_the_same_attack_pins_people(tmp_path):
    draw = np.random.default_rng(3)
    frame = population(draw, 160, 7)
    left = {}
    for number in range(3):
        some = frame.sample(110, seed=number)
        release = shoal.anonymize(some, k=3, l=3, **ROLES)
        secrets = defaultdict(set)
        rows = release.table.to_polars(cells="text").rows()
        for *cells, secret in rows:
            secrets[tuple(cells)] |= {secret}
        for person, row in zip(some["id"], rows, strict=True):
            left[person] = left.get(person, secrets[row[:2]]) & secrets[row[:2]]
    assert sum(len(values) == 1 for values in left.values()) > 20


def test_a_seed_gives_the_same_on_every_engine(tmp_path):
    frames = [population(np.random.default_rng(5), 80, 5)[start : start + 60] for start in (0, 20)]
    rows = []
    for name, engine in (("local", None), ("parts", Tiny())):
        (tmp_path / name).mkdir()
        rows.append([each[2] for each in sequence(frames, 3, tmp_path / name, seed=4, engine=engine)])
    assert rows[0] == rows[1]


@pytest.mark.parametrize("engine", [None, Tiny()], ids=["local", "parts"])
def test_who_is_withheld_shows_nothing_in_typed_columns_either(engine, tmp_path):
    """Of a column of numbers a frame keeps the type: an emptied cell must not be that of another record."""
    frame = pl.DataFrame({"id": range(12), "age": range(12), "ill": [7] * 9 + [8, 9, 8]})
    table = shoal.read(frame, quasi="age", sensitive="ill", subject="id", engine=engine)
    release = shoal.anonymize(table, SameSignatures(), [MInvariance(2)], measures=[], seed=1)
    release.write(tmp_path / "r.parquet")
    for rows in (release.to_polars(cells="text").rows(), pl.read_parquet(tmp_path / "r.parquet").rows()):
        hidden = [secret for *_, secret in rows if secret is None]
        assert len(hidden) == 6
        assert Counter(str(secret) for *_, secret in rows if secret is not None) == {"7": 3, "8": 2, "9": 1}


@pytest.mark.parametrize("engine", [None, Tiny()], ids=["local", "parts"])
def test_how_a_number_is_written_tells_nobody(engine, tmp_path):
    """The one who has 1.50 in the first release would be missed in the class of another 1.5 in the second."""
    ways = ["1.5", "1.50", "01.5", "7.0", "7", "-0.0", "0.0", "0"]
    (tmp_path / "t.csv").write_text("id,age,ill\n" + "".join(f"p{i},{i % 5},{ways[i % 8]}\n" for i in range(48)))
    frame = pl.DataFrame({"id": range(20), "age": range(20), "ill": [0.0, -0.0, 1.0, 1.0] * 5})
    for source in (tmp_path / "t.csv", frame):
        table = shoal.read(source, quasi="age", sensitive="ill", subject="id", engine=engine, kinds={"ill": "float"})
        release = shoal.anonymize(table, SameSignatures(), [MInvariance(2)], measures=[])
        release.write(tmp_path / "r.csv", overwrite=True)
        cells = [line.split(",")[1] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
        written = {cell for cell in cells if cell}
        assert len(written) == len({float(cell) for cell in written}) > 1


def test_missing_cells_hide_a_class_among_the_withheld(tmp_path):
    """A class that shows ``*`` is one with those who are withheld: what it shows is as it was."""
    frame = pl.DataFrame({"id": range(9), "age": [None, 3] * 4 + [None], "ill": list("aaaaaaabc")})
    release = shoal.anonymize(frame, SameSignatures(), [MInvariance(3)], measures=[], **(ROLES | {"quasi": "age"}))
    assert release.holds
    rows = release.table.to_polars(cells="text").rows()
    assert {cell for cell, _ in rows} == {"*"}
    assert Counter(value for _, value in rows) == {None: 6, "a": 1, "b": 1, "c": 1}
    release.write(tmp_path / "r.csv")
    assert shoal.verify(tmp_path / "r.csv").verdicts[0].level == 3


def test_releases_that_are_alike_to_the_byte_are_two(tmp_path):
    frame = pl.DataFrame({"id": [1, 2], "age": [3, 4], "zip": [1, 1], "ill": ["a", "b"]})
    (first, *_), (second, *_) = sequence([frame, frame], 2, tmp_path)
    assert first.read_bytes() == second.read_bytes()
    proof = shoal.verify(second, private=second.with_suffix(".private.json"), like=first)
    assert any(line.startswith("In 2 releases") for line in proof.proved)


def test_a_broken_sequence_is_found(tmp_path):
    frame = population(np.random.default_rng(5), 90, 6)
    (first, *_), (second, *_) = sequence([frame[:60], frame[20:]], 3, tmp_path)
    (tmp_path / "other").mkdir()
    ((alone, *_),) = sequence([frame[20:]], 3, tmp_path / "other")
    private = second.with_suffix(".private.json")
    assert "needs the earlier ones" in str(shoal.verify(second).not_proved)
    assert "needs the earlier ones" in str(shoal.verify(second, private=private).not_proved)
    with pytest.raises(CertificateError, match="of another sequence"):
        shoal.verify(second, private=private, like=alone)
    third = shoal.anonymize(frame[30:], SameSignatures(private), [MInvariance(3)], measures=[], **ROLES)
    third.write(tmp_path / "third.csv")
    proof = shoal.verify(tmp_path / "third.csv", private=tmp_path / "third.private.json", like=[second])
    assert "1 of them follow one that was not named" in str(proof.not_proved)
    proof = shoal.verify(tmp_path / "third.csv", private=tmp_path / "third.private.json", like=[first, second])
    assert "not named" not in str(proof.not_proved)
    first.write_text(first.read_text().replace("v1", "v2", 1))
    with pytest.raises(CertificateError, match="is not what its certificate is of"):
        shoal.verify(second, private=private, like=first)


def test_a_release_counts_once_and_not_beside_itself(tmp_path):
    frame = population(np.random.default_rng(5), 90, 6)
    (first, *_), (second, *_) = sequence([frame[:60], frame[20:]], 3, tmp_path)
    private = second.with_suffix(".private.json")
    proof = shoal.verify(second, private=private, like=[first, second, first])
    assert any(line.startswith("In 2 releases") for line in proof.proved)
    assert "needs the earlier ones" in str(shoal.verify(second, private=private, like=second).not_proved)


@pytest.mark.parametrize("paper", ["certificate", "private"])
def test_papers_of_an_earlier_release_that_were_changed_are_found(paper, tmp_path):
    """Who takes out of them which release went before would leave that out unseen."""
    import json

    frame = population(np.random.default_rng(5), 90, 6)
    _, (second, *_), (third, *_) = sequence([frame[:60], frame[20:], frame[10:]], 3, tmp_path)
    path = second.with_suffix(f".{paper}.json")
    content = json.loads(path.read_text())
    del content["remarks"][0]["after"]
    path.write_text(json.dumps(content))
    with pytest.raises(CertificateError, match=r"changed after it was issued|does not say what the file shows"):
        shoal.verify(third, private=third.with_suffix(".private.json"), like=second)


def test_signatures_that_differ_are_found(tmp_path):
    """Two releases of one key, of which the second knows nothing of the first: their classes cut each other."""
    import json

    frame = population(np.random.default_rng(6), 90, 6)
    ((first, *_),) = sequence([frame[:60]], 3, tmp_path)
    record = json.loads(first.with_suffix(".private.json").read_text())
    (remark,) = record["remarks"]
    remark |= {"people": "", "signature_of": "", "rows": 0, "signatures": []}
    (tmp_path / "forgotten.json").write_text(json.dumps(record))
    second = shoal.anonymize(
        frame[20:], SameSignatures(tmp_path / "forgotten.json"), [MInvariance(3)], measures=[], **ROLES
    )
    second.write(tmp_path / "second.csv")
    with pytest.raises(CertificateError, match="other values than in another release"):
        shoal.verify(tmp_path / "second.csv", private=tmp_path / "second.private.json", like=first)


def test_what_cannot_be_is_refused(tmp_path):
    frame = population(np.random.default_rng(5), 60, 5)
    models = [MInvariance(3)]
    nobody = frame.with_columns(id=pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise(pl.col("id")))
    with pytest.raises(DataError, match="whose it is"):
        shoal.anonymize(nobody, SameSignatures(), models, measures=[], **ROLES)
    with pytest.raises(SchemaError, match="who is who"):
        shoal.anonymize(frame, SameSignatures(), models, quasi=["age", "zip"], sensitive="ill")
    with pytest.raises(SchemaError, match="would be released as it is"):
        shoal.anonymize(frame, SameSignatures(), models, quasi=["age"], sensitive="ill", subject="id", plain=["zip"])
    with pytest.raises(GuaranteeError, match="one record of each person"):
        shoal.anonymize(pl.concat([frame, frame]), SameSignatures(), models, **ROLES)
    with pytest.raises(ParameterError, match="needs m-invariance"):
        shoal.anonymize(frame, SameSignatures(), [KAnonymity(3)], **ROLES)
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ParameterError, match="not the private record"):
        shoal.anonymize(frame, SameSignatures(tmp_path / "x.json"), models, **ROLES)
    with pytest.raises(GuaranteeError, match="No class of 6"):
        shoal.anonymize(frame, SameSignatures(), [MInvariance(6)], **ROLES)
    with pytest.raises(ParameterError, match="whole number"):
        MInvariance(1)


@pytest.mark.parametrize(
    ("classes", "level"),
    [
        ([["a", "b"], ["c", "d", "e"]], 2), ([["a", "b", "a"], ["c", "d", "e"]], 1), ([["a", "b", "a", "b"]], 2),
        ([["a", "b"], [None, None, None]], 2), ([["a", "b", None]], 2), ([["a", None]], 1), ([["a", "a"]], 1),
    ],
)  # fmt: skip
def test_the_level_of_a_file_by_hand(classes, level):
    rows = [(number, value) for number, values in enumerate(classes) for value in values]
    table = shoal.read(
        pl.DataFrame(rows, schema=["q", "s"], orient="row"), quasi="q", sensitive="s", kinds={"s": "category"}
    )
    (found,) = shoal.models.check(table, [MInvariance(2)])
    assert found.level == level
    assert found.holds == (level >= 2)
