"""The verbs. Every interface, ours or yours, builds on these and computes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, Unpack, overload

from tacita.core import (
    Method,
    Microdata,
    ParameterError,
    Release,
    Report,
    RiskProfile,
    Roles,
    RunContext,
    Trials,
    Verdict,
)
from tacita.core.results.interrupt import interruptible
from tacita.core.spec import registry
from tacita.core.spec.deprecated import renamed_arguments
from tacita.core.spec.method_params import MethodParamGrid, MethodParams
from tacita.core.spec.release_options import Missing, ReleaseOptions
from tacita.demo import prepare_demo
from tacita.io.csv_sniffer import sniff_csv
from tacita.io.formats.record_format import unfolding_at_most
from tacita.microdata.explore.column_profile import describe_columns, sample_uniqueness, suggest_roles
from tacita.microdata.explore.hierarchies import build_hierarchy, hierarchy_coverage
from tacita.microdata.explore.risk_profile import profile as _risk_profile
from tacita.microdata.methods.masking.transitions import estimate_pram_frequencies
from tacita.microdata.plans.plan import Plan, Protection
from tacita.microdata.plans.requirements import RequireSection
from tacita.microdata.plans.risk_plan import RiskSection
from tacita.microdata.plans.sections import MeasureSection
from tacita.microdata.release.assess import assess as _assess
from tacita.microdata.release.assess import check as _check
from tacita.microdata.release.compare import compare as _compare
from tacita.microdata.release.iterations import Round
from tacita.microdata.release.iterations import watch as _watch
from tacita.microdata.release.release import make_release
from tacita.precompile import report_compiling, warmup
from tacita.tables.input.linked_tables import link_tables
from tacita.tables.input.read import read_tau_argus
from tacita.tables.release.compare import compare_suppressions
from tacita.tables.release.release import adjust, read_table, suppress, tabulate
from tacita.tables.release.review_view import view_table

from . import io
from .io import write_frame
from .plans import (
    load_plan,
    run_comparison,
    run_plan,
    run_risk,
    save,
    save_comparison,
    save_hierarchy,
    save_plan,
    save_report,
    save_risk,
    save_verdicts,
)
from .plans.table_plans import (
    audit_plan,
    audit_published,
    compare_table,
    look_at_table,
    run_table,
    save_adjusted,
    save_adjusted_tables,
    save_cells,
    save_table,
    save_tables,
    tabulate_file,
)
from .tables.verify.audit import audit

__all__ = [
    "Round",
    "adjust",
    "audit",
    "audit_plan",
    "audit_published",
    "build_hierarchy",
    "check_requirements",
    "compare_methods",
    "compare_suppressions",
    "compare_table",
    "describe_columns",
    "estimate_pram_frequencies",
    "evaluate",
    "get_method",
    "hierarchy_coverage",
    "interruptible",
    "link_tables",
    "load_plan",
    "look_at_table",
    "prepare_demo",
    "protect",
    "protect_file",
    "read",
    "read_table",
    "read_tau_argus",
    "report_compiling",
    "risk_profile",
    "run_comparison",
    "run_plan",
    "run_risk",
    "run_table",
    "sample_uniqueness",
    "save",
    "save_adjusted",
    "save_adjusted_tables",
    "save_cells",
    "save_comparison",
    "save_hierarchy",
    "save_plan",
    "save_report",
    "save_risk",
    "save_table",
    "save_tables",
    "save_verdicts",
    "sniff_csv",
    "suggest_roles",
    "suppress",
    "synthesize",
    "tabulate",
    "tabulate_file",
    "unfolding_at_most",
    "view_table",
    "warmup",
    "write_frame",
]


FrameT = TypeVar("FrameT")
MethodLike = str | Method | Sequence[str | Method]


def get_method(name: str, **parameters: Any) -> Any:
    """Build a method or measure from its registry name, in any case.

    Parameters
    ----------
    name : str
        The name, such as "mdav" or "DBRL".
    **parameters
        Parameters of the method.

    Returns
    -------
    Method
        The method. `tacita.methods` and `tacita.measures` have the same classes with types.

    Raises
    ------
    ParameterError
        If there is no such name or parameter, or a value is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> get_method("mdav", k=2).partition(np.array([[0.0], [1.0], [9.0], [10.0]])).labels.tolist()
    [0, 0, 1, 1]
    """
    return registry.lookup(name)(**parameters)


def read(path: str | Path, *, shown_as: str | None = None, **options: Any) -> Microdata:
    """Read a file of records: CSV, Parquet, Stata, SPSS, SAS or Excel, by its ending.

    Parameters
    ----------
    path : path
        The file.
    shown_as : str, optional
        What messages call the file; its name by default.
    **options
        Options of [input] in plans: `delimiter`, `decimal`, `encoding`, `missing_values`, `value_labels`,
        `sheet`. `sniff_csv` guesses the first three.

    Returns
    -------
    Microdata
        The records, for `protect` and the other verbs.

    Raises
    ------
    ParameterError
        If the file cannot be read, or an option is wrong.
    DataError
        If the file is empty or broken.

    See Also
    --------
    sniff_csv : Guess how a text file is written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "survey.csv").write_text("town;income\\nPorto;1200\\n")
    ...     read(Path(folder, "survey.csv"), delimiter=";").columns
    ['town', 'income']
    """
    return io.read(path, io.InputOptions(**options), shown_as=shown_as)


@overload
def protect(
    data: str | Path | Microdata,
    roles: Roles | None = None,
    *,
    quasi: Sequence[str] | str = (),
    method: MethodLike = "mdav",
    k: int | None = None,
    then: str | Method | None = None,
    steps: Sequence[Mapping[str, Any]] = (),
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[Any]: ...


@overload
def protect(
    data: FrameT,
    roles: Roles | None = None,
    *,
    quasi: Sequence[str] | str = (),
    method: MethodLike = "mdav",
    k: int | None = None,
    then: str | Method | None = None,
    steps: Sequence[Mapping[str, Any]] = (),
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[FrameT]: ...


@renamed_arguments(insist="accept_risks", run="context")
def protect(
    data: Any,
    roles: Roles | None = None,
    *,
    quasi: Sequence[str] | str = (),
    method: MethodLike = "mdav",
    k: int | None = None,
    then: str | Method | None = None,
    steps: Sequence[Mapping[str, Any]] = (),
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[Any]:
    """Protect records: group them and publish means, or mask their values; verify, measure.

    Parameters
    ----------
    data : pandas, polars or pyarrow data frame, path, or what `read` returned
        The original records. They are never changed.
    roles : Roles, optional
        The role of each column, as one value in place of the arguments below.
    quasi : list of str or "numeric"
        Key variables to protect, or every numeric column without another role.
    method : str, method or list of these, default="mdav"
        Name of a method, or a method with its parameters: ``tacita.methods.MDAV(k=3)``. Of several, each
        improves the groups of the one before.
    k : int, optional
        Smallest group size; the default of the method unless it is set.
    then : str or method, optional
        Method that improves the groups of `method`.
    steps : list of mappings
        Several methods in place of one, each with columns of its own:
        ``[{"method": "mdav", "quasi": ["wage"], "k": 5}]``.
    nominal, ordinal, numeric : list of str
        Key variables that are categories without an order; with one (a mapping gives the levels from lowest
        to highest; a list of names suffices where numbers, or the type of the column, give the order); and
        columns of few whole numbers that are quantities, not codes.
    identifiers, pseudonyms : list of str
        Columns that name a record: left out of the release, or replaced by pseudonyms made with the key in
        the file `pseudonym_key`.
    confidential : list of str
        Sensitive columns. They are released; a warning names groups that reveal them.
    strata : list of str
        Records of different strata are never mixed.
    unit : str, optional
        The column that names the household or firm of a record.
    unit_columns : list of str
        Columns that agree within a unit.
    weight : str, optional
        Column of sampling weights.
    hierarchy : mapping from columns to hierarchies, optional
        Nested labels, or the path of a file, for each column that is generalised.
    missing : {"refuse", "drop", "stratum", "merge", "level"}, default="refuse"
        Records with missing key variables: refuse the file, drop them, group them among their like, or
        group them so and suppress values until k records share each pattern. "level" is for syntheses.
    round_integers : bool, default=False
        Publish whole numbers for columns of whole numbers.
    shuffle : bool, default=False
        Release the records in random order.
    seed : int or str, optional
        Makes protective randomness repeatable. "new" draws one; None takes it from the operating system.
        Keep it secret: it undoes what was drawn.
    accept_risks : bool or list of str, default=False
        Risks that are accepted, and recorded: their names, or True for all.
    pseudonym_key : path, optional
        File of the key for pseudonyms; see `new_pseudonym_key`.
    pseudonym_length : int, default=20
        Number of characters of a pseudonym.
    require : mapping or path, optional
        What the result must satisfy, such as ``{"k_anonymity": {"k": 3, "keys": ["sex", "town"]}}``.
    measures, without : list of str
        Measures of loss and risk to compute (["all"] for every one), and those to leave out.
    domains : list of str
        Columns whose values are parts of the population to measure by themselves.
    settings : mapping, optional
        Parameters of measures, by name.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.
    **method_params
        Parameters of the method.

    Returns
    -------
    Release
        The protected frame, of the same type as `data`, with its verdicts, measures and warnings.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a risk is not accepted. It is a ValueError too.
    DataError
        If the records cannot be used, such as with missing values under ``missing="refuse"``.
    VerificationError
        If the result does not keep what the method guarantees. Nothing is returned.
    RequirementError
        If the result does not meet `require`.

    See Also
    --------
    synthesize : Draw columns anew in place of masking them.
    protect_file : Protect a file beyond memory.
    compare_methods : Try several methods.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "name": list("abcdef")})
    >>> protect(frame, quasi=["x"], identifiers=["name"], k=3).data["x"].to_pylist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """
    return make_release(io.as_microdata(data), _protection(locals()), context)


@renamed_arguments(insist="accept_risks", engine="executor", run="context")
def protect_file(
    source: str | Path,
    path: str | Path,
    roles: Roles | None = None,
    *,
    executor: str | Mapping[str, Any] = "serial",
    report: str | Path | None = None,
    json_report: str | Path | None = None,
    note: str | Path | None = None,
    force: bool = False,
    quasi: Sequence[str] | str = (),
    dependent: Sequence[str] | str = (),
    independent: Sequence[str] | str = (),
    method: MethodLike = "mdav",
    k: int | None = None,
    then: str | Method | None = None,
    steps: Sequence[Mapping[str, Any]] = (),
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[Path]:
    """Protect a file beyond memory: Parquet, one file or a folder of them, to a Parquet file.

    All records are verified, in the file as it was written; scores are those of a sample.

    Parameters
    ----------
    source, path : path
        The file or folder to read, and the one to write.
    roles : Roles, optional
        The role of each column, as one value in place of the arguments below.
    executor : str or mapping, default="serial"
        Works in parts: "serial" in this process, "processes" in several, "dask" on a cluster; or a mapping
        with name, workers, scheduler and part, the records of a part.
    report, json_report, note : path, optional
        Confidential review as a page and as JSON, and the public note.
    force : bool, default=False
        Overwrite files.
    quasi : list of str or "numeric"
        Key variables to protect, or every numeric column without another role.
    dependent, independent : list of str
        For a synthesis in place of `quasi`: columns that are replaced, and columns that explain them.
    method : str, method or list of these, default="mdav"
        Name of a method, or a method with its parameters: ``tacita.methods.MDAV(k=3)``. Of several, each
        improves the groups of the one before.
    k : int, optional
        Smallest group size; the default of the method unless it is set.
    then : str or method, optional
        Method that improves the groups of `method`.
    steps : list of mappings
        Several methods in place of one, each with columns of its own:
        ``[{"method": "mdav", "quasi": ["wage"], "k": 5}]``.
    nominal, ordinal, numeric : list of str
        Key variables that are categories without an order; with one (a mapping gives the levels from lowest
        to highest; a list of names suffices where numbers, or the type of the column, give the order); and
        columns of few whole numbers that are quantities, not codes.
    identifiers, pseudonyms : list of str
        Columns that name a record: left out of the release, or replaced by pseudonyms made with the key in
        the file `pseudonym_key`.
    confidential : list of str
        Sensitive columns. They are released; a warning names groups that reveal them.
    strata : list of str
        Records of different strata are never mixed.
    unit : str, optional
        The column that names the household or firm of a record.
    unit_columns : list of str
        Columns that agree within a unit.
    weight : str, optional
        Column of sampling weights.
    hierarchy : mapping from columns to hierarchies, optional
        Nested labels, or the path of a file, for each column that is generalised.
    missing : {"refuse", "drop", "stratum", "merge", "level"}, default="refuse"
        Records with missing key variables: refuse the file, drop them, group them among their like, or
        group them so and suppress values until k records share each pattern. "level" is for syntheses.
    round_integers : bool, default=False
        Publish whole numbers for columns of whole numbers.
    shuffle : bool, default=False
        Release the records in random order.
    seed : int or str, optional
        Makes protective randomness repeatable. "new" draws one; None takes it from the operating system.
        Keep it secret: it undoes what was drawn.
    accept_risks : bool or list of str, default=False
        Risks that are accepted, and recorded: their names, or True for all.
    pseudonym_key : path, optional
        File of the key for pseudonyms; see `new_pseudonym_key`.
    pseudonym_length : int, default=20
        Number of characters of a pseudonym.
    require : mapping or path, optional
        What the result must satisfy, such as ``{"k_anonymity": {"k": 3, "keys": ["sex", "town"]}}``.
    measures, without : list of str
        Measures of loss and risk to compute (["all"] for every one), and those to leave out.
    domains : list of str
        Columns whose values are parts of the population to measure by themselves.
    settings : mapping, optional
        Parameters of measures, by name.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.
    **method_params
        Parameters of the method.

    Returns
    -------
    Release
        Its `data` is the path.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a risk is not accepted. It is a ValueError too.
    DataError
        If the records cannot be used, such as with missing values under ``missing="refuse"``.
    VerificationError
        If the result does not keep what the method guarantees. Nothing is returned.
    RequirementError
        If the result does not meet `require`.

    See Also
    --------
    protect : Protect records in memory.

    Examples
    --------
    >>> import tempfile, pyarrow as pa
    >>> from pyarrow import parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parquet.write_table(pa.table({"x": [1.0, 2, 3, 10, 11, 12]}), f"{folder}/in.parquet")
    ...     release = protect_file(f"{folder}/in.parquet", f"{folder}/out.parquet", quasi="x", k=3)
    ...     parquet.read_table(f"{folder}/out.parquet")["x"].to_pylist()
    [2.0, 2.0, 2.0, 11.0, 11.0, 11.0]
    """
    request = _protection(locals())
    fields = {name: getattr(request, name) for name in Protection.model_fields}
    output = {"path": path, "report": report, "json_report": json_report, "note": note}
    plan = Plan(input={"path": source}, output=output, executor=executor, **fields)
    return run_plan(plan, context, force=force)


@overload
def synthesize(
    data: str | Path | Microdata,
    roles: Roles | None = None,
    *,
    dependent: Sequence[str] | str,
    independent: Sequence[str] | str = (),
    method: MethodLike = "ipso-c",
    k: int | None = None,
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Literal["refuse", "drop", "level"] = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    callback: Callable[[Round], None] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[Any]: ...


@overload
def synthesize(
    data: FrameT,
    roles: Roles | None = None,
    *,
    dependent: Sequence[str] | str,
    independent: Sequence[str] | str = (),
    method: MethodLike = "ipso-c",
    k: int | None = None,
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Literal["refuse", "drop", "level"] = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    callback: Callable[[Round], None] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[FrameT]: ...


@renamed_arguments(insist="accept_risks", run="context")
def synthesize(
    data: Any,
    roles: Roles | None = None,
    *,
    dependent: Sequence[str] | str,
    independent: Sequence[str] | str = (),
    method: MethodLike = "ipso-c",
    k: int | None = None,
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Literal["refuse", "drop", "level"] = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    callback: Callable[[Round], None] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParams],
) -> Release[Any]:
    """Draw dependent columns anew, given independent ones that are kept; verify, measure.

    Each stratum is drawn separately. What a method keeps exactly it therefore keeps in every stratum, and
    in the whole file.

    Parameters
    ----------
    data : pandas, polars or pyarrow data frame, path, or what `read` returned
        The original records. They are never changed.
    roles : Roles, optional
        The role of each column, as one value in place of the arguments below.
    dependent : list of str
        Columns that are replaced. They are numeric; with `copula` and `trees` they may be categories too.
    independent : list of str
        Columns that explain them, released unchanged. `copula` and `trees` need none.
    method : str or method, default="ipso-c"
        Name of a synthesis, or one with its parameters: ``tacita.methods.Trees(k=10)``.
    k : int, optional
        Smallest number of records behind a drawn value, of methods that have it.
    nominal, ordinal, numeric : list of str
        Key variables that are categories without an order; with one (a mapping gives the levels from lowest
        to highest; a list of names suffices where numbers, or the type of the column, give the order); and
        columns of few whole numbers that are quantities, not codes.
    identifiers, pseudonyms : list of str
        Columns that name a record: left out of the release, or replaced by pseudonyms made with the key in
        the file `pseudonym_key`.
    confidential : list of str
        Sensitive columns. They are released; a warning names groups that reveal them.
    strata : list of str
        Records of different strata are never mixed.
    unit : str, optional
        The column that names the household or firm of a record.
    unit_columns : list of str
        Columns that agree within a unit.
    weight : str, optional
        Column of sampling weights.
    hierarchy : mapping from columns to hierarchies, optional
        Nested labels, or the path of a file, for each column that is generalised.
    missing : {"refuse", "drop", "level"}, default="refuse"
        Records with missing values: refuse the file, drop them, or draw what is missing too.
    round_integers : bool, default=False
        Publish whole numbers for columns of whole numbers.
    shuffle : bool, default=False
        Release the records in random order.
    seed : int or str, optional
        Makes protective randomness repeatable. "new" draws one; None takes it from the operating system.
        Keep it secret: it undoes what was drawn.
    accept_risks : bool or list of str, default=False
        Risks that are accepted, and recorded: their names, or True for all.
    pseudonym_key : path, optional
        File of the key for pseudonyms; see `new_pseudonym_key`.
    pseudonym_length : int, default=20
        Number of characters of a pseudonym.
    require : mapping or path, optional
        What the result must satisfy, such as ``{"k_anonymity": {"k": 3, "keys": ["sex", "town"]}}``.
    measures, without : list of str
        Measures of loss and risk to compute (["all"] for every one), and those to leave out.
    domains : list of str
        Columns whose values are parts of the population to measure by themselves.
    settings : mapping, optional
        Parameters of measures, by name.
    callback : callable, optional
        Follows fuzzy c-regression (`fcrm`) round by round. It gets a `Round`: memberships, curves of the
        clusters, released values, objective and, where it reads `report`, the scores that a release would
        have. The run goes on when it returns.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.
    **method_params
        Parameters of the method.

    Returns
    -------
    Release
        The synthetic frame, of the same type as `data`, with its verdicts, measures and warnings.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a risk is not accepted. It is a ValueError too.
    DataError
        If the records cannot be used, such as with missing values under ``missing="refuse"``.
    VerificationError
        If the result does not keep what the method guarantees. Nothing is returned.
    RequirementError
        If the result does not meet `require`.

    See Also
    --------
    protect : Mask values in place of drawing them.

    Examples
    --------
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> s = np.random.default_rng(0).normal(size=60)
    >>> frame = pa.table({"s": s, "y": s + np.sin(9 * s)})
    >>> made = synthesize(frame, dependent=["y"], independent=["s"], method="ipso-c")
    >>> bool(np.isclose(np.mean(made.data["y"]), np.mean(frame["y"]))), made.data["s"].equals(frame["s"])
    (True, True)
    >>> from tacita import datasets
    >>> rounds = []
    >>> made = synthesize(
    ...     datasets.five_clouds(), dependent="y", independent="x", method="fcrm", c=5, rmax=4,
    ...     callback=rounds.append, measures=["PIL"],
    ... )
    >>> [round.iteration.iteration for round in rounds], rounds[-1].report["PIL"] == made.report["PIL"]
    ([1, 2, 3, 4], True)
    """
    request = _protection(locals())
    if callback is not None:
        return _watch(io.as_microdata(data), request, callback, context)
    return make_release(io.as_microdata(data), request, context)


@renamed_arguments(insist="accept_risks", run="context")
def compare_methods(
    data: Any,
    roles: Roles | None = None,
    *,
    quasi: Sequence[str] | str = (),
    dependent: Sequence[str] | str = (),
    independent: Sequence[str] | str = (),
    method: str | Sequence[str] = "mdav",
    k: int | Sequence[int] | None = None,
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    numeric: Sequence[str] | str = (),
    identifiers: Sequence[str] | str = (),
    pseudonyms: Sequence[str] | str = (),
    confidential: Sequence[str] | str = (),
    strata: Sequence[str] | str = (),
    unit: str | None = None,
    unit_columns: Sequence[str] | str = (),
    weight: str | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    missing: Missing = "refuse",
    round_integers: bool = False,
    shuffle: bool = False,
    seed: int | str | None = None,
    accept_risks: bool | str | Sequence[str] = False,
    pseudonym_key: str | Path | None = None,
    pseudonym_length: int = 20,
    require: Mapping[str, Any] | str | Path | None = None,
    loss: str = "PIL",
    risk: str = "DR",
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
    **method_params: Unpack[MethodParamGrid],
) -> Trials:
    """Try methods and parameters on the same records, and find those that no other beats.

    Each trial is a verified release, of which only the figures are kept. One that fails keeps its reason and
    does not stop the others; if all fail, the first error is raised.

    Parameters
    ----------
    data : pandas, polars or pyarrow data frame, path, or what `read` returned
        The original records. They are never changed.
    roles : Roles, optional
        The role of each column, as one value in place of the arguments below.
    quasi : list of str or "numeric"
        Key variables to protect, or every numeric column without another role.
    dependent, independent : list of str
        For syntheses in place of `quasi`: columns that are replaced, and columns that explain them.
    method : str or list of str, default="mdav"
        Names of methods to try: ``["mdav", "hm"]``.
    k : int or list of int, optional
        Smallest group sizes to try: ``[3, 5, 10]``.
    nominal, ordinal, numeric : list of str
        Key variables that are categories without an order; with one (a mapping gives the levels from lowest
        to highest; a list of names suffices where numbers, or the type of the column, give the order); and
        columns of few whole numbers that are quantities, not codes.
    identifiers, pseudonyms : list of str
        Columns that name a record: left out of the release, or replaced by pseudonyms made with the key in
        the file `pseudonym_key`.
    confidential : list of str
        Sensitive columns. They are released; a warning names groups that reveal them.
    strata : list of str
        Records of different strata are never mixed.
    unit : str, optional
        The column that names the household or firm of a record.
    unit_columns : list of str
        Columns that agree within a unit.
    weight : str, optional
        Column of sampling weights.
    hierarchy : mapping from columns to hierarchies, optional
        Nested labels, or the path of a file, for each column that is generalised.
    missing : {"refuse", "drop", "stratum", "merge", "level"}, default="refuse"
        Records with missing key variables: refuse the file, drop them, group them among their like, or
        group them so and suppress values until k records share each pattern. "level" is for syntheses.
    round_integers : bool, default=False
        Publish whole numbers for columns of whole numbers.
    shuffle : bool, default=False
        Release the records in random order.
    seed : int or str, optional
        Makes protective randomness repeatable. "new" draws one; None takes it from the operating system.
        Keep it secret: it undoes what was drawn.
    accept_risks : bool or list of str, default=False
        Risks that are accepted, and recorded: their names, or True for all.
    pseudonym_key : path, optional
        File of the key for pseudonyms; see `new_pseudonym_key`.
    pseudonym_length : int, default=20
        Number of characters of a pseudonym.
    require : mapping or path, optional
        What the result must satisfy, such as ``{"k_anonymity": {"k": 3, "keys": ["sex", "town"]}}``.
    loss, risk : str, default="PIL" and "DR"
        The measures on the two axes.
    measures, without : list of str
        Measures of loss and risk to compute (["all"] for every one), and those to leave out.
    domains : list of str
        Columns whose values are parts of the population to measure by themselves.
    settings : mapping, optional
        Parameters of measures, by name.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.
    **method_params
        Parameters of methods, each a value or a list of values to try. A parameter goes to the methods that
        have it.

    Returns
    -------
    Trials
        One for each method and combination of its parameters; `to_pandas()` gives a row each.

    Raises
    ------
    ParameterError
        If an argument is wrong, or a risk is not accepted. It is a ValueError too.
    DataError
        If the records cannot be used, such as with missing values under ``missing="refuse"``.
    VerificationError
        If the result does not keep what the method guarantees. Nothing is returned.
    RequirementError
        If the result does not meet `require`.

    See Also
    --------
    protect : Protect records by one method.
    save_comparison : Write the comparison.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0, 4.0, 10.0, 11.0, 12.0, 13.0]})
    >>> trials = compare_methods(frame, quasi="x", method=["mdav", "hm"], k=[3, 4], loss="IL1", risk="DLD")
    >>> [(trial.method, trial.parameters["k"], trial.groups) for trial in trials]
    [('hm', 3, 2), ('hm', 4, 2), ('mdav', 3, 2), ('mdav', 4, 2)]
    """
    return _compare(io.as_microdata(data), *Protection.compared(**_named(locals())), context)


@renamed_arguments(run="context")
def evaluate(
    original: Any,
    released: Any,
    *,
    quasi: Sequence[str] | str,
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    unit: str | None = None,
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    domains: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
) -> Report:
    """Measure loss and risk of a release by any program.

    Records with a missing value on either side are left out, and counted in the notes of the report.

    Parameters
    ----------
    original, released : data frames, paths, or what `read` returned
        The same records in the same order, with the same columns.
    quasi : list of str or "numeric"
        The columns that were changed.
    nominal, ordinal : list of str
        Columns that are categories without an order, and with one, as in `protect`.
    unit : str, optional
        The column that names the household or firm of a record.
    measures, without : list of str
        Measures of loss and risk to compute (["all"] for every one), and those to leave out.
    domains : list of str
        Columns whose values are parts of the population to measure by themselves.
    settings : mapping, optional
        Parameters of measures, by name: ``{"DBRL": {"attributes": [3, 5]}}``.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.

    Returns
    -------
    Report
        A score for each measure.

    Raises
    ------
    ParameterError
        If an argument is wrong, or the release lacks a column.
    DataError
        If the files do not have the same records.

    See Also
    --------
    check_requirements : Whether a file meets limits.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"x": [1.0, 2.0, 3.0]})
    >>> evaluate(frame, frame, quasi=["x"])["IL1"].value
    0.0
    """
    return _assess(io.as_microdata(original), io.as_microdata(released), _protection(locals()), context)


@renamed_arguments(run="context")
def risk_profile(
    data: Any,
    *,
    keys: Sequence[str] | str,
    weight: str | None = None,
    unit: str | None = None,
    sensitive: Sequence[str] | str = (),
    fraction: float | None = None,
    population: float | None = None,
    missing_as: Literal["category", "wildcard"] = "category",
    measures: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    context: RunContext | None = None,
) -> RiskProfile:
    """Measure the disclosure risk of a file before anything is protected. The result is confidential.

    Parameters
    ----------
    data : data frame, path, or what `read` returned
        The records.
    keys : list of str
        Columns that an attacker may know.
    weight : str, optional
        Column of sampling weights. Without weights, `fraction` and `population` the file is taken for the
        population.
    unit : str, optional
        Column of households or firms.
    sensitive : list of str
        Columns whose values must not be learned.
    fraction, population : float, optional
        The share of the population that is in the file, or the size of the population.
    missing_as : {"category", "wildcard"}, default="category"
        A missing key is a value of its own, or any value.
    measures, without : list of str
        Measures to compute, by default all that need one file alone, and those to leave out.
    settings : mapping, optional
        Parameters of measures, by name.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.

    Returns
    -------
    RiskProfile
        Scores by name, and the tables that they come from.

    Raises
    ------
    ParameterError
        If an argument is wrong.
    DataError
        If the records cannot be used.

    See Also
    --------
    sample_uniqueness : A quick look at uniques alone.
    save_risk : Write the profile.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"sex": list("ffmm"), "town": list("aabc"), "w": [9.0, 9.0, 9.0, 9.0]})
    >>> profile = risk_profile(frame, keys=["sex", "town"], weight="w")
    >>> profile.headline
    '2 of 4 records (50 %) are unique on sex, town.'
    >>> round(profile["individual_risk_max"].value, 3)
    0.275
    """
    values = locals()
    request = RiskSection(**{name: values[name] for name in RiskSection.model_fields})
    chosen = MeasureSection(names=measures, without=without, settings=settings or {})
    return _risk_profile(io.as_microdata(data), request, chosen, context)


@renamed_arguments(run="context")
def check_requirements(
    released: Any,
    require: Mapping[str, Any] | str | Path,
    *,
    original: Any = None,
    quasi: Sequence[str] | str = (),
    nominal: Sequence[str] | str = (),
    ordinal: Sequence[str] | str | Mapping[str, Sequence[str]] = (),
    unit: str | None = None,
    context: RunContext | None = None,
) -> tuple[Verdict, ...]:
    """Check whether a file, by any program, meets requirements.

    Parameters
    ----------
    released : data frame, path, or what `read` returned
        The file to check.
    require : mapping or path
        Names of measures with limits, as in `protect`, or the TOML file of an office.
    original : data frame, path, or what `read` returned, optional
        The same records in the same order, for measures that compare.
    quasi : list of str or "numeric"
        The columns that were changed. An original needs them; without one, these are the keys of
        requirements that name none.
    nominal, ordinal : list of str
        Columns that are categories without an order, and with one, as in `protect`.
    unit : str, optional
        The column of households or firms: of the original, or else of the file.
    context : RunContext, optional
        Listens to progress, and stops or cancels the work.

    Returns
    -------
    tuple of Verdict
        One for each requirement.

    Raises
    ------
    ParameterError
        If an argument is wrong.
    DataError
        If the files cannot be used or compared.

    See Also
    --------
    evaluate : The figures themselves.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"sex": list("ffmmm")})
    >>> found = check_requirements(frame, {"k_anonymity": {"k": 3, "keys": ["sex"]}})
    >>> found[0].passed, found[0].detail
    (False, '2 of 5 records share their keys with fewer than 3 records by sex (fewest: 2)')
    """
    limits = RequireSection.from_argument(require)
    if original is None:
        named = [quasi] if isinstance(quasi, str) else quasi
        keys = () if quasi == "numeric" else named
        return _check(io.as_microdata(released), limits, keys=keys, unit=unit, run=context)
    if not quasi:
        raise ParameterError("Check: an original needs the columns that were changed (quasi), got none.")
    roles = Roles(quasi=quasi, nominal=nominal, ordinal=ordinal, unit=unit)
    return _check(io.as_microdata(released), limits, io.as_microdata(original).with_roles(roles), run=context)


# What verbs do not hand on to the sections of a plan.
_APART = frozenset(
    {"data", "original", "released", "source", "path", "executor", "report", "json_report", "note", "force"}
    | {"callback", "context", "roles", "accept_risks", "then", "method_params"}
)
_OPTIONS = {name: field.get_default() for name, field in ReleaseOptions.model_fields.items()}


def _named(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a verb as the sections of a plan name them, its `method_params` among them.

    An option that is as it would be without it is left out, and so is a `k` that was not set.
    """
    values = {name: value for name, value in arguments.items() if name not in _APART}
    if (roles := arguments.get("roles")) is not None:
        role_values = roles.model_dump(exclude_unset=True)
        if twice := [name for name in Roles.model_fields if values.get(name)]:
            raise ParameterError(f"Roles: roles and {', '.join(twice)} were both given. Choose one of them.")
        values |= role_values
    for name, usual in {**_OPTIONS, "k": None, "hierarchy": None}.items():
        # compared as what it is: a frame handed over by mistake has no truth value
        if name in values and type(values[name]) is type(usual) and values[name] == usual:
            del values[name]
    accepted = arguments.get("accept_risks", False)
    if isinstance(accepted, bool):
        values |= {"insist": True} if accepted else {}
    elif accepted:
        values["accept"] = accepted
    return {**values, **arguments.get("method_params", {})}


def _with_method(values: dict[str, Any], then: MethodLike | None = None) -> dict[str, Any]:
    """The same with methods that were built taken apart into names and parameters."""
    if "method" not in values and then is None:
        return values
    method = values.get("method", "mdav")
    if not isinstance(method, str | Method | list | tuple):
        # the section of the method says what is wrong
        return values
    chain = [method] if isinstance(method, str | Method) else list(method)
    chain += [] if then is None else [then]
    name, params = registry.named_with_params(chain, *registry.PROTECTING)
    if twice := [name for name in params if name in values and values[name] != params[name]]:
        raise ParameterError(
            f"{name}: {', '.join(twice)} is given both in the method and as an argument, with different "
            "values. Give it once."
        )
    return {**values, "method": name, **params}


def _protection(arguments: Mapping[str, Any]) -> Protection:
    """The request that the arguments of a verb make."""
    values = _with_method(_named(arguments), arguments.get("then"))
    if steps := values.get("steps"):
        values["steps"] = [_with_method(dict(step)) for step in steps]
    return Protection.from_arguments(**values)
