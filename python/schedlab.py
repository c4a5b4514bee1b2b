# SPDX-License-Identifier: GPL-3.0-or-later
"""schedlab from Python: a run as numpy columns, runs started, runs in steps.

One file over ctypes on the installed library (libschedlab.so), and numpy. Copy it, or put the folder where it is
installed on PYTHONPATH.

Frames first: jobs and usage of a run, or of a directory that `schedlab run -o` wrote, as data frames.

    import pandas, schedlab
    world = schedlab.Scenario("traces/bundled/lublin-256.swf")
    run = world.run("easy")                  # to its end
    jobs = pandas.DataFrame(run.jobs.frame())            # a row a job, in order of submission; polars takes it too
    jobs.groupby("user")["wait"].mean()
    usage = pandas.DataFrame(run.usage.frame())
    pandas.DataFrame(schedlab.load("out/1-easy").jobs)

Several runs in one database, with attempts, reasons and metrics: `schedlab report out --format sqlite -o out.db`, then

    db = sqlite3.connect("out.db")           # of DuckDB: ATTACH 'out.db' (TYPE sqlite); of R: DBI::dbConnect(RSQLite::SQLite(), "out.db")
    jobs = pandas.read_sql("SELECT label, jobs.* FROM jobs JOIN runs USING (run)", db)
    attempts = pandas.read_sql("SELECT * FROM attempts", db)           # of jobs that had several
    usage = pandas.read_sql("SELECT * FROM usage WHERE run = 1", db)   # each line holds until the next
    reasons = pandas.read_sql('SELECT reason, sum("to" - "from") AS seconds FROM reasons GROUP BY reason', db)
    metrics = pandas.read_sql("SELECT * FROM metrics", db).pivot(index="name", columns="run", values="value")
    jobs.groupby(["label", "user"])["wait"].mean().unstack("label")

Without pandas the columns are numpy arrays:

    run.metrics["wait.mean"]                 # as in metrics.json: seconds, shares, counts
    run.jobs["wait"].mean()                  # a value a job; seconds, nan: never
    run.usage["cpus_busy"]                   # holds from usage["time"] on, until the next point

    step = world.start("easy")               # in steps
    while (at := step.next) is not None:     # when something happens next
        step.until(at)
        step.free("cpus"), step.queue(), step.running()
    step.end()

    schedlab.load("out/1-easy").jobs["wait"] # of a directory that `schedlab run -o` wrote

Times are seconds (float64, exact to the microsecond below 285 years), nan where nothing happened. Failures raise
schedlab.Error, whose `status` is the exit code that the program would have ended with.
"""
import csv
import ctypes
import ctypes.util
import json
import os
import tempfile

try:
    import numpy as np
except ImportError:
    raise ImportError("schedlab.py needs numpy: install python3-numpy, or 'pip install numpy'") from None

__all__ = ["Error", "Scenario", "Run", "Step", "Loaded", "load", "version", "library", "SchedlabEnv"]

_NONE = -(2**63)
_NEVER = 2**63 - 1
_SECOND = 1000000
_RUNNING = 1  # enum sl_state: SL_RUNNING
_KIND = {"cpus": 0, "mem": 1, "gpus": 2}
_TIMES = {
    "submit", "eligible", "start", "end", "wait", "wait_total", "run_time", "suspended", "run_traced",
    "time_limit", "time", "lost", "overhead",
}


