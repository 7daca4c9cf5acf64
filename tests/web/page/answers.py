# SPDX-License-Identifier: MIT
"""What the made-up cluster answers to each path of /v1."""
import bisect
import fnmatch
import math
import random

from world import kSecond, now_ns, resources


class Refused(Exception):
    def __init__(self, status, kind, detail, retry_s=0):
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.retry_s = retry_s


def found(thing, what):
    if thing is None:
        raise Refused(404, "not_found", f"there is no such {what}")
    return thing


def paged(rows, query, name):
    """A page of rows; `after` is the place in the list."""
    begin = int(query.get("after") or 0)
    end = begin + int(query.get("limit", 50))
    return {name: rows[begin:end], "next": str(end) if end < len(rows) else None, "total": len(rows), "silent": []}


def read(world, words, query):
    if words[0] == "jobs":
        return jobs(world, query) if len(words) == 1 else of_job(world, words, query)
    if words[0] == "nodes":
        return of_nodes(world, words, query)
    if words[0] in kOther:
        return kOther[words[0]](world, query)
    raise Refused(404, "not_found", "there is no such endpoint")


def jobs(world, query):
    rows = world.jobs
    for key, member in (("user", "owner"), ("class", "class")):
        if query.get(key):
            rows = [each for each in rows if each[member] == query[key]]
    if query.get("ids"):
        return {"jobs": [each for each in map(world.job, query["ids"].split(",")) if each], "next": None, "total": 1,
                "silent": [], "totals": world.job_totals(rows), "matching": 1}
    if query.get("name"):
        rows = [each for each in rows if fnmatch.fnmatch(each["name"], query["name"])]
    totals = world.job_totals(rows)
    if query.get("ended_since_at_ns"):
        rows = [each for each in rows if each["ended_at_ns"] >= int(query["ended_since_at_ns"])]
    elif query.get("all") not in ("1", "true") and not query.get("state"):
        rows = [each for each in rows if not each["finished"]]
    if query.get("state"):
        rows = [each for each in rows if each["state"] == query["state"]]
    keys = {"newest": lambda each: -each["submitted_at_ns"], "oldest": lambda each: each["submitted_at_ns"],
            "tasks": lambda each: -each["tasks"], "name": lambda each: each["name"],
            "user": lambda each: each["owner"], "state": lambda each: each["state"]}
    rows = sorted(rows, key=keys.get(query.get("sort"), lambda each: each["number"]))
    return {**paged(rows, query, "jobs"), "matching": len(rows), "totals": totals, "nodes": len(world.nodes),
            "orphans": [], "not_joined": ""}


def of_job(world, words, query):
    job = found(world.job(words[1]), f"job {words[1]}")
    what = words[2] if len(words) > 2 else "job"
    if what == "job":
        return whole_job(world, job, query)
    if what == "explain":
        return {**job, "groups": [explained(world, job)], "not_up": [
            {"name": each["name"], "state": each["state"], "sick": each["sick"], "drained_for": ""}
            for each in world.nodes if each["state"] in ("down", "draining", "sick")]}
    if what == "bins":
        return task_bins(world, job, query)
    if what == "timeline":
        return timeline(world, job, query)
    if len(words) > 3:
        index = int(words[3])
        if index >= job["tasks"]:
            raise Refused(404, "not_found", f"the job has no task {index}")
        return {"task": {**world.task(job, index), "attempts": earlier(world)}}
    return tasks(world, job, query)


def earlier(world):
    worker = world.nodes[1]
    return [{"attempt": 1, "worker": worker["node"], "worker_name": worker["name"], "lost": True,
             "lost_at_ns": now_ns() - 900 * kSecond}]


