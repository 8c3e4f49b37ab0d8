#!/usr/bin/env python3
"""All solutions of an arm's poses by sinew and by EAIK (pip install eaik numpy): the same sets?

    bench/python/closed_forms.py PROGRAM ROBOT.urdf LINK [--count N] [--random-seed N]

PROGRAM is the built program sinew. The poses are those of N random configurations (1000), found by
EAIK's forward kinematics; sinew solves each with --all, without regard to the limits of the file,
which are removed in a copy. Prints how many sets agree, how many solutions one has and the other
does not, and the largest error of either's solutions.
"""

import argparse
import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree as xml

import numpy
from eaik.IK_HP import HPRobot

SAME = 0.01  # rad: the default of sinew_global_def.distinct, closer solutions count as one


def numbers(element, name, default):
    text = element.get(name) if element is not None else None
    return numpy.array([float(x) for x in text.split()]) if text else numpy.array(default)


def rotation(rpy):
    c, s = numpy.cos(rpy), numpy.sin(rpy)
    x = numpy.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    y = numpy.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    z = numpy.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return z @ y @ x


def chain(robot, link):
    """Names, axes H and vectors P of the joints that move the link, and its axes, all at 0."""
    by_child = {j.find("child").get("link"): j for j in robot.findall("joint")}
    path = []
    while link in by_child:
        path.append(by_child[link])
        link = by_child[link].find("parent").get("link")
    R, p, names, H, points = numpy.eye(3), numpy.zeros(3), [], [], [numpy.zeros(3)]
    for joint in reversed(path):
        origin = joint.find("origin")
        p = p + R @ numbers(origin, "xyz", [0.0, 0.0, 0.0])
        R = R @ rotation(numbers(origin, "rpy", [0.0, 0.0, 0.0]))
        if joint.get("type") != "fixed":
            axis = R @ numbers(joint.find("axis"), "xyz", [1.0, 0.0, 0.0])
            names.append(joint.get("name"))
            H.append(axis / numpy.linalg.norm(axis))
            points.append(p)
    points.append(p)
    return names, numpy.array(H), numpy.diff(numpy.array(points), axis=0), R


def forward(H, P, q):
    R, p = numpy.eye(3), P[0].copy()
    for h, offset, angle in zip(H, P[1:], q, strict=False):
        K = numpy.array([[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])
        R = R @ (numpy.eye(3) + numpy.sin(angle) * K + (1 - numpy.cos(angle)) * K @ K)
        p = p + R @ offset
    return R, p


def quaternion(R):
    """Shepperd's method: w, x, y, z."""
    q = numpy.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    k = int(numpy.argmax(q))
    w = [
        numpy.array([q[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]),
        numpy.array([R[2, 1] - R[1, 2], q[1], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]]),
        numpy.array([R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], q[2], R[1, 2] + R[2, 1]]),
        numpy.array([R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], q[3]]),
    ][k]
    return w / numpy.linalg.norm(w)


def without_limits(robot, folder):
    for joint in robot.findall("joint"):
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
            for limit in joint.findall("limit"):
                joint.remove(limit)
    path = os.path.join(folder, "arm.urdf")
    xml.ElementTree(robot).write(path)
    return path


def by_sinew(program, path, link, names, R, p):
    pose = ",".join(repr(float(x)) for x in [*p, *quaternion(R)])
    run = subprocess.run(
        [program, "solve", path, "--tip", link, "--pose", pose, "--all", "32", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    answers = json.loads(run.stdout)
    return (
        [numpy.array([a["q"][n] for n in names]) for a in answers if a["outcome"] == "converged"],
        answers[0]["completeness"],
    )


def missing(of, among):
    return sum(
        1
        for q in of
        if not any(
            numpy.all(numpy.abs(numpy.remainder(q - r + numpy.pi, 2 * numpy.pi) - numpy.pi) < SAME)
            for r in among
        )
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("robot")
    parser.add_argument("link")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--random-seed", type=int, default=1)
    options = parser.parse_args()

    with open(options.robot, "rb") as file:
        robot = xml.fromstring(file.read().strip(b"\0 \n"))
    names, H, P, tip = chain(robot, options.link)
    eaik = HPRobot(H, P)
    print(f"{len(names)} joints; EAIK: {eaik.getKinematicFamily()}")
    draw = numpy.random.default_rng(options.random_seed)
    same = ours = theirs = total = complete = 0
    worst = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        path = without_limits(robot, folder)
        for _ in range(options.count):
            R, p = forward(H, P, draw.uniform(-numpy.pi, numpy.pi, len(names)))
            T = numpy.eye(4)
            T[:3, :3], T[:3, 3] = R, p
            found = eaik.IK(T)
            exact = [q for q, least in zip(found.Q, found.is_LS, strict=False) if not least]
            own, claim = by_sinew(options.program, path, options.link, names, R @ tip, p)
            complete += claim == "complete"
            for k, rows in enumerate((own, exact)):
                for q in rows:
                    R_q, p_q = forward(H, P, q)
                    worst[k] = max(worst[k], abs(R_q - R).max(), abs(p_q - p).max())
            more, fewer = missing(own, exact), missing(exact, own)
            same += more == 0 and fewer == 0
            ours += more
            theirs += fewer
            total += len(own)
    print(
        f"{options.count} poses, {total} solutions, {complete} sets called complete: {same} sets "
        f"agree; {ours} solutions only sinew has, {theirs} only EAIK"
    )
    print(f"largest error: sinew {worst[0]:.1e}, EAIK {worst[1]:.1e}")


if __name__ == "__main__":
    main()