class Error(Exception):
    """What the library says is wrong, and what to do. status: the program's exit code for it."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class _Err(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1000)]


class _Column(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("stride", ctypes.c_size_t),
        ("type", ctypes.c_int),
    ]


class _Job(ctypes.Structure):
    _fields_ = [("row", ctypes.c_uint32)]


class _Question(ctypes.Structure):
    _fields_ = [("offered", ctypes.POINTER(_Job)), ("count", ctypes.c_size_t), ("may_wait", ctypes.c_bool)]


_TYPE = [np.int64, np.int32, np.uint32, np.uint8]
_TEXT = 4
_P = ctypes.c_void_p
_S = ctypes.c_char_p
_DOOR = {  # name: (result, arguments)
    "sl_version": (_S, []),
    "sl_session_new": (ctypes.c_int, [_P, _P]),
    "sl_session_plugin": (ctypes.c_int, [_P, _S, _P]),
    "sl_session_free": (None, [_P]),
    "sl_scenario_open": (ctypes.c_int, [_P, _P, _S, _S, _P, _P]),
    "sl_scenario_free": (None, [_P]),
    "sl_run_new": (ctypes.c_int, [_P, _P, _S, ctypes.c_uint64, ctypes.c_uint, _P]),
    "sl_run_go": (ctypes.c_int, [_P, _P]),
    "sl_run_begin": (ctypes.c_int, [_P, _P]),
    "sl_run_until": (ctypes.c_int, [_P, ctypes.c_int64, _P]),
    "sl_run_next": (ctypes.c_int64, [_P]),
    "sl_run_awaits": (ctypes.c_bool, [_P, _P]),
    "sl_run_decide": (ctypes.c_int, [_P, _Job, _P]),
    "sl_run_end": (ctypes.c_int, [_P, _P]),
    "sl_run_state": (_P, [_P]),
    "sl_run_metric_at": (_S, [_P, ctypes.c_size_t, _P]),
    "sl_run_column": (ctypes.c_bool, [_P, _S, _S, _P]),
    "sl_run_column_at": (_S, [_S, ctypes.c_size_t]),
    "sl_run_digest": (ctypes.c_uint64, [_P]),
    "sl_run_write": (ctypes.c_int, [_P, _S, _S, _P]),
    "sl_run_free": (None, [_P]),
    "sl_now": (ctypes.c_int64, [_P]),
    "sl_free": (ctypes.c_int64, [_P, ctypes.c_uint32]),
    "sl_queue_count": (ctypes.c_uint32, [_P]),
    "sl_queue_first": (_Job, [_P]),
    "sl_queue_after": (_Job, [_P, _Job]),
    "sl_state_name": (_S, [ctypes.c_int]),
    "sl_reason_name": (_S, [ctypes.c_int]),
}


def _open():
    """SCHEDLAB_LIBRARY, then what the linker finds, then the usual places beside this file."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = [
        os.environ.get("SCHEDLAB_LIBRARY"),
        os.path.join(here, "..", "build", "libschedlab.so"),
        os.path.join(here, "..", "..", "..", "lib", "libschedlab.so"),
        ctypes.util.find_library("schedlab"),
        "libschedlab.so",
    ]
    for name in names:
        if not name or (os.sep in name and not os.path.exists(name)):
            continue
        try:
            found = ctypes.CDLL(name)
        except OSError:
            continue
        for function, (result, arguments) in _DOOR.items():
            try:
                entry = getattr(found, function)
            except AttributeError:
                raise Error(6, f"{name}: it has no {function}: install the library of this version") from None
            entry.restype = result
            entry.argtypes = arguments
        return found
    raise Error(6, "libschedlab.so was not found: install schedlab, or set SCHEDLAB_LIBRARY to its path")


class _Lazy:
    """The library, opened when it is first needed: load() does without."""

    _library = None

    def __getattr__(self, name):
        if _Lazy._library is None:
            _Lazy._library = _open()
        return getattr(_Lazy._library, name)


library = _Lazy()


def version():
    """Of the library, "0.1.0"."""
    return library.sl_version().decode()


def _bytes(text):
    return None if text is None else os.fsencode(text)


def _call(function, *arguments):
    err = _Err()
    status = getattr(library, function)(*arguments, ctypes.byref(err))
    if status:
        raise Error(-status, err.text.decode("utf-8", "replace"))


def _seconds(micro):
    """int64 microseconds as float64 seconds; nan where there is no time."""
    out = micro / _SECOND
    out[(micro == _NONE) | (micro == _NEVER)] = np.nan
    return out


class _Table:
    """Columns by name, each made when it is first asked for. table["wait"]; list(table): the names."""

    def __init__(self, owner, name, keep=True):
        self._owner = owner
        self._name = name
        self._kept = {} if keep else None

    def __iter__(self):
        i = 0
        while (name := library.sl_run_column_at(self._name.encode(), i)) is not None:
            yield name.decode()
            i += 1

    def __contains__(self, name):
        return name in list(self)

    def __getitem__(self, name):
        if self._kept is not None and name in self._kept:
            return self._kept[name]
        column = _Column()
        if not library.sl_run_column(self._owner._handle, self._name.encode(), name.encode(), ctypes.byref(column)):
            raise KeyError(f"there is no column {name!r} in {self._name!r} (yet)")
        made = _array(column)
        if name in _TIMES and made.dtype == np.int64:  # usage["suspended"] counts jobs.
            made = _seconds(made)
        if self._kept is not None:
            self._kept[name] = made
        return made

    def __len__(self):
        return len(self[next(iter(self))])

    def frame(self):
        """All columns as a dict of arrays: pandas.DataFrame(run.jobs.frame())."""
        return {name: self[name] for name in self if name in self._there()}

    def _there(self):
        for name in self:
            try:
                self[name]
            except KeyError:
                continue
            yield name


