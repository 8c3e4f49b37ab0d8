"""One stack of tasks by pink, mink or placo: the times of updates, and what they converge to.

Usage: stack_peers.py ROBOT.urdf PROBLEMS.npz PEER; prints one line of JSON. The robot has neither
visuals nor collisions. PROBLEMS.npz is that of stacks.py.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

COST = 1.0
# Of those tried (0, and 1e-5 to 1 by factors of 10) the ones that solve most; a regularization of
# 1e-2 solves a few more of the far poses, and leaves errors of 1 mm after 20 updates.
LM_DAMPING, REGULARIZATION = 1.0, 1e-3


# A peer has set_q(q), q(), set_targets(poses, center), update(). q: position and quaternion (w, x,
# y, z) of the base, where it has one, then the joints in the order of the problems.


class Pink:
    def __init__(self, urdf, problems):
        import pink
        import pink.tasks
        import pinocchio

        self.pink, self.pinocchio = pink, pinocchio
        base = problems["floating"]
        free = [pinocchio.JointModelFreeFlyer()] if base else []
        self.robot = pinocchio.buildModelFromUrdf(urdf, *free)
        self.data = self.robot.createData()
        self.base = 7 if base else 0
        self.order = [self.robot.joints[self.robot.getJointId(n)].idx_q for n in problems["joints"]]
        self.frames = [
            pink.tasks.FrameTask(n, COST, COST, lm_damping=LM_DAMPING) for n in problems["links"]
        ]
        self.center = (
            pink.tasks.ComTask(COST, lm_damping=LM_DAMPING) if problems["center"] else None
        )
        posture = pink.tasks.PostureTask(cost=problems["posture_cost"])
        self.set_q(problems["posture"])
        posture.set_target_from_configuration(self.configuration)
        self.tasks = [*self.frames, *([self.center] if self.center else []), posture]

    def set_q(self, q):
        full = self.pinocchio.neutral(self.robot)
        if self.base:
            full[:3], full[3:7] = q[:3], np.roll(q[3:7], -1)
        full[self.order] = q[self.base :]
        self.configuration = self.pink.Configuration(self.robot, self.data, full)

    def q(self):
        full = self.configuration.q
        base = [full[:3], np.roll(full[3:7], 1)] if self.base else []
        return np.concatenate([*base, full[self.order]])

    def set_targets(self, poses, center):
        for task, pose in zip(self.frames, poses, strict=True):
            task.set_target(self.pinocchio.SE3(pose))
        if self.center:
            self.center.set_target(center)

    def update(self):
        velocity = self.pink.solve_ik(self.configuration, self.tasks, 1.0, solver="daqp")
        self.configuration.integrate_inplace(velocity, 1.0)


class Mink:
    def __init__(self, urdf, problems):
        import mink
        import mujoco

        self.mink = mink
        with open(urdf) as file:
            text = file.read()
        self.base = 7 if problems["floating"] else 0
        if self.base:  # MuJoCo takes a floating joint below a link of this name
            head, tail = text.split(">", 1)
            text = (
                f'{head}><link name="world"/><joint name="base" type="floating">'
                f'<parent link="world"/><child link="{problems["root"]}"/></joint>{tail}'
            )
        spec = mujoco.MjSpec.from_string(text)
        spec.compiler.fusestatic = False
        spec.compiler.boundmass = spec.compiler.boundinertia = 1e-9
        self.robot = spec.compile()
        self.order = [int(self.robot.joint(n).qposadr[0]) for n in problems["joints"]]
        self.frames = [
            mink.FrameTask(n, "body", COST, COST, lm_damping=LM_DAMPING) for n in problems["links"]
        ]
        self.center = mink.ComTask(COST, lm_damping=LM_DAMPING) if problems["center"] else None
        posture = mink.PostureTask(self.robot, cost=problems["posture_cost"])
        self.set_q(problems["posture"])
        posture.set_target_from_configuration(self.configuration)
        self.tasks = [*self.frames, *([self.center] if self.center else []), posture]
        self.limits = [mink.ConfigurationLimit(self.robot)]

    def set_q(self, q):
        full = np.zeros(self.robot.nq)
        full[: self.base] = q[: self.base]
        full[self.order] = q[self.base :]
        self.configuration = self.mink.Configuration(self.robot, full)

    def q(self):
        full = self.configuration.q
        return np.concatenate([full[: self.base], full[self.order]])

    def set_targets(self, poses, center):
        for task, pose in zip(self.frames, poses, strict=True):
            task.set_target(self.mink.SE3.from_matrix(pose))
        if self.center:
            self.center.set_target(center)

    def update(self):
        velocity = self.mink.solve_ik(
            self.configuration, self.tasks, 1.0, "daqp", limits=self.limits
        )
        self.configuration.integrate_inplace(velocity, 1.0)


class Placo:
    def __init__(self, urdf, problems):
        import placo

        self.robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
        self.solver = placo.KinematicsSolver(self.robot)
        self.base = 7 if problems["floating"] else 0
        if not self.base:
            self.solver.mask_fbase(True)
        self.solver.enable_joint_limits(True)
        self.joints = [str(n) for n in problems["joints"]]
        self.frames = []
        for name in problems["links"]:
            task = self.solver.add_frame_task(str(name), np.eye(4))
            task.configure(str(name), "soft", COST, COST)
            self.frames.append(task)
        self.center = None
        if problems["center"]:
            self.center = self.solver.add_com_task(np.zeros(3))
            self.center.configure("center", "soft", COST)
        posture = self.solver.add_joints_task()
        values = problems["posture"][self.base :]
        posture.set_joints(dict(zip(self.joints, map(float, values), strict=True)))
        # its cost is weight |e|^2, theirs |cost e|^2
        posture.configure("posture", "soft", float(problems["posture_cost"]) ** 2)
        self.solver.add_regularization_task(REGULARIZATION)

    def set_q(self, q):
        if self.base:
            w, x, y, z = q[3:7]
            pose = np.eye(4)
            pose[:3, 3] = q[:3]
            pose[:3, :3] = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
            self.robot.set_T_world_fbase(pose)
        for name, value in zip(self.joints, q[self.base :], strict=True):
            self.robot.set_joint(name, value)
        self.robot.update_kinematics()

    def q(self):
        state = self.robot.state.q
        base = [state[:3], np.roll(state[3:7], 1)] if self.base else []
        return np.concatenate([*base, [self.robot.get_joint(n) for n in self.joints]])

    def set_targets(self, poses, center):
        for task, pose in zip(self.frames, poses, strict=True):
            task.T_world_frame = pose
        if self.center:
            self.center.target_world = center

    def update(self):
        self.solver.solve(True)
        self.robot.update_kinematics()


def converge(peer, problems):
    """Joint values after each number of updates, from the start, for each goal."""
    counts = [int(c) for c in problems["counts"]]
    results = np.full((len(problems["goals"]), len(counts), len(problems["start"])), np.nan)
    failures = {}
    for i, poses in enumerate(problems["goals"]):
        center = problems["goal_centers"][i] if problems["center"] else None
        peer.set_q(problems["start"])
        peer.set_targets(poses, center)
        try:
            for update in range(1, counts[-1] + 1):
                peer.update()
                if update in counts:
                    results[i, counts.index(update)] = peer.q()
        except Exception as error:
            name = type(error).__name__
            failures[name] = failures.get(name, 0) + 1
    return results, failures


def follow(peer, problems):
    """The least time of each update along the path, of several runs [s]."""
    least = np.full(len(problems["path"]), np.inf)
    for _ in range(int(problems["runs"])):
        peer.set_q(problems["path_start"])
        for i, poses in enumerate(problems["path"]):
            center = problems["path_centers"][i] if problems["center"] else None
            began = time.perf_counter()
            peer.set_targets(poses, center)
            peer.update()
            least[i] = min(least[i], time.perf_counter() - began)
    return least


def main() -> None:
    urdf, path, name = sys.argv[1:]
    with np.load(path) as file:
        problems = dict(file)
    for key in ("floating", "center", "posture_cost", "root"):
        problems[key] = problems[key].item()
    for key in ("joints", "links"):
        problems[key] = [str(n) for n in problems[key]]
    peer = {"pink": Pink, "mink": Mink, "placo": Placo}[name](urdf, problems)
    times = follow(peer, problems)
    results, failures = converge(peer, problems)
    print(json.dumps({"times": times.tolist(), "q": results.tolist(), "failures": failures}))


if __name__ == "__main__":
    main()
