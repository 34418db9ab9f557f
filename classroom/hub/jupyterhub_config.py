"""JupyterHub for one class on one Linux machine; docs/classroom.md says how to set it up and what real use needs.

Every student is a Unix account: what one of them cannot read as a Unix user, they cannot read here.
"""

import grp
import os
import pwd
import stat
import sys
from pathlib import Path

from jupyterhub.spawner import SpawnException

c = get_config()  # noqa: F821 (JupyterHub defines it)

CLASS = Path(os.environ.get("SDPA_CLASS", "/srv/sdpa-class"))  # exchange/ for nbgrader, hub/ for the hub's own files
BIN = Path(sys.executable).parent  # students get the environment that the hub runs in
HERE = Path(__file__).resolve().parent  # nbgrader_config.py is here, and in students/ what only students get
STUDENTS, INSTRUCTORS = "sdpa-students", "sdpa-instructors"  # Unix groups

# Nothing listens beyond this machine. For a class, put a web server with https in front; do not change these lines.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
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

# One process for each student, started as that student, in their home.
c.JupyterHub.spawner_class = "localprocess"
c.Spawner.notebook_dir = "~"
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = 60  # a whole class that logs in at once makes a small machine slow

# A process that asks for more than 4 GB gets a MemoryError; 500 processes and threads stop a fork bomb.
c.Spawner.cmd = ["prlimit", f"--as={4 * 1024**3}", "--nproc=500", str(BIN / "jupyterhub-singleuser")]

c.Spawner.args = [
    "--KernelManager.transport=ipc",  # the kernel's sockets are files in the home: over TCP, others could listen
    "--MappingKernelManager.cull_idle_timeout=7200",  # two hours after the last cell, the memory goes to others
    "--ServerApp.shutdown_no_activity_timeout=10800",
    "--ServerApp.terminado_settings={'shell_command': ['/bin/bash']}",  # a login shell would forget the PATH below
]


def settings_of(spawner) -> str:
    """Where Jupyter looks for settings: an instructor has nbgrader's formgrader, everybody else has it switched off."""
    account = pwd.getpwnam(spawner.user.name)
    groups = {grp.getgrgid(number).gr_name for number in os.getgrouplist(account.pw_name, account.pw_gid)}
    return str(HERE) if INSTRUCTORS in groups else f"{HERE / 'students'}:{HERE}"


c.Spawner.environment = {
    "PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin",  # nbgrader calls alembic, instructors call sdpa-course
    "JUPYTER_CONFIG_PATH": settings_of,
    "SDPA_CLASS": str(CLASS),  # read by nbgrader_config.py
    "OPENBLAS_NUM_THREADS": "1",  # one student, one core
}


def closed_home(spawner) -> None:
    """Refuse to start a server in a home that others can look into, as Debian's useradd makes them by default."""
    home = pwd.getpwnam(spawner.user.name).pw_dir
    if stat.S_IMODE(os.stat(home).st_mode) & 0o077:
        words = f"Other accounts can look into your home. Your instructor can fix this: chmod 700 {home}"
        raise SpawnException(words, reason="open home")


c.Spawner.pre_spawn_hook = closed_home