def _array(column):
    """A copy, so that it outlives the run."""
    if column.type == _TEXT:
        texts = (ctypes.c_char_p * column.count).from_address(column.data)
        return np.array([(text or b"").decode("utf-8", "replace") for text in texts], dtype=object)
    kind = np.dtype(_TYPE[column.type])
    if not column.count:
        return np.zeros(0, kind)
    length = (column.count - 1) * column.stride + kind.itemsize
    raw = (ctypes.c_char * length).from_address(column.data)
    return np.ndarray((column.count,), kind, raw, strides=(column.stride,)).copy()


class Scenario:
    """A trace on a machine: files are read once, any number of runs use it.

    trace, cluster: paths (cluster None: as the trace says). settings: as --set takes them, a dict
    {"replay.load": 1.2, "cluster.cpus": 320} or a list of "key=value". plugins: paths of .so files.
    """

    def __init__(self, trace, cluster=None, settings=None, plugins=()):
        self._session = ctypes.c_void_p()
        self._handle = ctypes.c_void_p()
        if isinstance(settings, dict):
            settings = [f"{key}={value}" for key, value in settings.items()]
        texts = [text.encode() for text in settings or ()]
        given = (ctypes.c_char_p * (len(texts) + 1))(*texts, None)
        _call("sl_session_new", ctypes.byref(self._session))
        for path in plugins:
            _call("sl_session_plugin", self._session, _bytes(path))
        _call("sl_scenario_open", ctypes.byref(self._handle), self._session, os.fsencode(trace), _bytes(cluster), given)

    def run(self, policy="easy", seed=1, check=False, record=True):
        """A run to its end. policy as -p takes it; record=False: neither usage nor reasons, and faster."""
        return Run(self, policy, seed, check, record)

    def start(self, policy="easy", seed=1, check=False, record=True):
        """A run in steps, before its first event."""
        return Step(self, policy, seed, check, record)

    def __del__(self):
        if getattr(self, "_handle", None):
            library.sl_scenario_free(self._handle)
        if getattr(self, "_session", None):
            library.sl_session_free(self._session)


class _AnyRun:
    def __init__(self, scenario, policy, seed, check, record):
        self.scenario = scenario  # It lives as long as its runs.
        self.policy = policy
        self._handle = ctypes.c_void_p()
        if not 0 <= seed < 2**63:
            raise ValueError(f"a seed is a whole number from 0 to 2^63 - 1, not {seed}")
        self._recorded = record
        flags = (1 if check else 0) | (2 if record else 0)
        _call("sl_run_new", ctypes.byref(self._handle), scenario._handle, policy.encode(), seed, flags)

    def __del__(self):
        if getattr(self, "_handle", None):
            library.sl_run_free(self._handle)

    def _names(self, table):
        try:
            return _Table(self, table)["name"]
        except KeyError:
            return None

    def _named(self, table, column):
        """What a column of numbers stands for; the numbers, where they stand for themselves."""
        numbers = self.jobs[column]
        names = self._names(table)
        if names is None:
            return numbers
        return np.array([names[i] if i >= 0 else "" for i in numbers], dtype=object)

    @property
    def ids(self):
        """Job ids by row: numbers, or texts where the trace has texts."""
        names = self._names("ids")
        return self.jobs["id"] if names is None else names

    @property
    def users(self):
        """The user of each row."""
        return self._named("users", "user")

    @property
    def accounts(self):
        return self._named("accounts", "account")

    @property
    def partitions(self):
        return self._named("partitions", "partition")

    @property
    def states(self):
        """The state of each row, "COMPLETED"."""
        states = self.jobs["state"]
        names = {i: library.sl_state_name(int(i)).decode() for i in np.unique(states)}
        return np.array([names[i] for i in states], dtype=object)


