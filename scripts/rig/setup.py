# SPDX-License-Identifier: GPL-3.0-or-later
"""Which programs it takes, and the Debian packages that have them. Nothing is installed unasked."""
import os
import re
import shutil
import subprocess

from .scenario import Bad

PROGRAMS = {"slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client", "munged": "munge",
            "faketime": "faketime"}
DATABASE = {"slurmdbd": "slurmdbd", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}
FILES = {"slurm-wlm-basic-plugins": "select_cons_tres.so"}
DATABASE_FILES = {"slurm-wlm-mysql-plugin": "accounting_storage_mysql.so"}
LIBRARIES = ("/usr/lib/x86_64-linux-gnu/slurm-wlm", "/usr/lib/aarch64-linux-gnu/slurm-wlm",
             "/usr/lib/slurm-wlm", "/usr/lib/slurm", "/usr/lib64/slurm")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def program(name):
    """Its path, also where Debian calls it name-wlm; None: it is not there."""
    return shutil.which(f"{name}-wlm", path=PATH) or shutil.which(name, path=PATH)


def missing(database):
    programs, files = dict(PROGRAMS), dict(FILES)
    if database:
        programs.update(DATABASE)
        files.update(DATABASE_FILES)
    out = [package for name, package in programs.items() if not program(name)]
    out += [package for package, name in files.items()
            if not any(os.path.exists(f"{d}/{name}") for d in LIBRARIES)]
    return out


def version_in(text):
    """(24, 11, 5) of what a daemon says to -V; None: it says none."""
    m = re.search(r"(\d+)\.(\d+)\.(\d+)", text or "")
    return tuple(int(x) for x in m.groups()) if m else None


def version():
    """Of the slurmctld that is here."""
    path = program("slurmctld")
    said = subprocess.run([path, "-V"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False).stdout if path else ""
    return version_in(said)


def command_for(packages):
    return ["apt-get", "install", "-y", "--no-install-recommends"] + packages


def install(packages):
    print("installing:", " ".join(packages), flush=True)
    subprocess.run(command_for(packages), check=True)


def require(database, may_install):
    packages = missing(database)
    if not packages:
        return
    if not may_install:
        raise Bad(f"missing packages: {' '.join(packages)} (--setup installs them: {' '.join(command_for(packages))})")
    install(packages)
    packages = missing(database)
    if packages:
        raise Bad(f"still missing: {' '.join(packages)}")
