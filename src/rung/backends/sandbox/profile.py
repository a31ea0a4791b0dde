"""The filter of system calls as an engine of containers takes it: a profile in JSON.

An engine reads names, with a library that may be older than the newest calls, and passes over a name it does not know.
So what is refused by name may stay open, and here is listed what is let through: the calls that Docker's own default
lets through without any right, but for those that `seccomp.RULES` refuse. What they refuse of `ioctl` is to type into
a terminal: a container has none, and "any value but this one" over all 64 bits would be passed by with one bit above.
"""

import errno
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

from rung.backends.sandbox.seccomp import RULES, Rule, When
from rung.core.canonical import JSON

_NAMES = """
accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chmod chown clock_getres clock_gettime
clock_nanosleep clone close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1
epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2
fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork
fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait futex_waitv futex_wake futimesat
get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer
getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
getsockname getsockopt gettid gettimeofday getuid getxattr getxattrat inotify_add_watch inotify_init inotify_init1
inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill
landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen listxattr
listxattrat llistxattr lremovexattr lseek lsetxattr lstat madvise map_shadow_stack membarrier memfd_create mincore
mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap modify_ldt mprotect mq_getsetattr mq_notify mq_open
mq_timedreceive mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap
nanosleep newfstatat open openat pause personality pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free
pkey_mprotect poll ppoll prctl pread64 preadv preadv2 prlimit64 process_mrelease pselect6 pwrite64 pwritev pwritev2
read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr removexattrat rename
renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn
rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity
sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam
sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile sendmmsg sendmsg sendto
set_robust_list set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setitimer setpgid setpriority
setregid setresgid setresuid setreuid setrlimit setsid setsockopt setuid setxattr setxattrat shmat shmctl shmdt shmget
shutdown sigaltstack signalfd signalfd4 socket socketpair splice stat statfs statx symlink symlinkat sync
sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_settime
timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname unlink unlinkat utime utimensat utimes
vfork vmsplice wait4 waitid write writev
"""

LET_THROUGH = frozenset(_NAMES.split())

_BITS = 32
"""The conditions of a rule are on the lower half of an argument."""


@cache
def profile() -> Mapping[str, JSON]:
    """The profile for `--security-opt seccomp=`. What it does not name fails as though the kernel had no such call."""
    judged = [rule for rule in RULES if all(when.equal is None for when in rule.when)]
    ruled = {call for rule in judged for call in rule.calls}
    calls: list[JSON] = [_entry(tuple(sorted(LET_THROUGH - ruled)), {"action": "SCMP_ACT_ALLOW"})]
    for rule in judged:
        calls += _judged(rule)
    return {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": errno.ENOSYS, "syscalls": calls}


def _judged(rule: Rule) -> Iterator[JSON]:
    """A rule's calls are refused where all its conditions hold, and let through where one of them does not."""
    refused: dict[str, JSON] = {"action": "SCMP_ACT_ERRNO", "errnoRet": rule.error}
    for held in product(*map(_holds, rule.when)):
        yield _entry(rule.calls, refused, *held)
    for when in rule.when:
        for missed in _misses(when):
            yield _entry(rule.calls, {"action": "SCMP_ACT_ALLOW"}, missed)


def _entry(calls: tuple[str, ...], verdict: Mapping[str, JSON], *conditions: JSON) -> JSON:
    return {"names": list(calls), **verdict, "args": list(conditions)}


def _holds(when: When) -> list[JSON]:
    """Comparisons of which one is true where a condition holds. An engine compares all 64 bits: a kind of socket with
    something in its upper half is beyond the largest we let through, and refused."""
    if not when.other_than:
        return [_compared(when, "SCMP_CMP_MASKED_EQ", 1 << bit, 1 << bit) for bit in _bits(when.any_of)]
    beyond = max(when.other_than) + 1
    others = sorted(set(range(beyond)) - set(when.other_than))
    return [*(_compared(when, "SCMP_CMP_EQ", value) for value in others), _compared(when, "SCMP_CMP_GE", beyond)]


def _misses(when: When) -> list[JSON]:
    """The same for where it does not hold."""
    if not when.other_than:
        return [_compared(when, "SCMP_CMP_MASKED_EQ", when.any_of, 0)]
    return [_compared(when, "SCMP_CMP_EQ", value) for value in when.other_than]


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(_BITS) if mask >> bit & 1]


def _compared(when: When, how: str, value: int, other: int = 0) -> JSON:
    return {"index": when.argument, "op": how, "value": value, "valueTwo": other}
