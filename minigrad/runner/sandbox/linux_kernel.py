"""Linux kernel restrictions: Landlock for files and TCP, seccomp for system calls, and namespaces.

Namespaces hide the network and other processes.

With Landlock, a process can still read the interpreter, its libraries and the data folder, but cannot write anything. A
system call that seccomp rejects fails with "not permitted", like a call without the necessary rights. Threads can still
be started.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable

CREATE, ADD, RESTRICT = 444, 445, 446  # numbers of system calls, the same on every architecture
EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
#: FILES : version of the interface -> the rights over files that it can restrict. TCP : the rights over TCP. SCOPES :
#: further restrictions.
FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
TCP, SCOPES = 0b11, 0b11


def landlock_version() -> int:
    """Return the version of this kernel's Landlock interface, or 0 if the kernel has none."""
    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None, use_errno=True).syscall(CREATE, None, 0, 1))


def restrict_files(readable: Iterable[str], listed: Iterable[str] = ()) -> bool:
    """Allow this process only to read files below the given paths; return whether that worked.

    listed : folders where the process may also list names.

    The restriction requires PR_SET_NO_NEW_PRIVS, and cannot be undone.
    """
    version = landlock_version()
    if not version:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    files = FILES[max(n for n in FILES if n <= version)]
    rights = [files, *([TCP] if version >= 4 else []), *([SCOPES] if version >= 6 else [])]
    attributes = struct.pack(f"={len(rights)}Q", *rights)
    ruleset = libc.syscall(CREATE, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    rules = [(path, READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE) for path in readable]
    for path, allowed in [*rules, *((path, READ_DIR) for path in listed)]:
        with contextlib.suppress(OSError):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            libc.syscall(ADD, ruleset, 1, struct.pack("=Qi", allowed, fd), 0)
            os.close(fd)
    done = libc.syscall(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return done


SET_SECCOMP, FILTER = 22, 2
ALLOW, REFUSE, ABSENT = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
LOAD, EQUAL, AND_SET, RETURN = 0x20, 0x15, 0x45, 0x06  # instructions of the filter
NUMBER, ARCHITECTURE, FIRST = 0, 4, 16  # the offsets of a call's number, its architecture and its first argument
CLONE_THREAD = 0x10000

#: Numbers of system calls for x86-64 and for ARM64.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
CALLS: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "socket": (41, 198),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kill": (62, 129),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "sethostname": (170, 161),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    # Landlock does not restrict changes to a file's mode, owner, times and attributes.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
CLONE, CLONE3, TGKILL, PRLIMIT = (56, 220), (435, 435), (234, 131), (302, 261)


def filter_calls() -> bool:
    """Filter the system calls of this process and its threads from now on; return whether that worked.

    The filter requires PR_SET_NO_NEW_PRIVS, and cannot be undone.
    """
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return False
    program = _program(*MACHINES[platform.machine()])
    text = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(text))
    return ctypes.CDLL(None, use_errno=True).prctl(SET_SECCOMP, FILTER, head, 0, 0) == 0


def _program(architecture: int, column: int) -> bytes:
    """Return the instructions of the filter for system calls.

    They reject every other architecture, and then compare the call's number with the forbidden ones. architecture : the
    kernel's number for it. column : its column in the tables of call numbers.
    """
    step = lambda code, yes, no, value: struct.pack("HBBI", code, yes, no, value)
    steps = [
        *(step(LOAD, 0, 0, ARCHITECTURE), step(EQUAL, 1, 0, architecture), step(RETURN, 0, 0, REFUSE)),
        step(LOAD, 0, 0, NUMBER),
        *(step(AND_SET, 0, 1, 0x40000000), step(RETURN, 0, 0, REFUSE)),  # reject the x32 calls of x86-64
        # pretend that clone3 does not exist, so that C libraries use clone
        *(step(EQUAL, 0, 1, CLONE3[column]), step(RETURN, 0, 0, ABSENT)),
        *(step(EQUAL, 0, 3, CLONE[column]), step(LOAD, 0, 0, FIRST)),
        *(step(AND_SET, 1, 0, CLONE_THREAD), step(RETURN, 0, 0, REFUSE), step(LOAD, 0, 0, NUMBER)),
    ]
    for number, target in ((TGKILL[column], os.getpid()), (PRLIMIT[column], 0)):  # allow these only for this process
        steps += [step(EQUAL, 0, 3, number), step(LOAD, 0, 0, FIRST), step(EQUAL, 1, 0, target)]
        steps += [step(RETURN, 0, 0, REFUSE), step(LOAD, 0, 0, NUMBER)]
    for numbers in CALLS.values():
        if (refused := numbers[column]) is not None:
            steps += [step(EQUAL, 0, 1, refused), step(RETURN, 0, 0, REFUSE)]
    return b"".join([*steps, step(RETURN, 0, 0, ALLOW)])


USER, PID, NET, IPC, UTS, MOUNT = 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x00020000


def prepare() -> int | None:
    """Leave the network permanently, and return the namespace that `renew` needs, or None without root or on failure.

    Call this in a process that forks one student's process after another.
    """
    if sys.platform != "linux" or os.getuid() != 0:
        return None
    try:
        namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    if ctypes.CDLL(None, use_errno=True).unshare(NET | UTS) == 0 and renew(namespace):
        return namespace
    os.close(namespace)
    return None


def renew(namespace: int) -> bool:
    """Make the next forked process the first one in new namespaces; return whether that worked.

    namespace : the result of `prepare`, which has already cut off the network.

    Each call replaces the namespaces of the previous call.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.setns(namespace, PID) == 0 and libc.unshare(PID | IPC) == 0


def enter() -> bool:
    """Make the next forked process the first one in new namespaces, including the network; return whether that worked.

    Root needs no user namespace. Other users get one that keeps their user number.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    flags, uid, gid = PID | NET | IPC | UTS, os.getuid(), os.getgid()
    if libc.unshare(flags if uid == 0 else flags | USER) != 0:
        return False
    if uid:
        with contextlib.suppress(OSError):
            for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
    return True
