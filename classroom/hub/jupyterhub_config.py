"""JupyterHub for one class on one Linux machine; docs/classroom.md says how to set it up and what real use needs.

Every student is a Unix account: what one of them cannot read as a Unix user, they cannot read here.
"""

import grp
import ipaddress
import os
import pwd
import stat
import sys
from pathlib import Path
from urllib.parse import urlsplit

from jupyterhub.spawner import SpawnException

c = get_config()  # noqa: F821 (JupyterHub defines it)

CLASS = Path(os.environ.get("SDPA_CLASS", "/srv/sdpa-class"))  # exchange/ for nbgrader, hub/ for the hub's own files
BIN = Path(sys.executable).parent  # students get the environment that the hub runs in
HERE = Path(__file__).resolve().parent  # nbgrader_config.py is here, and in students/ what only students get
STUDENTS, INSTRUCTORS = "sdpa-students", "sdpa-instructors"  # Unix groups

# Where people come in. Beyond this machine, only with https: passwords must not cross a network in plain sight.
ADDRESS = os.environ.get("SDPA_ADDRESS", "http://127.0.0.1:8000")
CERTIFICATE, KEY = CLASS / "hub" / "certificate.pem", CLASS / "hub" / "key.pem"
if urlsplit(ADDRESS).scheme == "https":
    if not (CERTIFICATE.exists() and KEY.exists()):
        sys.exit(f"sdpa-course: for https the hub needs a certificate and its key: {CERTIFICATE} and {KEY}")
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = str(CERTIFICATE), str(KEY)
elif not ipaddress.ip_address(urlsplit(ADDRESS).hostname).is_loopback:
    sys.exit(f"sdpa-course: {ADDRESS} would send passwords unencrypted; use https://… or a loopback address")
c.JupyterHub.bind_url = ADDRESS

# What the hub and its proxy say to each other stays on this machine.
c.JupyterHub.hub_bind_url = "http://127.0.0.1:8081"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:8001"
c.ConfigurableHTTPProxy.pid_file = str(CLASS / "hub" / "proxy.pid")

# Who is logged in survives a restart. The folder belongs to root alone.
c.JupyterHub.db_url = f"sqlite:///{CLASS / 'hub' / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(CLASS / "hub" / "cookie_secret")

# The machine's own accounts and passwords, and of those only the class: root and the rest of the staff stay out.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {STUDENTS, INSTRUCTORS}
c.PAMAuthenticator.open_sessions = False  # no login session is needed, and opening one fails in containers

# One process for each student, started as that student, in their home, with a /tmp that nobody else sees.
c.JupyterHub.spawner_class = "sdpa_classroom.student_server.StudentServer"
c.Spawner.notebook_dir = "~"
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = 120  # a whole class that logs in at once makes a small machine slow

# All that a student runs has 2 GB, and 500 processes and threads. A process that asks for 4 GB gets a MemoryError,
# which says more than a kernel that's gone.
c.Spawner.mem_limit = "2G"
c.StudentServer.processes = 500
c.Spawner.cmd = ["prlimit", f"--as={4 * 1024**3}", "--nproc=500", str(BIN / "jupyterhub-singleuser")]

# Two hours after its last cell a kernel stops, even if its page is still open; an hour after that, so does the server.
IDLE, LONGER = 7200, 10800

c.Spawner.args = [
    "--KernelManager.transport=ipc",  # the kernel's sockets are files in the home: over TCP, others could listen
    f"--MappingKernelManager.cull_idle_timeout={IDLE}",
    f"--MappingKernelManager.cull_interval={min(300, IDLE)}",
    "--MappingKernelManager.cull_connected=True",
    f"--TerminalManager.cull_inactive_timeout={IDLE}",
    f"--ServerApp.shutdown_no_activity_timeout={LONGER}",
    "--ServerApp.terminado_settings={'shell_command': ['/bin/bash']}",  # a login shell would forget the PATH below
]


def instructs(spawner) -> bool:
    """Is this an instructor's server?"""
    account = pwd.getpwnam(spawner.user.name)
    groups = {grp.getgrgid(number).gr_name for number in os.getgrouplist(account.pw_name, account.pw_gid)}
    return INSTRUCTORS in groups


def settings_of(spawner) -> str:
    """Where Jupyter looks for settings: an instructor has nbgrader's formgrader, everybody else has it switched off."""
    return str(HERE) if instructs(spawner) else f"{HERE / 'students'}:{HERE}"


c.Spawner.environment = {
    "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin",  # nbgrader calls alembic, instructors call sdpa-course
    "JUPYTER_CONFIG_PATH": settings_of,
    "SDPA_CLASS": str(CLASS),  # read by nbgrader_config.py
    "OPENBLAS_NUM_THREADS": "1",  # one student, one core
}


def before_start(spawner) -> None:
    """Refuse a home that others can look into, as Debian's useradd makes them; grading needs more than 2 GB."""
    home = pwd.getpwnam(spawner.user.name).pw_dir
    if stat.S_IMODE(os.stat(home).st_mode) & 0o077:
        words = f"Other accounts can look into your home. Your instructor can fix this: chmod 700 {home}"
        raise SpawnException(words, reason="open home")
    if instructs(spawner):
        spawner.mem_limit = None


c.Spawner.pre_spawn_hook = before_start
