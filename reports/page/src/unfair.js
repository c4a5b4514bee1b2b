/* SPDX-License-Identifier: MIT */
/*
 * unfair.js - metrics of the field: whose jobs started later than their fair start times, and when; and which jobs, by
 * size and run time, waited how long.
 */
(function () {
	const charted = 6; /* Users. */
	const sum = (values) => values.reduce((total, value) => total + value, 0);
	const labelOf = (one) => one.other ? 'all others' : one.name === '' ? 'none' : one.name;
	const keyOf = (one) => `${one.other ? 1 : 0}/${one.name}`;

	async function load(run) {
		if (!run.unfair)
			return null;
		const user = await Promise.all(run.unfair.user.map(async (one) => ({ name: one.name, other: Boolean(one.other),
			jobs: await page.data.block(one.jobs), late: await page.data.block(one.late), missed: await page.data.block(one.missed) })));
		const periods = user.length ? user[0].jobs.length : 0;
		const time = Float64Array.from({ length: periods + 1 }, (unused, i) => page.data.seconds(run, run.unfair.from + i * run.unfair.period));
		return { run, user, time, periods };
	}

	/* Those that missed most in any run first; they are the same in all charts and tables. */
	function usersOf(all) {
		const users = new Map();
		for (const { user } of all)
			for (const one of user) {
				const known = users.get(keyOf(one)) || { name: one.name, other: one.other, missed: 0 };
				known.missed = Math.max(known.missed, sum(one.missed));
				users.set(keyOf(one), known);
			}
		return Array.from(users.values()).sort((a, b) => a.other - b.other || b.missed - a.missed);
	}
	const findIn = (loaded, one) => loaded.user.find((other) => keyOf(other) === keyOf(one));

	function table(all) {
		return page.tableOf({
			caption: 'Fair starts missed, by user', test: 'unfair',
			head: ['user', ...all.flatMap(({ run }) => {
				const of = all.length > 1 ? [page.swatch(run.index), ' ', page.name(run.label, 30), ' '] : [];
				return [page.el('span', {}, ...of, 'late'), 'by, mean'];
			})],
			rows: usersOf(all).map((one) => [page.name(labelOf(one), 40), ...all.flatMap((loaded) => {
				const mine = findIn(loaded, one);
				const jobs = mine ? sum(mine.jobs) : 0;
				return jobs ? [page.text.percent(sum(mine.late) / jobs), page.text.duration(sum(mine.missed) / jobs)] : [null, null];
			})]),
		});
	}

	function charts(host, all) {
		const { x, held } = page.merge(all.map(({ time }) => time));
		const users = usersOf(all).filter((one) => one.missed > 0 && !one.other).slice(0, charted);
		const mean = (loaded, mine, i) => i >= 0 && i < loaded.periods && mine.jobs[i] ? mine.missed[i] / mine.jobs[i] / 3600 : NaN;
		const text = (v) => Number.isFinite(v) ? `${page.text.number(v, 3)}${page.text.THIN}h` : '\u2013';
		users.forEach((one, number) => {
			const series = all.flatMap((loaded, k) => {
				const mine = findIn(loaded, one);
				return mine ? [{ name: loaded.run.label, values: Float64Array.from(x, (unused, i) => mean(loaded, mine, held[k][i])),
					colour: () => page.theme.run(loaded.run.index), dash: page.theme.dash(loaded.run.index),
					visible: () => loaded.run.visible, swatch: () => page.swatch(loaded.run.index) }] : [];
			});
			let chart = null;
			chart = page.chart(host, {
				name: `unfair-${number}`, title: `user ${labelOf(one)}`, unit: 'fair start missed by, mean', x, series, linked: true, height: 130,
				named: all.length > 1, compact: true, text, xTicks: page.text.ticks, xText: page.text.time, yTicks: text,
				table: () => page.sampled(`Fair starts missed by ${page.text.clean(labelOf(one), 60)}`, () => chart, series, text),
			});
		});
	}

	page.section({
		id: 'unfair', link: 'Fair starts', title: 'Who started later than fair, and when', order: 72,
		when: () => page.runs.some((run) => run.unfair),
		async build(body) {
			const all = (await Promise.all(page.runs.map(load))).filter(Boolean);
			const note = page.el('p', { class: 'note', text: 'By how long jobs started later than their fair start times (replay.fair_start), 0 of those that ' +
				'did not, in the mean over the jobs that were submitted in a period. Of each run the users that missed most have a line; \u2013: there they are among all others.' });
			const tables = page.el('div', { class: 'shares-table' });
			const grid = page.el('div', { class: 'grid' });
			const fill = () => tables.replaceChildren(table(all.filter(({ run }) => run.visible)));
			page.fill(body, note, tables, grid);
			fill();
			page.shown.subscribe(fill);
			charts(grid, all);
		},
	});

	/* ---- Waits by size and run time ----------------------------------------------------------------------------- */

	const cellName = /^wait\.mean\{size=([^,]*),run=([^}]*)\}$/;
	const firstNumber = (text) => Number((/\d+/.exec(text) || ['0'])[0]);

	/* Of a run: {sizes, runs, of: Map "size/run" -> {wait, jobs}}; classes in the order of the first run that has them. */
	function classesOf(runs) {
		const sizes = new Set();
		const lengths = new Set();
		for (const run of runs)
			for (const name of Object.keys(run.metrics)) {
				const found = cellName.exec(name);
				if (found) {
					sizes.add(found[1]);
					lengths.add(found[2]);
				}
			}
		const unit = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };
		const long = (text) => {
			const parts = text.match(/\d+[smhdw]/g) || ['0s'];
			const last = parts[parts.length - 1];
			return parseInt(last, 10) * unit[last[last.length - 1]] + (/^[>=]|\+$/.test(text) ? 1 : 0);
		};
		return { sizes: Array.from(sizes).sort((a, b) => firstNumber(a) - firstNumber(b)), lengths: Array.from(lengths).sort((a, b) => long(a) - long(b)) };
	}

	function waitsTable(run, { sizes, lengths }, most) {
		return page.tableOf({
			caption: page.text.clean(run.label, 60), test: 'waits-table',
			head: ['cpus', ...lengths],
			rows: sizes.map((size) => [size, ...lengths.map((length) => {
				const wait = run.metrics[`wait.mean{size=${size},run=${length}}`];
				const jobs = run.metrics[`jobs{size=${size},run=${length}}`];
				if (wait === undefined)
					return null;
				const cell = page.el('div', { class: 'wait-cell' }, page.el('span', { text: page.text.duration(wait) }), page.el('small', { text: page.text.number(jobs, 7) }));
				cell.style.setProperty('--much', String(Math.round(100 * Math.log1p(wait / 60) / Math.log1p(most / 60))));
				return cell;
			})]),
		});
	}

	page.section({
		id: 'waits', link: 'Waits', title: 'Waits by size and run time', order: 42,
		when: () => page.runs.some((run) => Object.keys(run.metrics).some((name) => cellName.test(name))),
		build(body) {
			const classes = classesOf(page.runs);
			const most = Math.max(1, ...page.runs.flatMap((run) => Object.keys(run.metrics).filter((name) => cellName.test(name)).map((name) => run.metrics[name])));
			const tables = page.el('div', { class: 'waits' });
			const fill = () => tables.replaceChildren(...page.runs.filter((run) => run.visible).map((run) => waitsTable(run, classes, most)));
			page.fill(body, page.el('p', { class: 'note', text: 'Mean waits by cpus (down) and run time (across), and below each of how many jobs. The stronger the colour, the longer, on a logarithm that all tables share.' }), tables);
			fill();
			page.shown.subscribe(fill);
		},
	});
})();
