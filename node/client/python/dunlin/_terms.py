# SPDX-License-Identifier: MIT
"""What the schemas say of the terms of a job. Printed from them, and held equal by a test: do not edit."""

#: By the name in a job file: name in the protocol, unit there, least, most.
TERMS = {
    "job": {
        "name": ("name", "none", 0, 127),
        "deadline": ("deadline_ns", "ns", 0, 315360000000000000),
        "hold": ("hold", "none", 0, 9223372036854775807),
        "replicas": ("replicas", "none", 0, 4),
        "replicas_required": ("replicas_required", "none", 0, 4),
        "comment": ("comment", "none", 0, 1023),
        "begin": ("begin_ns", "ns", 0, 315360000000000000),
    },
    "group": {
        "name": ("name", "none", 0, 127),
        "count": ("count", "none", 1, 1000000),
        "priority": ("priority", "none", 0, 100),
        "retries": ("retries", "none", 0, 1000),
        "time_limit": ("time_limit_ns", "ns", 0, 4233600000000000),
        "duration": ("duration_ns", "ns", 0, 315360000000000000),
        "at_once": ("at_once", "none", 0, 1000000),
        "gang": ("gang", "none", 0, 9223372036854775807),
    },
    "demand": {
        "cpus": ("cpu_milli", "milli_cpu", 1, 1000000000),
        "memory": ("memory_mib", "mib", 0, 4294967295),
        "disk_read": ("disk_read", "kib_per_second", 0, 2147483648),
        "disk_write": ("disk_write", "kib_per_second", 0, 2147483648),
        "net_in": ("net_in", "kib_per_second", 0, 2147483648),
        "net_out": ("net_out", "kib_per_second", 0, 2147483648),
    },
    "task": {
        "rows": ("rows", "none", 0, 65535),
        "columns": ("columns", "none", 0, 65535),
        "checkpoint_signal": ("checkpoint_signal", "none", 1, 64),
        "checkpoint_time": ("checkpoint_time_ns", "ns", 1, 86400000000000),
        "limit_signal": ("limit_signal", "none", 1, 64),
        "limit_signal_time": ("limit_signal_time_ns", "ns", 1, 4233600000000000),
    },
}
