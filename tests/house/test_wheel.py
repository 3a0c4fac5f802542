"""The wheel that users install is complete: built from the source archive, installed alone, used."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_code_templates_and_type_marker_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    package = [name for name in names if not name.startswith("tacita-")]
    expected = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "tacita").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert set(package) == expected
    assert "tacita/py.typed" in package
    assert any(name.endswith("LICENSE") for name in names)


def hand_over_what_was_compiled(site):
    """Kernels of the wheel are those of the source, so what was compiled of these is loaded for those."""
    kernels = ROOT / "src" / "tacita" / "kernels"
    stamp = Path("__pycache__") / "sources.nbs"
    (site / "tacita" / "kernels" / "__pycache__").mkdir(exist_ok=True)
    shutil.copy(kernels / stamp, site / "tacita" / "kernels" / stamp)
    for source in kernels.rglob("*.py"):
        target = site / "tacita" / "kernels" / source.relative_to(kernels)
        assert target.read_bytes() == source.read_bytes()
        # compiled code counts as that of a file by the time of its last change
        shutil.copystat(source, target)
        for compiled in source.parent.glob(f"__pycache__/{source.stem}.*.nb?"):
            target.parent.joinpath("__pycache__").mkdir(exist_ok=True)
            shutil.copy(compiled, target.parent / "__pycache__")


def test_the_installed_wheel_protects_a_file_and_checks_a_method_without_pytest(wheel, tmp_path):
    # the dependencies of this environment serve; only tacita itself is installed anew
    place = tmp_path / "venv"
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    site = next((place / "lib").glob("python*/site-packages"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*command, "--target", str(site), str(wheel)], check=True, capture_output=True)
    hand_over_what_was_compiled(site)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others))
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    shown = subprocess.run(
        [str(python), "-c", "import tacita; print(tacita.__file__)"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    ).stdout
    assert str(site) in shown
    subprocess.run(
        [str(python), "-m", "tacita", "demo", "--folder", "demo", "--quiet"],
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    assert (tmp_path / "demo" / "report.html").stat().st_size > 10_000
    laws = "import sys, tacita; tacita.testing.check_method(tacita.registry.lookup('noise')); "
    laws += "assert 'pytest' not in sys.modules"
    subprocess.run([str(python), "-c", laws], check=True, cwd=tmp_path, env=environment)