class _Over:
    """What a run leaves."""

    def _take(self):
        self.jobs = _Table(self, "jobs")
        self.usage = _Table(self, "usage")
        self.reasons = _Table(self, "reasons")
        self.attempts = _Table(self, "attempts")
        self._charges = None
        self.metrics = {}
        micro = ctypes.c_int64()
        while (name := library.sl_run_metric_at(self._handle, len(self.metrics), ctypes.byref(micro))) is not None:
            self.metrics[name.decode()] = micro.value / 1e6
        self.digest = f"{library.sl_run_digest(self._handle):016x}"

    @property
    def charges(self):
        """What each second of each wait is charged to: job_id, from, to, reason, detail (as reasons.csv)."""
        if not self._recorded:
            raise Error(2, "no reasons were recorded: make the run with record=True")
        if self._charges is None:
            with tempfile.TemporaryDirectory() as folder:
                self.write("reasons.csv", os.path.join(folder, "reasons.csv"))
                self._charges = _csv_columns(os.path.join(folder, "reasons.csv"))
        return self._charges

    def write(self, report, path):
        """One of the files of a run's directory: write("jobs.csv", path)."""
        _call("sl_run_write", self._handle, report.encode(), _bytes(path))


class Run(_AnyRun, _Over):
    """A run that is over: jobs, usage, reasons, attempts (tables of columns), metrics, digest."""

    def __init__(self, *given):
        super().__init__(*given)
        _call("sl_run_go", self._handle)
        self._take()


class Step(_AnyRun, _Over):
    """A run in steps. jobs["start"], ["end"], ["state"] are the present ones; after end() it is as a Run."""

    def __init__(self, *given):
        super().__init__(*given)
        _call("sl_run_begin", self._handle)
        self.jobs = _Table(self, "jobs", keep=False)
        self.nodes = _Table(self, "nodes", keep=False)  # cpus, mem, gpus; what is free of each: cpus_free ...
        self._over = False

    @property
    def now(self):
        """Seconds: of the last instant at which something happened."""
        return library.sl_now(self._state()) / _SECOND

    @property
    def next(self):
        """When something happens next; None: never."""
        at = library.sl_run_next(self._handle)
        return None if at == _NEVER else at / _SECOND

    def step(self):
        """The next instant, its events and its pass. False: there was none."""
        at = library.sl_run_next(self._handle)
        if at == _NEVER:
            return False
        _call("sl_run_until", self._handle, at)
        return True

    def until(self, seconds=None):
        """Everything at or before that time; None: to the end."""
        micro = float("inf") if seconds is None else seconds * _SECOND
        if micro != micro:
            raise ValueError("nan is no time: give seconds, or None for the end")
        at = _NEVER if micro >= _NEVER else _NONE + 1 if micro <= _NONE else round(micro)
        _call("sl_run_until", self._handle, at)

    def free(self, kind="cpus"):
        """What is free of the whole cluster: cpus, mem (MiB), gpus."""
        state = self._state()
        if kind == "gpus" and len(self.nodes["gpus"]):  # Of all types.
            return int(self.nodes["gpus_free"].sum())
        return library.sl_free(state, _KIND[kind])

    def queue(self, limit=None):
        """Rows of the waiting jobs, first to last; limit: no more than so many."""
        state = self._state()
        count = library.sl_queue_count(state)
        rows = np.empty(count if limit is None else min(count, limit), np.uint32)
        job = library.sl_queue_first(state) if len(rows) else None
        for i in range(len(rows)):
            rows[i] = job.row
            job = library.sl_queue_after(state, job)
        return rows

    def running(self):
        """Rows of the running jobs."""
        return np.flatnonzero(self.jobs["state"] == _RUNNING).astype(np.uint32)

    def question(self):
        """Under the policy agent: (rows of the jobs that may start now, may it wait?); None: it does not ask."""
        question = _Question()
        if not library.sl_run_awaits(self._handle, ctypes.byref(question)):
            return None
        return [question.offered[i].row for i in range(question.count)], question.may_wait

    def decide(self, row=None):
        """Answers: that job starts; None: none of them, until something else happens. until() goes on."""
        _call("sl_run_decide", self._handle, _Job(0xFFFFFFFF if row is None else int(row)))

    def end(self):
        """Takes the result, as far as it has come. Returns self: metrics, jobs, digest."""
        if not self._over:
            _call("sl_run_end", self._handle)
            self._over = True
            self._take()
        return self

    def _state(self):
        state = library.sl_run_state(self._handle)
        if not state:
            raise Error(2, "the run is over: it has no present state")
        return state


