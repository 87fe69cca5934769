"""What the paper published of its table, as numbers, with which a table that is made anew is compared.

All are from the supplement of D. Sánchez, S. Martínez, J. Domingo-Ferrer, doi:10.1126/science.aad9295. PD is the table
of the state, masked by Table S3; SPD is PD after Algorithm S1 put values back.
"""

from __future__ import annotations

FULL = 3_985_166  # records: "Dataset", the sum of the state's three files

# Rows of both tables of correlations; each goes on with the columns after its own, of which the last is adm_qtr.
CORRELATIONS_S4 = {  # Table S4: PD, between cells that are not masked
    "oshpd_id": (0.001, 0.001, 0.045, -0.056, 0.043, 0.811, 0.003, -0.001),
    "age_yrs": (0.013, 0.359, -0.215, -0.006, -0.004, 0.118, -0.012),
    "sex": (-0.048, 0.022, 0.007, 0.012, -0.036, 0.004),
    "ethncty": (-0.334, 0.134, 0.036, 0.048, -0.007),
    "race": (-0.081, -0.054, -0.014, 0.015),
    "patzip": (0.094, -0.012, -0.002),
    "patcnty": (0.001, 0.000),
    "los": (-0.005,),
}
CORRELATIONS_S5 = {  # Table S5: SPD, all cells
    "oshpd_id": (0.000, 0.003, 0.029, -0.045, 0.031, 0.807, 0.003, -0.001),
    "age_yrs": (0.006, 0.209, -0.117, -0.001, -0.004, 0.022, -0.006),
    "sex": (-0.035, 0.008, 0.037, 0.013, -0.013, 0.002),
    "ethncty": (-0.209, 0.008, 0.021, 0.012, -0.003),
    "race": (-0.027, -0.044, 0.003, 0.013),
    "patzip": (0.180, -0.014, -0.007),
    "patcnty": (0.000, -0.001),
    "los": (-0.002,),
}
AGREEMENT = 0.957  # text below Table S5: the correlation between both sets of correlations

# Footnote of Algorithm S1, Fig. S1: how often each race was masked (White, Black, Native American, Asian, Other,
# Unknown).
MASKED_RACES = (568_394, 136_264, 10_761, 130_597, 193_477, 32_857)
# Text above Table S4: on average over the nine attributes 3,142,313 records are not masked.
MASKED_MEAN = 0.2115

UNIQUE_SPD = 0.75  # Fig. S3 and its text: "almost 75%", if all nine quasi-identifiers are known
UNIQUE_PD = 0.0026  # text above Fig. S3: "0.26% in the worst case"
UNIQUE_AT_TWO = 51  # text above Fig. S5: records of SPD still unique when all attributes have two intervals
HIGH_CHARGES = 0.10  # text below Fig. S6: charges above $100,000 are "around 10% of the total"
HIGH_CHARGE = 100_000  # dollars

# Table S3: records were masked until they were no longer unique "with regard to these attributes", which does not say
# whether hospital and length of stay, which are never masked, count as well. This is the reading that agrees with the
# counts of masked races and with both tables of correlations (docs/discharges.md): all but the length of stay.
MASKING_KEY = ("oshpd_id", "age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "adm_qtr")
