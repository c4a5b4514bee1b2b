/* SPDX-License-Identifier: MIT */
/*
 * heat.js - how full each node (or part of a pool) was, when.
 *
 * Hooks for tests: canvas[data-test=heat][data-run=K]; [data-test=heat-run|heat-second|heat-resource]; [data-test=heat-legend],
 * [data-test=heat-rule]; page.heat.planes, each .layer.value(at, row): the share there, .layer.way: "kept" or "again".
 */
page.heat = { planes: [] };

(function () {
	/* From idle, which is nearly paper, to full: one hue after the other, ever darker (in the dark: lighter). */
	const ramps = {
		light: ['#f3f6f7', '#d3e6e3', '#9fcfc9', '#64b1b5', '#3a8ba3', '#2f628a', '#30406d', '#2a2047'],
		dark: ['#20262c', '#263c52', '#275a73', '#2a7a86', '#439b8f', '#7abb92', '#b9d99f', '#f1f2bd'],
	};

	function ramp() {
		const stops = ramps[page.theme.dark() ? 'dark' : 'light'].map(page.classes.rgb);
		return Uint32Array.from({ length: 256 }, (_, v) => {
			const at = v / 255 * (stops.length - 1);
			const k = Math.min(stops.length - 2, Math.floor(at));
			const [r, g, b] = [0, 1, 2].map((c) =>
				Math.round(stops[k][c] + (stops[k + 1][c] - stops[k][c]) * (at - k)));
			return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
		});
	}

	function pictureOf(values, rows, columns, colours) {
		const picture = page.el('canvas');
		picture.width = columns;
		picture.height = rows;
		const image = new ImageData(columns, rows);
		const pixels = new Uint32Array(image.data.buffer);
		for (let i = 0; i < pixels.length; i++)
			pixels[i] = colours[values[i]];
		picture.getContext('2d').putImageData(image, 0, 0);
		return picture;
	}

	/* A picture of rows x columns, laid over times from..until and rows top..bottom of the plane. */
	function lay(plane, g, picture, from, until, top, bottom) {
		const [x0, x1, y0, y1] = [plane.x(from), plane.x(until), plane.y(top), plane.y(bottom)];
		g.imageSmoothingEnabled = x1 - x0 < picture.width * 0.7 || y1 - y0 < picture.height * 0.7;
		g.imageSmoothingQuality = 'medium';
		g.drawImage(picture, x0, y0, x1 - x0, y1 - y0);
	}

	class Layer {
		constructor(run, heat, values, kind, bars) {
			Object.assign(this, { run, heat, values, kind, bars, way: 'kept' });
		}

		themed() {
			this.picture = null;
		}

		colours() {
			if (!this.picture) {
				this.ramp = ramp();
				this.picture = pictureOf(this.values, this.heat.rows, this.heat.columns, this.ramp);
			}
		}

		/*
		 * Finer than what is kept only where the bars say it exactly: in a pool of cpus, of which each has one row.
		 */
		finer(plane) {
			const { heat } = this;
			const { from, to, top, bottom } = plane.view;
			return this.bars && (heat.step / (to - from) * plane.box.w > 3 ||
				heat.per / (bottom - top) * plane.box.h > 3);
		}

		paint(plane, g, box) {
			this.colours();
			const { heat } = this;
			this.way = this.finer(plane) ? 'again' : 'kept';
			if (this.way === 'again')
				return this.again(plane, g, box);
			lay(plane, g, this.picture, heat.from, heat.from + heat.columns * heat.step, 0,
				heat.rows * heat.per);
			return { bars: heat.rows * heat.columns, way: 'kept' };
		}

		again(plane, g, box) {
			const { view } = plane;
			const top = Math.floor(view.top);
			const rows = Math.ceil(view.bottom) - top;
			const columns = Math.max(1,
				Math.round(box.w / 2)); /* Two pixels a column: a mean is read, not an edge. */
			const bins = Math.min(rows, Math.round(box.h));
			this.one ??= new Uint8Array(this.bars.count);
			const { sums, stride, told } = page.bars.accumulate(this.bars, this.one, view, top, rows,
				columns, bins);
			const values = new Uint8Array(columns * bins);
			for (let x = 0; x < columns; x++)
				for (let y = 0, sum = 0; y < bins; y++) {
					sum += sums[x * stride + y * page.bars.classes];
					values[y * columns + x] = Math.min(255, Math.max(0, sum * 255 + 0.5));
				}
			const picture = pictureOf(values, bins, columns, this.ramp);
			lay(plane, g, picture, view.from, view.to, top, top + rows);
			this.fine = { values, columns, bins, top, rows, view };
			return { bars: told, way: 'again' };
		}

		/* The share in use there: {share, from, until, first, count}, or null. */
		value(at, row) {
			const { heat } = this;
			if (this.way === 'again') {
				const { values, columns, bins, top, rows, view } = this.fine;
				const step = (view.to - view.from) / columns;
				const [x, y] = [Math.floor((at - view.from) / step),
					Math.floor((row - top) / rows * bins)];
				if (x < 0 || x >= columns || y < 0 || y >= bins)
					return null;
				const first = top + Math.floor(y * rows / bins);
				return { share: values[y * columns + x] / 255, from: view.from + x * step,
					until: view.from + (x + 1) * step,
					first, count: Math.max(1, Math.round(rows / bins)) };
			}
			const [x, y] = [Math.floor((at - heat.from) / heat.step), Math.floor(row / heat.per)];
			if (x < 0 || x >= heat.columns || y < 0 || y >= heat.rows)
				return null;
			return { share: this.values[y * heat.columns + x] / 255, from: heat.from + x * heat.step,
				until: heat.from + (x + 1) * heat.step,
				first: y * heat.per, count: Math.min(heat.per, heat.count - y * heat.per) };
		}

		point(plane, at, row) {
			const there = this.value(at, row);
			if (!there)
				return null;
			const seconds = (when) => page.text.time(page.data.seconds(this.run, when));
			return [
				{ term: this.heat.title || this.heat.name,
					value: page.text.percent(there.share) + ' in use' },
				{ term: this.heat.unit === 'cpu' ? 'cpus' : 'node',
					value: rowsWord(this.kind, there) },
				{ term: 'from', value: seconds(there.from) },
					{ term: 'until', value: seconds(there.until) },
			];
		}

		/* The keyboard's cell: told, and marked. */
		step(plane, dx, dy) {
			const { from, to, top, bottom } = plane.view;
			this.at ??= { at: (from + to) / 2, row: (top + bottom) / 2 };
			const clamp = (value, low, high) =>
				Math.min(Math.max(value, low), high - 1e-9 * (high - low));
			this.at = { at: clamp(this.at.at + dx * (to - from) / 40, from, to),
				row: clamp(this.at.row + dy * Math.max(1, (bottom - top) / 40), top, bottom) };
			page.cursor.set(page.data.seconds(this.run, this.at.at), plane);
			const lines = this.point(plane, this.at.at, this.at.row);
			if (lines)
				page.say(lines.map(({ term, value }) => `${term} ${value}`).join(', '));
			plane.redrawOver();
		}

		over(plane, g) {
			if (!this.at || document.activeElement !== plane.base)
				return;
			g.strokeStyle = plane.colours.accent;
			g.lineWidth = 2;
			g.strokeRect(plane.x(this.at.at) - 4, plane.y(this.at.row) - 4, 8, 8);
			g.lineWidth = 1;
		}

		choose(plane, at, row) {
			this.at = { at, row };
		}
	}

	function rowsWord(kind, { first, count }) {
		const word = kind.word || String;
		return count === 1 ? word(first) : `${word(first)} \u2013 ${word(first + count - 1)}`;
	}

	/* Rows of the heat map: nodes, though the Gantt's may be their GPUs. */
	function kindOf(heat, rows) {
		const same = rows.unit !== 'gpu' && rows.count === heat.count;
		const groups = same ? rows.groups : rows.first ? rows.groups.map((group) => {
			const first = rows.nodeOf(group.first);
			return { name: group.name, first,
				count: rows.nodeOf(group.first + group.count - 1) - first + 1 };
		}) : [];
		const word = rows.word && (rows.first ? (node) => rows.word(rows.first[node]).replace(/:0$/, '')
			: same ? rows.word : null);
		return { unit: heat.unit, count: heat.count, groups, word };
	}

	async function planeOf(run, name, height) {
		const heat = run.heat.find((one) => one.name === name) || run.heat[0];
		const [values, rows] = await Promise.all([page.data.block(heat.value), page.rowsOf(run)]);
		const exact = heat.unit === 'cpu' && run.rows.unit === 'cpu' && run.rects &&
			run.jobs.kept === run.jobs.total;
		const bars = exact ? await page.bars.of(run) : null;
		const kind = kindOf(heat, rows);
		return new page.plane.Plane({
			run, kind, layer: new Layer(run, heat, values, kind, bars), name: 'heat', height,
				help: 'heat-help',
			label: `${run.name}: ${heat.title || heat.name} in use, of ${page.text.plural(kind.count, kind.unit)} against time`,
		});
	}

	/* All jobs, in grey, under a Gantt that does not keep each of them. */
	page.heatUnder = async function (run, rows) {
		const heat = (run.heat || []).find((one) => one.name === (rows.unit === 'gpu' ? 'gpus' : 'cpus')) ||
			(run.heat || [])[0];
		if (!heat)
			return null;
		const values = await page.data.block(heat.value);
		let made = null;
		return (plane, g) => {
			const [r, gr, b] = page.plane.channels(page.theme.colour('muted'));
			const key = `${r},${gr},${b}`;
			if (!made || made.key !== key)
				made = { key, picture: pictureOf(values, heat.rows, heat.columns,
					Uint32Array.from({ length: 256 },
						(_, v) => (Math.round(v * 0.6) << 24 | b << 16 | gr << 8 | r) >>> 0)) };
			const until = heat.from + heat.columns * heat.step;
			if (!rows.first) {
				lay(plane, g, made.picture, heat.from, until, 0, heat.rows * heat.per);
				return;
			}
			g.imageSmoothingEnabled = false;
			for (let y = 0; y < heat.rows; y++) { /* Nodes have different numbers of rows. */
				const [a, z] = [rows.first[y * heat.per],
					rows.first[Math.min(heat.count, (y + 1) * heat.per)] ?? rows.count];
				const [x0, x1] = [plane.x(heat.from), plane.x(until)];
				g.drawImage(made.picture, 0, y, heat.columns, 1, x0, plane.y(a), x1 - x0,
					plane.y(z) - plane.y(a));
			}
		};
	};

	page.section({
		id: 'heat', title: page.runs.some((run) => (run.heat || []).some((heat) => heat.unit === 'node'))
			? 'How full each node was' : 'How full the machine was', order: 60, link: 'Heat map',
		note: 'The share in use, as a mean over each cell\u2019s time and rows.',
		when: () => page.runs.some((run) => run.heat && run.heat.length),
		build: (body) => build(body),
	});

	function table(plane) {
		const { kind, layer } = plane;
		const { from, to, top, bottom } = plane.view;
		const [columns, rows] = [8, Math.min(25, Math.ceil(bottom - top))];
		const at = (x) => from + (x + 0.5) / columns * (to - from);
		const row = (y) => top + (y + 0.5) / rows * (bottom - top);
		return {
			caption: `${plane.run.name}: ${layer.heat.title || layer.heat.name} in use at some times of the window`, test: 'heat-table',
			head: [kind.unit, ...Array.from({ length: columns },
				(_, x) => page.text.time(page.data.seconds(plane.run, at(x))))],
			rows: Array.from({ length: rows }, (_, y) => {
				const found = Array.from({ length: columns }, (__, x) => layer.value(at(x), row(y)));
				const there = found.find(Boolean);
				return [there ? page.name(rowsWord(kind, there)) : null,
					...found.map((one) => one ? page.text.percent(one.share) : null)];
			}),
		};
	}

	function legend() {
		const bar = page.el('canvas', { width: 256, height: 10, class: 'ramp', 'aria-hidden': 'true' });
		const draw = () => {
			const values = Uint8Array.from({ length: 256 }, (_, v) => v);
			const g = bar.getContext('2d');
			g.imageSmoothingEnabled = false;
			g.drawImage(pictureOf(values, 1, 256, ramp()), 0, 0, 256, 10);
		};
		page.theme.subscribe(draw);
		draw();
		return page.el('p', { class: 'legend small', 'data-test': 'heat-legend' }, 'idle ', bar, ' full');
	}

	async function build(body) {
		const runs = page.runs.filter((run) => run.heat && run.heat.length);
		const now = { first: runs[0], second: runs.length > 1 ? runs[1] : null, name: runs[0].heat[0].name };
		const resources = [...new Map(runs.flatMap((run) =>
			run.heat.map((heat) => [heat.name, heat.title || heat.name])))];
		const panels = page.el('div', { class: 'planes' });
		const rule = page.el('p', { class: 'small', 'data-test': 'heat-rule' });
		const tables = page.el('div');
		const height = (plane) => Math.round(Math.min(now.second ? 260 : 400,
			Math.max(100, plane.rows.count * 16 + 26)));

		async function show() {
			const begun = now.begun = {};
			const shown = [now.first, now.second].filter((run, k) => run &&
				(k === 0 || run !== now.first));
			const made = await Promise.all(shown.map((run) => planeOf(run, now.name, height)));
			if (now.begun !== begun)
				return;
			page.plane.stack(panels, made, page.heat.planes);
			page.heat.planes = made;
			const { heat, bars } = made[0].layer;
			const step = page.text.duration(page.data.length(made[0].run, heat.step));
			rule.textContent = `A cell is ${heat.per === 1 ? `one ${heat.unit}` : page.text.plural(heat.per, heat.unit)} for ${step}` +
				(bars ? '; zoomed in beyond that, it is computed again from the bars.'
					: '; finer is not kept.');
			tables.replaceChildren(...page.plane.tables(made, (plane) => `Values of ${plane.run.name} as a table`, table));
		}

		body.append(page.el('div', { class: 'controls' }, page.plane.runs('heat', runs, now, show),
			resources.length > 1 ? page.choice({ label: 'Resource', test: 'heat-resource',
				value: now.name, options: resources, change: (name) => {
				now.name = name;
				show();
			} }) : [], legend()),
		panels, rule,
		page.el('p', { id: 'heat-help', class: 'small keys',
			text: 'Moves with the schedule above. Keys as there; Shift and arrows read cell by cell.' }),
			tables);
		await show();
	}
})();
