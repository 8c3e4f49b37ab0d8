"""What sinew needs from Python, beside the C calls and beside other packages.

Usage: measure.py ROBOT.urdf LINK OVERHEAD FOLDER PEER...; OVERHEAD is the shared library of
overhead.c, FOLDER has a virtual environment peers/ and receives page.md. Prints the page.

Calls of C and of Python alternate in rounds of some milliseconds, and the median of the rounds'
differences is reported: what else the machine does then hits both.
"""

from __future__ import annotations

import ctypes
import datetime
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import sinew

ROUNDS, CALLS = 301, 1000


def seconds(call, count=CALLS):
    """The time of count calls."""
    began = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - began


def nothing():
    pass


def over_c(call, time_c):
    """Medians over rounds: of a Python call beyond its C call, and of the C call [ns]."""
    over, alone = [], []
    for _ in range(ROUNDS):
        c = time_c(CALLS)
        alone.append(c)
        over.append(seconds(call) - seconds(nothing) - c)
    return float(np.median(over)) / CALLS * 1e9, float(np.median(alone)) / CALLS * 1e9


def load_c(path, robot, link, q):
    library = ctypes.CDLL(str(path))
    doubles = np.ctypeslib.ndpointer(np.float64)
    library.bench_begin.argtypes = [ctypes.c_char_p, ctypes.c_char_p, doubles]
    library.bench_batch.argtypes = [doubles, doubles, ctypes.c_size_t]
    for name in ("bench_solve", "bench_update", "bench_batch"):
        getattr(library, name).restype = ctypes.c_double
    library.bench_begin(str(robot).encode(), link.encode(), q)
    return library


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown processor"


def import_time():
    """Of sinew beyond NumPy, in fresh interpreters [ms]."""

    def run(program):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return time.perf_counter() - began

    pairs = [(run("import numpy, sinew"), run("import numpy")) for _ in range(11)]
    return float(np.median([both - one for both, one in pairs])) * 1e3


