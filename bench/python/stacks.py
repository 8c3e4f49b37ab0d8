"""One stack of tasks by sinew, placo, pink and mink: the times of updates, and what they lead to.

Usage: stacks.py FOLDER [G1.urdf PANDA.urdf]; default: the robots of ../shared/data. FOLDER has a
virtual environment peers/ with the packages of peers.txt, and receives stacks.md. Prints the page.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import sinew

PEERS = ("placo", "pink", "mink")
GOALS, UPDATES, RUNS = 200, 2000, 5
COUNTS = (20, 200)  # updates after which errors are measured
POSTURE_COST = 1e-3  # beside tasks of cost 1; sinew has the posture below them
NEAR = 0.3  # m and rad
SOLVED = 1e-3  # m and rad
SHARED = Path(os.environ.get("SINEW_SHARED_DIR", "../shared"))


@dataclasses.dataclass
class Stack:
    name: str
    title: str
    robot: Path
    links: list[str]
    floating: bool
    center: bool


def stacks(g1, panda):
    hands = ["left_rubber_hand", "right_rubber_hand"]
    feet = ["left_ankle_roll_link", "right_ankle_roll_link"]
    body = "G1, 29 + 6 degrees of freedom: five poses, centre of mass, posture, limits"
    arm = "Panda: pose, posture, limits"
    return [
        Stack("g1", body, g1, [*feet, *hands, "torso_link"], floating=True, center=True),
        Stack("panda", arm, panda, ["panda_link8"], floating=False, center=False),
    ]


def without_shapes(robot, path):
    """A copy of the robot without visuals and collisions, whose meshes a package would look for."""
    tree = xml.parse(robot)
    for extra in tree.getroot().findall("mujoco"):
        tree.getroot().remove(extra)
    for link in tree.getroot().findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    tree.write(path)
    return path


class Center:
    """The centre of mass, from the file's masses and sinew's poses of the links."""

    def __init__(self, robot, model):
        self.model, self.links, masses, points = model, [], [], []
        for link in xml.parse(robot).getroot().findall("link"):
            inertial = link.find("inertial")
            if inertial is not None and link.get("name") in model.links:
                origin = inertial.find("origin")
                self.links.append(link.get("name"))
                masses.append(float(inertial.find("mass").get("value")))
                points.append([*map(float, origin.get("xyz").split()), 1.0])
        self.share, self.points = np.array(masses) / sum(masses), np.array(points)

    def at(self, q):
        poses = self.model.fk(q, self.links)
        return np.einsum("l,...lij,lj->...i", self.share, poses, self.points)[..., :3]


def base_of(model, floating):
    """Where position and quaternion of the base are in q; the joints follow."""
    if not floating:
        return slice(0, 0)
    base = model.joints[0].q
    assert base == slice(0, 7), "the floating base has the first values"
    return base


def motion(model, count, floating):
    """Every joint in the middle of its range, smoothly; the base within 0.1 m and rad."""
    width = model.upper - model.lower
    most = np.minimum(0.3, np.where(np.isfinite(width), 0.15 * width, 0.1))
    i, update = np.arange(model.nv), np.arange(count)[:, None]
    v = most * np.sin(2 * np.pi * update * (1 + i % 3) / count + i)
    return model.integrate(np.repeat(model.middle()[None], count, axis=0), v)


def random_goals(model, stack):
    """First those near the start, each value within NEAR of it, then those anywhere in the limits.

    The base is always within NEAR.
    """
    start = np.repeat(model.middle()[None], GOALS, axis=0)
    v = np.random.default_rng(1).uniform(-NEAR, NEAR, (GOALS, model.nv))
    near, far = model.integrate(start, v), model.random(GOALS, seed=1)
    base = 7 if stack.floating else 0
    lower, upper = (x[base and 6 :] for x in (model.lower, model.upper))
    near[:, base:] = np.clip(near[:, base:], lower, upper)
    far[:, :base] = near[:, :base]
    return np.concatenate([near, far])


def make_problems(stack, model, center, path):
    goals, along = random_goals(model, stack), motion(model, UPDATES, stack.floating)
    base = base_of(model, stack.floating)
    names = [joint.name for joint in model.joints if joint.driver is None]
    names = [n for n in model.joint_names if n in names][1 if stack.floating else 0 :]
    problems = {
        "floating": stack.floating,
        "center": stack.center,
        "root": model.joints[0].child if stack.floating else model.root,
        "posture_cost": POSTURE_COST,
        "links": stack.links,
        "joints": names,
        "posture": model.middle(),
        "start": model.middle(),
        "goals": model.fk(goals, stack.links),
        "path": model.fk(along, stack.links),
        "path_start": along[0],
        "counts": COUNTS,
        "runs": RUNS,
    }
    if stack.center:
        problems["goal_centers"] = center.at(goals)
        problems["path_centers"] = center.at(along)
    assert len(names) + base.stop == model.nq
    np.savez(path, **problems)
    return problems


# --------------------------------------------------------------------------------------- sinew


def tasks_of(stack):
    tasks = [sinew.Task(link, "pose") for link in stack.links]
    return [*tasks, sinew.Task(None, "position", center_of_mass=True)] if stack.center else tasks


def posture_of(model, stack):
    weights = np.ones(model.nv)
    weights[: 6 if stack.floating else 0] = 0.0
    return sinew.Objective("posture", posture=model.middle(), weights=weights)


def targets_of(stack, poses, centers):
    """For each problem a list of targets, or one where there is one task."""
    if len(stack.links) == 1 and not stack.center:
        return [np.ascontiguousarray(pose[0]) for pose in poses]
    rows = [[np.ascontiguousarray(pose) for pose in one] for one in poses]
    if stack.center:
        for row, center in zip(rows, centers, strict=True):
            row.append(center)
    return rows


def tracker_of(model, stack, q):
    tasks = tasks_of(stack)
    link = tasks if len(tasks) > 1 else tasks[0]
    return sinew.Tracker(model, link, q, objectives=posture_of(model, stack))


def measure_sinew(stack, model, problems):
    least = np.full(UPDATES, np.inf)
    tracker = tracker_of(model, stack, problems["path_start"])
    path = targets_of(stack, problems["path"], problems.get("path_centers"))
    for _ in range(RUNS):
        tracker.reset(problems["path_start"])
        for i, targets in enumerate(path):
            began = time.perf_counter()
            tracker.update(targets)
            least[i] = min(least[i], time.perf_counter() - began)
    results = np.empty((2 * GOALS, len(COUNTS), model.nq))
    goals = targets_of(stack, problems["goals"], problems.get("goal_centers"))
    tracker = tracker_of(model, stack, problems["start"])
    for i, targets in enumerate(goals):
        tracker.reset(problems["start"])
        for update in range(1, COUNTS[-1] + 1):
            tracker.update(targets)
            if update in COUNTS:
                results[i, COUNTS.index(update)] = tracker.q
    return {"times": least, "q": results, "failures": {}}


def solve_sinew(stack, model, problems):
    """One global solve of each goal: joint values, and times."""
    tasks = tasks_of(stack)
    keywords = {
        "link": tasks if len(tasks) > 1 else tasks[0],
        "seed": problems["start"],
        "objectives": posture_of(model, stack),
    }
    goals = targets_of(stack, problems["goals"], problems.get("goal_centers"))
    model.solve(goals[0], **keywords)  # prepares the tasks
    times, results = [], np.empty((2 * GOALS, 1, model.nq))
    for i, targets in enumerate(goals):
        began = time.perf_counter()
        solution = model.solve(targets, **keywords)
        times.append(time.perf_counter() - began)
        results[i, 0] = solution.q
    return {"times": np.array(times), "q": results, "failures": {}}


# --------------------------------------------------------------------------------------- results


def errors_of(stack, model, center, problems, q):
    """The largest errors of positions, the centre's among them [m], and of rotations [rad].

    And by how much limits are violated [rad].
    """
    poses, goals = model.fk(q, stack.links), problems["goals"]
    distance = np.linalg.norm(poses[..., :3, 3] - goals[..., :3, 3], axis=-1).max(axis=-1)
    # |R - T|^2 = 8 sin^2(a / 2)
    chord = np.linalg.norm(poses[..., :3, :3] - goals[..., :3, :3], axis=(-2, -1)).max(axis=-1)
    angle = 2 * np.arcsin(np.minimum(1.0, chord / np.sqrt(8)))
    if stack.center:
        miss = np.linalg.norm(center.at(q) - problems["goal_centers"], axis=-1)
        distance = np.maximum(distance, miss)
    joints = q[:, 7:] if stack.floating else q
    lower, upper = (x[6:] if stack.floating else x for x in (model.lower, model.upper))
    violation = np.maximum(lower - joints, joints - upper).max(axis=-1)
    return distance, angle, np.maximum(violation, 0.0)


def judge(stack, model, center, problems, result):
    q = np.array(result["q"])
    ended = np.isfinite(q).all(axis=(1, 2))
    q = np.where(ended[:, None, None], q, problems["start"])
    rows = []
    for k in range(q.shape[1]):
        distance, angle, violation = errors_of(stack, model, center, problems, q[:, k])
        good = ended & (distance < SOLVED) & (angle < SOLVED) & (violation < 1e-6)
        rows.append(
            {
                "solved": [float(good[:GOALS].mean()), float(good[GOALS:].mean())],
                "distance": float(np.median(distance[:GOALS])),
                "angle": float(np.median(angle[:GOALS])),
                "violation": float(violation.max()),
            }
        )
    times = np.array(result["times"]) * 1e6
    return {
        "rows": rows,
        "times": [float(times.mean()), float(np.median(times)), float(np.quantile(times, 0.999))],
        "failures": result["failures"],
    }


def run_peer(folder, robot, problems, name):
    program = Path(__file__).with_name("stack_peers.py")
    done = subprocess.run(
        [folder / "peers" / "bin" / "python", program, robot, problems, name],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1][:200]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return "unknown processor"


def small(value):
    """In thousandths: mm or mrad."""
    return f"{1e3 * value:.3g}" if value >= 1e-6 else "< 0.001"


def line_of(name, judged):
    mean, median, most = judged["times"]
    cells = [name, f"{mean:.1f}", f"{median:.1f}", f"{most:.1f}"]
    for row in judged["rows"][-2:]:
        cells.append(f"{small(row['distance'])}; {small(row['angle'])}")
    cells.insert(4, "") if len(judged["rows"]) == 1 else None
    last = judged["rows"][-1]
    cells += [f"{100 * share:.1f} %" for share in last["solved"]]
    cells.append("none" if last["violation"] < 1e-9 else f"{last['violation']:.1g} rad")
    return "| " + " | ".join(cells) + " |"


def page(found):
    today = datetime.date.today().isoformat()
    lines = [
        f"{today}, {processor()}, {os.cpu_count()} processors, CPython {sys.version.split()[0]}."
    ]
    for title, rows in found:
        lines += [
            "",
            f"**{title}**",
            "",
            "| package | update, mean [µs] | median | 99.9 % | after 20 updates [mm; mrad] "
            "| after 200 | solved, near | far | limits violated |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for name, judged in rows:
            if "error" in judged:
                lines.append(f"| {name} | {judged['error']} | | | | | | |")
            else:
                lines.append(line_of(name, judged))
                if judged["failures"]:
                    print(f"{title}: {name}: {judged['failures']}", file=sys.stderr)
    return "\n".join(lines) + "\n"


def main() -> None:
    folder = Path(sys.argv[1])
    robots = sys.argv[2:] or [
        SHARED / "data" / "urdf" / "g1_29dof.urdf",
        SHARED / "data" / "arms" / "panda.urdf",
    ]
    found = []
    for stack in stacks(*map(Path, robots)):
        robot = without_shapes(stack.robot, folder / f"{stack.name}.urdf")
        model = sinew.load(robot, floating_base=stack.floating)
        center = Center(robot, model) if stack.center else None
        file = folder / f"{stack.name}.npz"
        problems = make_problems(stack, model, center, file)
        rows = [("**sinew** `Tracker.update()`", measure_sinew(stack, model, problems))]
        rows += [(name, run_peer(folder, robot, file, name)) for name in PEERS]
        rows.append(("**sinew** `solve()`", solve_sinew(stack, model, problems)))
        judged = [
            (name, one if "error" in one else judge(stack, model, center, problems, one))
            for name, one in rows
        ]
        found.append((stack.title, judged))
    text = page(found)
    (folder / "stacks.md").write_text(text)
    print(text)


main()