# ---- Learning ------------------------------------------------------------------------------------

try:
    import gymnasium as _gym
except ImportError:
    _gym = None


class _Box:
    """What SchedlabEnv needs of gymnasium.spaces.Box, where there is no gymnasium."""

    def __init__(self, low, high, shape, dtype):
        self.low = np.full(shape, low, dtype)
        self.high = np.full(shape, high, dtype)
        self.shape = shape
        self.dtype = np.dtype(dtype)

    def contains(self, x):
        return (isinstance(x, np.ndarray) and x.shape == self.shape and np.can_cast(x.dtype, self.dtype)
                and bool(np.all(x >= self.low) and np.all(x <= self.high)))


class _Discrete:
    """Likewise of gymnasium.spaces.Discrete."""

    def __init__(self, n):
        self.n = n
        self.shape = ()
        self.dtype = np.dtype(np.int64)

    def contains(self, x):
        return isinstance(x, (int, np.integer)) and 0 <= int(x) < self.n


_FEATURES = ("there", "wait", "limit", "size", "offered")


class SchedlabEnv(_gym.Env if _gym else object):
    """A run as an environment of Gymnasium: at each step the agent says which waiting job starts.

    It is asked whenever one of the first `slots` jobs of the queue could start. Action k < slots starts the k-th of
    the queue, action slots waits until something else happens; mask (info["action_mask"], action_masks()) says which
    may be taken, and one that may not raises ValueError.

    Observation: float32 in 0..1, slots rows of `there`, wait / (wait + 1 h), limit / (limit + 1 h), size / cpus,
    `offered`; then the free share of the cpus, of the GPUs (0: it has none), and queue / (queue + slots).
    reward: "wait", "bounded_slowdown" (each the change of minus its sum over the jobs submitted so far, divided by
    all jobs) or "utilization" (the change of the busy share since the first submission). Rewards of an episode
    add up to -wait.mean, -bounded_slowdown.mean, utilization.cpus of metrics, where all jobs end and run once.
    mask: "fits", or "easy": nobody who delays the first in the queue.

    Each environment has a run of its own; several may share a scenario, on threads of their own.
    """

    metadata = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(self, scenario, slots=64, reward="wait", mask="fits"):
        if reward not in ("wait", "bounded_slowdown", "utilization"):
            raise ValueError(f"reward is one of wait, bounded_slowdown, utilization, not {reward!r}")
        spaces = _gym.spaces if _gym else None
        self.scenario = scenario if isinstance(scenario, Scenario) else Scenario(scenario)
        self.slots = slots
        self.reward = reward
        self.policy = f"agent:slots={slots},mask={mask}"
        width = slots * len(_FEATURES) + 3
        box = spaces.Box if spaces else _Box
        self.observation_space = box(0.0, 1.0, (width,), np.float32)
        self.action_space = (spaces.Discrete if spaces else _Discrete)(slots + 1)
        self.run = None
        self._seed = 1

    def reset(self, *, seed=None, options=None):
        """A new episode: the run from its beginning, up to its first question."""
        if _gym:
            super().reset(seed=seed)
        if seed is not None:
            self._seed = int(seed)
        self.run = self.scenario.start(self.policy, seed=self._seed, record=False)
        self.choices = []
        jobs = self.run.jobs
        self._submit = jobs["submit"]
        self._limit = jobs["time_limit"]
        self._length = jobs["run_traced"]
        self._size = jobs["size"].astype(float)
        self._cpus = self.run.free("cpus")
        self._gpus = self.run.free("gpus")
        self._value = 0.0
        self._over = False
        self._go()
        self._value = 0.0  # What it was worth until here is of the first step's reward.
        return self._observe(), self._info()

    def step(self, action):
        """-> observation, reward, terminated, truncated, info."""
        if self.run is None or self._over:
            raise RuntimeError("the episode is over, or has not begun: reset() first")
        if not self.action_space.contains(action) or not self._mask[action]:
            raise ValueError(f"action {action!r} is masked, or none: see action_masks()")
        row = None if action == self.slots else int(self._queue[action])
        self.run.decide(row)
        self.choices.append(-1 if row is None else row)
        before = self._value
        self._go()
        return self._observe(), self._value - before, self._over, False, self._info()

    def action_masks(self):
        """Which actions may be taken (the name that MaskablePPO asks for)."""
        return self._mask.copy()

    def save_choices(self, path):
        """For -p agent:choices=PATH, with the same slots and mask."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": "schedlab.choices/1", "choices": self.choices}, file)
            file.write("\n")

    def render(self):
        """Nothing is drawn."""

    def close(self):
        self.run = None

    def _go(self):
        self.run.until(None)
        question = self.run.question()
        self._mask = np.zeros(self.slots + 1, bool)
        if question is None:
            self.run.end()
            self._over = True
            self._queue = np.zeros(0, np.uint32)
            self._mask[self.slots] = True  # Never all false, as samplers want it.
        else:
            offered, may_wait = question
            self._queue = self.run.queue(self.slots)
            self._mask[: len(self._queue)] = np.isin(self._queue, offered)
            self._mask[self.slots] = may_wait
        self._value = self._worth()

    def _worth(self):
        """Of what has happened so far: rewards are its changes."""
        start, submit = self.run.jobs["start"], self._submit
        now = np.nanmax(self.run.jobs["end"], initial=0.0) if self._over else self.run.now
        there = submit <= now
        if self.reward == "utilization":
            first = submit[0]
            busy = np.clip(np.minimum(start + self._length, now) - start, 0, None)
            return float(np.nansum(busy * self._size) / (self._cpus * (now - first))) if now > first else 0.0
        wait = np.where(there, np.where(np.isnan(start), now, start) - submit, 0.0)
        if self.reward == "wait":
            return -float(wait.sum()) / len(submit)
        slowdown = np.maximum(1.0, (wait + self._length) / np.maximum(self._length, 10.0))
        return -float(slowdown[there].sum()) / len(submit)

    def _observe(self):
        seen = np.zeros((self.slots, len(_FEATURES)), np.float32)
        rows = self._queue
        free = (0.0, 0.0, 0.0)
        if not self._over:
            wait = self.run.now - self._submit[rows]
            seen[: len(rows)] = np.stack([
                np.ones(len(rows)), wait / (wait + 3600), self._limit[rows] / (self._limit[rows] + 3600),
                np.minimum(1.0, self._size[rows] / self._cpus), self._mask[: len(rows)]], axis=1)
            waiting = library.sl_queue_count(self.run._state())
            free = (self.run.free("cpus") / self._cpus, self.run.free("gpus") / self._gpus if self._gpus else 0.0,
                    waiting / (waiting + self.slots))
        return np.concatenate([seen.ravel(), np.array(free, np.float32)]).astype(np.float32)

    def _info(self):
        info = {"action_mask": self._mask.copy()}
        if self._over:
            info["metrics"] = self.run.metrics
            info["digest"] = self.run.digest
        else:
            info["time"] = self.run.now
        return info


# ---- What a directory holds ---------------------------------------------------------------------


class Loaded:
    """A run's directory: run (run.json), metrics, and tables as dicts of numpy columns."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self.run = self._json("run.json")
        self.metrics = self._json("metrics.json") if self._has("metrics.json") else {}
        self._tables = {}

    def _has(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def _json(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return json.load(file)

    def table(self, name):
        """ "jobs" is jobs.csv: {column: array}; numbers as float64 (nan: empty), else texts."""
        if name not in self._tables:
            self._tables[name] = _csv_columns(os.path.join(self.path, name + ".csv"))
        return self._tables[name]

    def __getattr__(self, name):
        if name in ("jobs", "usage", "reasons", "attempts", "gauges"):
            return self.table(name)
        raise AttributeError(name)


def _csv_columns(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        columns = list(zip(*rows)) or [()] * len(header)
    return {key: _numbers(column) for key, column in zip(header, columns)}


def _numbers(column):
    try:
        return np.array([float(text) if text else np.nan for text in column])
    except ValueError:
        return np.array(column, dtype=object)


def load(path):
    """A directory that `schedlab run -o` or `compare -o` wrote, without the library."""
    return Loaded(path)
