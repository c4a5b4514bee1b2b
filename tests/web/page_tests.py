# SPDX-License-Identifier: GPL-3.0-or-later
"""page_tests.py - what must hold of a report page in a browser; one function a test, in the order of the page.

The page's hooks (ids, data-test) are listed at the head of reports/page/src/shell.js, gantt.js, heat.js, search.js, card.js.
"""
import csv
import json
import re


def all_tests():
    return [value for name, value in globals().items() if name.startswith("test_")]


SECTIONS = ["summary", "picture", "comparison", "time", "distribution", "gantt", "heat", "shares", "search", "methods"]
SHIFT, CTRL = 8, 2


def at(box, x=0.5, y=0.5):
    return box["x"] + box["width"] * x, box["y"] + box["height"] * y


def near(a, b, tolerance):
    return abs(a - b) <= tolerance


# ---- Opening


def quiet(b, path):
    """Nothing is said on the console, asked of the network or stopped by the policy; what is wrong with that."""
    wrong = [f"console: {entry['message']}" for entry in b.logs("browser")]
    for entry in b.logs("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Network.requestWillBeSent":
            continue
        address = message["params"]["request"]["url"]
        if address.split("#")[0] != "file://" + path and not address.startswith(("data:", "blob:")):
            wrong.append(f"network: {address[:200]}")
    watched = b.run("return window.watched")
    wrong += [f"policy: {what}" for what in watched["policy"]]
    wrong += ["a dialog was opened"] * watched["alerts"]
    wrong += [f"resource: {name}" for name in b.run(
        "return performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !/^(data|blob):/.test(n))")]
    wrong += [f"message: {text}" for text in b.run("return page.errors")]
    return wrong


def test_opens(b, p):
    """each page opens whole: nothing on the console, no request, nothing that its policy stopped"""
    for path in (p.small, p.nodes, p.one):
        b.open(path)
        wrong = quiet(b, path)
        assert not wrong, f"{path}: {wrong[:5]}"
        policy = b.run("return document.querySelector('meta[http-equiv=\"Content-Security-Policy\"]').content")
        assert "default-src 'none'" in policy and "unsafe" not in policy, policy


def test_policy_holds(b, p):
    """the page's policy stops a script, a style, a picture and a request that somebody might put in"""
    b.open(p.small)
    b.run("""
        const script = document.createElement('script');
        script.textContent = 'window.intruded = 1';
        document.body.append(script);
        const image = new Image();
        image.src = 'https://example.invalid/x.png';
        document.body.append(image);
        fetch('https://example.invalid/').catch(() => {});
        const box = document.createElement('div');
        box.setAttribute('onclick', 'window.intruded = 2');
        document.body.append(box);
        box.click();""")
    b.wait("watched.policy.length >= 3")
    assert b.run("return window.intruded === undefined")
    b.logs("browser")  # It says so there.


def test_sections(b, p):
    """every section is there, in order, with a heading, and a link at the top goes to it"""
    b.open(p.small)
    ids = b.run("return [...document.querySelectorAll('main > section')].map((s) => s.id)")
    assert ids == [s for s in SECTIONS if s in ids] and set(SECTIONS) - {"shares"} <= set(ids), ids
    for name in ids:
        assert b.run("return document.querySelector('#' + arguments[0] + ' h2').textContent.trim()", name)
        assert b.run("return document.querySelectorAll('nav a[href=\"#' + arguments[0] + '\"]').length", name) == 1, name
        assert b.run("return document.getElementById(arguments[0]).getAttribute('aria-busy') !== 'true'", name), name


def test_summary(b, p):
    """the summary names trace, policies, seed and digests, and says in words which is better"""
    b.open(p.small)
    text = b.run("return document.getElementById('summary').textContent")
    run = json.load(open(p.path("small", "2-easy", "run.json"), encoding="utf-8"))
    for what in ("lublin-256.swf", "fcfs", "easy", "sjf", str(run["digest"])[:12]):
        assert what in text, f"no {what!r} in {text[:500]!r}"
    verdict = b.run("return document.querySelector('[data-test=verdict]').textContent")
    assert "easy" in verdict and len(verdict) > 30, verdict


# ---- The table


def order(b):
    return b.run("""return [...document.querySelectorAll('[data-test=comparison] tbody tr')].map((r) => +r.dataset.run)""")


def values(b, metric):
    return b.run("""return [...document.querySelectorAll('[data-test=comparison] td[data-metric="' + arguments[0] + '"]')]
        .map((c) => +c.dataset.value)""", metric)


def test_table_is_metrics_json(b, p):
    """the comparison's values are those of metrics.json, and differences have a sign and a word"""
    b.open(p.small)
    for run, name in enumerate(("1-fcfs", "2-easy", "3-sjf")):
        metrics = json.load(open(p.path("small", name, "metrics.json"), encoding="utf-8"))
        told = b.run("""return [...document.querySelectorAll('[data-test=comparison] tr[data-run="' + arguments[0] + '"] td')]
            .map((c) => [c.dataset.metric, +c.dataset.value])""", run)
        assert len(told) >= 4, told
        for metric, value in told:
            assert near(metrics[metric], value, 1e-6 * max(1, abs(value))), (name, metric, value, metrics[metric])
    cell = b.run("return document.querySelector('tr[data-run=\"1\"] td[data-metric=\"wait.mean\"]').textContent")
    assert re.search("[\u2212-]", cell) and ("better" in cell or "no interval" in cell), cell


def test_table_sorts(b, p):
    """the table sorts by click and by keyboard, and says so to screen readers"""
    b.open(p.small)
    head = "[data-test=comparison] th[data-metric='wait.mean']"
    sort = lambda: b.run("return document.querySelector(arguments[0]).getAttribute('aria-sort')", head)
    b.click(head + " button")
    assert sort() == "ascending" and values(b, "wait.mean") == sorted(values(b, "wait.mean")), (sort(), values(b, "wait.mean"))
    b.run("document.querySelector(arguments[0] + ' button').focus()", head)
    b.key("Enter")
    assert sort() == "descending" and values(b, "wait.mean") == sorted(values(b, "wait.mean"), reverse=True), sort()
    others = b.run("return [...document.querySelectorAll('[data-test=comparison] th[aria-sort]')].filter((h) => h.ariaSort !== 'none').length")
    assert others == 1, f"{others} columns say that they are the sorted one"
    b.click("[data-test=comparison] th:first-child button")
    assert order(b) == [0, 1, 2], order(b)


def test_all_metrics(b, p):
    """all metrics can be unfolded, and filtered by a part of their name"""
    b.open(p.small)
    b.click("#comparison details summary")
    b.wait("document.querySelector('[data-test=metrics] tbody tr')")
    b.run("document.querySelector('[data-test=metrics-filter]').focus()")
    b.type("queue.me")
    names = b.run("return [...document.querySelectorAll('[data-test=metrics] tbody tr th')].map((c) => c.textContent)")
    assert names == ["queue.mean"], names


# ---- Over time


def linked(b):
    return b.run("""return [...document.querySelectorAll('#time [data-test=chart]')].filter((e) => e.offsetParent)
        .map((e) => e.dataset.chart)""")


def over(name):
    return f"[data-chart='{name}'] .u-over"


def test_cursor_is_linked(b, p):
    """the pointer on one chart shows the values of all charts at the same time, those of usage.csv"""
    b.open(p.small)
    names = linked(b)
    assert len(names) >= 2, names
    b.hover(*at(b.box(over(names[0])), 0.4))
    time = b.run("return page.cursor.get()")
    assert time is not None
    for name in names:
        text = b.run("return document.querySelector('[data-chart=\"' + arguments[0] + '\"] [data-test=readout]').textContent", name)
        assert re.search(r"\d", text), f"{name} reads nothing: {text!r}"
    held = [row for row in p.rows("small", "2-easy", "usage.csv") if float(row["time"]) <= time][-1]
    name = next(n for n in names if n.endswith("queued") and "cpu" not in n)
    shown = b.run("return page.charts[arguments[0]].values(arguments[1])", name, time)[1]
    assert shown == float(held["jobs_queued"]), f"{shown} jobs waiting shown at {time}, not {held['jobs_queued']}"
    b.mouse("mouseMoved", 5, 5)
    b.frames()
    assert b.run("return page.cursor.get()") is None


def test_zoom_by_drag(b, p):
    """a drag across a chart zooms all of them and the schedule; a double click shows the whole again"""
    b.open(p.small)
    names = linked(b)
    full = b.run("return page.time.full")
    box = b.box(over(names[0]))
    b.drag(*at(box, 0.25), *at(box, 0.5))
    now = b.run("return page.time.get()")
    span = full["to"] - full["from"]
    assert near(now["from"], full["from"] + span * 0.25, span * 0.02), (now, full)
    assert near(now["to"], full["from"] + span * 0.5, span * 0.02), (now, full)
    for name in names:
        b.box(over(name))  # Out of sight a chart waits until it is seen.
        b.frames()
        scale = b.run("const x = page.charts[arguments[0]].plot.scales.x; return [x.min, x.max]", name)
        assert near(scale[0], now["from"], 1) and near(scale[1], now["to"], 1), (name, scale, now)
    b.press(*at(b.box(over(names[1]))), count=2)
    now = b.run("return page.time.get()")
    assert now == full, (now, full)
    assert b.run("return document.querySelector('[data-test=reset-time]').disabled")


def test_picture(b, p):
    """the page opens with a chart of use and one of the queue for each run, side by side, on the same scales"""
    b.open(p.small)
    b.box("[data-test=multiples]")
    b.frames()
    rows = b.run("""return [...document.querySelectorAll('[data-test=multiples-row]')]
        .map((row) => [...row.querySelectorAll('[data-test=chart]')].map((e) => e.dataset.chart))""")
    assert rows == [[f"glance-{of}-{k}" for k in range(3)] for of in ("cpus", "queued")], rows
    tops = b.run("return arguments[0].map((name) => page.charts[name].plot.scales.y.max)", rows[1])
    assert len(set(tops)) == 1, tops
    row = p.rows("small", "2-easy", "usage.csv")[700]
    shown = b.run("return page.charts['glance-queued-1'].values(arguments[0])[0]", float(row["time"]))
    assert shown == float(row["jobs_queued"]), (shown, row)
    assert not b.run("return document.querySelector('#picture [data-chart=glance-gpus-0]') !== null")
    assert b.run("return page.charts['glance-survival'].plot.data.length") == 1 + 3, "who waits longest, all over each other"
    b.open(p.one)
    assert b.run("return document.querySelector('#picture')") is None


def test_difference_to_first(b, p):
    """a chart of its own has each other run's jobs waiting less the first run's, below 0 too"""
    b.open(p.small)
    b.box(over("use-queued-less"))
    b.frames()
    time = float(p.rows("small", "2-easy", "usage.csv")[900]["time"])
    both = b.run("return [page.charts['use-queued'].values(arguments[0]), page.charts['use-queued-less'].values(arguments[0])]", time)
    queued, less = both
    assert less == [queued[1] - queued[0], queued[2] - queued[0]] and less[0] < 0, both
    assert b.run("return page.charts['use-queued-less'].plot.scales.y.min") < 0


def test_survival(b, p):
    """on two logarithms a curve is the share that waited longer, and ends where nobody did"""
    b.open(p.small)
    b.choose("[data-test=cdf-of]", "wait_survival")
    b.box(over("cdf-all-0"))
    b.frames()
    found = b.run("""const u = page.charts['cdf-all-0'].plot;
        return [...u.data[2]].filter((v) => Number.isFinite(v))""")
    assert found[0] == 0 and all(x >= y for x, y in zip(found, found[1:])), found[:5]
    waits = sorted(float(row["wait"]) for row in p.rows("small", "2-easy") if row["wait"])
    least = 10 ** found[-1]
    assert 0 < least < 0.05, (least, len(waits))


def test_unfair(b, p):
    """with metrics of the field: by user and period what the metrics say in sum, and waits by size and run time as a table"""
    b.open(p.field)
    b.box("[data-test=unfair]")
    b.frames()
    metrics = p.metrics("field", "2-sjf")
    found = b.run("""return page.data.block(page.runs[1].unfair.user[0].missed).then((missed) =>
        page.data.block(page.runs[1].unfair.user[0].jobs).then((jobs) => [page.runs[1].unfair.user[0].name,
            missed.reduce((a, x) => a + x, 0) / jobs.reduce((a, x) => a + x, 0)]))""")
    name, mean = found
    assert abs(mean - metrics[f"fair_start.miss.mean{{user={name}}}"]) < 1e-3, found
    assert b.run("return document.querySelectorAll('#unfair [data-test=chart]').length") > 1
    cells = b.run("""return [...document.querySelectorAll('#waits [data-test=waits-table]')].map((table) => table.querySelectorAll('.wait-cell').length)""")
    assert cells == [len([key for key in p.metrics("field", run) if key.startswith("wait.mean{size=") and ",run=" in key]) for run in ("1-easy", "2-sjf")], cells
    b.open(p.small)
    assert b.run("return !document.querySelector('#unfair') && !document.querySelector('#waits')")


# ---- The schedule


GANTT = "canvas[data-test=gantt]"


def biggest(b):
    """The bar of the schedule that is largest now: its place in the window, its job's row and id."""
    b.box(GANTT)
    b.frames()
    return b.run("""
        const plane = page.gantt.planes[0];
        const bars = plane.layer.bars;
        const view = plane.view;
        const box = plane.base.getBoundingClientRect();
        let best = -1, most = 0;
        for (let i = 0; i < bars.from.length; i++) {
            const w = Math.min(bars.end[i], view.to) - Math.max(bars.from[i], view.from);
            const h = Math.min(bars.row[i] + bars.tall(i), view.bottom) - Math.max(bars.row[i], view.top);
            if (w > 0 && h > 0 && w * h > most) {
                most = w * h;
                best = i;
            }
        }
        const x = (Math.max(bars.from[best], view.from) + Math.min(bars.end[best], view.to)) / 2;
        const y = (Math.max(bars.row[best], view.top) + Math.min(bars.row[best] + bars.tall(best), view.bottom)) / 2;
        return { x: box.x + plane.x(x), y: box.y + plane.y(y), job: bars.job[best], id: String(bars.jobs.id(bars.job[best])),
            from: bars.from[best], end: bars.end[best] };""")


def tip(b):
    return b.wait("[...document.querySelectorAll('#gantt [data-test=plane-tip]')].filter((e) => !e.hidden).map((e) => e.textContent)[0]",
                  seconds=5)


def test_schedule_names_jobs(b, p):
    """the bar under the pointer is that job of jobs.csv: its id, its user, when it ran"""
    for path, name in ((p.small, "small"), (p.nodes, "nodes")):
        b.open(path)
        bar = biggest(b)
        b.hover(bar["x"], bar["y"])
        text = tip(b)
        assert bar["id"] in text, f"{text!r} does not name job {bar['id']}"
        runs = b.run("return page.gantt.planes.map((plane) => plane.run.folder || plane.run.label)")
        row = next(r for r in p.rows(name, runs[0]) if r["job_id"] == bar["id"])
        tick = b.run("return page.data.seconds(page.gantt.planes[0].run, arguments[0])", bar["from"])
        assert near(tick, float(row["start"]), 0.01), (tick, row)
        tick = b.run("return page.data.seconds(page.gantt.planes[0].run, arguments[0])", bar["end"])
        assert near(tick, float(row["end"]), 0.01), (tick, row)
        assert row["user"] in text, (row["user"], text)


def test_schedule_has_every_job(b, p):
    """every job that ran has its bars, and on one row no two jobs are there at a time"""
    for path in (p.small, p.nodes):
        b.open(path)
        found = b.run("""
            const bars = page.gantt.planes[0].layer.bars;
            const { jobs } = bars;
            const seen = new Set(bars.job);
            const missing = [];
            for (let j = 0; j < jobs.count; j++)
                if (jobs.wait[j] !== page.data.NEVER && !seen.has(j))
                    missing.push(jobs.id(j));
            const until = new Map();
            let twice = 0;
            for (let i = 0; i < bars.count; i++)
                for (let row = bars.row[i]; row < bars.row[i] + bars.tall(i); row++) {
                    twice += (until.get(row) ?? -Infinity) > bars.from[i];
                    until.set(row, bars.end[i]);
                }
            return { missing, twice, count: bars.count };""")
        assert not found["missing"] and not found["twice"] and found["count"] > 100, found


def test_schedule_moves(b, p):
    """the schedule zooms at the pointer by wheel, pans by drag and by keys, and the charts follow"""
    b.open(p.small)
    full = b.run("return page.time.full")
    x, y = at(b.box(GANTT), 0.6, 0.5)
    before = b.run("const pl = page.gantt.planes[0]; return pl.place({ clientX: arguments[0], clientY: arguments[1] }).at", x, y)
    b.wheel(x, y, -240, CTRL)
    zoomed = b.run("return page.time.get()")
    assert zoomed["to"] - zoomed["from"] < 0.95 * (full["to"] - full["from"]), (zoomed, full)
    after = b.run("const pl = page.gantt.planes[0]; return pl.place({ clientX: arguments[0], clientY: arguments[1] }).at", x, y)
    span = b.run("const v = page.gantt.planes[0].view; return v.to - v.from")
    assert near(before, after, span * 0.01), "what was under the pointer is not there any more"
    b.drag(x, y, x - 100, y)
    panned = b.run("return page.time.get()")
    assert panned["from"] > zoomed["from"] and near(panned["to"] - panned["from"], zoomed["to"] - zoomed["from"], 1), (panned, zoomed)
    name = linked(b)[0]
    scale = b.run("return page.charts[arguments[0]].plot.scales.x.min", name)
    b.box(over(name))
    b.wait("Math.abs(page.charts[arguments[0]].plot.scales.x.min - arguments[1]) < 1", name, panned["from"], seconds=5)
    b.run("document.querySelector(arguments[0]).focus()", GANTT)
    b.key("ArrowLeft")
    b.frames()
    assert b.run("return page.time.get().from") < panned["from"], scale
    b.key("0")
    b.frames()
    assert b.run("return page.time.get()") == full


# ---- The heat map


def test_heat_tells_its_value(b, p):
    """the heat map's value under the pointer is the share of the node's cpus that jobs held in that time, by jobs.csv"""
    b.open(p.nodes)
    jobs = {row["job_id"]: row for row in p.rows("nodes", "1-fcfs")}
    box = b.box("canvas[data-test=heat]")
    checked = 0
    for x in (0.12, 0.2, 0.35, 0.5, 0.7):
        for y in (0.1, 0.3, 0.6):
            b.hover(*at(box, x, y))
            told = b.run("""
                const plane = page.heat.planes[0];
                const place = plane.place({ clientX: arguments[0], clientY: arguments[1] });
                const tip = document.querySelector('#heat [data-test=plane-tip]:not([hidden])');
                const value = plane.layer.value(place.at, Math.floor(place.row));
                const name = plane.kind.word(value.first);
                return { ...value, text: tip && tip.textContent, name, from: page.data.seconds(plane.run, value.from),
                    until: page.data.seconds(plane.run, value.until) };""", *at(box, x, y))
            assert told["text"] and told["name"] in told["text"], told
            share = re.search(r"([\d.]+)\s*%", told["text"])
            assert share and near(float(share.group(1)) / 100, told["share"], 0.0051), told
            if not told["name"].startswith("cpu"):
                continue
            # Nodes cpu1 to cpu4 have 64 cpus; jobs of their partition that lie on one node are counted by the schedule's bars.
            held = b.run("""
                const bars = page.gantt.planes[0].layer.bars;
                const run = bars.run;
                const kind = page.gantt.planes[0].kind;
                const node = kind.names.indexOf(arguments[0]);
                const found = [];
                for (let i = 0; i < bars.from.length; i++)
                    if (kind.nodeOf(bars.row[i]) <= node && node <= kind.nodeOf(bars.row[i] + bars.tall(i) - 1))
                        found.push([String(bars.jobs.id(bars.job[i])), page.data.seconds(run, bars.from[i]), page.data.seconds(run, bars.end[i])]);
                return found;""", told["name"])
            busy = sum(int(jobs[job]["cpus"]) / int(jobs[job]["nodes"]) * max(0, min(end, told["until"]) - max(start, told["from"]))
                       for job, start, end in {tuple(bar) for bar in held})
            assert near(busy / (64 * (told["until"] - told["from"])), told["share"], 0.006), (told, busy)
            checked += 1
    assert checked >= 4, checked


# ---- A job


def test_search_and_card(b, p):
    """a job is found by its id; the reasons of its card add up to wait_total of jobs.csv"""
    b.open(p.small)
    rows = p.rows("small", "1-fcfs")
    longest = max(rows, key=lambda row: float(row["wait_total"]))
    b.run("page.time.reset()")
    b.click("[data-test=search]")
    b.type(longest["job_id"])
    b.wait("document.querySelector('[data-test=search-results] li[data-job=\"' + arguments[0] + '\"]')", longest["job_id"], seconds=20)
    b.key("ArrowDown")
    b.key("Enter")
    b.wait("!document.querySelector('[data-test=card]').hidden && document.querySelector('[data-test=card-sum]')", seconds=20)
    card = b.run("""
        const sum = document.querySelector('[data-test=card-sum]').dataset;
        const card = document.querySelector('[data-test=card]');
        return { job: card.dataset.job, sum: +sum.value, whole: +sum.whole, text: card.textContent, run: +card.dataset.run };""")
    assert card["job"].startswith(longest["job_id"]), card
    row = next(r for r in p.rows("small", ("1-fcfs", "2-easy", "3-sjf")[card["run"]]) if r["job_id"] == longest["job_id"])
    assert near(card["sum"], float(row["wait_total"]), 0.001), (card["sum"], row["wait_total"])
    assert near(card["whole"], float(row["wait_total"]), 0.001), (card["whole"], row["wait_total"])
    assert "schedlab explain" in card["text"], card["text"]
    b.key("Escape")
    assert b.run("return document.querySelector('[data-test=card]').hidden")


def test_search_filters(b, p):
    """a filter finds as many jobs as jobs.csv has"""
    b.open(p.small)
    run = b.run("const e = document.querySelector('[data-test=search-run]'); return e ? +e.value || 0 : 0")
    rows = p.rows("small", ("1-fcfs", "2-easy", "3-sjf")[run])
    wanted = sum(float(row["wait"]) > 3600 and int(row["cpus"]) >= 8 for row in rows)
    b.click("[data-test=search]")
    b.type("wait>1h cpus>=8")
    text = b.wait("(() => { const t = document.querySelector('[data-test=search-count]').textContent;"
                  " return t.replace(/[^0-9]/g, '').includes(String(arguments[0])) && t; })()", wanted, seconds=10)
    assert text


def test_link_to_a_job(b, p):
    """an address that ends in #job=ID opens that job's card"""
    b.call("POST", b.at("/url"), {"url": "about:blank"})
    b.call("POST", b.at("/url"), {"url": f"file://{p.small}#job=7"})
    b.wait("document.querySelector('[data-test=card]') && document.querySelector('[data-test=card]').dataset.job === '7'")


def test_click_on_a_bar(b, p):
    """a click on a bar of the schedule opens its job's card"""
    b.open(p.nodes)
    bar = biggest(b)
    b.press(bar["x"], bar["y"])
    b.wait("document.querySelector('[data-test=card]').dataset.job === arguments[0]", bar["id"], seconds=10)


# ---- Without a mouse, without eyes


def focused(b):
    return b.run("""
        const e = document.activeElement;
        const r = e.getBoundingClientRect();
        return { what: e === document.body ? 'body' : e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + '.' + (e.dataset.test || '') + ' ' +
            (e.getAttribute('aria-label') || e.textContent || e.getAttribute('placeholder') || '').trim().slice(0, 40),
            area: r.width * r.height, section: e.closest('section') ? e.closest('section').id : '' };""")


def test_keys(b, p):
    """'/' goes to the search, '?' shows the keys, Escape closes them, 't' changes the theme"""
    b.open(p.small)
    b.key("/")
    assert b.run("return document.activeElement.dataset.test") == "search"
    b.type("7")
    b.wait("document.querySelector('[data-test=search-results] li')")
    b.key("Enter")
    b.wait("!document.querySelector('[data-test=card]').hidden", seconds=10)
    b.key("Escape")
    b.run("document.activeElement.blur()")
    b.key("?", shift=True)
    assert b.run("return document.getElementById('help').open")
    b.key("Escape")
    assert not b.run("return document.getElementById('help').open")
    theme = b.run("return document.documentElement.dataset.theme")
    b.key("t")
    assert b.run("return document.documentElement.dataset.theme") != theme


def test_tab_reaches_everything(b, p):
    """Tab goes through all sections, never gets stuck, and what has the focus can be seen"""
    b.open(p.small)
    b.run("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen, sections = [], set()
    for _ in range(250):
        b.key("Tab")
        now = focused(b)
        if now["what"] == "body":
            break
        assert now["area"] > 0, f"the focus is on something that cannot be seen: {now['what']}"
        assert not seen or len(seen) < 2 or seen[-1] != now["what"] or seen[-2] != now["what"], f"stuck at {now['what']}"
        seen.append(now["what"])
        sections.add(now["section"])
    assert "Skip" in seen[0], seen[:3]
    wanted = {"comparison", "time", "distribution", "gantt", "heat", "search"}
    assert wanted <= sections, (sections, seen[-5:])
    b.key("Tab", shift=True)
    assert focused(b)["what"] != "body"


def test_pictures_have_tables(b, p):
    """every chart and canvas has a name and a table behind it, with rows in it"""
    b.open(p.nodes)
    for section in ("time", "distribution", "gantt", "heat", "shares"):
        if not b.run("return Boolean(document.getElementById(arguments[0]))", section):
            continue
        count = b.run("return document.querySelectorAll('#' + arguments[0] + ' details[data-test=alternative]').length", section)
        pictures = b.run("return document.querySelectorAll('#' + arguments[0] + ' [data-test=chart]').length", section)
        assert count >= max(1, pictures), f"#{section}: {count} tables behind {pictures} charts"
        b.run("for (const d of document.querySelectorAll('#' + arguments[0] + ' details[data-test=alternative]')) d.open = true", section)
        b.wait("[...document.querySelectorAll('#' + arguments[0] + ' details[data-test=alternative]')]"
               ".every((d) => d.querySelectorAll('tbody tr').length > 0 && d.querySelector('th[scope]'))", section, seconds=20)
    nameless = b.run("""return [...document.querySelectorAll('canvas')].filter((c) => c.offsetParent && c.getAttribute('aria-hidden') !== 'true'
        && !c.getAttribute('aria-label') && !c.closest('[aria-label], [aria-labelledby]')).map((c) => c.className)""")
    assert not nameless, nameless


def test_names_of_controls(b, p):
    """every button, field and link has a name; ids are there once; the page says its language"""
    b.open(p.nodes)
    wrong = b.run("""
        const nameless = [...document.querySelectorAll('button, a[href], input, select, [role=button], summary')].filter((e) =>
            !(e.textContent.trim() || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') ||
                (e.labels && e.labels.length)));
        const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
        const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
        const handlers = [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /^on/.test(a.name)));
        return [...nameless.map((e) => 'no name: ' + e.outerHTML.slice(0, 120)), ...twice.map((id) => 'twice: #' + id),
            ...handlers.map((e) => 'a handler: ' + e.outerHTML.slice(0, 120))];""")
    assert not wrong, wrong[:5]
    assert b.run("return document.documentElement.lang") == "en"


# ---- Looks


CONTRAST = """
const parse = (colour) => {
    const n = (colour.match(/[\\d.]+(e-?\\d+)?/g) || []).map(Number);
    return colour.startsWith('color(') ? { r: n[0] * 255, g: n[1] * 255, b: n[2] * 255, a: n[3] === undefined ? 1 : n[3] }
        : { r: n[0], g: n[1], b: n[2], a: n[3] === undefined ? 1 : n[3] };
};
const on = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a), a: 1 });
const light = (c) => {
    const [r, g, b] = [c.r, c.g, c.b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement)
        layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, layer) => layer.a ? on(layer, under) : under, parse(getComputedStyle(document.documentElement)
        .colorScheme.includes('dark') && matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(0,0,0)' : 'rgb(255,255,255)'));
};
const wrong = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let checked = 0;
for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    const style = getComputedStyle(e);
    const box = e.getBoundingClientRect();
    if (!node.data.trim() || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || box.width < 2 || box.height < 2 ||
        e.closest('script, style, noscript, :disabled, .unseen, option, dialog:not([open])'))
        continue;
    const under = ground(e);
    const over = on(parse(style.color), under);
    const [a, b] = [light(over), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700) ? 3 : 4.5;
    checked++;
    if (ratio < least)
        wrong.push(ratio.toFixed(2) + ' ' + style.color + ' on ' + JSON.stringify(under) + ': ' + node.data.trim().slice(0, 40));
}
return { checked, wrong };
"""


def test_dark(b, p):
    """in the dark everything else has other colours, and in either all text has a contrast of 4.5 and more"""
    grounds = {}
    try:
        for scheme in ("light", "dark"):
            b.media(prefers_color_scheme=scheme)
            b.open(p.nodes)
            b.run("for (const d of document.querySelectorAll('details')) d.open = true")
            b.frames()
            grounds[scheme] = b.run("return getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color")
            found = b.run(CONTRAST)
            assert found["checked"] > 100, found
            assert not found["wrong"], f"{scheme}: {len(found['wrong'])} of {found['checked']}: {found['wrong'][:6]}"
        assert grounds["light"] != grounds["dark"], grounds
        b.box(GANTT)
        paper = "String(document.querySelector('canvas[data-test=gantt]').getContext('2d').getImageData(0, 0, 1, 1).data)"
        dark = b.run("return " + paper)
        b.media(prefers_color_scheme="light")
        b.wait(paper + " !== arguments[0]", dark, seconds=10)
    finally:
        b.media()


def test_theme_button(b, p):
    """the button goes through the themes, whatever the system prefers"""
    b.open(p.small)
    seen = set()
    for _ in range(3):
        b.click("[data-test=theme]")
        seen.add((b.run("return document.documentElement.dataset.theme"), b.run("return getComputedStyle(document.body).backgroundColor")))
    assert {theme for theme, _ in seen} == {"auto", "dark", "light"}, seen
    assert len({ground for _, ground in seen}) == 2, seen


def test_print(b, p):
    """printed it is light, without controls, has all sections, and several pages"""
    try:
        b.media(prefers_color_scheme="dark")
        b.open(p.nodes)
        pdf = b.pdf()
        pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
        assert pdf.startswith(b"%PDF") and len(pdf) > 60000 and pages >= 3, (len(pdf), pages)
        headings = b.run("return [...document.querySelectorAll('main > section > h2')].filter((h) => h.offsetHeight > 2).map((h) => h.textContent)")
        assert len(headings) >= 7, headings
        for heading in headings:
            plain = heading.encode("ascii", "ignore")
            assert plain in pdf or heading.encode("utf-16-be").hex().upper().encode() in pdf.upper(), f"no outline entry {heading!r}"
        b.media("print", prefers_color_scheme="dark")
        controls = b.run("""return [...document.querySelectorAll('button, select, input')].filter((e) => e.checkVisibility() &&
            !e.closest('table')).map((e) => e.outerHTML.slice(0, 100))""")
        assert not controls, controls[:5]
        sections = b.run("return [...document.querySelectorAll('main > section')].filter((s) => s.offsetHeight > 20).map((s) => s.id)")
        assert len(sections) >= len(headings) and "gantt" in sections, sections
        lit = b.run("return getComputedStyle(document.body).backgroundColor")
        assert lit in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), lit
    finally:
        b.media()


def test_narrow(b, p):
    """at 400, 768 and 1200 pixels nothing is wider than the window"""
    try:
        for path in (p.small, p.nodes):
            for width in (400, 768, 1200):
                b.size(width, 900)
                b.open(path)
                found = b.run("""
                    const wide = document.documentElement.scrollWidth;
                    const over = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 &&
                        e.checkVisibility() && !e.closest('.scroll, table, .unseen')).slice(0, 4).map((e) => e.outerHTML.slice(0, 100));
                    return { wide, over };""")
                assert found["wide"] <= width, (path, width, found)
    finally:
        b.size()


# ---- Hostile names


def test_hostile_names(b, p):
    """names that would be markup, scripts or marks are text: nothing runs, nothing is loaded, nothing is wider"""
    b.open(p.hostile)
    wrong = quiet(b, p.hostile)
    assert not wrong, wrong[:5]
    assert b.run("return window.x === undefined && document.images.length === 0")
    scripts = b.run("return document.scripts.length - document.querySelectorAll('script[type=\"text/plain\"], script[type=\"application/json\"]').length")
    assert scripts <= 2, f"{scripts} scripts"
    b.click("[data-test=search]")
    b.type("script>")
    b.wait("document.querySelector('[data-test=search-results] li')")
    text = b.run("return document.querySelector('[data-test=search-results]').textContent")
    assert "</script><script>window.x=1</script>" in text, text[:300]
    b.key("ArrowDown")
    b.key("Enter")
    b.wait("!document.querySelector('[data-test=card]').hidden", seconds=10)
    for box in b.run("return page.gantt.planes.map((plane) => [plane.box.x, plane.box.y])"):
        assert box[0] < 640, "the names of rows leave no room"
    marks = b.run("""
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (n) =>
            n.parentElement.closest('script') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
        const found = [];
        for (let n; (n = walker.nextNode());)
            if (/[\\u202a-\\u202e\\u2066-\\u2069\\u0000-\\u0008\\u000b-\\u001f\\u007f]/.test(n.data) && !n.parentElement.closest('bdi'))
                found.push(n.data.slice(0, 60));
        return found;""")
    assert not marks, marks[:3]
    assert b.run("return document.documentElement.scrollWidth <= innerWidth")
    assert b.run("return window.x === undefined && ({}).polluted === undefined")
    wrong = quiet(b, p.hostile)
    assert not wrong, wrong[:5]


def test_hash_is_no_code(b, p):
    """an address that names no job, or names markup, does nothing but say so"""
    b.call("POST", b.at("/url"), {"url": "about:blank"})
    b.logs("browser")
    b.call("POST", b.at("/url"), {"url": f"file://{p.small}#job=%3Cimg%20src=x%20onerror=window.x=1%3E&run=99"})
    b.wait("document.documentElement.dataset.state === 'whole'")
    assert b.run("return window.x === undefined && document.images.length === 0")
    assert not b.logs("browser")


# ---- Downloads and single runs


def test_downloads(b, p):
    """the downloads of the methods hold the rows of jobs.csv"""
    b.open(p.small)
    b.run("""
        window.saved = [];
        const made = URL.createObjectURL;
        URL.createObjectURL = (blob) => {
            saved.push(blob.text());
            return made.call(URL, blob);
        };
        HTMLAnchorElement.prototype.click = () => {};""")
    count = b.run("""
        const buttons = [...document.querySelectorAll('#methods button')].filter((e) => /csv|jobs|table|usage/i.test(e.textContent));
        buttons.forEach((e) => e.click());
        return buttons.length;""")
    assert count >= 2, count
    b.wait("saved.length >= arguments[0]", count, seconds=20)
    texts = b.run("return Promise.all(saved)")
    jobs = [text for text in texts if text.count("\n") >= 2000]
    assert jobs, [text[:80] for text in texts]
    row = p.rows("small", "1-fcfs")[10]
    assert any(row["job_id"] in line.split(",") for line in jobs[0].splitlines()), row


def test_one_run(b, p):
    """the page of a single run has the same sections, and speaks of no differences"""
    b.open(p.one)
    ids = b.run("return [...document.querySelectorAll('main > section')].map((s) => s.id)")
    assert {"summary", "comparison", "time", "gantt", "search", "methods"} <= set(ids), ids
    assert not b.run("return document.querySelectorAll('.better, .worse').length")


# ---- Cohorts


def test_cohorts(b, p):
    """cohorts: the tree, a node's quota, use and loans over time as in cohorts.csv, evictions that sort; no other page has them"""
    b.open(p.cohorts)
    nodes = b.run("return [...document.querySelectorAll('[data-test=cohort-tree] button')].map((e) => e.dataset.node)")
    assert nodes == ["Cohort/lab", "ClusterQueue/team-a", "ClusterQueue/team-b"], nodes
    values = lambda at: b.run("return page.charts.cohort.values(arguments[0])", at)
    pressed = "document.querySelector('[data-test=cohort-tree] button[data-node=\"%s\"]').getAttribute('aria-pressed') === 'true'"
    # Nominal, used, borrowed, lent. Team b borrows 4 of a's cpus until a claims them at 10, and again from 61 to 70.
    assert b.run("return " + pressed % "ClusterQueue/team-a")
    assert [values(at) for at in (5, 20, 65, 140)] == [[8, 0, 0, 4], [8, 8, 0, 0], [8, 2, 0, 4], [8, 2, 0, 0]]
    b.click("[data-test=cohort-tree] button[data-node='ClusterQueue/team-b']")
    b.wait("page.charts.cohort && page.charts.cohort.values(5)[1] === 12")
    assert [values(at) for at in (5, 20, 65, 150)] == [[8, 12, 4, 0], [8, 8, 0, 0], [8, 12, 4, 0], [8, 8, 0, 0]]
    b.click("[data-test=cohort-tree] button[data-node='Cohort/lab']")
    b.wait("page.charts.cohort && page.charts.cohort.values(5)[0] === 16")
    assert values(20) == [16, 16, 0, 0], values(20)
    rows = lambda: b.run("""return [...document.querySelectorAll('[data-test=evictions] tbody tr')].map((row) =>
        [+row.cells[0].dataset.value].concat([...row.cells].slice(1).map((cell) => cell.textContent)))""")
    told = [[float(row["at"])] + [row[name] for name in ("job_id", "by", "queue", "by_queue", "reason", "cause")]
            for row in csv.DictReader(open(p.path("cohorts", "evictions.csv"), encoding="utf-8", newline=""))]
    assert rows() == told and told[0] == [10, "1", "4", "team-b", "team-a", "Preempted", "InCohortReclamation"], (rows(), told)
    b.click("[data-test=evictions] th:nth-child(2) button")
    b.click("[data-test=evictions] th:nth-child(2) button")
    assert [row[1] for row in rows()] == ["5", "1", "1"], rows()
    wrong = quiet(b, p.cohorts)
    assert not wrong, wrong[:5]
    b.open(p.small)
    assert b.run("return document.getElementById('cohorts') === null && !('cohorts' in page.meta.runs[0])")


def test_projects(b, p):
    """projects: departments and projects, what each is entitled to, has, lends and waits for as in projects.csv, evictions that sort"""
    b.open(p.projects)
    nodes = b.run("return [...document.querySelectorAll('[data-test=project-tree] button')].map((e) => e.dataset.node)")
    assert nodes == ["department/product", "project/search", "department/research", "project/speech", "project/vision"], nodes
    values = lambda at: b.run("return page.charts.project.values(arguments[0])", at)
    rows = [row for row in csv.DictReader(open(p.path("projects", "projects.csv"), encoding="utf-8", newline=""))]

    def told(name, at):
        row = [row for row in rows if row["project"] == name and float(row["at"]) <= at][-1]
        return [float(row[key]) for key in ("quota", "entitled", "in_quota", "allocated", "lent", "waiting")]

    # Nobody else is there at 50; vision takes back 2 of its 3 GPUs at 100, and search its 4 at 300.
    for name, kind, known in (("speech", "project", {50: [1, 8, 1, 8, 0, 0], 400: [1, 1, 1, 1, 0, 7]}),
                              ("vision", "project", {50: [3, 0, 0, 0, 3, 0], 150: [3, 2, 2, 2, 1, 0]}),
                              ("product", "department", {50: [4, 0, 0, 0, 4, 0], 400: [4, 4, 4, 4, 0, 0]})):
        b.click(f"[data-test=project-tree] button[data-node='{kind}/{name}']")
        b.wait(f"page.charts.project && page.charts.project.values(50)[0] === {known[50][0]} && page.charts.project.values(50)[4] === {known[50][4]}")
        for at, want in known.items():
            assert values(at) == want == told(name, at), (name, at, values(at), told(name, at))
    first = "[...document.querySelectorAll('[data-test=project-evictions] tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    table = b.run("return " + first)
    assert len(table) == 7 and table[0][1:7] == ["s8", "v1", "speech", "vision", "reclaim", "1"], table[0]
    b.click("[data-test=project-evictions] th:nth-child(2) button")
    assert b.run("return " + first)[0][1] == "s2"
    wrong = quiet(b, p.projects)
    assert not wrong, wrong[:5]
    b.open(p.cohorts)
    assert b.run("return document.getElementById('projects') === null && !('projects' in page.meta.runs[0])")