def measure(robot, link, overhead):
    model = sinew.load(robot)
    q = model.random(seed=3)
    T = model.fk(q, link)
    out = np.empty(model.nq)
    c = load_c(overhead, robot, link, q)

    def plain():
        model.solve(T, link=link, seed=q)

    def with_q():
        return model.solve(T, link=link, seed=q).q

    def with_out():
        model.solve(T, link=link, seed=q, out=out)

    plain()
    plain_over, solve_c = over_c(plain, c.bench_solve)
    q_over, _ = over_c(with_q, c.bench_solve)
    out_over, _ = over_c(with_out, c.bench_solve)

    targets = model.fk(model.random(10000, seed=1), link)
    seeds = model.random(10000, seed=2)
    one_by_one, solved = [], 0
    model.solve(targets[0], link=link, tolerance=1e-5)
    for target, seed in zip(targets, seeds, strict=True):
        began = time.perf_counter()
        solution = model.solve(target, link=link, seed=seed, tolerance=1e-5)
        one_by_one.append(time.perf_counter() - began)
        solved += solution.converged

    tracker = sinew.Tracker(model, link, q)
    moving = [T.copy() for _ in range(100)]
    for i, pose in enumerate(moving):
        pose[0, 3] += 1e-3 * (i if i < 50 else 100 - i)
    poses = iter(moving * (ROUNDS * CALLS // 100))
    update_over, update_c = over_c(lambda: tracker.update(next(poses)), c.bench_update)

    million = model.fk(model.random(1_000_000, seed=3), link, quaternion="wxyz")
    keywords = {"link": link, "quaternion": "wxyz", "threads": 1}
    model.solve(million[:10], **keywords)
    results = np.empty((len(million), model.nq))
    ratios = []
    for _ in range(5):
        in_c = c.bench_batch(million, results, len(million))
        began = time.perf_counter()
        assert model.solve(million, **keywords).converged.all()
        ratios.append((time.perf_counter() - began) / in_c)
    return {
        "overhead": plain_over,
        "overhead_q": q_over,
        "overhead_out": out_over,
        "c_solve": solve_c,
        "solve": float(np.median(one_by_one)) * 1e6,
        "solve_mean": float(np.mean(one_by_one)) * 1e6,
        "solved": solved / len(targets),
        "million": float(np.median(ratios)),
        "update": (update_c + update_over) * 1e-3,
        "c_update": update_c * 1e-3,
        "import": import_time(),
    }


def problems(robot, link, path):
    model = sinew.load(robot)
    start = model.random(1, seed=3)[0]
    poses = np.repeat(model.fk(start, link)[None], 1000, axis=0)
    poses[:, 0, 3] += 1e-3 * np.abs((np.arange(1000) + 50) % 100 - 50)
    np.savez(
        path,
        link=link,
        targets=model.fk(model.random(1000, seed=1), link),
        seeds=model.random(1000, seed=2),
        path=poses,
        path_start=start,
    )


def judge(robot, link, file, result):
    """The share of poses that are reached to 1e-5 m and 1e-5 rad within the limits."""
    model = sinew.load(robot)
    q = np.array(result["q"])
    targets = np.load(file)["targets"][: len(q)]
    good = np.isfinite(q).all(axis=1)
    q = np.where(good[:, None], q, model.middle())
    reached = model.fk(q, link)
    distance = np.linalg.norm(reached[:, :3, 3] - targets[:, :3, 3], axis=1)
    # |R - T|^2 = 4 (1 - cos a), sqrt(2) |a| for small angles
    angle = np.linalg.norm(reached[:, :3, :3] - targets[:, :3, :3], axis=(1, 2)) / np.sqrt(2)
    within = ((q >= model.lower - 1e-6) & (q <= model.upper + 1e-6)).all(axis=1)
    return float((good & within & (distance < 1e-5) & (angle < 1e-5)).mean()), len(q)


def page(own, peers, robot):
    today = datetime.date.today().isoformat()
    lines = [
        f"{today}, {processor()}, {os.cpu_count()} processors, CPython "
        f"{sys.version.split()[0]}, NumPy {np.__version__}; medians, `{Path(robot).stem}`.",
        "",
        "| what | reach | measured |",
        "|---|---|---|",
        f"| `solve(T, link=…, seed=q)`, over the C call ({own['c_solve']:.0f} ns) | 350 ns | "
        f"{own['overhead']:.0f} ns |",
        f"| the same, its `q` read | 700 ns | {own['overhead_q']:.0f} ns |",
        f"| the same with `out=` | 350 ns | {own['overhead_out']:.0f} ns |",
        f"| one pose from a random seed, 1e-5 | 2.5 µs, 100 % | {own['solve']:.2f} µs "
        f"(mean {own['solve_mean']:.2f}), {100 * own['solved']:.2f} % |",
        f"| 1,000,000 poses in one call, against C, one thread | 1.1 | {own['million']:.3f} |",
        f"| `Tracker.update()` | 1.5 µs | {own['update']:.2f} µs (C {own['c_update']:.2f}) |",
        f"| import, beyond NumPy's | 60 ms | {own['import']:.0f} ms |",
        "",
        "| package | solved | median of one pose | mean | one update |",
        "|---|---|---|---|---|",
        f"| **sinew** | {100 * own['solved']:.1f} % | {own['solve']:.2f} µs | "
        f"{own['solve_mean']:.2f} µs | {own['update']:.2f} µs |",
    ]
    for name, result in peers.items():
        if "error" in result:
            lines.append(f"| {name} | {result['error']} | | | |")
            continue
        update = f"{result['update'] * 1e6:.1f} µs" if result["update"] is not None else ""
        lines.append(
            f"| {name} | {100 * result['solved']:.1f} % of {result['count']} | "
            f"{result['solve'] * 1e6:.1f} µs | {result['mean'] * 1e6:.1f} µs | {update} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    robot, link, overhead, folder, *names = sys.argv[1:]
    work = Path(folder)
    file = work / "problems.npz"
    problems(robot, link, file)
    own = measure(robot, link, overhead)
    peers = {}
    for name in names:
        done = subprocess.run(
            [
                work / "peers" / "bin" / "python",
                Path(__file__).with_name("peers.py"),
                robot,
                file,
                name,
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            peers[name] = {"error": (done.stderr.strip().splitlines() or ["no message"])[-1][:200]}
            continue
        result = json.loads(done.stdout.strip().splitlines()[-1])
        result["solved"], result["count"] = judge(robot, link, file, result)
        peers[name] = result
    text = page(own, peers, robot)
    (work / "page.md").write_text(text)
    print(text)


main()
