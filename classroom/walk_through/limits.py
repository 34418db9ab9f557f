"""What one student can't take from the others: memory, processes, /tmp, and a server that's forgotten."""

import time

from machine import need, say
from room import Classroom
from session import KernelGone, Session

GREEDY = "data = [b'x' * 1024**2 for _ in range(3000)]"  # 3 GB, each page written
FORKS = """
import os, signal
children = []
try:
    while len(children) < 2000:
        child = os.fork()
        if not child:
            signal.pause()
        children.append(child)
except OSError as error:
    print(type(error).__name__)
finally:
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(len(children))
"""


def try_limits(classroom: Classroom) -> None:
    """Two students who want everything; then one who forgets to log out."""
    first, second = (Session(classroom, name) for name in classroom.students)
    for session in (first, second):
        session.log_in()
        session.start_kernel()
    first.run("open('/tmp/answers', 'w').write('7'); open('/dev/shm/answers', 'w').write('7')")
    seen = second.run("import os; print(os.listdir('/tmp') + os.listdir('/dev/shm'))")
    need("answers" not in seen and "[" in seen, f"{second.name} sees what {first.name} keeps in /tmp: {seen}")
    need("answers" in first.run("import os; print(os.listdir('/tmp'))"), "/tmp loses files, so this proves nothing")
    say(f"{second.name} doesn't see what {first.name} put into /tmp.")
    said = second.run(FORKS).split()
    need(said[0] == "BlockingIOError" and int(said[1]) < 500, f"{second.name} could start {said[-1]} processes")
    say(f"{second.name} starts processes without end, and gets {said[1]}.")
    try:
        said = second.run(GREEDY)
        need(False, f"{second.name} could take 3 GB: {said!r}")
    except KernelGone:
        say(f"{second.name} takes memory without end: at 2 GB the kernel is gone, and Jupyter starts another.")
    need(second.web.get(f"{second.url}/api/status").ok, f"the server of {second.name} is gone with the kernel")
    need(first.run("print(6 * 7)").strip() == "42", f"the kernel of {first.name} suffered, too")
    for session in (first, second):
        session.close()
    forget(classroom)


def forget(classroom: Classroom) -> None:
    """A page is left open, later the browser is closed; this account's times are 10 and 20 seconds."""
    idle = Session(classroom, classroom.idle)
    idle.log_in()
    idle.start_kernel()
    need(idle.kernels() == 1, "there's no kernel that could be stopped")
    wait(lambda: not idle.kernels(), "a kernel that did nothing was not stopped, although its page was only left open")
    say("A kernel that does nothing is stopped, although its page is still open.")
    idle.close()
    wait(lambda: not classroom.processes(classroom.idle), "a server that nobody uses was not stopped")
    say("A server that nobody uses is stopped, and nothing of it is left.")


def wait(condition, otherwise: str) -> None:
    """Up to two minutes."""
    end = time.monotonic() + 120
    while not condition():
        need(time.monotonic() < end, otherwise)
        time.sleep(1)
