"""MDAV with a parameter that no other method has: tests of comparisons need one."""

from pydantic import Field

from tacita.microdata.methods.microaggregation.mdav import MDAV


class Steered(MDAV):
    """The same groups, whatever the strength."""

    strength: float = Field(0.5, ge=0, description="does nothing")
