/* SPDX-License-Identifier: MIT */
/*
 * lines.js - what was in use and what waited, over time: a panel a measure, the runs over each other.
 */
(function () {
	const measures = [
		{ name: 'cpus', of: 'cpus', title: 'CPUs in use', open: true },
		{ name: 'gpus', of: 'gpus', title: 'GPUs in use', open: true },
		{ name: 'nodes', of: 'nodes', title: 'Nodes in use' },
		{ name: 'mem', of: 'mem', title: 'Memory in use', unit: 'MiB' },
		{ name: 'queued', title: 'Jobs waiting', unit: 'jobs', open: true },
		{ name: 'cpus_queued', title: 'CPUs asked for by waiting jobs', open: true },
		{ name: 'gpus_queued', title: 'GPUs asked for by waiting jobs', open: true },
		{ name: 'running', title: 'Jobs running', unit: 'jobs' },
		{ name: 'suspended', title: 'Jobs suspended', unit: 'jobs' },
		{ name: 'queued', key: 'queued-less', less: true, title: 'Waiting, less the first run', unit: 'jobs', open: true },
		{ name: 'cpus', key: 'cpus-less', less: true, title: 'CPUs, less the first run' },
		{ name: 'gpus', key: 'gpus-less', less: true, title: 'GPUs, less the first run' },
	];
	const away = ['maintenance', 'outage', 'state'];

	/* What all runs have of that measure; null: nothing of it. */
	function gather(measure) {
		return page.runs.map((run) => {
			if (measure.gauge) {
				const found = (run.gauges || []).find((gauge) => gauge.name === measure.name);
				return found ? { time: found.time, value: found.value } : null;
			}
			return run.use && run.use[measure.name] !== undefined && run.use[measure.name] !== null ?
				{ time: run.use.time, value: run.use[measure.name], peak: run.use[measure.name + '_max'] } : null;
		});
	}

	async function secondsOf(run, id) {
		const ticks = await page.data.block(id);
		const seconds = new Float64Array(ticks.length);
		for (let i = 0; i < ticks.length; i++)
			seconds[i] = page.data.seconds(run, ticks[i]);
		return seconds;
	}

	function extended(time, end) {
		const longer = new Float64Array(time.length + 1);
		longer.set(time);
		longer[time.length] = end;
		return longer;
	}

	/* One common time for all measures of the same blocks: merged once. */
	const merged = new Map();
	function together(blocks) {
		const key = blocks.map((one) => one ? one.time : '').join();
		if (!merged.has(key))
			merged.set(key, Promise.all(blocks.map((one, k) => one ? secondsOf(page.runs[k], one.time) : [])).then((times) => {
				/* A run is over at its end: nothing holds beyond it. */
				const ends = page.runs.map((run) => page.data.seconds(run, run.last));
				const all = page.merge(times.map((time, k) => time.length && time[time.length - 1] < ends[k] ?
					extended(time, ends[k]) : time));
				return { x: all.x, held: all.held, times, ends };
			}));
		return merged.get(key);
	}

	async function seriesOf(measure) {
		const blocks = gather(measure);
		const { x, held, times, ends } = await together(blocks);
		const series = [];
		for (const [k, run] of page.runs.entries()) {
			if (!blocks[k])
				continue;
			const spread = (raw) => Float64Array.from(x, (at, i) => {
				const index = Math.min(held[k][i], times[k].length - 1);
				return index < 0 || at > ends[k] ? NaN : page.data.amount(run, measure.name, raw[index]);
			});
			const peak = await page.data.block(blocks[k].peak); /* Beside means, where steps were joined. */
			series.push({ name: run.label, values: spread(await page.data.block(blocks[k].value)), peaks: peak ? spread(peak) : null, colour: () => page.theme.run(k), dash: page.theme.dash(k), run,
				visible: () => run.visible, swatch: () => page.swatch(k) });
		}
		return { x, series: measure.less ? lessFirst(series) : series };
	}

	/* How far each other run is from the first, where both are there. */
	function lessFirst(series) {
		const first = series.find((one) => one.run.index === 0);
		return first ? series.filter((one) => one !== first).map((one) => ({ ...one, peaks: null,
			values: one.values.map((value, i) => value - first.values[i]) })) : [];
	}

	function capacityOf(run, measure) {
		return measure.of && run.total ? page.data.amount(run, measure.of, run.total[measure.of] || 0) : 0;
	}

	/* Which share of a run's nodes (of its cpus, in a pool) is out of service when: [{from, until, share}], seconds. A node
	 * that is in two windows is out once. */
	async function outOfService(run) {
		const rows = run.rows;
		const windows = (run.windows || []).filter((window) => away.includes(window.kind));
		if (!rows || !rows.count || !windows.length)
			return [];
		const first = await page.data.block(rows.first); /* Of each node; null: a row is a node. */
		const count = first ? first.length - 1 : rows.count;
		const node = (row) => first ? Math.min(page.holds(first, row), count - 1) : row;
		const edges = windows.flatMap((window) => [
			{ at: page.data.seconds(run, window.from), by: 1, window },
			{ at: window.until === null ? page.time.full.to : page.data.seconds(run, window.until), by: -1, window },
		]).sort((a, b) => a.at - b.at || b.by - a.by);
		const held = new Uint32Array(count);
		const spans = [];
		let out = 0;
		edges.forEach(({ at, by, window }, i) => {
			for (const [start, many] of window.rows || [])
				for (let n = node(start); n <= node(start + many - 1); n++) {
					out -= held[n] > 0 ? 1 : 0;
					held[n] += by;
					out += held[n] > 0 ? 1 : 0;
				}
			if (out > 0 && i + 1 < edges.length && edges[i + 1].at > at)
				spans.push({ from: at, until: edges[i + 1].at, share: out / count });
		});
		return spans;
	}
	page.outOfService = outOfService;

	function hatched(ink, ratio) {
		const tile = page.el('canvas', { width: 6 * ratio, height: 6 * ratio });
		const pen = tile.getContext('2d');
		pen.strokeStyle = page.theme.colour('away');
		pen.lineWidth = ratio;
		pen.beginPath();
		for (const shift of [-6, 0, 6]) {
			pen.moveTo(shift * ratio, 6 * ratio);
			pen.lineTo((shift + 6) * ratio, 0);
		}
		pen.stroke();
		return ink.createPattern(tile, 'repeat');
	}

	/* Capacity as a line; what of it is out of service, hatched below it, in proportion of nodes. Of GPUs only when: not
	 * every node has some. */
	function capacityDrawer(measure, spans) {
		return (u) => {
			const capacities = Array.from(new Set(page.runs.filter((run) => run.visible)
				.map((run) => capacityOf(run, measure)).filter((c) => c > 0)));
			const { ctx, bbox } = u;
			const ratio = devicePixelRatio;
			ctx.save();
			ctx.beginPath();
			ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
			ctx.clip();
			if (spans.length && capacities.length) {
				const full = capacities[0];
				const shown = (share) => measure.of === 'gpus' ? 0.06 : share;
				ctx.fillStyle = hatched(ctx, ratio);
				for (const { from, until, share } of spans) {
					const left = u.valToPos(from, 'x', true);
					const right = u.valToPos(until, 'x', true);
					const top = u.valToPos(full, 'y', true);
					ctx.fillRect(left, top, Math.max(ratio, right - left), u.valToPos(full * (1 - shown(share)), 'y', true) - top);
				}
			}
			ctx.strokeStyle = page.theme.colour('ink');
			ctx.lineWidth = ratio;
			ctx.setLineDash([4 * ratio, 3 * ratio]);
			for (const capacity of capacities) {
				const y = Math.round(u.valToPos(capacity, 'y', true)) + 0.5;
				ctx.beginPath();
				ctx.moveTo(bbox.left, y);
				ctx.lineTo(bbox.left + bbox.width, y);
				ctx.stroke();
			}
			ctx.restore();
		};
	}

	/* A readable sample: as many moments as fit a screen or two, evenly over the time shown. */
	page.sampled = function (title, chart, series, text) {
		const moments = 40;
		const { from, to } = page.time.get();
		const at = Array.from({ length: moments + 1 }, (unused, i) => from + (to - from) * i / moments);
		return {
			caption: `${title}: ${moments + 1} moments, evenly over the time that is shown`,
			head: ['time'].concat(series.map((one) => page.name(one.name, 40))),
			rows: at.map((x) => [page.text.time(x)].concat(chart().values(x).map(text))),
		};
	};

	async function panel(host, measure, unit, out) {
		const { x, series } = await seriesOf(measure);
		const capacity = Math.max(0, ...page.runs.map((run) => capacityOf(run, measure)));
		const text = (v) => Number.isFinite(v) ? page.text.number(v, 6) : '\u2013';
		let chart = null;
		chart = page.chart(host, {
			name: 'use-' + (measure.key || measure.name), title: measure.title, unit: [unit, capacity ? `of ${page.text.number(capacity, 7)}` : '']
				.filter(Boolean).join(', '),
			x, series, linked: true, top: capacity, named: page.runs.length > 1, text,
			xTicks: page.text.ticks, xText: page.text.time,
			read: capacity && page.runs.length === 1 ? (at) => {
				const value = chart.values(at)[0];
				return Number.isFinite(value) ? `(${page.text.percent(value / capacity)})` : '';
			} : null,
			under: measure.of ? capacityDrawer(measure, out) : null,
			table: () => page.sampled(measure.title, () => chart, series, text),
		});
		return chart;
	}

	page.section({
		id: 'time', title: 'Use and queue over time', link: 'Over time', order: 30,
		when: () => page.runs.some((run) => run.use || (run.gauges || []).length),
		async build(body, section) {
			const resources = new Map((page.meta.resources || []).map((one) => [one.name, one]));
			const known = measures.map((one) => ({ ...one, unit: one.unit ||
				(one.of === 'mem' && resources.has('mem') ? resources.get('mem').unit : '') }));
			for (const run of page.runs)
				for (const gauge of run.gauges || [])
					if (!known.some((one) => one.gauge && one.name === gauge.name))
						known.push({ name: gauge.name, title: page.text.clean(gauge.title || gauge.name, 80), gauge: true });
			const there = known.filter((measure) => gather(measure).some(Boolean) && (!measure.less || page.runs.length > 1));
			const out = await outOfService(page.runs[0]);
			const rules = Array.from(new Set(page.runs.map((run) => run.use_rule).filter(Boolean)));
			const hosts = page.el('div');
			const open = new Map();
			const show = async (measure, on) => {
				const host = open.get(measure.key || measure.name).host;
				host.hidden = !on;
				if (on && !open.get(measure.key || measure.name).begun) {
					open.get(measure.key || measure.name).begun = true;
					await panel(host, measure, measure.unit, out);
				}
			};
			const buttons = there.map((measure) => {
				const host = page.el('div', { hidden: true });
				open.set(measure.key || measure.name, { host, begun: false });
				hosts.append(host);
				return page.toggle({ text: measure.title, pressed: Boolean(measure.open), test: 'measure',
					change: (on) => show(measure, on) });
			});
			page.fill(body, page.el('p', { class: 'note hint', text: 'Drag to zoom, double click for the whole time again; all charts over time, ' +
				'and the schedule, show the same window and the same cursor.' }),
			page.el('p', { class: 'note', text: 'The dashed line is the capacity' + (out.length ?
				'; hatched below it: nodes out of service, as their share of all nodes (of GPUs: only when)' : '') + '. Where there are more steps than pixels, a line is a mean' +
				(page.runs.length > 1 ? '' : ' and the area is from the least to the most') + '; the cursor reads single steps.' }),
			rules.map((rule) => page.el('p', { class: 'note', text: page.text.clean(rule, 500) })),
			page.el('div', { class: 'controls' }, page.el('div', { class: 'group', role: 'group', 'aria-label': 'Measures shown' }, buttons)),
			hosts);
			for (const measure of there)
				if (measure.open)
					await show(measure, true);
			section.show = show;
		},
	});
	page.secondsOf = secondsOf;
	page.useOf = gather;
	page.useSeries = seriesOf;
	page.capacityOf = capacityOf;
})();
