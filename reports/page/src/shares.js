/* SPDX-License-Identifier: MIT */
/*
 * shares.js - who used how much of what was in use, against what they were entitled to.
 */
(function () {
	const kinds = { account: 'account', user: 'user', partition: 'partition', project: 'project' };

	const keyOf = (share) => `${share.by}/${share.of || ''}`;

	/* One run's shares of that kind, decoded: {time, end, group: [{name, entitled, used}]}. */
	async function load(run, key) {
		const share = (run.shares || []).find((one) => keyOf(one) === key);
		if (!share)
			return null;
		const time = await page.secondsOf(run, share.time);
		const group = await Promise.all(share.group.map(async (one) => ({ ...one, used: await page.data.block(one.used) })));
		return { run, share, time, end: page.data.seconds(run, run.last), group };
	}

	/* Over the window: mean of used, each step by its length; moments when nothing was in use do not count. */
	function meanOf(loaded, used) {
		const { from, to } = page.time.get();
		let sum = 0;
		let length = 0;
		for (let i = 0; i < loaded.time.length; i++) {
			const start = Math.max(from, loaded.time[i]);
			const end = Math.min(to, i + 1 < loaded.time.length ? loaded.time[i + 1] : loaded.end);
			if (end > start && loaded.busy[i]) {
				sum += used[i] * (end - start);
				length += end - start;
			}
		}
		return length > 0 ? sum / length : NaN;
	}

	function bar(used, entitled) {
		const filled = page.el('span', { class: 'used' });
		filled.style.width = `${Math.min(100, Math.max(0, used * 100))}%`;
		const mark = entitled === null ? null : page.el('span', { class: 'entitled' });
		if (mark)
			mark.style.left = `${Math.min(100, entitled * 100)}%`;
		return page.el('div', { class: 'share-bar', 'aria-hidden': 'true' }, filled, mark);
	}

	const namesOf = (all) => {
		const names = [];
		for (const loaded of all)
			for (const one of loaded.group)
				if (!names.some((known) => known.name === one.name && Boolean(known.other) === Boolean(one.other)))
					names.push(one);
		return names;
	};
	const findIn = (loaded, one) => loaded.group.find((other) => other.name === one.name && Boolean(other.other) === Boolean(one.other));
	const labelOf = (one) => one.other ? 'all others' : one.name === '' ? 'none' : one.name;

	function table(all, title) {
		const groups = namesOf(all);
		const said = groups.some((one) => one.entitled !== null);
		const several = all.length > 1;
		return page.tableOf({
			caption: `${title}: mean over the time that is shown`, test: 'shares',
			head: ['', said ? ['entitled'] : [], all.map(({ run }) => [
				several ? page.el('span', {}, page.swatch(run.index), ' ', page.name(run.label, 30)) : 'used',
				said ? ['against entitled'] : []])].flat(3),
			rows: groups.map((one) => [page.name(labelOf(one), 60), said ? [one.entitled === null ? null : page.text.percent(one.entitled)] : [],
				all.map((loaded) => {
					const mine = findIn(loaded, one);
					const used = mine ? meanOf(loaded, mine.used) : NaN;
					return [page.el('div', { class: 'share-cell' }, bar(Number.isFinite(used) ? used : 0, one.entitled),
						page.el('span', { text: page.text.percent(used) })),
					said ? [one.entitled === null ? null : page.text.difference(used - one.entitled, 'share')] : []];
				})].flat(3)),
		});
	}

	function panels(host, all, title) {
		const { x, held } = page.merge(all.map((loaded) => loaded.time));
		/* One scale for all, so that their heights compare. */
		let top = 0;
		for (const one of namesOf(all)) {
			top = Math.max(top, one.entitled || 0);
			for (const loaded of all) {
				const mine = findIn(loaded, one);
				top = mine ? mine.used.reduce((most, value) => Math.max(most, value), top) : top;
			}
		}
		return namesOf(all).map((one, number) => {
			const label = labelOf(one);
			const series = all.map((loaded, k) => {
				const mine = findIn(loaded, one);
				const values = Float64Array.from(x, (at, i) => !mine || held[k][i] < 0 || at > loaded.end ? NaN : mine.used[held[k][i]]);
				return { name: loaded.run.label, values, colour: () => page.theme.run(loaded.run.index),
					dash: page.theme.dash(loaded.run.index), visible: () => loaded.run.visible, swatch: () => page.swatch(loaded.run.index) };
			});
			const text = (v) => page.text.percent(v);
			let chart = null;
			chart = page.chart(host, {
				name: `share-${number}`, title: label, unit: one.entitled === null ? '' : `entitled to ${text(one.entitled)}`,
				x, series, linked: true, height: 130, top, named: all.length > 1, compact: true, text,
				xTicks: page.text.ticks, xText: page.text.time, yTicks: text,
				over: one.entitled === null ? null : (u) => {
					const { ctx, bbox } = u;
					const y = Math.round(u.valToPos(one.entitled, 'y', true)) + 0.5;
					ctx.save();
					ctx.strokeStyle = page.theme.colour('ink');
					ctx.lineWidth = devicePixelRatio;
					ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
					ctx.beginPath();
					ctx.moveTo(bbox.left, y);
					ctx.lineTo(bbox.left + bbox.width, y);
					ctx.stroke();
					ctx.restore();
				},
				table: () => page.sampled(`${title}, ${page.text.clean(label, 60)}`, () => chart, series, text),
			});
			return chart;
		});
	}

	page.section({
		id: 'shares', link: 'Shares', order: 70,
		title: page.runs.some((run) => (run.shares || []).some((share) => share.group.some((one) => one.entitled !== null))) ?
			'Entitled and used shares' : 'Used shares',
		when: () => page.runs.some((run) => (run.shares || []).length > 0),
		async build(body) {
			const kindsThere = new Map();
			for (const run of page.runs)
				for (const share of run.shares || [])
					kindsThere.set(keyOf(share), page.text.clean(share.title || `${share.of || ''} by ${kinds[share.by] || share.by}`, 60));
			/* Where somebody said who is entitled to what, that first. */
			const keys = Array.from(kindsThere.keys());
			const entitled = keys.find((key) => page.runs.some((run) => (run.shares || []).some((share) => keyOf(share) === key &&
				share.group.some((one) => one.entitled !== null))));
			let now = entitled || keys[0];
			let charts = [];
			let turn = 0;
			const note = page.el('p', { class: 'note' });
			const tables = page.el('div', { class: 'shares-table' });
			const grid = page.el('div', { class: 'grid' });
			let all = [];
			let asked = false;
			const fillTable = () => {
				asked = false;
				if (all.length)
					tables.replaceChildren(table(all.filter(({ run }) => run.visible), kindsThere.get(now)));
			};
			const fill = async () => {
				const mine = ++turn;
				const loaded = (await Promise.all(page.runs.map((run) => load(run, now)))).filter(Boolean);
				if (mine !== turn)
					return; /* Another was chosen meanwhile. */
				for (const one of loaded)
					one.busy = Uint8Array.from(one.time, (unused, i) => one.group.some((group) => group.used[i] > 0) ? 1 : 0);
				all = loaded;
				charts.forEach((chart) => chart.remove());
				const rule = Array.from(new Set(all.map(({ share }) => share.rule).filter(Boolean))).join(' ');
				note.textContent = 'Of what was in use at each moment: who used which share of it. ' +
					(all.some(({ group }) => group.some((one) => one.entitled !== null)) ?
						'The mark in a bar, and the dashed line in a chart, is what the group is entitled to. ' :
						'Who is entitled to how much is not told here. ') + page.text.clean(rule, 500);
				fillTable();
				charts = panels(grid, all, kindsThere.get(now));
			};
			page.fill(body, page.el('div', { class: 'controls' }, keys.length > 1 ? page.choice({ label: 'Show', value: now, test: 'share-kind',
				options: Array.from(kindsThere), change: (value) => {
					now = value;
					fill();
				} }) : []), note, tables, grid);
			const later = () => {
				if (!asked)
					setTimeout(fillTable, 120);
				asked = true;
			};
			page.time.subscribe(later);
			page.shown.subscribe(later);
			await fill();
		},
	});
})();
