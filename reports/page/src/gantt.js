/* SPDX-License-Identifier: MIT */
/*
 * gantt.js - who was where, when: rows of nodes, cpus of a pool or GPUs, against time.
 *
 * Hooks for tests (beside those of plane.js): canvas[data-test=gantt][data-run=K]; [data-test=gantt-run|gantt-second|
 * gantt-colour|gantt-whole|gantt-in|gantt-out|gantt-rows-in|gantt-rows-out]; [data-test=gantt-legend], [data-test=gantt-rule];
 * page.gantt.planes: those shown, each .view {from, to, top, bottom} in ticks and rows, .x(at), .y(row), .box,
 * .layer.bars, .layer.focus (the rectangle that the keyboard is at); page.timing.gantt: ms from data decoded to painted.
 */
page.gantt = { planes: [] };

/* The kinds of rows that a run has: what they are called, how they are grouped. */
page.rowsOf = async function (run) {
	const { rows } = run;
	const names = (await page.data.block(rows.names)) || [];
	const first = await page.data.block(rows.first);
	function nodeOf(row) {
		if (!first)
			return row;
		let low = 0;
		let high = first.length - 1;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (first[middle] <= row)
				low = middle;
			else
				high = middle - 1;
		}
		return low;
	}
	function word(row) {
		const node = nodeOf(row);
		const name = names[node] !== undefined ? page.text.clean(names[node], 60) : `${rows.unit} ${row}`;
		return first && names[node] !== undefined ? `${name}:${row - first[node]}` : name;
	}
	return {
		unit: rows.unit, title: { cpu: 'cpu', gpu: 'GPU', node: 'node' }[rows.unit], count: rows.count,
			groups: rows.groups || [],
		word: names.length ? word : null, names, first, nodeOf,
		bands: first && names.length ? first : null, bandWord: (node) => page.text.clean(names[node], 60),
	};
};

/* How reservations, maintenance and down time are hatched: direction as well as colour. */
page.windows = (function () {
	const looks = {
		reserved: { words: 'reservation', lines: [[0, 8, 8, 0]], colour: 'link' },
		maintenance: { words: 'maintenance', lines: [[0, 8, 8, 0], [0, 0, 8, 8]], colour: 'warn' },
		outage: { words: 'outage', lines: [[0, 0, 8, 8]], colour: 'worse' },
		state: { words: 'out of service', lines: [[0, 4, 8, 4]], colour: 'worse' },
	};

	function lookOf(kind) {
		return looks[kind] || { words: kind, lines: [[0, 4, 8, 4]], colour: 'muted' };
	}

	function pattern(g, kind) {
		const look = lookOf(kind);
		const tile = page.el('canvas');
		tile.width = tile.height = 8;
		const t = tile.getContext('2d');
		t.strokeStyle = page.theme.colour(look.colour);
		t.lineWidth = 1.2;
		for (const [x0, y0, x1, y1] of look.lines)
			for (const d of [-8, 0, 8]) {
				t.beginPath();
				t.moveTo(x0 + d, y0);
				t.lineTo(x1 + d, y1);
				t.stroke();
			}
		return g.createPattern(tile, 'repeat');
	}

	function boxes(plane, window) {
		const { from, to, top, bottom } = plane.view;
		const until = window.until === null ? Infinity : window.until;
		if (until <= from || window.from >= to)
			return [];
		const { x, y, w, h } = plane.box;
		const [x0, x1] = [Math.max(x - 2, plane.x(window.from)),
			Math.min(x + w + 2, plane.x(Math.min(until, to + (to - from))))];
		return (window.rows || []).map(([first, count]) => [first, first + count])
			.filter(([a, b]) => b > top && a < bottom)
			.map(([a, b]) => [x0, Math.max(y - 2, plane.y(a)), x1, Math.min(y + h + 2, plane.y(b))]);
	}

	/* Below the bars the hatching, above them the outline. */
	function paint(plane, g, above) {
		const patterns = new Map();
		for (const window of plane.run.windows || []) {
			if (!patterns.has(window.kind))
				patterns.set(window.kind, pattern(g, window.kind));
			for (const [x0, y0, x1, y1] of boxes(plane, window)) {
				const [w, h] = [Math.max(1, x1 - x0), Math.max(1, y1 - y0)];
				if (above) {
					g.strokeStyle = page.theme.colour(lookOf(window.kind).colour);
					g.lineWidth = 1;
					g.globalAlpha = Math.min(w, h) < 6 ? 0.5 : 1;
					g.strokeRect(Math.round(x0) + 0.5, Math.round(y0) + 0.5, w - 1, h - 1);
					g.globalAlpha = 1;
				} else {
					g.globalAlpha = 0.6;
					g.fillStyle = patterns.get(window.kind);
					g.fillRect(x0, y0, w, h);
					g.globalAlpha = 1;
				}
			}
		}
	}

	function at(plane, when, row) {
		return (plane.run.windows || []).filter((window) => window.from <= when &&
			(window.until === null || when < window.until) &&
			(window.rows || []).some(([first, count]) => row >= first && row < first + count));
	}

	function tell(run, window) {
		const end = window.until === null ? 'for good' : page.text.time(page.data.seconds(run, window.until));
		return [{ term: lookOf(window.kind).words, value: window.name || '\u2013' },
			{ term: 'from', value: page.text.time(page.data.seconds(run, window.from)) },
				{ term: 'until', value: end }];
	}

	function legend(runs) {
		const kinds = [...new Set(runs.flatMap((run) => (run.windows || []).map((window) => window.kind)))];
		return kinds.map((kind) => {
			const sample = page.el('canvas',
				{ class: 'swatch', width: 28, height: 14, 'aria-hidden': 'true' });
			const draw = () => {
				const g = sample.getContext('2d');
				g.clearRect(0, 0, 28, 14);
				g.fillStyle = pattern(g, kind);
				g.fillRect(0, 0, 28, 14);
				g.strokeStyle = page.theme.colour(lookOf(kind).colour);
				g.strokeRect(0.5, 0.5, 27, 13);
			};
			page.theme.subscribe(draw);
			draw();
			return page.el('li', {}, sample, page.el('span', { text: lookOf(kind).words }));
		});
	}

	return { paint, at, tell, legend };
})();

