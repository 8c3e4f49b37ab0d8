"""Pictures, and the notebook."""

from __future__ import annotations

import numpy as np
import pytest

from .conftest import ROOT, need


def test_figures(arm, humanoid):
    need("matplotlib").use("Agg")
    from sinew import plot

    q = arm.random(3, seed=1)
    figure = plot.figure(arm, q, targets=arm.fk(q, "flange"))
    axes = figure.axes[0]
    tip = arm.fk(q[-1], "flange")[:3, 3]
    ends = {tuple(np.round(np.array(line.get_data_3d())[:, -1], 9)) for line in axes.lines}
    assert tuple(np.round(tip, 9)) in ends
    assert plot.figure(arm, q[0], targets=tip, axes=axes) is figure
    assert plot.figure(humanoid, humanoid.middle()).axes
    with pytest.raises(ValueError, match="targets has shape"):
        plot.figure(arm, q, targets=np.zeros(5))


def test_notebook():
    nbclient = need("nbclient")
    nbformat = need("nbformat")
    need("ipykernel")
    path = ROOT / "python" / "examples" / "tour.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": ROOT}}).execute()
    pictures = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == 2
