/* SPDX-License-Identifier: MIT */
/*
 * cdf.js - which share of the jobs waited at most so long: by all, or by groups of them.
 *
 * The axis is logarithmic, with a place of its own for zero: most jobs of most traces wait not at all, and a
 * logarithm would lose them.
 */
(function () {
	const kinds = {
		all: 'all jobs', size: 'size', user: 'user', account: 'account', partition: 'partition', qos: 'QOS', gpu_type: 'GPU type',
	};
	const measures = {
		wait: { title: 'Wait', least: 1, unit: 's', zero: true },
		wait_survival: { of: 'wait', title: 'Wait, both axes logarithmic', least: 1, unit: 's', zero: true, survival: true },
		bounded_slowdown: { title: 'Bounded slowdown', least: 1, unit: 'number', zero: false },
	};

	/* From values to places on the axis, and back. Between zero and the first decade it is linear: waits of less than
	 * a second matter only where there are no others. */
	function scaleOf(measure, curves) {
		let high = measure.least * 10;
		let low = Infinity;
		for (const curve of curves)
			for (const value of curve.value) {
				high = Math.max(high, value);
				if (value > 0)
					low = Math.min(low, value);
			}
		const fine = measure.zero && high < 100 ? Math.min(1, Math.max(1e-3, low)) : measure.least;
		const start = Math.floor(Math.log10(fine) + 1e-9);
		const from = Math.pow(10, start);
		const zero = measure.zero ? start - 0.7 : start; /* Where zero stands. */
		return {
			zero, start,
			place: (v) => v >= from ? Math.log10(v) : zero + (start - zero) * Math.max(0, v) / from,
			value: (x) => x >= start || start === zero ? Math.pow(10, Math.max(x, start)) :
				Math.max(0, (x - zero) / (start - zero)) * from,
			from: measure.zero ? zero - 0.12 : start - 0.04,
			to: Math.log10(high) + 0.05,
			zeroShown: measure.zero,
		};
	}

	const hours = [1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];
	const names = ['1 s', '10 s', '1 min', '10 min', '1 h', '6 h', '1 d', '7 d', '30 d', '365 d'];

	function ticksOf(scale, measure) {
		return (from, to, count) => {
			const found = { at: [], label: [] };
			const add = (at, label) => {
				if (at < from || at > to)
					return;
				found.at.push(at);
				found.label.push(label);
			};
			if (scale.zeroShown)
				add(scale.zero, '0');
			if (measure.unit === 's' && to - from > 1) {
				const room = (to - from) / Math.max(1, count);
				let last = scale.zeroShown ? scale.zero : -Infinity;
				for (const [i, seconds] of hours.entries()) {
					const at = Math.log10(seconds);
					if (at < scale.start - 1e-9 || at - last < Math.min(0.6, room))
						continue;
					add(at, names[i].replace(' ', page.text.THIN));
					last = at;
				}
				return found;
			}
			const step = to - from > count ? 2 : 1;
			for (let power = scale.start; power <= to; power += step)
				add(power, page.text.axis(Math.pow(10, power)));
			if (found.at.length < 2)
				for (const x of [from, to])
					add(x, measure.unit === 's' ? page.text.duration(scale.value(x)) : page.text.number(scale.value(x)));
			return found;
		};
	}

	/* The share of those that are above, on a logarithm: NaN, where nobody is. */
	const above = (share) => share < 1 - 1e-12 ? Math.log10(1 - share) : NaN;

	function seriesOf(curves, scale, look, measure) {
		const places = curves.map((curve) => Float64Array.from(curve.value, scale.place));
		const { x, held } = page.merge(places);
		/* Before the first value the share is 0: one more point, where the axis begins. */
		const xs = new Float64Array(x.length + 1);
		xs[0] = scale.from - 1;
		xs.set(x, 1);
		const series = curves.map((curve, k) => {
			const values = new Float64Array(xs.length);
			for (let i = 0; i < x.length; i++)
				values[i + 1] = held[k][i] < 0 ? 0 : curve.share[held[k][i]];
			if (measure.survival)
				values.forEach((share, i) => {
					values[i] = above(share);
				});
			return { ...look(curve, k), values, curve };
		});
		return { x: xs, series };
	}

	/* The value at or below which that share of the group is. */
	function quantile(curve, share) {
		for (let i = 0; i < curve.share.length; i++)
			if (curve.share[i] >= share - 1e-12)
				return curve.value[i];
		return null; /* Of those that have none, such as jobs that never started. */
	}

	function tableOf(title, measure, series) {
		const shares = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1];
		return {
			caption: `${title}: the value that so many of the jobs do not exceed`,
			head: ['', 'jobs'].concat(shares.map((share) => page.text.percent(share))),
			rows: series.map((one) => [page.name(one.name, 60), page.text.fixed(one.curve.jobs, 0)].concat(
				shares.map((share) => page.text.value(quantile(one.curve, share), measure.unit)))),
		};
	}

	function draw(host, { name, title, measure, curves, scale, look, height }) {
		const { x, series } = seriesOf(curves, scale, look, measure);
		const write = (v) => page.text.percent(measure.survival ? Math.pow(10, v) : v);
		return page.chart(host, {
			name, title, x, series, height, named: true, compact: height < 200 && measure.runs, from: scale.from, to: scale.to,
			...(measure.survival ? { top: 0, bottom: -1 } : { top: 1 / 1.06 }),
			xTicks: ticksOf(scale, measure),
			xText: (at) => (measure.survival ? '> ' : '\u2264 ') + page.text.value(scale.value(at), measure.unit),
			yTicks: write, text: write,
			table: () => tableOf(title, measure, series),
		});
	}

	const ofRun = (run) => ({ name: run.label, colour: () => page.theme.run(run.index), dash: page.theme.dash(run.index),
		visible: () => run.visible, swatch: () => page.swatch(run.index), run });

	/* Of all jobs, on two logarithms; nothing where no run has waits. */
	page.survival = async function (host) {
		const all = await Promise.all(page.runs.map((run) => page.data.block(run.cdf)));
		const pairs = page.runs.map((run, i) => [run, (all[i] || []).find((curve) => curve.of === 'wait' && curve.by === 'all')])
			.filter(([, curve]) => curve);
		const measure = { ...measures.wait_survival, runs: true };
		const curves = pairs.map(([, curve]) => curve);
		if (curves.length)
			draw(host, { name: 'glance-survival', title: 'Share of jobs that waited longer', measure, scale: scaleOf(measure, curves), curves,
				look: (curve, k) => ofRun(pairs[k][0]), height: 260 });
	};

	page.section({
		id: 'distribution', title: 'Distribution of waits and slowdowns', link: 'Distribution', order: 40,
		when: () => page.runs.some((run) => run.cdf !== null && run.cdf !== undefined),
		async build(body) {
			const all = await Promise.all(page.runs.map((run) => page.data.block(run.cdf)));
			const curvesOf = (run, of, by) => (all[run.index] || []).filter((curve) => curve.of === (measures[of].of || of) && curve.by === by);
			const bys = Object.keys(kinds).filter((by) => page.runs.some((run) => curvesOf(run, 'wait', by).length > (by === 'all' ? 0 : 1)));
			const now = { of: 'wait', by: bys[0] || 'all', run: 'each' };
			const host = page.el('div', { 'data-test': 'distribution' });
			const note = page.el('p', { class: 'note' });
			let charts = [];

			function groupsOf() {
				const groups = [];
				for (const run of page.runs)
					for (const curve of curvesOf(run, now.of, now.by))
						if (!groups.includes(curve.group))
							groups.push(curve.group);
				return groups;
			}

			/* A panel a group, the runs over each other; or one run, its groups over each other. */
			function fill() {
				charts.forEach((chart) => chart.remove());
				charts = [];
				const measure = { ...measures[now.of], runs: now.run === 'each' };
				const runs = now.run === 'each' ? page.runs : [page.runs[Number(now.run)]];
				const scale = scaleOf(measure, runs.flatMap((run) => curvesOf(run, now.of, now.by)));
				const grid = page.el('div', { class: now.by === 'all' || now.run !== 'each' ? '' : 'grid' });
				host.replaceChildren(grid);
				const label = (group) => now.by === 'all' ? 'all jobs' : group === '' ? 'none' : group;
				if (now.by === 'all' || now.run === 'each') {
					for (const group of groupsOf()) {
						const pairs = runs.map((run) => [run, curvesOf(run, now.of, now.by).find((one) => one.group === group)])
							.filter(([, curve]) => curve);
						charts.push(draw(grid, { name: `cdf-${now.by}-${charts.length}`, measure, scale,
							title: `${measure.title}, ${now.by === 'all' ? '' : kinds[now.by] + ' '}${label(group)}`,
							curves: pairs.map(([, curve]) => curve), look: (curve, k) => ofRun(pairs[k][0]),
							height: now.by === 'all' ? 300 : 190 }));
					}
				} else {
					const run = runs[0];
					const curves = curvesOf(run, now.of, now.by);
					charts.push(draw(grid, { name: `cdf-${now.by}-0`, measure, scale, curves, height: 340,
						title: `${measure.title} by ${kinds[now.by]}, ${page.text.clean(run.label, 60)}`,
						look: (curve, k) => ({ name: label(curve.group), colour: () => page.theme.run(k), dash: page.theme.dash(k),
							swatch: () => page.swatch(k) }) }));
				}
				note.textContent = (measure.survival ? 'Each line: the share of jobs that waited longer; where the axis of shares has no place, nobody did. Lower lines wait less. ' :
					'Each line: the share of jobs whose value is at most that on the axis. Lines further to the left wait less. ') +
					(measure.zero ? 'The axis is logarithmic; 0 has its own place at the left.' : 'The axis is logarithmic.') +
					(now.by === 'size' ? ' Sizes are in powers of two.' : '');
			}

			const runChoice = page.choice({ label: 'Runs', value: now.run, test: 'cdf-run', change: (value) => {
				now.run = value;
				fill();
			}, options: [['each', 'a chart for each group, runs together']].concat(
				page.runs.map((run) => [String(run.index), `groups together, ${run.label}`])) });
			runChoice.hidden = true;
			page.fill(body, page.el('div', { class: 'controls' },
				page.choice({ label: 'Of', value: now.of, test: 'cdf-of', options: Object.entries(measures).map(([key, one]) => [key, one.title]),
					change: (value) => {
						now.of = value;
						fill();
					} }),
				page.choice({ label: 'By', value: now.by, test: 'cdf-by', options: bys.map((by) => [by, kinds[by]]), change: (value) => {
					now.by = value;
					runChoice.hidden = value === 'all';
					fill();
				} }), runChoice), note, host);
			fill();
		},
	});
})();
