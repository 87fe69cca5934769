"""Proof of a certificate from the released file alone, or with the private record and the original.

Nothing is taken on trust that the file can show. It is read once, and what was digested is what is proved. It must be
what a release would be, to the byte: each cell has one text, each column a role, and rows stand in the released order.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.catalogue import build
from shoal.certification.agreement import same
from shoal.certification.approval import Approval
from shoal.certification.begun_writing import finish_writing
from shoal.certification.beside_earlier import EarlierRelease, prove_beside, sources_of
from shoal.certification.certificate import Certificate
from shoal.certification.display import shown_safely
from shoal.certification.identifier_proof import insist_on_identifiers
from shoal.certification.linked_proof import insist_on_labels, insist_on_traces
from shoal.certification.original import Original
from shoal.certification.papers import certificate_beside
from shoal.certification.people_proof import UNSEEN, PeopleProof, shown_by_records
from shoal.certification.population_proof import ClaimedVerdict, GivenPopulation
from shoal.certification.preservation import changed_columns, insist_on_kept, insist_on_remarks
from shoal.certification.private_record import PrivateRecord
from shoal.certification.proof import Proof, promise_in_short
from shoal.certification.proof_remarks import remarks_on
from shoal.certification.read_options import counts_unseen_people, release_options
from shoal.certification.remeasuring import Remeasured
from shoal.certification.signatures import PublicKey, check_seals
from shoal.certification.stated_proof import proved_of_stated
from shoal.domains.axis import Axis
from shoal.engines.factory import engine_for
from shoal.engines.io.bounds import with_ends
from shoal.engines.io.hidden_contents import hidden_content, unchecked_content
from shoal.engines.io.streams import at_hand
from shoal.engines.protocol import AnyEngine
from shoal.engines.sources import Source
from shoal.engines.values import Layout
from shoal.errors import CertificateError, DataError, ParameterError, RoomError, SchemaError
from shoal.measures import Measure
from shoal.models import PrivacyModel, Verdict
from shoal.models.k_anonymity import KAnonymity
from shoal.models.people import of_records
from shoal.models.stated import ATTESTED, PROVED, kind_of
from shoal.progress import stage
from shoal.progress.display import by_itself
from shoal.recipe import refuse_strange_order
from shoal.schema import RELEASED, SPANNED, Attribute, ReadOptions, Role, Schema
from shoal.secret_keys import SecretKey
from shoal.table import Table, Written

_MOST = 64  # models or measures: a certificate may not ask for any amount of work


def verify(
    path: str | Path | Source,
    certificate: str | Path | Certificate | None = None,
    *,
    key: bytes | None = None,
    public_key: str | Path | PublicKey | None = None,
    private: str | Path | PrivateRecord | None = None,
    original: Any = None,
    engine: AnyEngine | str | None = None,
    memory: str | int | None = None,
    population: Any = None,
    hierarchies: Mapping[str, str] | None = None,
    pseudonym_key: SecretKey | str | os.PathLike[str] | None = None,
    like: Sequence[str | Path | Source] | str | Path | Source = (),
) -> Proof:
    """Prove every verdict of a certificate again, from the released file alone.

    Parameters
    ----------
    path
        The released file, folder or table in a database.
    certificate
        Its certificate, or the path of it; the one beside the release if left out.
    key, public_key
        The shared key, when the MAC is to be checked; the public key, or its file, when the signature is.
    private
        The private record, or the path of it: with it, the exact scores are proved too.
    original
        The original, as a file or a frame: with it and the private record, the commitment and the measures that compare
        with it are proved too.
    engine, memory
        Where the data are held, and how much memory may be used, as for `read`: a release that would need more is
        checked from disk.
    population
        The table of the population that promises are about, if there are such: with it they are proved, too.
    hierarchies
        Then, by column, the files of hierarchies of which the release shows nodes; not needed with the private record.
    pseudonym_key
        The secret key of pseudonyms and shifted dates, or its file: with the original, they are computed again.
    like
        Earlier releases of the same people, with their papers beside them: what all of them tell together is proved.

    Raises
    ------
    CertificateError
        If the file or the certificate was changed, they do not belong together, or a claim does not hold.
    """
    source, original = _named(path), at_hand(original)
    sources = [source] if original is None else [source, original]
    held_by = engine_for(sources, ReadOptions(), engine=engine, memory=memory)
    certificate = certificate_beside(source) if certificate is None else certificate
    for paper in (certificate, private):
        if not isinstance(paper, str | os.PathLike | Certificate | PrivateRecord | None):
            raise ParameterError(f"A {type(paper).__name__} is no certificate or private record.", "Give its path.")
    finish_writing(source, certificate, held_by)
    held = certificate if isinstance(certificate, Certificate) else Certificate.load(certificate)
    public = PublicKey.load(public_key) if isinstance(public_key, str | Path) else public_key
    record = PrivateRecord.load(private) if isinstance(private, (str, Path)) else private
    if original is not None and record is None and held.version > 1:
        raise ParameterError(
            "The original can be compared with the release only by its private record.",
            "Give it too: --private NAME.private.json, which was written with the release.",
        )
    if pseudonym_key is not None and original is None:
        raise ParameterError(
            "Pseudonyms can be computed again only from the original.",
            "Give it too (--original), with the private record (--private).",
        )
    names = pseudonym_key if isinstance(pseudonym_key, SecretKey | None) else SecretKey.load(pseudonym_key)
    beside = GivenPopulation(None if population is None else at_hand(population), hierarchies or {})
    try:
        with by_itself(f"checking {source.name}"):
            before = [EarlierRelease.read(each, held_by) for each in sources_of(like)]
            return _Case(source, held, record, original, held_by, beside, names, before).proof(key, public)
    except (CertificateError, RoomError):
        raise
    except _UnreadableError as error:
        raise error.error from None
    except (SchemaError, ParameterError, DataError) as error:
        raise CertificateError(f"The certificate does not fit the file: {error.what}", "Do not rely on it.") from None
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError):
        raise CertificateError("The certificate makes no sense.", "Ask for the one that was issued.") from None


def _named(given: Any) -> Source:
    """Give what is named: a frame has no certificate."""
    if not isinstance(given, str | os.PathLike | Source):
        raise ParameterError(
            f"A file, a folder or a table in a database is checked, not a {type(given).__name__}.",
            "Write a release first (release.write), and name what was written.",
        )
    return Source.parse(at_hand(given))


class _UnreadableError(Exception):
    """There is no file, or nobody may read it: that says nothing of its certificate."""

    def __init__(self, error: DataError) -> None:
        super().__init__(error.what)
        self.error = error


@dataclass(frozen=True, eq=False)
class _Case:
    """A file and what is said of it."""

    source: Source
    certificate: Certificate
    record: PrivateRecord | None
    original: Any
    engine: AnyEngine
    population: GivenPopulation
    names: SecretKey | None
    earlier: Sequence[EarlierRelease] = ()

    @property
    def content(self) -> Mapping[str, Any]:
        return self.certificate.content

    @property
    def _bounds(self) -> tuple[str, ...]:
        """The columns that the file shows by both of their ends."""
        return tuple(self.content["output"].get("bounds", ()))

    @property
    def thing(self) -> str:
        return "table" if self.source.is_table else "folder" if self.source.is_folder else "file"

    def proof(self, key: bytes | None, public: PublicKey | None = None) -> Proof:
        """Prove what can be proved."""
        proved, not_proved = check_seals(self.content, key, public)
        models, measures = self._asked()
        table = self._table(models)
        stage("checking how rows are written and in which order")
        proved += self._form(table)
        if not self._as_kept(table):
            not_proved.append("that the order of the rows tells nothing (it is not the one that was released)")
        if (reason := unchecked_content(self.source, self.content["software"])) is not None:
            not_proved.append(f"that there is nothing beside the rows ({reason})")
        same("the number of records", table.rows, self.content["output"]["records"])
        stage("checking the promises")
        found = self.population.verdicts(models, table, self.source, self.content, self.record, self.engine, not_proved)
        verdicts = self._verdicts(table, found, proved, not_proved)
        stated = proved_of_stated(self.content, table, models, proved)
        by_original = list[str]()
        before, lacking = self._before(table, by_original)
        PeopleProof(self.content, models, self.population.source).prove(before, not_proved, by_original)
        prove_beside(self.content, self.source.name, table, self.record, models, self.earlier, by_original, not_proved)
        proved += by_original
        insist_on_labels(self.content, models, table, before, proved, not_proved)
        insist_on_remarks(self.content, self.record)
        sworn = insist_on_identifiers(self.content, table, before, proved, not_proved, by_original, self.names)
        insist_on_kept(self.content, before, lacking, proved, not_proved, by_original)
        exact = self.content["scores"] if self.certificate.version == 1 else self._exact_scores()
        again = Remeasured(self.content, exact, self._as_kept(table), lacking, self.record)
        scores = again.scores(table, before, measures, proved, not_proved, by_original)
        return Proof(
            verdicts,
            scores,
            shown_safely(proved),
            shown_safely(not_proved),
            shown_safely(table.schema.quasi),
            shown_safely(table.schema.of(*(role for role in RELEASED if role not in SPANNED))),
            shown_safely([*map(promise_in_short, models), *([stated.claim] if stated else [])]),
            shown_safely(remarks_on(table, models, self.certificate, self._row_order)),
            Approval.of(self.content),
            shown_safely(by_original),
            shown_safely([stated.sentence, stated.rests_on] if stated else []),
            shown_safely(
                name
                for name in table.schema.of(*RELEASED)
                if name in changed_columns(self.content) or table.schema[name].treatment is not None
            ),
            shown_safely(sworn),
        )

    def _asked(self) -> tuple[list[PrivacyModel], list[Measure]]:
        """Make the models and measures that the certificate speaks of, if they are not too many."""
        recipe, claims = self.content["recipe"], self.content["verdicts"]
        if max(len(claims), len(recipe["measure"])) > _MOST:
            raise CertificateError("The certificate asks for more than can be proved.", "Do not rely on it.")
        same("the models", [claim["model"] for claim in claims], recipe["model"])
        return (
            [build("models", claim["model"]) for claim in claims],
            [build("measures", given) for given in recipe["measure"]],
        )

    def _table(self, models: Sequence[PrivacyModel]) -> Table:
        """Read the file, once; it must be the one that the certificate was issued for."""
        source, output = self.source, self.content["output"]
        changed = CertificateError(
            f"'{source.name}' is not the {self.thing} this certificate was issued for, or it was changed.",
            f"The certificate is for '{shown_safely([str(output['name'])])[0]}'; its SHA-256 does not match.",
        )
        try:
            table = self.engine.read(source, release_options(self.content, models, canonical=not source.is_text))
        except (SchemaError, DataError):
            try:
                found = self.engine.digest(source).sha256
            except DataError as error:
                raise _UnreadableError(error) from None
            if found != output["sha256"]:
                raise changed from None
            raise
        if _read(table).sha256 != output["sha256"]:
            raise changed
        same("the number of bytes", _read(table).size, output["bytes"])
        return table

    def _form(self, table: Table) -> list[str]:
        """Insist that the file holds what a release holds, in the form and in the order of a release."""
        how = "cell for cell" if self.source.is_table else "byte for byte"
        proved = [f"The {self.thing} is the one that was released, {how}."]
        if table.schema.left_out:
            raise CertificateError(
                f"The {self.thing} has columns that the certificate does not speak of: "
                f"{', '.join(shown_safely(table.schema.left_out))}.",
                "Nothing is known of them: do not rely on it.",
            )
        plain = table.schema.of(Role.PLAIN)
        names, software = with_ends(table.schema.of(*RELEASED), self._bounds), self.content["software"]
        strange = hidden_content(self.source, names, _read(table), software, plain)
        if strange is not None:
            raise CertificateError(f"The {self.thing} holds more than a release: {strange}.", "Do not rely on it.")
        if table.schema.person is not None:
            proved += insist_on_traces(self.content, table)
        if not self._as_kept(table):
            return proved
        layout = Layout(self.content["output"].get("delimiter", ","), bounds=self._bounds)
        ordered = table.in_released_order()[0] if self._row_order == "released" else table
        found = ordered.text_digest(layout)
        as_it_is = table.origin.content or table.text_digest(layout)
        if found == as_it_is:
            if self._row_order == "released":
                proved.append("Rows stand in the released order, which tells nothing beyond what is released.")
            return proved
        if self.source.is_text and table.text_digest(layout) != as_it_is:
            # If a cell is to blame, reading the file strictly says where it is.
            self.engine.read(self.source, release_options(self.content, (), canonical=True))
            raise CertificateError(f"The {self.thing} is not written as a release is.", "Do not rely on it.")
        raise CertificateError(
            f"The rows of the {self.thing} do not stand in the released order.", "Their order may tell who they are."
        )

    def _as_kept(self, table: Table) -> bool:
        """Tell whether rows stand as they were released: a database, and nothing else, may keep them otherwise."""
        in_order = self.content["output"].get("sha256_in_order", "")
        if not self.source.is_table:
            same("the order of its rows", in_order, "")
        return bool(_read(table).in_order == in_order)

    @property
    def _row_order(self) -> str:
        """The order in which rows are said to stand: anything but that of the input is to be proved."""
        if self.certificate.version == 1:
            return "input"
        said: str = self.content["output"]["row_order"]
        same("the order of rows", said, self.content["recipe"]["release"].get("row_order", "released"))
        refuse_strange_order(said)
        return said

    def _verdicts(
        self, table: Table, pairs: Sequence[ClaimedVerdict], proved: list[str], not_proved: list[str]
    ) -> tuple[Verdict, ...]:
        """Compare what was measured again of each model with what is claimed; of none may a failure be claimed."""
        for claim in self.content["verdicts"]:
            name = claim["model"]["name"]
            same(f"{name}, whether it holds", claim["holds"], True)
            same(f"{name}, failing classes", 0, claim["failing_classes"])
        for claim, found in pairs:
            name, beyond = found.model.name, self._beyond_proof(found.model)
            same(f"{name}, what it rests on", ATTESTED if beyond else PROVED, kind_of(claim))
            same(f"{name}, classes", found.classes, claim["classes"])
            shown = not beyond or shown_by_records(found.model)
            if not found.holds and shown:
                raise CertificateError(f"{name} does not hold: {found.sentence}", "Do not use this release.")
            if beyond:
                subject = self.content["recipe"]["table"]["subject"]
                sentence = self._attested(found, claim, _with_subject(table.schema, subject))
                not_proved.append(f"{sentence} ({UNSEEN})")
            else:
                for part in ("level", "sentence", "convention"):
                    same(f"{name}, {part}", getattr(found, part), claim[part])
            if shown:
                proved.append(found.sentence)
        return tuple(found for _, found in pairs)

    def _beyond_proof(self, model: PrivacyModel) -> bool:
        """Tell whether a promise is about people, whom only a column that is not released tells apart."""
        given = self.content["recipe"]["table"]
        counted = counts_unseen_people(given) and not given.get("linked")
        counted = counted and not of_records(model)
        return counted and (self.certificate.version > 1 or isinstance(model, KAnonymity))

    def _attested(self, found: Verdict, claim: Mapping[str, Any], schema: Schema) -> str:
        """Give the sentence of a promise about people, of which the file shows only the records."""
        model = found.model
        level = model.promised
        if self.certificate.version == 1:  # which tells the level that was found
            level = claim["level"]
            same(f"{model.name}, level", model.promised <= level <= found.level, True)
        sentence = model.sentence(level, schema)
        same(f"{model.name}, level", level, claim["level"])
        same(f"{model.name}, sentence", sentence, claim["sentence"])
        same(f"{model.name}, convention", model.convention(schema), claim["convention"])
        return sentence

    def _before(self, table: Table, proved: list[str]) -> tuple[tuple[Table, Table] | None, str]:
        """Give the original and the release row by row beside it; or why they cannot be compared."""
        record, content = self.record, self.content
        if record is not None and record.content["certificate"] != content["digest"]:
            raise CertificateError(
                "The private record belongs to another certificate.", "Use the one that was written with it."
            )
        if self.original is None:
            return None, "needs the original" if self.certificate.version == 1 else "needs private record and original"
        original = Original(content, record, self.original, self.engine)
        before = original.read(proved)
        if not original.comparable:
            return None, "a release shows names of nodes, and nothing here tells where they lie"
        if not self._as_kept(table):
            return None, "the rows of the table are no longer in the order in which they were released"
        return (before, original.beside(self.source, table)), ""

    def _exact_scores(self) -> Sequence[Mapping[str, Any]]:
        """What the private record says was measured, if there is one."""
        found: Sequence[Mapping[str, Any]] = () if self.record is None else self.record.content["scores"]
        return found


def _read(table: Table) -> Written:
    """Give what was read of a file: just that is proved."""
    assert table.origin.written is not None
    return table.origin.written


def _with_subject(schema: Schema, subject: str) -> Schema:
    """Give the columns of a release beside the one that says whose record each is."""
    return replace(schema, attributes=(*schema.attributes, Attribute(subject, Role.SUBJECT, Axis("category"))))
