"""Data of the tests, and programs that serve as oracles.

SINEW_SHARED names the folder of real robots and motions, SINEW_PROGRAM the program sinew. With
SINEW_REQUIRE=1 no test is skipped because a program or a package is missing.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest
import sinew

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SINEW_SHARED", ROOT.parent / "shared"))
PROGRAM = Path(os.environ.get("SINEW_PROGRAM", ROOT / "build" / "release" / "bin" / "sinew"))
REQUIRE = os.environ.get("SINEW_REQUIRE") == "1"
MODELS = ROOT / "models"


def missing(what: str) -> None:
    """Skips a test, or fails it where nothing may be missing."""
    if REQUIRE:
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing", allow_module_level=True)


def need(module: str):
    """A package that is not needed at run time."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return missing(module)


def real_files(pattern: str) -> list[Path]:
    """Files of the shared data, or none."""
    return sorted((SHARED / "data").glob(pattern))


ARM_FILES = [MODELS / "arm6.urdf", MODELS / "arm7.urdf", *real_files("arms/*.urdf")]


@pytest.fixture(scope="session")
def arm() -> sinew.Model:
    return sinew.load(MODELS / "arm7.urdf")


@pytest.fixture(scope="session")
def humanoid() -> sinew.Model:
    return sinew.load(MODELS / "humanoid.bvh")


@pytest.fixture(params=ARM_FILES, ids=lambda path: path.stem)
def arm_file(request: pytest.FixtureRequest) -> Path:
    return request.param