def tasks(world, job, query):
    begin, limit = int(query.get("after") or 0), int(query.get("limit", 50))
    rows, at = [], begin
    if query.get("state"):  # Runs of states: skip to where the state begins.
        order = ["done", "failed", "cancelled", "cancelling", "running", "waiting"]
        first = sum(job["counts"][each] for each in order[:order.index(query["state"])])
        at = max(begin, first)
        end = first + job["counts"][query["state"]]
    else:
        end = job["tasks"]
    while at < end and len(rows) < limit:
        rows.append(world.task(job, at))
        at += 1
    return {"tasks": rows, "next": str(at) if at < end else None, "total": None, "pruned": False, "silent": []}


def whole_job(world, job, query):
    figures = {"p50": 41 * kSecond, "p99": 66 * kSecond, "max": 71 * kSecond, "count": 10000}
    group = {"name": "map", "first": 0, "count": job["tasks"], "demand": job["demand"], "guessed": ["memory"],
             "constraints": ["arch=x86_64"], "priority": 50, "retries": 2, "at_once": 640, "gang": False, "after": [],
             "inputs": None, "time_limit_ns": 600 * kSecond, "duration_ns": 0,
             "command": ["./map", "--part", "%{TASK_INDEX}", "it's"], "directory": "", "stdin": "", "stdout": "",
             "stderr": "", "input": "file", "literal": False, "script_line": "", "script_bytes": 0,
             "waiting": job["counts"]["waiting"], "resting": 0,
             "probes": 12}
    groups = [group]
    if job["number"] == 3:
        stage = {"group": "map", "tasks": job["tasks"], "left": 400000, "state": "open"}
        groups = [group, {**group, "name": "reduce", "count": 10, "after": [stage], "command": ["./reduce"]},
                  {**group, "name": "report", "count": 1, "after": [{**stage, "group": "reduce"}],
                   "command": ["./report"]}]
    failed = []
    if job["counts"]["failed"]:
        first = job["counts"]["done"]
        failed = [{**world.task(job, first + each), "attempts": []} for each in range(min(job["counts"]["failed"], 20))]
    answer = {**job, "node": job["home"], "node_name": job["home_name"], "groups": groups, "standbys": [], "exposed": "",
              "after_jobs": [], "on_end": None, "preempted": [], "failed": failed,
              "failed_more": max(job["counts"]["failed"] - 20, 0), "cancelled": [], "cancelled_more": 0,
              "start": figures if job["started_at_ns"] else None, "run": figures if job["started_at_ns"] else None,
              "cpu": figures if job["started_at_ns"] else None, "memory_peak_bytes": None, "use": None}
    if query.get("request"):
        answer["request"] = {"name": job["name"], "class": job["class"], "groups": [
            {"name": "map", "count": job["tasks"], "demand": {"cpu_milli": 1000, "memory_mib": 2048},
             "command": ["./map", "it's"], "retries": 2, "priority": 50}]}
    return answer


def explained(world, job):
    up = sum(each["state"] == "up" for each in world.nodes)
    return {"group": 0, "name": "map", "waiting": job["counts"]["waiting"], "resting": 0, "after": [], "inputs": None,
            "demand": resources(1000, 300000), "guessed": [], "constraints": ["arch=x86_64"],
            "waited_ns": job["age_ns"], "probes": [], "view": None,
            "census": {"known": len(world.nodes), "up": up, "matching": up, "could_fit": 3, "aside": 1, "fit_now": 0,
                       "cpu_short": 0, "memory_short": 3, "rates_short": {}, "custom_short": 0,
                       "oldest_ns": 2 * kSecond, "largest_name": "wader04", "largest": resources(64000, 262144),
                       "failed_constraints": []},
            "verdict": "3 nodes are large enough and lack memory now; it starts when tasks there end, or wader04"
                       " (draining) comes back"}


