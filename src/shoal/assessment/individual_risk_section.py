"""The risk of single records and of households in a survey, as a section of a risk."""

from __future__ import annotations

from shoal.arrays import Floats
from shoal.assessment.risk_questions import RiskQuestions
from shoal.assessment.risk_section import RiskSection, ShownTable
from shoal.measures import score
from shoal.measures.log_linear_risk import LogLinearRisk
from shoal.models.record_risks import RecordRisks
from shoal.schema import Role
from shoal.table import Table

_STEPS = (1.0, 0.2, 0.1, 0.05, 0.01, 0.001)


def individual_risk_section(table: Table, asked: RiskQuestions) -> RiskSection | None:
    """Find how many records, and members of households, are expected to be found, by their survey weights."""
    household, weight = (table.schema.single(role) for role in (Role.HOUSEHOLD, Role.WEIGHT))
    if household is None and weight is None:
        return None
    found = RecordRisks.of(table, table.schema.quasi)
    together = None if household is None else found.of_households(table, household)
    population = float(found.weights.sum())
    values = {
        "expected": found.expected,
        "highest": float(found.risks.max(initial=0.0)),
        "household_expected": None if together is None else float(together.sum()),
        "household_highest": None if together is None else float(together.max(initial=0.0)),
        "population": population,
    }
    said = [
        f"The weights stand for {population:,.0f} people." if weight else "The table counts as the whole population.",
        f"{found.expected:,.4g} of {table.rows:,} records are expected to be found rightly by chance of who else is in "
        f"the population, the most exposed one with a chance of {values['highest']:.3g}.",
    ]
    if population < table.rows:
        said.append(
            "That is fewer people than records: these weights look as if they were scaled to a mean of one. Multiply "
            "them so that they sum to the population, or the risk is that of a table of everybody."
        )
    if together is not None:
        said.append(
            f"Who finds one member of a household finds all: so {values['household_expected']:,.4g} records are "
            f"expected to be found, the most exposed with a chance of {values['household_highest']:.3g}."
        )
    tables = [_spread(found.of_records, together)]
    model = dict(score(table, measures=[LogLinearRisk()])[0].detail)
    if "used" in model:
        said.append(LogLinearRisk.sentence(model))
        rows = [
            [each["model"], f"{each['deviance']:,.1f}", f"{each['parameters']:,}", "yes" if each["converged"] else "no"]
            for each in model["models"]
        ]
        tables.append(ShownTable("Log-linear models", ["model", "deviance", "parameters", "converged"], rows))
    return RiskSection(
        "Individual risk in the survey", {"individual_risk": values, "log_linear_risk": model}, said, tables
    )


def _spread(single: Floats, together: Floats | None) -> ShownTable:
    """Show how many records have which risk at least."""
    head = ["risk of at least", "records", *([] if together is None else ["with their household"])]
    sides = [single] if together is None else [single, together]
    rows = [[f"{step:g}", *(f"{int((side >= step).sum()):,}" for side in sides)] for step in _STEPS]
    return ShownTable("How risk is spread", head, rows)