(function () {
	const reachPixels = 4;

	/* Who, how much, when: for the eye and for the ear. */
	function describe(bars, i, kind) {
		const { jobs, run } = bars;
		const j = bars.job[i];
		const seconds = (at) => page.data.seconds(run, at);
		const lines = [{ term: 'job', value: jobs.id(j) }];
		for (const name of ['user', 'account', 'partition'])
			if (jobs.word(name, j))
				lines.push({ term: name, value: jobs.word(name, j) });
		for (const [name, words] of [['cpus', 'cpus'], ['gpus', 'GPUs']])
			if (jobs.number(name, j) > 0)
				lines.push({ term: words, value: page.text.number(jobs.number(name, j)) });
		lines.push({ term: 'waited', value: page.text.duration(page.data.length(run, jobs.wait[j])) });
		lines.push({ term: 'ran', value: page.text.duration(page.data.length(run,
			bars.end[i] - bars.from[i])) + (bars.interrupted(i) ? ', then interrupted' : '') });
		lines.push({ term: 'from', value: page.text.time(seconds(bars.from[i])) });
		lines.push({ term: 'until', value: page.text.time(seconds(bars.end[i])) });
		if (jobs.state(j))
			lines.push({ term: 'state', value: jobs.state(j) });
		lines.push({ term: kind.unit === 'cpu' ? 'rows' : 'on', value: rowsWord(bars, i, kind) });
		return lines;
	}

	/* Where nodes have several rows, which of them it is says nothing. */
	function rowsWord(bars, i, kind) {
		const word = kind.bands ? (row) => kind.bandWord(kind.nodeOf(row)) : kind.word || String;
		const [first, last] = [word(bars.row[i]), word(bars.row[i] + bars.tall(i) - 1)];
		return first === last ? first : `${first} \u2013 ${last}`;
	}

	class Layer {
		constructor(bars, kind) {
			Object.assign(this, { bars, kind, focus: -1, hover: -1, picked: [] });
		}

		async colour(key) {
			this.wanted = key;
			const classes = await page.classes.of(key, this.bars);
			if (this.wanted === key) /* Nobody has chosen another meanwhile. */
				Object.assign(this, classes, { key });
		}

		paint(plane, g, box) {
			if (!this.of)
				return null;
			const { run } = plane;
			if (run.jobs.kept < run.jobs.total && this.under)
				this.under(plane, g, box);
			page.windows.paint(plane, g, false);
			const told = page.bars.paint(this.bars, this.of, plane, g, box,
				page.classes.palette(this.key));
			page.windows.paint(plane, g, true);
			return told;
		}

		over(plane, g) {
			for (const i of this.picked)
				this.outline(plane, g, i, 2.5, plane.colours.ink);
			this.waiting(plane, g);
			if (this.hover >= 0)
				this.outline(plane, g, this.hover, 1.5, plane.colours.ink);
			if (this.focus >= 0 && document.activeElement === plane.base)
				this.outline(plane, g, this.focus, 2.5, plane.colours.accent);
		}

		outline(plane, g, i, width, colour) {
			const { bars } = this;
			const { x, y, w, h } = plane.box;
			const [x0, x1] = [Math.max(x - 5, plane.x(bars.from[i])),
				Math.min(x + w + 5, plane.x(bars.end[i]))];
			const [y0, y1] = [Math.max(y - 5, plane.y(bars.row[i])),
				Math.min(y + h + 5, plane.y(bars.row[i] + bars.tall(i)))];
			g.lineWidth = width + 2;
			g.strokeStyle = plane.colours.paper;
			g.strokeRect(x0, y0, Math.max(2, x1 - x0), Math.max(2, y1 - y0));
			g.lineWidth = width;
			g.strokeStyle = colour;
			g.strokeRect(x0, y0, Math.max(2, x1 - x0), Math.max(2, y1 - y0));
			g.lineWidth = 1;
		}

		/* The wait of the job that was picked: from its submission to its start. */
		waiting(plane, g) {
			if (!this.picked.length)
				return;
			const { bars } = this;
			const i = this.picked[0];
			const j = bars.job[i];
			const y = plane.y(bars.row[i] + Math.min(0.5, bars.tall(i) / 2));
			const [x0, x1] = [plane.x(bars.jobs.submit[j]), plane.x(bars.jobs.start(j))];
			for (const [colour, width] of [[plane.colours.paper, 5], [plane.colours.ink, 2]]) {
				g.strokeStyle = colour;
				g.lineWidth = width;
				g.setLineDash(width === 2 ? [5, 3] : []);
				g.beginPath();
				g.moveTo(x0, y);
				g.lineTo(x1, y);
				g.stroke();
				g.setLineDash([]);
				g.beginPath();
				g.moveTo(x0, y - 5);
				g.lineTo(x0, y + 5);
				g.stroke();
			}
			g.lineWidth = 1;
		}

		reach(plane) {
			const { from, to, top, bottom } = plane.view;
			return [(to - from) / plane.box.w * reachPixels, (bottom - top) / plane.box.h * reachPixels];
		}

		find(plane, at, row) {
			return this.bars.nearest(at, row, ...this.reach(plane));
		}

		point(plane, at, row) {
			this.hover = this.find(plane, at, row);
			if (this.hover >= 0)
				return describe(this.bars, this.hover, this.kind);
			const [window] = page.windows.at(plane, at, row);
			return window ? page.windows.tell(plane.run, window) : null;
		}

		left() {
			this.hover = -1;
		}

		choose(plane, at, row) {
			const found = this.find(plane, at, row);
			if (found < 0)
				return;
			this.focus = found;
			page.pick(this.bars.job[found], plane.run);
		}

		enter(plane) {
			if (this.focus < 0)
				this.step(plane, 0, 0);
			if (this.focus >= 0)
				page.pick(this.bars.job[this.focus], plane.run);
		}

		/* Along the row, or to the next bar above or below at that time. */
		step(plane, dx, dy) {
			const next = this.focus < 0 ? this.middle(plane) : dx ? this.along(dx) : dy
				? this.across(plane, dy) : this.focus;
			if (next < 0)
				return;
			this.focus = next;
			this.show(plane, next);
			plane.redrawOver();
			page.say(describe(this.bars, next,
				this.kind).map(({ term, value }) =>
				`${term} ${page.text.clean(value, 60)}`).join(', ') + '. Enter opens its card.');
		}

		middle(plane) {
			const { from, to, top, bottom } = plane.view;
			return this.bars.nearest((from + to) / 2, (top + bottom) / 2, (to - from) / 2,
				(bottom - top) / 2);
		}

		along(dx) {
			const { bars } = this;
			const row = bars.row[this.focus];
			for (let i = this.focus + dx; i >= 0 && i < bars.count; i += dx)
				if (bars.row[i] <= row && row < bars.row[i] + bars.tall(i))
					return i;
			return -1;
		}

		across(plane, dy) {
			const { bars, focus } = this;
			const { from, to } = plane.view;
			const at = (Math.max(from, bars.from[focus]) + Math.min(to, bars.end[focus])) / 2;
			const edge = dy > 0 ? bars.row[focus] + bars.tall(focus) : bars.row[focus];
			const there = bars.within({ from: at, to: at + 1e-6, top: 0, bottom: plane.rows.count },
				1e6) || [];
			const beyond = there.filter((i) => dy > 0 ? bars.row[i] >= edge
				: bars.row[i] + bars.tall(i) <= edge);
			return beyond.reduce((best, i) => best < 0 || (bars.row[i] - bars.row[best]) * dy < 0 ? i
				: best, -1);
		}

		show(plane, i) {
			const { bars } = this;
			const { from, to, top, bottom } = plane.view;
			const [a, z] = [bars.from[i], bars.end[i]];
			if (z < from || a > to)
				plane.setTime(a - (to - from) * 0.3, a + (to - from) * 0.7);
			if (bars.row[i] >= bottom || bars.row[i] + bars.tall(i) <= top)
				plane.setRows(bars.row[i] - (bottom - top) / 2, bars.row[i] + (bottom - top) / 2);
		}
	}

	/* The bars of the window as text, at most that many. */
	const tableRows = 200;
	function tableOf(plane) {
		const { bars, kind } = plane.layer;
		const all = bars.within(plane.view, tableRows);
		const found = all || firstOf(bars, plane.view, tableRows);
		const { jobs, run } = bars;
		return {
			caption: `${run.name}: bars in the window, in order of their start${all ? '' : `; the first ${tableRows}`}`,
			test: 'gantt-table',
			head: ['job', 'user', 'cpus', 'waited', 'from', 'until', 'state', kind.unit === 'cpu' ? 'rows'
				: 'on'],
			numeric: [false, false, true, true, true, true, false, false],
			rows: found.map((i) => {
				const j = bars.job[i];
				return [page.name(jobs.id(j)), page.name(jobs.word('user', j)),
					page.text.number(jobs.number('cpus', j)),
					page.text.duration(page.data.length(run, jobs.wait[j])),
					page.text.time(page.data.seconds(run, bars.from[i])),
						page.text.time(page.data.seconds(run, bars.end[i])), jobs.state(j),
						page.name(rowsWord(bars, i, kind))];
			}),
		};
	}

	function firstOf(bars, { from, to, top, bottom }, most) {
		const found = [];
		for (let i = 0; i < bars.count && found.length < most && bars.from[i] < to; i++)
			if (bars.end[i] > from && bars.row[i] < bottom && bars.row[i] + bars.tall(i) > top)
				found.push(i);
		return found;
	}

	async function panelOf(run, key, height) {
		const [bars, kind] = await Promise.all([page.bars.of(run), page.rowsOf(run)]);
		await bars.jobs.need('id', 'user', 'account', 'partition', 'cpus', 'gpus', 'state', 'attempts');
		const decoded = performance.now();
		const layer = new Layer(bars, kind);
		await layer.colour(key);
		const unit = { cpu: 'cpu', gpu: 'GPU row', node: 'node' }[kind.unit] || 'row';
		const plane = new page.plane.Plane({
			run, kind, layer, name: 'gantt', height, help: 'gantt-help',
			label: `${run.name}: ${page.text.plural(bars.count, 'bar')} on ${page.text.plural(kind.count, unit)} against time`,
		});
		plane.decoded = decoded;
		if (run.jobs.kept < run.jobs.total)
			layer.under = await page.heatUnder(run, kind);
		return plane;
	}

	page.section({
		id: 'gantt', title: 'Schedule', order: 50,
		note: 'Each bar is a job on the rows that it held. Where bars are narrower than a pixel, a pixel has the ' +
			'mixture of their colours by area.',
		when: () => page.runs.some((run) => run.rects && run.rows && run.rows.count),
		build: (body) => build(body),
	});

	async function build(body) {
		const runs = page.runs.filter((run) => run.rects && run.rows && run.rows.count);
		const kinds = page.classes.kinds(runs);
		/* By wait: the one that tells two policies apart at a glance. */
		const now = { key: 'wait', first: runs[0], second: null };
		const small = runs.length > 1 && runs[0].jobs.kept + runs[1].jobs.kept <= 200000;
		now.second = small ? runs[1] : null;
		const legend = page.el('ul', { class: 'legend', 'data-test': 'gantt-legend',
			'aria-label': 'Colours' });
		const torn = runs.some((run) => run.columns && run.columns.attempts !== undefined) ?
			page.el('li', {}, tornSample(),
				page.el('span', { text: 'torn end: interrupted, it went on later' })) : [];
		const rest = runs.some((run) => run.jobs.kept < run.jobs.total) ?
			page.el('li', {}, page.el('span', { class: 'patch rest' }),
				page.el('span', { text: 'all jobs, of which some are not kept one by one' })) : [];
		const marks = page.el('ul', { class: 'legend' }, page.windows.legend(runs), torn, rest);
		const panels = page.el('div', { class: 'planes' });
		const rules = page.el('div', { class: 'small', 'data-test': 'gantt-rule' });
		const tables = page.el('div');
		const height = (plane) => Math.round(Math.min(now.second ? 340 : 540,
			Math.max(120, plane.rows.count * 18 + 26)));

		async function show() {
			const begun = now.begun = {};
			const shown = [now.first, now.second].filter((run, k) => run &&
				(k === 0 || run !== now.first));
			const made = await Promise.all(shown.map((run) => panelOf(run, now.key, height)));
			if (now.begun !== begun)
				return;
			page.plane.stack(panels, made, page.gantt.planes);
			page.gantt.planes = made;
			rules.replaceChildren(...sentences(shown).map((text) => page.el('p', { text })));
			tables.replaceChildren(...page.plane.tables(made, (plane) => `Bars of ${plane.run.name} as a table`, tableOf));
			tellClasses();
			mark();
			requestAnimationFrame(() => {
				page.timing.gantt ??= performance.now() - made[0].decoded;
			});
		}

		function tellClasses() {
			const layers = page.gantt.planes.map((plane) => plane.layer);
			if (!layers.length)
				return;
			const palette = page.classes.palette(now.key);
			const items = layers[0].labels.map((label, k) => label !== null &&
				layers.some((layer) => layer.seen[k]) ? [label, palette[k]] : null).filter(Boolean);
			legend.replaceChildren(...items.map(([label, colour]) => {
				const sample = page.el('span', { class: 'patch' });
				sample.style.background = `rgb(${colour.join(',')})`;
				return page.el('li', {}, sample, page.name(label, 40));
			}));
		}

		function mark() {
			const { job, run } = page.picked.now || {};
			for (const plane of page.gantt.planes) {
				const found = run ? page.jobs.same(plane.layer.bars.jobs, job, run) : -1;
				plane.layer.picked = found < 0 ? [] : plane.layer.bars.ofJob(found);
				plane.redrawOver();
			}
		}

		async function colour(key) {
			now.key = key;
			await Promise.all(page.gantt.planes.map((plane) => plane.layer.colour(key)));
			tellClasses();
			page.gantt.planes.forEach((plane) => plane.redraw());
		}

		const each = (act) => () => {
			if (page.gantt.planes.length)
				act(page.gantt.planes[0]);
		};
		body.append(page.el('div', { class: 'controls' },
			page.plane.runs('gantt', runs, now, show),
			page.choice({ label: 'Colour by', test: 'gantt-colour', value: now.key, options: kinds,
				change: colour }),
			page.el('span', { class: 'group' },
				[['\u2212', 'Zoom out in time', 'gantt-out', (p) => p.zoom(2)],
					['+', 'Zoom in in time', 'gantt-in', (p) => p.zoom(0.5)],
					['Fewer rows', 'Zoom in on rows', 'gantt-rows-in', (p) => p.zoomRows(0.5)],
						['More rows', 'Zoom out on rows', 'gantt-rows-out',
						(p) => p.zoomRows(2)],
					['All', 'Whole time, all rows', 'gantt-whole',
						(p) => p.whole()]].map(([text, title, test, act]) => {
					const button = page.button(text, each(act), test);
					button.title = title;
					button.setAttribute('aria-label', title);
					return button;
				}))),
		legend, marks, panels, rules,
		page.el('p', { id: 'gantt-help', class: 'small keys',
			text: 'Drag to pan, Shift and drag for a box, Ctrl and wheel to zoom (Alt and wheel: rows; ' +
				'Shift and wheel: scroll rows), ' +
				'double click for the whole. Keys: arrows pan, + and \u2212 zoom, ] and [ rows, 0 the whole; ' +
				'Shift and arrows go from bar to bar, Enter opens its card.' }),
		tables);
		page.picked.subscribe(mark);
		page.theme.subscribe(tellClasses);
		await show();
	}

	function tornSample() {
		const sample = page.el('canvas', { class: 'swatch', width: 28, height: 14, 'aria-hidden': 'true' });
		const draw = () => {
			const g = sample.getContext('2d');
			g.fillStyle = page.theme.colour('away');
			g.fillRect(0, 0, 24, 14);
			page.bars.torn(g, 24, 0, 14, page.theme.colour('ink'));
		};
		page.theme.subscribe(draw);
		draw();
		return sample;
	}

	function sentences(runs) {
		const rules = runs.map((run) => run.rows.rule).filter(Boolean);
		const kept = runs.filter((run) => run.jobs.kept < run.jobs.total).map((run) =>
			`${run.jobs.rule} Here they are drawn over all jobs in grey.`);
		return [...new Set([...rules, ...kept])].map((text) => page.text.clean(text, 600));
	}
})();
