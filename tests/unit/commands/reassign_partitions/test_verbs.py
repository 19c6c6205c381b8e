"""plan, run, status, cancel and rollback on fake brokers; on real ones: tests/cli."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.wire.codes import ErrorCode
from tests.support.golden.transcripts import Said
from tests.support.memory.moving_world import MovingWorld, write_plan
from tests.support.waiting import wait_for

Pko = Callable[..., Said]
LEADER_RATE = "leader.replication.throttled.rate"
LEADER_REPLICAS = "leader.replication.throttled.replicas"


def _note(tmp_path: Path) -> Path:
    return tmp_path / "pko" / "reassign" / "fake.json"


def test_a_plan_is_shown_judged_and_written(world: MovingWorld, pko: Pko, plan: str) -> None:
    world.put("t", [[0]] * 4 + [[1]] * 2)
    said = pko("reassign plan -o json --throttle 1KB --file", plan)
    [item] = json.loads(said.stdout)["items"]
    assert [b["bytes"] for b in item["brokers"]] == [4000, 2000, 0]
    assert [b["bytes_after"] for b in item["brokers"]] == [2000] * 3
    assert item["copied_bytes"] == 2000 and item["least_bytes"] == 1800
    assert "2 replicas, 2.0 KiB to copy" in said.stderr and "at least 2s" in said.stderr
    written = json.loads(Path(plan).read_text())
    assert written["partitions"] == item["reassignment"]["partitions"]
    assert written["before"] == item["rollback"]["partitions"]
    again = pko("reassign plan --file", plan)
    assert again.code == 2 and "is there already" in again.stderr
    assert pko("reassign plan --yes --file", plan).code == 0
    assert pko("reassign plan --fail-on", "skew_percent>50").code == 4
    assert pko("reassign plan --fail-on", "skew_percent_after>50").code == 0


def test_the_table_has_bars_and_few_rows(world: MovingWorld, pko: Pko) -> None:
    world.put("t", [[0]] * 100)
    said = pko("reassign plan")
    assert "################" in said.stdout.splitlines()[1]
    assert len(said.stdout.splitlines()) == 4 + 2 + 40
    assert "24 partitions more; -o wide shows all" in said.stderr
    assert len(pko("reassign plan -o wide").stdout.splitlines()) == 4 + 2 + 64


def test_what_moves_already_is_left_alone(world: MovingWorld, pko: Pko) -> None:
    world.put("t", [[0], [0], [0]])
    world.moving["t", 0] = [1], 100
    said = pko("reassign plan -o csv")
    assert said.stdout.splitlines() == ["topic,partition,before,after,bytes", "t,2,0,2,1000"]
    assert "1 partition on the move already, left alone" in said.stderr


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("plan --drain x", "--drain x: write ids of brokers"),
        ("plan --drain 9", "there is no broker 9; brokers are 0, 1, 2"),
        ("plan --add 9", "there is no broker 9; brokers are 0, 1, 2"),
        ("plan --add 1 --drain 1", "cannot be drained and added at once"),
        ("plan --drain 0,1,2", "there is none left"),
        ("plan --replication-factor 4", "needs 4 brokers"),
        ("plan --replication-factor 0", "write a number from 1 on"),
        ("plan --tolerance 1.5", "write a percentage from 0 to 100"),
        ("plan --balance bites", "--balance bites: choose from bytes, replicas"),
        ("plan --max-bytes many", "'many' is not a size"),
        ("plan --max-moves=-1", "write a number from 0 on"),
        ("plan --fail-on skew>5", "--fail-on: there is no field skew"),
        ("plan --throttle 0", "nothing would ever be copied"),
        ("plan nosuch", "there is no topic nosuch"),
        ("plan --regex [", "is an invalid regex"),
        ("run /nosuch", "/nosuch: No such file or directory"),
        ("run /nosuch --throttle auto:1", "give at least 1.0 MiB"),
        ("status /nosuch", "/nosuch: No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_line(
    world: MovingWorld, pko: Pko, line: str, text: str
) -> None:
    world.put("t", [[0], [1]])
    said = pko(f"reassign {line}")
    assert said.code in (1, 2) and text in said.stderr and said.stderr.count("\n") == 1
    assert said.stdout == ""


def test_a_run_throttles_moves_elects_and_cleans_up(
    world: MovingWorld, pko: Pko, plan: str, tmp_path: Path
) -> None:
    world.put("t", [[0, 1], [0, 1]])
    write_plan(plan, {0: [2, 1], 1: [1, 0]})
    world.settings[4, "0", LEADER_RATE] = "77"
    said = pko("reassign run -o json --throttle 5000", plan)
    assert said.code == 0, said.stderr
    assert [i["state"] for i in json.loads(said.stdout)["items"]] == ["done", "done"]
    assert world.replicas == {("t", 0): [2, 1], ("t", 1): [1, 0]}
    assert world.throttles() == {(4, "0", LEADER_RATE): "77"}
    assert not _note(tmp_path).exists()
    first = world.log.index("move t-0 2,1")
    assert "set 2" in world.log[:first] and "unset 2" not in world.log[:first]
    assert world.log.index("done t-0") < world.log.index("unset 2")


def test_no_broker_copies_more_than_it_may_at_once(world: MovingWorld, pko: Pko, plan: str) -> None:
    world.put("t", [[0]] * 6)
    write_plan(plan, {n: [1] for n in range(6)})
    assert pko("reassign run --throttle none --per-broker 2", plan).code == 0
    assert world.most_moving == 2
    assert set(map(tuple, world.replicas.values())) == {(1,)}


def test_what_a_broker_refuses_fails_alone(world: MovingWorld, pko: Pko, plan: str) -> None:
    world.put("t", [[0], [0]])
    world.refused["t", 0] = int(ErrorCode.INVALID_REPLICA_ASSIGNMENT)
    write_plan(plan, {0: [1], 1: [1]})
    said = pko("reassign run", plan)
    assert said.code == 1 and "t-0" in said.stderr
    assert world.replicas["t", 1] == [1] and world.throttles() == {}


def test_nothing_is_started_while_others_fall_behind(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    world.put("t", [[0], [0]])
    world.put("other", [[1, 2], [2, 1]])
    world.behind = {("other", 1)}
    looks = iter(range(100))

    def look() -> None:
        world.behind = {("other", 1), ("other", 0)} if 0 < next(looks) < 4 else {("other", 1)}

    world.on_look = look
    write_plan(plan, {0: [1], 1: [1]})
    said = pko("reassign run --per-broker 1", plan)
    assert said.code == 0, said.stderr
    assert "other-0 fell behind, nothing more is started" in said.stderr
    assert "other-1" not in said.stderr


def test_a_broker_that_dies_during_the_run_is_named_and_waited_for(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    world.put("t", [[0], [0]])
    world.looks = 6
    looks = iter(range(100))

    def look() -> None:
        number = next(looks)
        world.silent = {1} if number == 2 else set()
        world.gone = {1} if number in (3, 4) else set()

    world.on_look = look
    write_plan(plan, {0: [1], 1: [2]})
    said = pko("reassign run -o json -X request.timeout.ms=300", plan)
    assert said.code == 0, said.stderr
    assert [i["state"] for i in json.loads(said.stdout)["items"]] == ["done", "done"]
    assert world.unanswered == 1, "the others do not wait for it"
    assert said.stderr.count("pko: broker 1 is not there: what moves to it waits for it") == 1


def test_a_signal_puts_replicas_back_and_takes_throttles_away(
    world: MovingWorld, pko: Pko, plan: str, tmp_path: Path
) -> None:
    world.put("t", [[0, 1], [0, 1]])
    world.looks = 10_000

    def stop() -> None:
        if world.moving:
            world.on_look = None
            os.kill(os.getpid(), signal.SIGTERM)

    world.on_look = stop
    write_plan(plan, {0: [2, 1], 1: [1, 2]})
    said = pko("reassign run -o json --throttle 5000", plan)
    assert said.code == 143
    assert [i["state"] for i in json.loads(said.stdout)["items"]] == ["stopped", "stopped"]
    assert world.replicas == {("t", 0): [0, 1], ("t", 1): [0, 1]} and not world.moving
    assert world.throttles() == {} and not _note(tmp_path).exists()
    world.looks = 1
    assert pko("reassign run", plan).code == 0
    assert pko("reassign rollback", plan).code == 0
    assert world.replicas == {("t", 0): [0, 1], ("t", 1): [0, 1]}


def test_a_terminal_that_hangs_up_leaves_no_throttle(
    world: MovingWorld, plan: str, tmp_path: Path
) -> None:
    world.put("t", [[0, 1]])
    world.looks = 10_000
    write_plan(plan, {0: [2, 1]})
    child, terminal = pty.fork()
    if not child:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it
        words = ("-m", "pykafka_ops", "reassign", "run", plan, "--throttle", "5000")
        os.execv(sys.executable, (sys.executable, *words))
    wait_for(lambda: world.moving, what="a move")
    os.read(terminal, 100)
    os.close(terminal)
    os.waitpid(child, 0)
    assert world.replicas == {("t", 0): [0, 1]} and not world.moving
    assert world.throttles() == {} and not _note(tmp_path).exists()


def test_a_second_signal_does_not_stop_the_end(
    world: MovingWorld, plan: str, tmp_path: Path
) -> None:
    world.put("t", [[0, 1]])
    world.looks = 10_000
    write_plan(plan, {0: [2, 1]})
    argv = [sys.executable, "-m", "pykafka_ops", "reassign", "run", plan, "--throttle", "5000"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: world.moving, what="a move")
    process.send_signal(signal.SIGINT)

    def unset() -> bool:  # while it tidies up, again
        process.send_signal(signal.SIGINT)
        return process.poll() is not None

    wait_for(unset, what="the end", poll=0.02)
    _, err = process.communicate()
    assert process.returncode in (130, -signal.SIGINT), err  # the latter: once all was tidy
    assert world.throttles() == {} and not world.moving and not _note(tmp_path).exists()


def test_what_a_killed_run_left_is_restored_by_the_next(
    world: MovingWorld, pko: Pko, plan: str, tmp_path: Path
) -> None:
    world.put("t", [[0]])
    write_plan(plan, {0: [1]})
    row = {"type": 4, "name": "2", "key": LEADER_RATE, "before": "9", "ours": ["5"]}
    theirs = {"type": 2, "name": "t", "key": LEADER_REPLICAS, "before": None, "ours": ["0:0"]}
    _note(tmp_path).parent.mkdir(parents=True)
    _note(tmp_path).write_text(json.dumps({"version": 1, "settings": [row, theirs]}))
    world.settings[4, "2", LEADER_RATE] = "5"
    world.settings[2, "t", LEADER_REPLICAS] = "*"  # set by somebody since
    assert pko("reassign run", plan).code == 0
    assert world.throttles() == {(4, "2", LEADER_RATE): "9", (2, "t", LEADER_REPLICAS): "*"}


@pytest.mark.parametrize("note", ["", "[]", '{"settings": [7]}', "\x00"])
def test_a_note_that_cannot_be_read_is_none(
    world: MovingWorld, pko: Pko, plan: str, tmp_path: Path, note: str
) -> None:
    world.put("t", [[0]])
    write_plan(plan, {0: [1]})
    _note(tmp_path).parent.mkdir(parents=True)
    _note(tmp_path).write_text(note)
    assert pko("reassign run", plan).code == 0
    assert world.throttles() == {}


def test_throttles_that_may_not_be_set_stop_the_run_before_it_moves(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    world.put("t", [[0]])
    world.refuse_configs = {"1"}
    write_plan(plan, {0: [1]})
    said = pko("reassign run", plan)
    assert said.code == 3, said.stderr
    assert not [line for line in world.log if line.startswith("move")]
    assert (2, "t", LEADER_REPLICAS) not in world.settings


def test_a_plan_that_is_not_of_this_cluster_or_time_is_refused(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    world.put("t", [[0], [2]])
    write_plan(plan, {0: [1]}, cluster="another")
    assert "the plan is of cluster another, not of fake" in pko("reassign run", plan).stderr
    write_plan(plan, {7: [1]})
    assert "t-7: there is no such partition; make a new plan" in pko("reassign run", plan).stderr
    before = [{"topic": "t", "partition": n, "replicas": [0]} for n in (0, 1)]
    write_plan(plan, {0: [1], 1: [1]}, before=before)
    said = pko("reassign run", plan)
    assert said.code == 1 and "t-1: it is on 2 now, neither on 0 nor on 1" in said.stderr
    assert world.replicas == {("t", 0): [1], ("t", 1): [2]}
    write_plan(plan, {1: [9]})
    assert "shall go to broker 9, which is not there" in pko("reassign run", plan).stderr


@pytest.mark.parametrize("verb", ["run", "rollback"])
def test_a_move_that_ends_while_the_cluster_is_asked_makes_no_plan_stale(
    world: MovingWorld, pko: Pko, plan: str, verb: str
) -> None:
    world.put("t", [[0]])
    before = [{"topic": "t", "partition": 0, "replicas": [0]}]
    write_plan(plan, {0: [1]}, before=before)
    world.moving["t", 0] = [1], 0  # still there when topics are asked for, no more for moves
    said = pko("reassign", verb, plan)
    assert said.code == 0, said.stderr
    assert world.replicas["t", 0] == ([1] if verb == "run" else [0])


def test_other_moves_under_way_need_a_word(world: MovingWorld, pko: Pko, plan: str) -> None:
    world.put("t", [[0], [0]])
    world.moving["t", 1] = [2], 4
    write_plan(plan, {0: [1]})
    assert "t-1 is moving, which is not of this file" in pko("reassign run", plan).stderr
    assert pko("reassign run --additional", plan).code == 0


def test_status_tells_each_partition_of_a_plan(world: MovingWorld, pko: Pko, plan: str) -> None:
    world.put("t", [[1], [0], [0], [2]])
    world.moving["t", 2] = [1], 100
    world.settings[4, "0", LEADER_RATE] = "2048"
    before = [{"topic": "t", "partition": n, "replicas": [0]} for n in range(4)]
    write_plan(plan, {n: [1] for n in range(4)}, before=before)
    said = pko("reassign status -o json --fail-on state=elsewhere", plan)
    items = json.loads(said.stdout)["items"]
    assert [i["state"] for i in items] == ["done", "waiting", "moving", "elsewhere"]
    assert (items[2]["copied_bytes"], items[2]["percent"]) == (1000, 100)
    assert said.code == 4 and "broker 0 is throttled: leader 2.0 KiB/s" in said.stderr


def test_a_condition_that_is_met_counts_more_than_a_broker_that_hides_its_disks(
    world: MovingWorld, pko: Pko
) -> None:
    world.put("t", [[0], [0]])
    world.moving["t", 0] = [1], 100
    world.silent.add(1)
    for verb, condition in (("status", "state=moving"), ("plan", "skew_percent>=0")):
        said = pko(f"reassign {verb} --fail-on", condition)
        assert (said.code, "broker 1" in said.stderr) == (4, True), said.stderr
    assert pko("reassign status --fail-on state=gone").code == 1


def test_cancel_ends_all_moves_and_throttles(world: MovingWorld, pko: Pko) -> None:
    world.put("t", [[0], [0]])
    world.moving = {("t", 0): ([1], 100), ("t", 1): ([2], 100)}
    world.settings[4, "1", LEADER_RATE] = "5"
    assert pko("reassign cancel").code == 2
    said = pko("reassign cancel --yes -o csv")
    assert said.code == 0 and said.stdout.count("t,") == 2
    assert not world.moving and world.throttles() == {}


def test_cancel_of_a_plan_keeps_the_order_of_replicas(
    world: MovingWorld, pko: Pko, plan: str
) -> None:
    world.put("t", [[2, 0], [1, 0]])
    world.moving = {("t", 0): ([1, 0], 100), ("t", 1): ([2, 0], 100)}
    before = [{"topic": "t", "partition": 0, "replicas": [2, 0]}]
    write_plan(plan, {0: [1, 0]}, before=before)
    assert pko("reassign cancel --yes", plan).code == 0
    assert world.log == ["move t-0 2,0"] and list(world.moving) == [("t", 1)]


def test_rollback_needs_to_know_what_was_before(world: MovingWorld, pko: Pko, plan: str) -> None:
    world.put("t", [[0]])
    write_plan(plan, {0: [1]})
    assert "does not say what was before" in pko("reassign rollback", plan).stderr
    assert pko("reassign run", plan).code == 0
    assert pko("reassign rollback", plan).code == 0
    assert world.replicas["t", 0] == [0]
    Path(plan.replace(".json", ".before.json")).write_text(
        '{"partitions":[{"topic":"x","partition":0,"replicas":[1]}]}'
    )
    assert "is not of this plan" in pko("reassign rollback", plan).stderr
    assert "is of another plan" in pko("reassign run", plan).stderr
