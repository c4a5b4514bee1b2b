# SPDX-License-Identifier: GPL-3.0-or-later
"""part_tests.py - what the page's parts do, each worked by hand: blocks, texts, order, means.

They run in the open page, where the parts are: `page` of reports/page/src.
"""
import csv
import io


def all_tests():
    return [value for name, value in globals().items() if name.startswith("test_")]


def check(b, p, table):
    """Each expression has that value, as JSON."""
    b.open(p.small)
    wrong = []
    for expression, expected in table:
        found = b.run(f"try {{ return {expression}; }} catch (why) {{ return 'throws ' + why.message; }}")
        if found != expected:
            wrong.append(f"{expression} is {found!r}, not {expected!r}")
    assert not wrong, "\n  ".join(wrong)


def unpack(kind, coding, count, octets):
    return (f"Array.from(page.data.unpack({{type: '{kind}', coding: '{coding}', count: {count}}}, "
            f"Uint8Array.from({octets})))")


def test_blocks(b, p):
    """blocks are unpacked by FORMAT.md: plain, differences modulo the type's size, byte planes, JSON; others are refused"""
    check(b, p, [
        (unpack("u8", "plain", 3, [1, 2, 255]), [1, 2, 255]),
        (unpack("u16", "plain", 2, [1, 0, 2, 1]), [1, 258]),
        # 250 and 10 more are 260, which is 4.
        (unpack("u8", "delta", 2, [250, 10]), [250, 4]),
        # 5, then 8 less.
        (unpack("i32", "delta", 2, [5, 0, 0, 0, 0xF8, 0xFF, 0xFF, 0xFF]), [5, -3]),
        # 1, 258 and 65536, the lowest bytes of the three first.
        (unpack("u32", "plain+split", 3, [1, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), [1, 258, 65536]),
        # The same as differences: 1, 257, 65278.
        (unpack("u32", "delta+split", 3, [1, 1, 0xFE, 0, 1, 0xFE, 0, 0, 0, 0, 0, 0]), [1, 258, 65536]),
        (unpack("f32", "plain", 1, [0, 0, 0x80, 0x3F]), [1]),
        ("page.data.unpack({type: 'json', coding: 'plain', count: 1}, new TextEncoder().encode('[\"\\u00e9\"]'))", ["\u00e9"]),
        (unpack("u32", "plain", 2, [1, 0, 0, 0]), "throws 4 bytes where 8 should be"),
        (unpack("u24", "plain", 1, [1, 0, 0]), "throws u24 plain is not known to this page"),
        (unpack("u8", "zigzag", 1, [1]), "throws u8 zigzag is not known to this page"),
    ])


def test_numbers(b, p):
    """numbers have four figures, thousands apart, a true minus; nothing is written 60 s"""
    minus, thin = "\u2212", "\u202f"
    check(b, p, [
        ("page.text.number(0)", "0"),
        ("page.text.number(1234.5678)", "1,235"),
        ("page.text.number(12345678)", "12,345,678"),
        ("page.text.number(9.9996)", "10"),
        ("page.text.number(-0.01234567)", minus + "0.01235"),
        ("page.text.number(0.5)", "0.5"),
        ("page.text.number(NaN)", "\u2013"),
        ("page.text.fixed(-0.0001, 2)", "0"),
        ("page.text.signed(3, page.text.number)", "+3"),
        ("page.text.signed(-3, page.text.number)", minus + "3"),
        ("page.text.signed(0, page.text.number)", "0"),
        ("page.text.percent(0.8732)", "87.3" + thin + "%"),
        ("page.text.duration(1.25)", "1.25" + thin + "s"),
        ("page.text.duration(59.94)", "59.9" + thin + "s"),
        ("page.text.duration(59.96)", "0:01:00"),
        ("page.text.duration(3725)", "1:02:05"),
        ("page.text.duration(-90061.6)", minus + "1d 01:01:02"),
        ("page.text.duration(90061, true)", "1d 01:01"),
        ("page.text.difference(0.012, 'share')", "+1.2" + thin + "pp"),
        ("page.text.value(undefined, 's')", "\u2013"),
        ("page.text.value(1234, 'count')", "1,234"),
        ("page.text.span(page.text.step(5000))", "2" + thin + "h"),
        ("page.text.span(page.text.step(7200))", "2" + thin + "h"),
        ("page.text.axis(1500000)", "1.5M"),
    ])


def test_times(b, p):
    """without an epoch a time is a place on the run's own clock, and ticks are round"""
    check(b, p, [
        ("page.text.dated", False),
        ("page.text.time(90061)", "1d 01:01:01"),
        ("page.text.time(61)", "00:01:01"),
        ("page.text.ticks(0, 7200, 4)", {"at": [0, 1800, 3600, 5400, 7200],
                                         "label": ["00:00", "00:30", "01:00", "01:30", "02:00"]}),
        ("page.text.ticks(86400, 3 * 86400, 2).label", ["1d", "2d", "3d"]),
    ])


def test_zones(b, p):
    """a zone that the log names is followed, with its daylight saving, there and back; days begin at its midnights"""
    b.open(p.zoned)
    for expression, value in [
        ("page.text.time(0)", "2007-03-04 01:20:00"),
        ("page.text.time(691200)", "2007-03-12 02:20:00"),
        ("page.text.zone(0)", "US/Pacific, PST (UTC\u221208:00)"),
        ("page.text.zone(691200)", "US/Pacific, PDT (UTC\u221207:00)"),
        ("page.text.fromClock(Date.UTC(2007, 2, 12, 2, 20) / 1000 - page.meta.epoch)", 691200),
        ("page.text.time(page.text.ticks(0, 691200, 8).at[6])", "2007-03-11 00:00:00"),
        ("page.text.time(page.text.ticks(0, 691200, 8).at[7])", "2007-03-12 00:00:00"),
        ("document.querySelector('[data-test=zone]').textContent",
         "US/Pacific, PST (UTC\u221208:00) \u2013 US/Pacific, PDT (UTC\u221207:00)"),
    ]:
        found = b.run("return " + expression)
        assert found == value, (expression, found, value)


def test_names(b, p):
    """what cannot be seen in a name, or turns others around, is made visible; a long one is cut between characters"""
    check(b, p, [
        ("page.text.clean('a\\u0007b\\u007fc\\u202ed')", "a\u2407b\u2421c\ufffdd"),
        ("page.text.clean('</script>')", "</script>"),
        ("page.text.clean('x'.repeat(400)).length", 300),
        ("page.text.clean('ab\\u{1F600}cd', 4)", "ab\u2026"),
    ])


def test_orders(b, p):
    """rows sort by value, then by the run's number; those without a value are last, either way"""
    rows = "[{index: 0, v: 2}, {index: 1}, {index: 2, v: 1}, {index: 3, v: 2}]"
    check(b, p, [
        (f"page.sortRows({rows}, (row) => row.v, false).map((row) => row.index)", [2, 0, 3, 1]),
        (f"page.sortRows({rows}, (row) => row.v, true).map((row) => row.index)", [0, 3, 2, 1]),
    ])


def test_steps(b, p):
    """steps hold until the next; several lists of times are merged into one; means weigh each step by its length"""
    check(b, p, [
        ("[-1, 0, 4, 5, 99].map((at) => page.holds([0, 5, 10], at))", [-1, 0, 0, 1, 2]),
        ("(() => { const m = page.merge([[0, 10], [5, 10, 20]]); return [Array.from(m.x), m.held.map((h) => Array.from(h))]; })()",
         [[0, 5, 10, 20], [[0, 0, 1, 1], [-1, 0, 1, 2]]]),
        # 2 for 5 s and 4 for 5 s are 3; then 4 for 10 s.
        ("page.means([0, 5, 20], [2, 4, 0], 0, 20, 10).map((s) => [s.start, s.end, s.mean, s.low, s.high])",
         [[0, 10, 3, 2, 4], [10, 20, 4, 4, 4]]),
        # Spans stay where they are when the window moves.
        ("page.means([0, 5, 20], [2, 4, 0], 12, 20, 10).map((s) => [s.start, s.mean])", [[10, 4]]),
    ])


def test_out_of_service(b, p):
    """a node in two windows is out of service once; a reservation takes nothing out"""
    run = """{tick: 1e6, shift: 0, rows: {count: 4, first: null}, windows: [
        {kind: 'outage', from: 0, until: 20, rows: [[0, 1]]},
        {kind: 'maintenance', from: 10, until: 30, rows: [[0, 2]]},
        {kind: 'reserved', from: 0, until: 99, rows: [[0, 4]]}]}"""
    check(b, p, [(f"page.outOfService({run})", [{"from": 0, "until": 10, "share": 0.25}, {"from": 10, "until": 20, "share": 0.5},
                                                {"from": 20, "until": 30, "share": 0.5}])])


def test_sure(b, p):
    """a difference is called better or worse only where it has an interval and the test is sure"""
    b.open(p.small)
    found = b.run("""
        const kept = page.meta.differences;
        const shown = { name: 'wait.mean', better: -1, unit: 's' };
        const of = (low, high, sure) => {
            page.meta.differences = [{ metric: 'wait.mean', run: 1, low, high, samples: 20, method: 'by hand', sure }];
            return page.compare(shown, page.runs[1]).sure;
        };
        const all = [of(-2, -1, true), of(-1, 1, false), of(1, 2, true), of(0, 1, false), of(1, 0, true)];
        page.meta.differences = kept;
        return all;""")
    assert found == [True, False, True, False, False], found


def test_csv(b, p):
    """downloads quote what has commas, quotes or line ends"""
    check(b, p, [("page.csv([['a', 'b,c'], [1, 'say \"x\"'], [null, 'two\\nlines']])", 'a,"b,c"\n1,"say ""x"""\n,"two\nlines"\n')])

# Bars as [from, end, row, height, class], in order of their start.
BARS = """
    const make = (list) => {
        const bars = new page.bars.Bars({ last: 100 }, null);
        const column = (k) => Float64Array.from(list, (one) => one[k]);
        Object.assign(bars, { count: list.length, from: column(0), end: column(1), row: column(2), height: column(3),
            job: Uint32Array.from(list.keys()) });
        bars.index();
        return bars;
    };
    const areas = (list, rows, columns, bins, to) => {
        const bars = make(list);
        const { sums, stride } = page.bars.accumulate(bars, Uint8Array.from(list, (one) => one[4]), { from: 0, to }, 0, rows, columns, bins);
        return Array.from({ length: bins }, (_, y) => Array.from({ length: columns }, (__, x) => {
            const found = {};
            for (let k = 0; k < page.bars.classes; k++) {
                let sum = 0;
                for (let above = 0; above <= y; above++)
                    sum += sums[x * stride + above * page.bars.classes + k];
                if (Math.abs(sum) > 1e-6)
                    found[k] = Math.round(sum * 1000) / 1000;
            }
            return found;
        }));
    };
"""


def test_areas(b, p):
    """where bars are narrower than pixels, a pixel has of each class the area that it has there"""
    b.open(p.small)
    # Four seconds in two columns, a row a bin: 0.5 to 3 s is three quarters of the first and a half of the second.
    found = b.run(BARS + "return areas([[0.5, 3, 0, 1, 1], [1, 2, 1, 1, 2], [2, 4, 0, 2, 3]].slice(0, 2), 2, 2, 2, 4);")
    assert found == [[{"1": 0.75}, {"1": 0.5}], [{"2": 0.5}, {}]], found
    # Two classes in one pixel are told apart; what lies outside the window adds nothing.
    found = b.run(BARS + "return areas([[-5, 1, 0, 1, 1], [1, 3, 0, 1, 2], [4, 9, 0, 1, 3]], 1, 2, 1, 4);")
    assert found == [[{"1": 0.5, "2": 0.5}, {"2": 0.5}]], found
    # Four rows in two bins: rows 1 and 2 are half of each.
    found = b.run(BARS + "return areas([[0, 4, 1, 2, 0]], 4, 1, 2, 4);")
    assert found == [[{"0": 0.5}], [{"0": 0.5}]], found


def test_bars_of_a_window(b, p):
    """a window finds the bars that reach into it, however early they began; the nearest bar is the nearest in pixels"""
    b.open(p.small)
    # A long bar, then 3,000 short ones: of the first block only the long one reaches the last second.
    found = b.run(BARS + """
        const list = [[0, 5000, 9, 1, 0]];
        for (let k = 0; k < 3000; k++)
            list.push([k, k + 1, k % 8, 1, 0]);
        const bars = make(list);
        return [bars.within({ from: 2999, to: 3000, top: 0, bottom: 10 }, 10), bars.within({ from: 0, to: 3000, top: 0, bottom: 10 }, 10),
            bars.within({ from: 2990, to: 3000, top: 9, bottom: 10 }, 10), bars.nearest(4000, 8.5, 100, 1), bars.nearest(4000, 2, 100, 1)];""")
    assert found == [[0, 3000], None, [0], 0, -1], found


def test_wait_classes(b, p):
    """classes of waits are round, each three times the one below at least, up to the longest wait of all runs"""
    b.open(p.small)
    found = b.run("""
        const kept = page.runs.map((run) => run.metrics);
        const of = (days) => {
            page.runs.forEach((run, k) => { run.metrics = { 'wait.max': k ? 1 : days * 86400 }; });
            return page.classes.waits();
        };
        const all = [of(8), of(0.05)];
        page.runs.forEach((run, k) => { run.metrics = kept[k]; });
        return all;""")
    assert found == [[120, 600, 1800, 7200, 28800, 86400, 345600], [1, 5, 30, 120, 600, 1800]], found


# Four jobs: submit, wait, cpus, user, state; the third never started.
JOBS = """
    const run = { tick: 1e6, shift: 0, last: 9000, columns: {}, names: {} };
    const jobs = new page.jobs.Jobs(run);
    const never = page.data.NEVER;
    Object.assign(jobs, { count: 4, submit: Int32Array.of(0, 10, 20, 30), wait: Uint32Array.of(0, 7200, never, 100),
        span: Uint32Array.of(50, 60, never, 70) });
    for (const [name, values] of Object.entries({ wait: jobs.wait, submit: jobs.submit, span: jobs.span, id: ['7_1', '7_2', '71', '8'],
        cpus: Uint32Array.of(1, 8, 16, 4), user: Uint32Array.of(0, 1, 0, never), state: Uint8Array.of(3, 3, 0, 3) }))
        jobs.columns.set(name, values);
    jobs.names.set('user', ['Anna', 'bob']);
    const found = (text) => page.search.find(jobs, page.search.parse(text, jobs).test, 'first').jobs;
"""


def test_search_words(b, p):
    """a search takes ids, arrays, parts of names, and comparisons in units; all of them have to be true"""
    b.open(p.small)
    for text, expected in [
        ("", [0, 1, 2, 3]), ("8", [3]), ("7_2", [1]), ("7", [0, 1]), ("7_", [0, 1]), ("ann", [0, 2]), ("user=anna", [0, 2]),
        ("user!=anna", [1, 3]), ("wait>1h", [1]), ("wait>=2h", [1]), ("wait>7200", []), ("wait<2m", [0, 3]), ("cpus>=8", [1, 2]),
        ("size>=8 user=bob", [1]), ("state=completed", [0, 1, 3]), ("submit>=20s", [2, 3]), ("start>0", [1, 3]), ("none", []),
    ]:
        found = b.run(JOBS + f"return found({text!r});")
        assert found == expected, f"{text!r} finds {found}, not {expected}"
    assert b.run(JOBS + "return page.search.parse('wait>soon 8', jobs).unknown;") == ["wait>soon"]
    # The longest wait first; one that never started has waited until the end.
    assert b.run(JOBS + "return page.search.find(jobs, () => true, 'wait').jobs;") == [2, 1, 3, 0]


def test_search_lengths(b, p):
    """lengths of time in a search"""
    check(b, p, [
        ("['90', '15m', '1h30m', '1:30:00', '2-12:00:00', '1.5d', 'soon', ''].map(page.search.seconds)",
         [90, 900, 5400, 5400, 216000, 129600, None, None]),
    ])



def test_jobs_download(b, p):
    """a page's jobs as CSV are those of jobs.csv, in its order, column by column"""
    for name, run, path in (("small", "2-easy", p.small), ("nodes", "1-fcfs", p.nodes)):
        b.open(path)
        text = b.run(f"return page.jobRows(page.runs[{int(run[0]) - 1}], () => {{}}).then((parts) => parts.join(''))")
        found, kept = list(csv.DictReader(io.StringIO(text))), p.rows(name, run)
        assert len(found) == len(kept), (len(found), len(kept))
        order = [column for column in kept[0] if column in found[0]]
        assert list(found[0]) == order, (list(found[0]), order)
        for mine, theirs in zip(found, kept):
            for column, value in mine.items():
                same = value == theirs[column] or column == "bounded_slowdown" and abs(float(value) - float(theirs[column])) < 2e-6
                assert same, f"{path}: job {mine['job_id']}: {column} is {value}, not {theirs[column]}"
