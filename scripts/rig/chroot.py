# SPDX-License-Identifier: GPL-3.0-or-later
"""The Slurm of another Debian release: a bare chroot with its packages, made once and kept.

A recording runs in it with mounts and processes of its own (unshare): what is mounted there is seen by nobody else
and gone with its last process, and no process outlives the rig. The chroot itself is never written to.
"""
import os
import shutil
import subprocess
import sys

from . import setup
from .scenario import Bad

MIRROR = "http://deb.debian.org/debian"
PLACE = "/var/lib/slurm-rig"
# Release of Debian -> the Slurm that it had when this was written; sid and forky move on.
RELEASES = {"bookworm": "22.05", "trixie": "24.11", "forky": "26.05", "sid": "26.05"}
HOSTS = "127.0.0.1 localhost\n"
# In a namespace of its own. $1: chroot, $2 scripts, $3 work, $4 scenario, $5 out, $6 name of both; then what is run.
# /dev/shm and /tmp are its own: faketime names what it shares by process ids, which begin at 1 in each.
ENTER = """
set -e
root=$1 scripts=$2 work=$3 scenario=$4 out=$5 name=$6
shift 6
mount -t proc proc "$root/proc"
mount --bind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/run"
chmod 1777 "$root/dev/shm" "$root/tmp"
mount -t tmpfs tmpfs "$root/rig"
mkdir -p "$root/rig/scripts" "$root/rig/work" "$root/rig/in/$name" "$root/rig/out/$name"
mount --bind "$scripts" "$root/rig/scripts"
mount --bind "$work" "$root/rig/work"
mount --bind "$scenario" "$root/rig/in/$name"
mount --bind "$out" "$root/rig/out/$name"
chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C TZ=UTC \\
    PYTHONDONTWRITEBYTECODE=1 RIG_INSIDE=1 "$@"
"""


def release_of(release, version):
    """Of --release and --version: the release; None: neither is given."""
    if release and release not in RELEASES:
        raise Bad(f"release '{release}' is none of {', '.join(RELEASES)}")
    if not version:
        return release
    found = [r for r, v in RELEASES.items() if v == version and release in (None, r)]
    if not found:
        raise Bad(f"no {release or 'release of Debian'} with Slurm {version}: "
                  + ", ".join(f"{v} is in {r}" for r, v in RELEASES.items()))
    return found[0]


def packages():
    return sorted({*setup.PROGRAMS.values(), *setup.DATABASE.values(), *setup.FILES, *setup.DATABASE_FILES, "python3"})


def maker(release, root):
    """The command that makes it. Its mounts end with it, whatever ends it."""
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "mmdebstrap",
            "--variant=apt", "--include=" + ",".join(packages()), '--aptopt=APT::Install-Recommends "false"',
            # Signed it has to be; how old it may be is a matter of this machine's clock.
            '--aptopt=Acquire::Check-Valid-Until "false"', release, root, MIRROR]


def make(place, release):
    """Beside its name first, so that what has its name is whole."""
    root, part = os.path.join(place, release), os.path.join(place, f"{release}.{os.getpid()}")
    if not shutil.which("mmdebstrap"):
        setup.install(["mmdebstrap"])
    os.makedirs(place, exist_ok=True)
    command = maker(release, part)
    print(f"making {root}:", " ".join(command), flush=True)
    try:
        if subprocess.run(command, check=False).returncode:
            raise Bad(f"mmdebstrap failed: no chroot of {release}")
        finish(part)
        os.rename(part, root)
    finally:
        remove_tree(part)


def finish(root):
    for d in ("rig", "proc", "sys", "dev", "tmp", "run"):
        os.makedirs(f"{root}/{d}", exist_ok=True)
    with open(f"{root}/etc/hosts", "w", encoding="utf-8") as f:
        f.write(HOSTS)


def remove_tree(root):
    """Never across a mount."""
    if os.path.isdir(root):
        subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


def version_of(root):
    said = subprocess.run(["chroot", root, "/usr/sbin/slurmctld", "-V"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False).stdout
    return setup.version_in(said)


class Chroot:
    def __init__(self, place, release, version=None):
        self.release, self.root = release, os.path.join(os.path.abspath(place), release)
        self.place, self.version = os.path.abspath(place), version

    def require(self, may_make):
        if os.geteuid():
            raise Bad("--release takes root: mounts, and users of the jobs")
        if not os.path.isdir(self.root):
            if not may_make:
                raise Bad(f"no chroot {self.root} (--setup makes it, of some 700 MB from {MIRROR})")
            make(self.place, self.release)
        found = version_of(self.root)
        if not found:
            raise Bad(f"{self.root}: no slurmctld that says its version: --remove, then --setup")
        if self.version and found[:2] != tuple(int(x) for x in self.version.split(".")):
            raise Bad(f"{self.root} has Slurm {found[0]}.{found[1]:02}, not {self.version}: {self.release} has moved on")

    def remove(self):
        remove_tree(self.root)

    def command(self, folders, name, argv):
        """folders: of the scripts, work, scenario, results."""
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--", "/bin/sh", "-c", ENTER, "slurm-rig",
                self.root, *folders, name, *argv]

    def record(self, scn, out, work, options):
        """Runs slurm-rig --record-only inside; what it says is printed by it. The scenario's results are in out."""
        name = scn["name"]
        scripts = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
        os.makedirs(work, exist_ok=True)
        argv = ["python3", "/rig/scripts/slurm-rig", "--record-only", "--work", "/rig/work", "--out", "/rig/out", *options,
                f"/rig/in/{name}/{scn['file']}"]
        folders = [os.path.realpath(x) for x in (scripts, work, scn["folder"], out)]
        with subprocess.Popen(self.command(folders, name, argv), stdin=subprocess.DEVNULL) as inside:
            try:
                code = inside.wait()
            except BaseException:
                inside.kill()  # It passes no other signal on, and this one ends all in there.
                raise
        sys.stdout.flush()
        if code:
            raise Bad(f"the recording in {self.root} failed: see {work}")
