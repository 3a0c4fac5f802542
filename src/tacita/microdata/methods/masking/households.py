"""Households that change places with others like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field

from tacita.core import DataError, Ints, Mask, ParameterError, Percent, RunContext
from tacita.core.data.microdata import join_names
from tacita.core.spec.roles import Names

from .masking_method import CategoryMasking, Coded, Masked


def _as_profiles(value: object) -> object:
    """Lists of names; one name, or names with + between, stand for a list."""
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, list | tuple):
        return value
    return tuple(tuple(profile.split("+")) if isinstance(profile, str) else profile for profile in value)


Profiles = Annotated[tuple[tuple[str, ...], ...], BeforeValidator(_as_profiles)]


class RecordSwap(CategoryMasking):
    """Targeted record swapping: households at risk change places with others of the same profile.

    The protected columns are the regions, from coarse to fine (`quasi = ["nuts1", "nuts2", "nuts3"]`). A
    household is at risk at a level if fewer than k households of its area share a combination of
    `risk_columns` of one of its members. From the coarsest level down, every household at risk is swapped
    with one of another area of that level: both exchange all regions. Then others are swapped at random at
    the finest level until `rate` percent of all households are swapped. Partners have the same profile: the
    same size, and the same values of the `similar` columns among their members. Several lists of columns
    are tried in turn, the narrowest first, and partners of the same area of the level above are preferred.
    A unit column is required.

    Preserved: in every area, the counts of persons by the columns common to all profiles, and of households
    by size; all columns except the regions. Not preserved: relations of regions with them, in part.
    Attacks: most households keep their place. An attacker who finds a unique one in an area cannot know
    whether it belongs there. Households without a partner are not swapped, and a warning counts them.

    O(n log n + households areas) time, O(n) memory. A missing value of a risk or similar column is a value.
    Source: Shlomo, Tudor & Groom (2010), Data swapping for protecting census tables, Privacy in Statistical
    Databases, LNCS 6344, 41-51; Giessing et al. (2017) and the recordSwap of sdcMicro, as recommended by
    Eurostat for the census of 2021.

    >>> regions = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0)
    >>> swapped = RecordSwap(rate=50).mask(regions)
    >>> np.sort(swapped, axis=0).tolist() == regions.tolist(), int((swapped != regions).sum())
    (True, 6)
    """

    guarantees: ClassVar[tuple[str, ...]] = (
        "masked-cells",
        "units-agree",
        "swapped-in-pairs",
        "profiles-kept",
        "swapped-as-stated",
    )
    unit_aware: ClassVar[bool] = True
    whole_units: ClassVar[bool] = True

    rate: Percent = Field(
        default=10.0,
        gt=0,
        le=100,
        allow_inf_nan=False,
        description="least share of the households that change places, in percent",
    )
    k: int = Field(
        default=3, ge=2, description="households that must share a combination for none to be at risk"
    )
    risk_columns: Names = Field(
        default=(), description="columns by which a household may be found in its area"
    )
    similar: Profiles = Field(
        default=(),
        description="columns on which partners agree; several lists are tried in order: SEX+AGE,SEX",
    )

    @property
    def reads(self) -> tuple[str, ...]:
        """Those of risk and of profiles."""
        return tuple(
            dict.fromkeys((*self.risk_columns, *(name for profile in self.similar for name in profile)))
        )

    @property
    def group_size(self) -> None:
        """None: k says who is swapped, nobody hides among k."""
        return

    def check_columns(self, columns: Sequence[str]) -> None:
        """Regions are swapped, and can be no part of a profile or of what is known."""
        both = [name for name in self.reads if name in columns]
        if both:
            raise ParameterError(
                f"RecordSwap: column {join_names(both)} is a region to be swapped, and cannot be a risk or "
                "similar column too."
            )

    def redraw(self, coded: Coded, run: RunContext) -> Masked:
        """Partners by level and profile, those at risk first."""
        homes = Homes.of(coded, self.display_name())
        chance = run.protective_generator()
        order = chance.permutation(homes.count)
        profiles = [
            homes.profile([coded.read[name] for name in profile]) for profile in self.similar or ((),)
        ]
        levels = homes.levels_at_risk([coded.read[name] for name in self.risk_columns], self.k)
        partner = np.full(homes.count, -1, dtype=np.int64)
        pairing = _Pairing(homes, order, partner)
        for level in range(len(homes.areas)):
            for profile in profiles:
                pairing.run(profile, level, levels == level, homes.count)
            run.report("swapping households", level, len(homes.areas))
        # a share that is whole but for the last digit is whole
        pairs = ceil(self.rate * homes.count / 200 - 1e-9)
        wanted = 2 * min(pairs, homes.count // 2)
        everybody = np.ones(homes.count, dtype=bool)
        for profile in profiles:
            pairing.run(profile, len(homes.areas) - 1, everybody, wanted - int((partner >= 0).sum()))
        alone = partner < 0
        came_from = np.where(alone, np.arange(homes.count), partner)
        values = coded.codes[homes.first[came_from]][homes.of_record]
        labels = np.unique(np.minimum(came_from, np.arange(homes.count)), return_inverse=True)[1].reshape(-1)
        stayed = np.ones(homes.count, dtype=bool)
        for level, area in enumerate(homes.areas):
            stayed[levels == level] = (area == area[came_from])[levels == level]
        witness = {
            "not_swapped": (int((stayed & (levels >= 0)).sum()),),
            "too_few": (max(0, wanted - int((~alone).sum())),),
        }
        return Masked(values, labels.astype(np.int64)[homes.of_record], witness)


@dataclass(frozen=True, repr=False)
class Homes:
    """Households of a stratum: of each record the household, of each its first record and its areas."""

    of_record: Ints
    first: Ints
    areas: tuple[Ints, ...]

    @classmethod
    def of(cls, coded: Coded, who: str) -> Homes:
        """Refused where members live in several regions, or finer regions lie in several coarse ones."""
        n = len(coded.codes)
        units = np.arange(n) if coded.units is None else coded.units
        _, first, of_record = np.unique(units, return_index=True, return_inverse=True)
        of_record = of_record.reshape(-1).astype(np.int64)
        regions = np.nan_to_num(coded.codes, nan=-1.0)
        apart = np.unique(of_record[(regions != regions[first][of_record]).any(axis=1)]).size
        if apart:
            raise DataError(
                f"{who}: {apart} of {first.size} units have members in several regions, and a unit changes "
                "places as a whole. Correct the regions, or name another unit."
            )
        homes = regions[first]
        areas = [_combined(list(homes.T[: level + 1])) for level in range(homes.shape[1])]
        for coarse, fine, name in zip(areas, homes.T[1:], coded.names[1:], strict=False):
            # a region that is not known lies anywhere
            lying = np.unique(np.column_stack([fine, coarse])[fine >= 0], axis=0)[:, 0].astype(np.int64)
            spread = int((np.bincount(lying) > 1).sum())
            if spread:
                raise DataError(
                    f"{who}: {spread} regions of column {name} lie in several regions of the column before "
                    "it. Name the columns of regions from coarse to fine, and give every region a code of "
                    "its own."
                )
        return cls(of_record, first.astype(np.int64), tuple(areas))

    @property
    def count(self) -> int:
        """How many."""
        return self.first.size

    def profile(self, columns: Sequence[Ints]) -> Ints:
        """A number for each household that two share only if their members are alike on some columns."""
        member = _combined([np.zeros(self.of_record.size, dtype=np.int64), *columns])
        order = np.lexsort((member, self.of_record))
        sizes = np.bincount(self.of_record)
        starts = np.cumsum(sizes) - sizes
        numbers = np.empty(self.count, dtype=np.int64)
        numbered = 0
        for size in np.unique(sizes).tolist():
            those = np.flatnonzero(sizes == size)
            sorted_members = member[order[starts[those][:, None] + np.arange(size)]]
            numbers[those] = numbered + _combined(list(sorted_members.T))
            numbered = int(numbers[those].max()) + 1
        return numbers

    def levels_at_risk(self, columns: Sequence[Ints], k: int) -> Ints:
        """The coarsest level at which fewer than k households share a member's values; -1 for none."""
        levels = np.full(self.count, -1, dtype=np.int64)
        if not columns:
            return levels
        known = _combined(columns)
        for level in reversed(range(len(self.areas))):
            combination = _combined([self.areas[level][self.of_record], known])
            pairs = np.unique(np.column_stack([combination, self.of_record]), axis=0)
            few = np.bincount(pairs[:, 0]) < k
            levels[np.unique(self.of_record[few[combination]])] = level
        return levels


