# SPDX-License-Identifier: GPL-3.0-or-later
"""A private Slurm on loopback: munged, slurmctld, a slurmd a node; for accounting MariaDB and slurmdbd.

Ports: P slurmctld, P+1 slurmdbd, P+2 MariaDB, P+10... a node each: below 32768, where none is taken at random.
"""
import os
import shlex
import shutil
import signal
import subprocess
import time

from . import scenario
from .scenario import UNFAKED, USERS, Bad, expand
from .setup import program, version

# Since this release slurmd can do without cgroups.
CGROUPS_OFF = (23, 11, 0)


def cgroup_lines(of):
    """Nothing of ours uses cgroups: neither a chroot nor a container need have any. v1, unused, asks for nothing."""
    return ["CgroupPlugin=disabled"] if of and of >= CGROUPS_OFF else ["CgroupAutomount=no", "CgroupPlugin=cgroup/v1"]


class Slurm:
    def __init__(self, scn, work, port, rate):
        self.scn, self.work, self.port, self.rate = scn, work, port, rate
        self.procs = []  # (name, Popen)
        self.nodes = []

    # ---- configuration ----------------------------------------------------------------------

    def power_scripts(self):
        """Nodes that really stop and start: Slurm's programs end and start their slurmd."""
        w = self.work
        env = "".join(f"export {k}={shlex.quote(os.environ[k])}\n" for k in
                      ("LD_PRELOAD", "FAKETIME", "FAKETIME_SHARED", "PATH", "TZ") if k in os.environ)
        env += f"export SLURM_CONF={w}/slurm.conf\n"
        boot = self.scn["power"].get("boot", 20) / self.rate
        scripts = {
            "suspend": f"for n in $(scontrol show hostnames $1); do kill $(cat {w}/spool/$n.pid); done "
                       f">>{w}/log/power.out 2>&1\n",
            "resume": f"(unset LD_PRELOAD; exec /bin/sleep {boot:.3f})\n"
                      f"for n in $(scontrol show hostnames $1); do {w}/bin/slurmd -b -f {w}/slurm.conf "
                      f"-N $n -d {w}/bin/slurmstepd; done >>{w}/log/power.out 2>&1\n"}
        for name, text in scripts.items():
            with open(f"{w}/bin/{name}", "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\n" + env + text)
            os.chmod(f"{w}/bin/{name}", 0o755)
        return {"SuspendProgram": f"{w}/bin/suspend", "ResumeProgram": f"{w}/bin/resume"}

    def own_keys(self):
        w = self.work
        keys = {
            "SlurmctldHost": "localhost(127.0.0.1)", "SlurmUser": "root", "SlurmdUser": "root",
            "AuthType": "auth/munge", "AuthInfo": f"socket={w}/munge/sock", "CredType": "cred/munge",
            "SlurmctldPort": self.port, "SlurmctldPidFile": f"{w}/ctld.pid",
            "SlurmdPidFile": f"{w}/spool/%n.pid", "SlurmdSpoolDir": f"{w}/spool/%n",
            "StateSaveLocation": f"{w}/state", "SlurmctldLogFile": f"{w}/log/ctld",
            "SlurmdLogFile": f"{w}/log/%n", "SlurmctldDebug": "debug",
            "PlugStackConfig": f"{w}/plugstack.conf", "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none", "SwitchType": "switch/none", "MpiDefault": "none",
            "JobAcctGatherType": "jobacct_gather/none", "JobCompType": "jobcomp/filetxt",
            "JobCompLoc": f"{w}/log/jobcomp", "SlurmctldTimeout": 3000, "MailProg": "/bin/true",
            "UnkillableStepTimeout": 1000, "DebugFlags": "Backfill", "TCPTimeout": 20,
        }
        if "power" in self.scn:
            keys.update(self.power_scripts())
        if "accounting" in self.scn:
            keys.update({"AccountingStorageHost": "127.0.0.1", "AccountingStoragePort": self.port + 1,
                         "AccountingStoragePass": f"{w}/munge/sock"})
        return keys

    def write_conf(self):
        w = self.work
        for d in ("bin", "state", "spool", "munge", "log", "dev", "script", "fifo"):
            os.makedirs(f"{w}/{d}", exist_ok=True)
        os.chmod(f"{w}/fifo", 0o777)
        for b in ("slurmctld", "slurmd", "slurmstepd"):
            # libslurm knows by argv[0] that it is in a daemon, and drops Gres= from node lines if it is not.
            os.symlink(program(b) or f"/usr/sbin/{b}", f"{w}/bin/{b}")
        with open(f"{w}/munge/key", "wb") as f:
            f.write(os.urandom(128))
        os.chmod(f"{w}/munge/key", 0o400)
        lines, port = scenario.global_keys(self.scn, self.own_keys()), self.port + 10
        for n in self.scn["cluster"]["nodes"]:
            names = expand(n["name"])
            self.nodes += names
            ports = f"[{port}-{port + len(names) - 1}]" if len(names) > 1 else port
            lines.append(scenario.node_line(
                n, f" NodeAddr=127.0.0.1 NodeHostname=localhost Port={ports}"))
            port += len(names)
            for name, _, first, count in scenario.devices(n):
                for i in range(first, first + count):
                    with open(f"{w}/dev/{name}{i}", "w", encoding="utf-8"):
                        pass
        scenario.write_lines(f"{w}/slurm.conf", lines + scenario.partition_lines(self.scn))
        scenario.write_lines(f"{w}/gres.conf", scenario.gres_lines(self.scn, f"{w}/dev"))
        scenario.write_lines(f"{w}/plugstack.conf", [])
        scenario.write_lines(f"{w}/cgroup.conf", cgroup_lines(version()))
        if self.scn["cluster"].get("topology"):
            scenario.write_lines(f"{w}/topology.conf", self.scn["cluster"]["topology"])
        os.environ["SLURM_CONF"] = f"{w}/slurm.conf"

    # ---- processes -----------------------------------------------------------------------------

    def spawn(self, name, argv, env=None):
        with open(f"{self.work}/log/{name}.out", "w", encoding="utf-8") as log:
            # pylint: disable-next=consider-using-with
            self.procs.append((name, subprocess.Popen(argv, stdout=log, stderr=log, env=env,
                                                      stdin=subprocess.DEVNULL, start_new_session=True)))

    @staticmethod
    def sh(command):
        """Of a command, what it prints."""
        argv = command if isinstance(command, list) else shlex.split(command)
        return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, check=False).stdout

    def wait_for(self, what, test, limit=60):
        end = time.time() + limit * self.rate
        while time.time() < end:
            if test():
                return
            dead = [n for n, p in self.procs if p.poll() is not None]
            if dead:
                raise Bad(f"{dead[0]} ended while waiting for {what}: see {self.work}/log")
            time.sleep(0.1 * self.rate)
        raise Bad(f"timed out waiting for {what}: see {self.work}/log")

    def start(self):
        w = self.work
        self.write_conf()
        self.spawn("munged", [program("munged"), "-F", "--force", f"--socket={w}/munge/sock",
                              f"--key-file={w}/munge/key", f"--log-file={w}/log/munge",
                              f"--pid-file={w}/munge/pid", f"--seed-file={w}/munge/seed",
                              "--origin=127.0.0.1"], env=UNFAKED)
        self.wait_for("munge", lambda: os.path.exists(f"{w}/munge/sock"))
        if "accounting" in self.scn:
            self.start_database()
        # Time limits are looked at every 30 s, counted from slurmctld's start.
        time.sleep(30 - time.time() % 30)
        self.spawn("slurmctld", [f"{w}/bin/slurmctld", "-D", "-f", f"{w}/slurm.conf"])
        self.wait_for("slurmctld", lambda: "is UP" in self.sh("scontrol ping"))
        if "accounting" in self.scn:
            self.set_up_accounts()
        self.start_nodes()

    def start_nodes(self):
        w = self.work
        for n in self.nodes:
            os.makedirs(f"{w}/spool/{n}", exist_ok=True)
            self.spawn("d-" + n, [f"{w}/bin/slurmd", "-D", "-f", f"{w}/slurm.conf", "-N", n,
                                  "-d", f"{w}/bin/slurmstepd"])
            if len(self.nodes) > 100:
                time.sleep(0.02 * self.rate)
        slow = 60 + 0.3 * len(self.nodes)
        good = ("idle", "down", "drained", "reserved", "planned", "resv")
        self.wait_for("nodes", lambda: all(
            x.strip().rstrip("+") in good
            for x in self.sh("sinfo -h -N -o %T").split("\n") if x.strip()), slow)
        self.wait_for("registration", lambda: self.sh("scontrol -o show node").count(
            "SlurmdStartTime=None") == 0, slow)

    def start_database(self):
        w = self.work
        template = os.path.join(os.path.dirname(w), "db-template")
        if not os.path.isdir(template):
            tmp = f"{template}.{os.getpid()}"
            subprocess.run([program("mariadb-install-db"), "--user=root", f"--datadir={tmp}",
                            "--auth-root-authentication-method=normal", "--skip-test-db"],
                           env=UNFAKED, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            try:
                os.rename(tmp, template)
            except OSError:
                shutil.rmtree(tmp)
        shutil.copytree(template, f"{w}/db")
        self.spawn("mariadbd", [program("mariadbd"), "--no-defaults", "--user=root", f"--datadir={w}/db",
                                f"--socket={w}/db.sock", f"--port={self.port + 2}",
                                "--bind-address=127.0.0.1", "--innodb-buffer-pool-size=64M",
                                "--innodb-lock-wait-timeout=900", "--innodb-flush-log-at-trx-commit=0",
                                "--skip-log-bin", f"--pid-file={w}/db.pid"], env=UNFAKED)
        client = ["mariadb", "--no-defaults", f"--socket={w}/db.sock", "-uroot", "-e"]
        quiet = {"env": UNFAKED, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.wait_for("mariadb", lambda: subprocess.run(
            client + ["select 1"], check=False, **quiet).returncode == 0)
        subprocess.run(client + [
            "create database slurm_acct_db; create user s@'127.0.0.1' identified by 's';"
            "create user s@'localhost' identified by 's'; grant all on slurm_acct_db.* to s@'127.0.0.1';"
            "grant all on slurm_acct_db.* to s@'localhost';"], check=True, **quiet)
        scenario.write_lines(f"{w}/slurmdbd.conf", [
            "AuthType=auth/munge", f"AuthInfo=socket={w}/munge/sock", "DbdHost=localhost",
            "DbdAddr=127.0.0.1", f"DbdPort={self.port + 1}", "SlurmUser=root", f"LogFile={w}/log/dbd",
            f"PidFile={w}/dbd.pid", "StorageType=accounting_storage/mysql", "StorageHost=127.0.0.1",
            f"StoragePort={self.port + 2}", "StorageUser=s", "StoragePass=s", "StorageLoc=slurm_acct_db",
            "MessageTimeout=100"])
        os.chmod(f"{w}/slurmdbd.conf", 0o600)
        os.symlink(program("slurmdbd"), f"{w}/bin/slurmdbd")
        self.spawn("slurmdbd", [f"{w}/bin/slurmdbd", "-D"])
        self.wait_for("slurmdbd", lambda: "rig" in self.sh("sacctmgr -i -n add cluster rig")
                      or "rig" in self.sh("sacctmgr -n show cluster"))
        for q in self.scn["accounting"].get("qos", []):  # A partition may name one.
            if q["name"] != "normal":
                self.sh(f"sacctmgr -i add qos {q['name']}")

    def set_up_accounts(self):
        """After slurmctld has registered: only then the database knows the gres that limits may name."""
        self.wait_for("cluster registration", lambda: "127.0.0.1" in self.sh(
            "sacctmgr -n -P show cluster format=cluster,controlhost"))
        a, log = self.scn["accounting"], []

        def said(entry):
            return " ".join(f"{k}={v}" for k, v in entry.items() if k != "name")
        for q in a.get("qos", []):
            if said(q):
                log.append(self.sh(f"sacctmgr -i modify qos {q['name']} set {said(q)}"))
        for x in a.get("accounts", []):
            log.append(self.sh(f"sacctmgr -i add account {x['name']} cluster=rig {said(x)}"))
        for x in a.get("users", []):
            log.append(self.sh(
                f"sacctmgr -i add user {USERS.get(x['name'], x['name'])} cluster=rig {said(x)}"))
        scenario.write_lines(f"{self.work}/log/sacctmgr", log)
        bad = [x for x in log if "error" in x or "Unknown" in x or "nvalid" in x]
        if bad:
            raise Bad("sacctmgr: " + bad[0])

    def stop(self):
        """Our own daemons end, by pid: nodes and controller, then slurmdbd, then what these need to end well."""
        kinds = [lambda n: n.startswith("d-") or n == "slurmctld", lambda n: n == "slurmdbd",
                 lambda n: True]
        for kind in kinds:
            group = [p for n, p in self.procs if kind(n)]
            if kind is kinds[0] and "power" in self.scn:
                self.stop_woken()
            for p in group:
                if p.poll() is None:
                    p.send_signal(signal.SIGTERM)
            end = time.time() + 10 * self.rate
            for p in group:
                while p.poll() is None and time.time() < end:
                    time.sleep(0.05 * self.rate)
                if p.poll() is None:
                    p.kill()
                    p.wait()

    def stop_woken(self):
        for n in self.nodes:  # Those that the resume script started.
            try:
                with open(f"{self.work}/spool/{n}.pid", encoding="utf-8") as f:
                    os.kill(int(f.read()), signal.SIGTERM)
            except (OSError, ValueError):
                pass