def task_bins(world, job, query):
    width = -(-job["tasks"] // int(query.get("bins", 100)))
    left, bins = dict(job["counts"]), []
    for first in range(0, job["tasks"], width):
        room = min(width, job["tasks"] - first)
        counts = {}
        for state in ("done", "failed", "cancelled", "cancelling", "running", "waiting"):
            counts[state] = min(left[state], room)
            left[state] -= counts[state]
            room -= counts[state]
        bins.append({"first": first, "last": min(first + width, job["tasks"]) - 1, "counts": counts})
    return {"job": job["job"], "known_as": job["known_as"], "name": job["name"], "state": job["state"],
            "count": job["tasks"], "finished": job["finished"], "pruned": False, "width": width,
            "counts": job["counts"], "bins": bins}


def timeline(world, job, query):
    bins = int(query.get("bins", 100))
    each = max(job["counts"]["done"] // bins, 0)
    failed = [int(job["counts"]["failed"] > at) for at in range(bins)]
    begun = [each + failed[at] for at in range(bins)]
    if job["started_at_ns"]:  # What runs began at once, and ends with the job.
        begun[0] += job["counts"]["running"] * 3 // 4
        begun[bins // 3] += job["counts"]["running"] - job["counts"]["running"] * 3 // 4
    nothing = [0] * bins
    group = {"name": "map", "first": 0, "count": job["tasks"], "after": [], "held": False,
             "started_at_ns": job["started_at_ns"] or None, "ended_at_ns": job["ended_at_ns"] or None,
             "running": job["counts"]["running"],
             "bins": {"started": begun, "done": [each] * bins, "failed": failed, "stopped": nothing, "lost": nothing}}
    bars = []
    if job["tasks"] <= int(query.get("bars", 40)) and job["started_at_ns"]:
        for index in range(job["tasks"]):
            task = world.task(job, index)
            bars.append({"index": index, "group": 0, "state": task["state"], "attempts": [] if "attempt" not in task else [
                {"attempt": 1, "worker": task["worker"], "worker_name": task["worker_name"],
                 "started_at_ns": task["started_at_ns"], "ended_at_ns": task["started_at_ns"] + 41 * kSecond,
                 "how": "done" if task["state"] == "done" else "exited"}]})
    end = job["ended_at_ns"] or now_ns()
    return {"job": job["job"], "known_as": job["known_as"], "name": job["name"], "state": job["state"],
            "count": job["tasks"], "submitted_at_ns": job["submitted_at_ns"], "now_at_ns": now_ns(),
            "finished": job["finished"], "bin_ns": (end - job["submitted_at_ns"]) // bins, "bins": bins, "untimed": 0,
            "groups": [group], "tasks": bars}


def of_nodes(world, words, query):
    if len(words) == 1:
        rows = [each for each in world.nodes if query.get("state", each["state"]) == each["state"]
                and query.get("name", "") in each["name"]]
        sort = query.get("sort", "name")
        word = sort.lstrip("-")
        key = {"free_cpu": lambda each: (each["free"] or {}).get("cpu_milli", -1),
               "free_memory": lambda each: (each["free"] or {}).get("memory_mib", -1),
               "age": lambda each: each["age_ns"]}.get(word, lambda each: each[word])
        rows = sorted(rows, key=key, reverse=sort.startswith("-"))
        return {**world.totals(), **paged(rows, query, "nodes"), "self": world.me["node"], "not_joined": "",
                "address_notes": []}
    if words[1] == "bins":
        grid = [[0] * 20 for _ in range(20)]
        for each in world.nodes:
            if each["state"] == "up":
                cpu = 1 - each["free"]["cpu_milli"] / each["total"]["cpu_milli"]
                memory = 1 - each["free"]["memory_mib"] / each["total"]["memory_mib"]
                grid[min(int(memory * 20), 19)][min(int(cpu * 20), 19)] += 1
        return {**world.totals(), "grid": grid, "ages_ns": [at * kSecond // 10 for at in range(21)]}
    node = found(world.node(words[1]), f"node {words[1]}")
    what = words[2] if len(words) > 2 else "node"
    if what == "node":
        return {"self": world.me["node"], "node": node, "gone": None, "here": node is world.me,
                "incarnation": 1795879533, "machine": "00c0ffee00c0ffee", "keeps_copies": True, "farewell": False,
                "since_at_ns": None if node["state"] == "up" else now_ns() - 600 * kSecond}
    if what == "tasks":
        return node_tasks(world, node)
    if what == "overlay":
        return overlay(world, node)
    return kOther[what](world, query)


def node_tasks(world, node):
    job = world.jobs[2]
    rows = [{"job": job["job"], "known_as": job["known_as"], "lineage": job["lineage"], "owner": job["owner"],
             "name": job["name"], "state": "running", "since_at_ns": now_ns() - each * kSecond, "age_ns": each * kSecond,
             "demand": job["demand"], "index": each, "attempt": 1, "holds": job["demand"], "slot": each, "devices": [],
             "used": {"cpu_ns": each * kSecond, "cpu_milli": 930, "memory_bytes": 1.2e9, "sampled_ago_ns": 10**8},
             "command": ["./map", "--part", str(each)]} for each in range(min(node["running"], 100))]
    return {"node": node["node"], "node_name": node["name"], "running": node["running"], "asking": 0,
            "queued": node["queued"], "tasks": rows, "next": None, "total": len(rows)}


def overlay(world, node):
    """The nodes that a node knows: 20 by chance, and the 20 whose utility is nearest to its own."""
    if node["node"] in world.silent or node["state"] in ("down", "suspect"):
        raise Refused(504, "timeout", f"{node['name']} did not answer")
    if node["node"] in world.busy:
        world.busy.discard(node["node"])
        raise Refused(429, "busy", "too many connections to other nodes are open here", 1)
    if node["node"] in world.old:
        raise Refused(400, "usage", "unknown verb 'overlay'; is the agent older than the client?")
    alive = world.alive()
    draw = random.Random(node["node"])
    others = [each for each in draw.sample(alive, min(21, len(alive))) if each is not node][:20]
    rows = {each["node"]: neighbour(world, each, draw.randrange(20) * kSecond) for each in others}
    mine = world.utility(node)
    at = bisect.bisect_left(alive, mine, key=world.utility)
    near = sorted((each for each in alive[max(at - 21, 0):at + 21] if each is not node),
                  key=lambda each: (world.utility(each) < mine, abs(world.utility(each) - mine)))
    for rank, each in enumerate(near[:20], 1):
        rows[each["node"]] = {**rows.get(each["node"], neighbour(world, each, None)), "rank": rank}
    rows = sorted(rows.values(), key=lambda each: (each["rank"] or 999, each["link_age_ns"] or 0))
    place = {"node": world.me["node"], "name": world.me["name"]}
    return {"node": node["node"], "node_name": node["name"], "ranking": "gradient", "utility_of": "cpu_memory",
            "utility": mine, "seeks": False, "neighbours": rows,
            "cell": {"cell": f"{2:016x}", "standing": "member", "epoch": 4, "manager": place, "voters": [place]},
            "books": []}


def neighbour(world, node, link_age_ns):
    return {"node": node["node"], "name": node["name"], "state": node["state"], "link_age_ns": link_age_ns,
            "rank": None, "age_ns": node["age_ns"], "utility": world.utility(node), "free": {key: node["free"][key] for key in ("cpu_milli", "memory_mib")},
            "total": {key: node["total"][key] for key in ("cpu_milli", "memory_mib")},
            "rtt_ns": 350_000, "rtt_age_ns": 4 * kSecond}


def past(world, query):
    step = int(query.get("step_ns", 5 * kSecond))
    steps = 720 if step < 60 * kSecond else 1440
    high = {"cpu_used_milli": 24000, "cpu_free_milli": 8000, "memory_used_mib": 60000, "memory_free_mib": 70000,
            "loop_late_ns": 3e6}
    def wave(name, at):
        return int(high.get(name, 20) * (0.6 + 0.3 * math.sin(at / 40 + len(name)) + 0.1 * math.sin(at / 3)))
    figures = [{"name": name, "kind": "mean", "values": [wave(name, at) for at in range(steps)]}
               for name in query.get("figures", "running").split(",")]
    return {"node": world.me["node"], "node_name": world.me["name"], "step_ns": step,
            "first_at_ns": now_ns() - steps * step, "figures": figures, "next_at_ns": None}


def events(world, query):
    names = [("info", "job_accepted"), ("info", "job_finished"), ("warn", "neighbour_down"), ("info", "neighbour_up"),
             ("error", "commit_failed")]
    job = world.jobs[2]["job"]
    rows = [{"at_ns": now_ns() - (300 - each) * kSecond, "level": names[each % 5][0], "event": names[each % 5][1],
             "fields": {"job": job, "node": world.nodes[1]["node"], "tasks": each}} for each in range(300)]
    wanted = {"info": 0, "warn": 1, "error": 2}.get(query.get("level", "info"), 0)
    return {"events": [each for each in rows if ["info", "warn", "error"].index(each["level"]) >= wanted]}


def audit_log(world, query):
    rows = [{"number": 90 - each, "at_ns": now_ns() - each * 60 * kSecond, "user": ["anna", "bela", ""][each % 3],
             "remote": each % 7 == 0, "verb": ["submit", "cancel", "drain"][each % 3],
             "object": f"job {each} (align), 12 tasks", "refused": each % 11 == 5} for each in range(90)]
    rows = [each for each in rows if query.get("user", each["user"]) == each["user"]]
    return {"node_name": world.me["name"], "actions": rows[:int(query.get("limit", 50))]}


def usage(world, query):
    by = query.get("by", "user")
    lines = {"user": ["anna", "bela", "chen", "dita"], "class": ["gold", "silver", "default"],
             "day": [f"2026-11-{day}" for day in range(20, 28)], "node": [each["name"] for each in world.nodes[:3]]}[by]
    def line(at, name):
        held = 90_000_000 // (at + 1)
        return {"line": name, "name": name, "jobs": 40 - at, "tasks": 12000 // (at + 1), "failed": 30 * at, "preempted": at,
                "lost": 2, "cpu_used_ms": held * 7 // 10, "cpu_held_ms": held, "cpu_wasted_ms": held * at // 40,
                "memory_held_mib_s": held * 2, "gpu_held_ms": 0}
    rows = [line(at, name) for at, name in enumerate(lines)]
    total = {key: sum(each[key] for each in rows) for key in rows[0] if key not in ("line", "name")}
    return {"by": by, "usage": rows, "matching": len(rows), "total": total, "nodes": len(world.nodes), "silent": [],
            "since_at_ns": int(query.get("since_at_ns", 0)), "until_at_ns": now_ns(), "next": None}


def cells(world, _query):
    def cell(number, level, parent):
        manager = world.nodes[number % len(world.nodes)]
        return {"cell": f"{number:016x}", "level": level, "manager": manager["node"], "manager_name": manager["name"],
                "epoch": 4, "size": 2 if level else len(world.nodes) // 2, "size_max": 64, "voters": 3, "parent": parent,
                "age_ns": kSecond, "tickets": 32000, "version": 2, "dissolving": False, "closed": False}
    rows = [cell(1, 1, None), cell(2, 0, f"{1:016x}"), cell(3, 0, f"{1:016x}")]
    return {"version": 2, "cells": rows, "silent": [], "nodes_known": len(world.nodes)}


def shares(_world, query):
    rows = [("gold", 5, 50.0, 41000, 900), ("silver", 3, 30.0, 12000, -400), ("default", 2, 20.0, 9000, 1500)]
    past = {"past": {"step_ns": 60 * kSecond, "classes": [
        {"name": name, "values": [balance + 20 * ((119 - step) % 60) for step in range(120)]}
        for name, _, _, _, balance in rows]}} if query.get("past") else {}
    return {"version": 2, "cell": query.get("cell", ""), "silent": [], **past, "classes": [
        {"name": name, "weight": weight, "percent": percent, "desired": int(percent * 640), "granted": int(percent * 640),
         "used": used, "cpu": used - 500, "need": 2000, "balance": balance} for name, weight, percent, used, balance in rows]}


def plan(world, _query):
    job, other = world.jobs[2], world.jobs[3]
    rows = [{"home": job["home"], "node": job["home_name"], "number": 3, "slots": 64, "need": 80, "slack_ns": -90 * kSecond},
            {"home": other["home"], "node": other["home_name"], "number": 4, "slots": 8, "need": 8, "slack_ns": None}]
    return {"version": 2, "policy": "deadline", "spare": "priority", "reserve": 100, "horizon_ns": 60 * kSecond, "silent": [],
            "cells": [{"cell": f"{2:016x}", "manager": world.me["node"], "manager_name": world.me["name"], "epoch": 4,
                       "number": 18, "age_ns": 12 * kSecond, "cause": "jobs", "slots": 96, "moved": 4, "job_count": 2,
                       "jobs": rows}]}


def status(world, _query):
    me = world.me
    return {"version": "0.8.0", "node": me["node"], "name": me["name"], "address": me["address"], "incarnation": 1795879533,
            "cluster": "shore", "uptime_ns": 86400 * kSecond, "state": "up", "sick": "", "drain": None, "total": me["total"],
            "free": me["free"], "slots": me["slots"], "running": me["running"], "queued": me["queued"], "jobs": 4,
            "limits": me["limits"], "enforced": me["enforced"], "data_dir": "/var/lib/dunlin", "output_bytes": 14336,
            "damage": [], "not_joined": "", "store_error": None, "counters": {}}


def change(world, words, body):
    if words == ["jobs"]:
        if body["groups"][0]["command"] == ["refuse"]:
            raise Refused(400, "usage", "'groups[0].command' must be a program")
        return {"number": 3, "job": world.jobs[2]["job"], "known_as": world.jobs[2]["known_as"], "lineage": "0" * 16,
                "tasks": 1, "late_ns": 0, "unknown_nodes": [], "ignored": [], "exposed": ""}
    if words[0] == "nodes":
        node = found(world.node(words[1]), "node")
        node["state"] = "draining" if body["on"] else "up"
        world.sums = None
        node["drain"] = {"reason": body.get("reason", ""), "by": "anna@wader01", "since_ns": now_ns(),
                         "until_ns": 0} if body["on"] else None
        return {"node": node["node"], "name": node["name"], "draining": body["on"], "running": node["running"]}
    job = found(world.job(words[1]), "job")
    if len(words) == 2:
        job["priority"] = body.get("priority", job["priority"])
    elif words[2] == "cancel":
        job["state"], job["finished"], job["cancelled_by"] = "cancelled", True, "user"
        job["ended_at_ns"] = now_ns()
    elif words[2] in ("hold", "release"):
        job["state"] = "held" if words[2] == "hold" else "running"
    return {"cancelled": 1, "held": True, "waiting": 0, "retried": 1, "requeued": 1, "silent_nodes": [], "priority": 50}


def find(world, query):
    job = found(world.job(query["name"]), "job")
    return {"job": job["job"], "number": job["number"], "node": job["home"], "node_name": job["home_name"], "tasks": ""}


kOther = {"find": find, "past": past, "events": events, "audit-log": audit_log, "usage": usage, "cells": cells, "shares": shares,
          "plan": plan, "status": status, "overlay": lambda world, query: overlay(world, world.me),
          "classes": lambda world, query: {"version": 2, "classes": [
              {key: each[key] for key in ("name", "weight", "percent")} for each in shares(world, query)["classes"]]}}
