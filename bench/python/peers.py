"""Other packages on the same poses: share solved and median time of a pose, and of an update.

Usage: peers.py ROBOT.urdf PROBLEMS.npz PEER; prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np


def quaternion(R):
    """(w, x, y, z) of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]]


# Each returns a function from (pose, seed) to joint values, or None where it finds none; and for
# the differential solvers one that makes a single update.


def ssik(_urdf, _link):
    from ssik.prebuilt import franka_panda_ik

    def solve(pose, seed):
        found = franka_panda_ik.solve(pose, max_solutions=1, q_seed=seed)
        return found[0].q if found else None

    return solve, None


def pytracik(urdf, link):
    import pytracik as trac

    with open(urdf) as file:
        text = file.read()
    solver = trac.TRAC_IK("panda_link0", link, text, 0.05, 1e-6, trac.SolveType.Speed)

    def solve(pose, seed):
        w, x, y, z = quaternion(pose[:3, :3])
        found = trac.ik(solver, seed, *pose[:3, 3], x, y, z, w)
        return np.array(found[1:]) if found[0] >= 0 else None

    return solve, None


def optik(urdf, link):
    from optik import Robot, SolverConfig

    robot = Robot.from_urdf_file(urdf, "panda_link0", link)
    robot.set_parallelism(1)
    # half the squared error: 1e-12 is 1e-6 in metres and radians
    config = SolverConfig(solution_mode="speed", max_time=0.1, tol_f=1e-12)

    def solve(pose, seed):
        found = robot.ik(config, pose.tolist(), seed.tolist())
        return None if found is None else np.array(found[0])

    return solve, None


def roboticstoolbox(urdf, link):
    import roboticstoolbox

    robot = roboticstoolbox.Robot.URDF(urdf)
    ets = robot.ets(end=link)

    def solve(pose, seed):
        found = ets.ik_LM(pose, q0=seed, tol=1e-12)
        return np.array(found.q) if found.success else None

    return solve, None


def pink(urdf, link):
    import pink as package
    import pinocchio

    robot = pinocchio.buildModelFromUrdf(urdf)
    data = robot.createData()
    task = package.tasks.FrameTask(link, position_cost=1.0, orientation_cost=1.0)

    def update(configuration, target):
        task.set_target(target)
        velocity = package.solve_ik(configuration, [task], 1.0, solver="daqp", damping=1e-9)
        configuration.integrate_inplace(velocity, 1.0)

    def solve(pose, seed):
        target = pinocchio.SE3(pose)
        configuration = package.Configuration(robot, data, seed)
        for _ in range(100):
            error = task_error(configuration, target)
            if error < 1e-6:
                return configuration.q
            update(configuration, target)
        return None

    def task_error(configuration, target):
        task.set_target(target)
        return np.abs(task.compute_error(configuration)).max()

    def tracker(seed):
        configuration = package.Configuration(robot, data, seed)
        return lambda pose: update(configuration, pinocchio.SE3(pose))

    return solve, tracker


def mink(urdf, link):
    import mink as package
    import mujoco

    spec = mujoco.MjSpec.from_file(urdf)
    spec.compiler.fusestatic = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.01
    for geom in list(spec.geoms):
        spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    robot = spec.compile()
    task = package.FrameTask(link, "body", position_cost=1.0, orientation_cost=1.0)
    limits = [package.ConfigurationLimit(robot)]

    def update(configuration):
        velocity = package.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-9, limits=limits)
        configuration.integrate_inplace(velocity, 1.0)

    def solve(pose, seed):
        configuration = package.Configuration(robot, seed)
        task.set_target(package.SE3.from_matrix(pose))
        for _ in range(100):
            if np.abs(task.compute_error(configuration)).max() < 1e-6:
                return configuration.q.copy()
            update(configuration)
        return None

    def tracker(seed):
        configuration = package.Configuration(robot, seed)

        def follow(pose):
            task.set_target(package.SE3.from_matrix(pose))
            update(configuration)

        return follow

    return solve, tracker


def placo(urdf, link):
    import placo as package

    robot = package.RobotWrapper(urdf, package.Flags.ignore_collisions)
    solver = package.KinematicsSolver(robot)
    solver.mask_fbase(True)
    task = solver.add_frame_task(link, np.eye(4))
    task.configure("tip", "soft", 1.0, 1.0)
    names = [f"panda_joint{i + 1}" for i in range(7)]

    def set_joints(seed):
        for name, value in zip(names, seed, strict=True):
            robot.set_joint(name, value)
        robot.update_kinematics()

    def joints():
        return np.array([robot.get_joint(name) for name in names])

    def update(pose):
        task.T_world_frame = pose
        solver.solve(True)
        robot.update_kinematics()

    def solve(pose, seed):
        set_joints(seed)
        for _ in range(100):
            reached = robot.get_T_world_frame(link)
            if np.abs(reached - pose).max() < 1e-6:
                return joints()
            update(pose)
        return None

    def tracker(seed):
        set_joints(seed)
        return update

    return solve, tracker


def ikpy(urdf, _link):
    from ikpy.chain import Chain

    chain = Chain.from_urdf_file(
        urdf,
        base_elements=["panda_link0"],
        active_links_mask=[False, *[True] * 7, False],
        symbolic=False,
        jax_precompile=False,
    )

    def solve(pose, seed):
        joints = chain.inverse_kinematics_frame(
            pose, initial_position=[0, *seed, 0], orientation_mode="all"
        )
        return joints[1:8]

    return solve, None


def main() -> None:
    urdf, problems, name = sys.argv[1:]
    data = np.load(problems)
    link = str(data["link"])
    targets, seeds, path = data["targets"], data["seeds"], data["path"]
    solve, tracker = globals()[name](urdf, link)
    times, answers = [], []
    deadline = time.perf_counter() + 10  # slow ones solve fewer
    for pose, seed in zip(targets, seeds, strict=True):
        began = time.perf_counter()
        try:
            answer = solve(pose, seed)
        except Exception:
            answer = None
        times.append(time.perf_counter() - began)
        answers.append([np.nan] * 7 if answer is None else list(map(float, answer)))
        if time.perf_counter() > deadline:
            break
    updates = []
    if tracker is not None:
        follow = tracker(data["path_start"])
        for pose in path:
            began = time.perf_counter()
            follow(pose)
            updates.append(time.perf_counter() - began)
    print(
        json.dumps(
            {
                "solve": float(np.median(times)),
                "mean": float(np.mean(times)),
                "update": float(np.median(updates)) if updates else None,
                "q": answers,
            }
        )
    )


main()