class _Pairing:
    """Partners found so far; each call finds more, of one profile and level."""

    def __init__(self, homes: Homes, order: Ints, partner: Ints) -> None:
        self.homes, self.order, self.partner = homes, order, partner

    def run(self, profile: Ints, level: int, wanted: Mask, most: int) -> None:
        """Pair those wanted across areas of a level, first within the area above, then anywhere."""
        from tacita.kernels.records.swapping import pair_apart

        area = self.homes.areas[level]
        near = [[profile, self.homes.areas[level - 1]]] if level else []
        for keys in [*near, [profile]]:
            if most < 2 or not (wanted & (self.partner < 0)).any():
                return
            group = _combined(keys)
            members = self.order[np.argsort(group[self.order], kind="stable")]
            ends = np.cumsum(np.bincount(group))
            cell = _combined([group, area])
            group_of_cell = np.empty(int(cell.max()) + 1, dtype=np.int64)
            group_of_cell[cell] = group
            last = ends[group_of_cell]
            first = last - np.bincount(group)[group_of_cell]
            most -= pair_apart(self.order, wanted, area, cell, last, members, first, self.partner, most)


def _combined(keys: Sequence[npt.NDArray[np.generic]]) -> Ints:
    """Number the distinct combinations of several keys 0, 1, 2, ... O(n log n) a key."""
    combined = np.unique(keys[0], return_inverse=True)[1].reshape(-1)
    for key in keys[1:]:
        dense = np.unique(key, return_inverse=True)[1].reshape(-1)
        combined = np.unique(combined * (int(dense.max()) + 1) + dense, return_inverse=True)[1].reshape(-1)
    result: Ints = combined.astype(np.int64)
    return result
