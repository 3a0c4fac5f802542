"""A made-up register of patients of hospitals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .description import Dataset
from .drawing import Floats, Integers, Texts, check_options, coded, happens, to_table, whole

if TYPE_CHECKING:
    import pyarrow as pa

PATIENTS = Dataset(
    name="patients",
    title="Made-up register of patients: age, postcode, year, diagnosis, days in hospital, outcome.",
    source="made up by tacita",
    rows=1200,
    columns=8,
    identifiers=("patient_id",),
    quasi=("sex", "age", "postcode", "year"),
    confidential=("diagnosis", "days", "outcome"),
)

_HOLES = ("postcode", "diagnosis", "days", "outcome")
_YEARS = (2021, 2022, 2023, 2024)
# district: share of the patients; a postcode has two more digits
_DISTRICTS = {"11": 0.26, "12": 0.20, "14": 0.16, "21": 0.15, "23": 0.13, "37": 0.10}
_CODES_OF_A_DISTRICT = 8

# code as in the ICD: share, typical age, spread of ages, typical days, chance of death
_DIAGNOSES: dict[str, tuple[float, float, float, float, float]] = {
    "A41": (0.06, 66, 18, 9.0, 0.16),
    "C34": (0.07, 68, 10, 8.0, 0.14),
    "C50": (0.08, 61, 13, 5.0, 0.03),
    "E11": (0.09, 63, 13, 6.0, 0.02),
    "F20": (0.05, 38, 13, 20.0, 0.01),
    "F32": (0.08, 46, 17, 16.0, 0.01),
    "I21": (0.12, 67, 12, 6.0, 0.08),
    "I50": (0.11, 76, 10, 8.0, 0.09),
    "J18": (0.10, 62, 22, 7.0, 0.07),
    "K35": (0.09, 28, 16, 4.0, 0.00),
    "N20": (0.07, 49, 15, 3.0, 0.00),
    "S72": (0.08, 74, 17, 11.0, 0.05),
}
APPENDIX = "K35"
BREAST = "C50"


def patients(n: int = 1200, seed: int = 1, missing: float = 0.0) -> pa.Table:
    """Draw a register of `n` stays in hospital, one for each patient.

    Diagnoses are codes as in the ICD, whose first letter names the chapter; ages go with them, and so do days
    in hospital and the outcome (`home`, `care`, `died`). `postcode` has four digits, the first two of which
    name the district. `missing` is the share of empty cells in postcode, diagnosis, days and outcome. The
    same seed gives the same table.

    >>> register = patients(n=100)
    >>> register.num_rows, register.column_names[:5]
    (100, ['patient_id', 'sex', 'age', 'postcode', 'year'])
    """
    check_options("patients", n, seed, missing)
    generator = np.random.default_rng(seed)
    shares, typical_age, spread, typical_days, deadly = (
        np.array(fact, dtype=np.float64) for fact in zip(*_DIAGNOSES.values(), strict=True)
    )
    diagnosis = generator.choice(len(_DIAGNOSES), size=n, p=shares / shares.sum())
    code = np.array(list(_DIAGNOSES))[diagnosis]
    age = _ages(generator, typical_age[diagnosis], spread[diagnosis], code)
    days = _days(generator, typical_days[diagnosis], age)
    columns = {
        "patient_id": coded("P", generator.permutation(n) + 1, 5),
        "sex": np.where(happens(generator, np.where(code == BREAST, 0.99, 0.5)), "female", "male"),
        "age": age,
        "postcode": _postcodes(generator, n),
        "year": generator.choice(_YEARS, size=n),
        "diagnosis": code,
        "days": days,
        "outcome": _outcomes(generator, deadly[diagnosis], age, days),
    }
    return to_table(columns, _HOLES, missing, seed)


def _ages(generator: np.random.Generator, typical: Floats, spread: Floats, code: Texts) -> Integers:
    """Adults, except for appendicitis, which occurs at any age."""
    drawn = whole(typical + spread * generator.normal(size=len(typical)))
    return np.clip(drawn, np.where(code == APPENDIX, 4, 18), 99)


def _days(generator: np.random.Generator, typical: Floats, age: Integers) -> Integers:
    """Right-skewed, and longer for older patients."""
    return np.maximum(1, whole(typical * (0.7 + 0.005 * age) * generator.lognormal(0.0, 0.5, len(typical))))


def _postcodes(generator: np.random.Generator, n: int) -> Texts:
    """The centre of a district, its lowest code, has most of its people."""
    shares = np.array(list(_DISTRICTS.values()))
    district = generator.choice(len(_DISTRICTS), size=n, p=shares / shares.sum())
    within = np.minimum(generator.geometric(0.3, size=n) - 1, _CODES_OF_A_DISTRICT - 1)
    numbers = np.char.zfill((10 * within).astype(np.str_), 2)
    districts: Texts = np.char.add(np.array(list(_DISTRICTS))[district], numbers)
    return districts


def _outcomes(generator: np.random.Generator, deadly: Floats, age: Integers, days: Integers) -> Texts:
    """Death is more likely with age, discharge to a home or clinic with the length of stay."""
    died = happens(generator, np.clip(deadly * (0.4 + age / 100), 0.0, 1.0))
    cared = happens(generator, np.clip((age - 55) / 120 + days / 100, 0.0, 0.7))
    return np.select([died, cared], ["died", "care"], "home")
