/* SPDX-License-Identifier: MIT */
/*
 * cohorts.js - the tree of cohorts and queues: quota, use, borrowing and lending over time, and who was evicted.
 */
(function () {
	const keyOf = (item) => `${item.kind}/${item.node}`;
	const cellOf = (item) => `${item.resource} of ${item.flavor}`;
	const there = () => page.runs.filter((run) => run.cohorts && run.cohorts.item.length > 0);

	/* Nodes below their parents, by name: [{key, item, depth}]. */
	function treeOf(run) {
		const nodes = new Map();
		for (const item of run.cohorts.item)
			nodes.set(keyOf(item), item);
		const list = [];
		const add = (item, depth) => {
			if (depth > 64 || list.some((one) => one.key === keyOf(item)))
				return;
			list.push({ key: keyOf(item), item, depth });
			for (const other of Array.from(nodes.values()).filter((one) => one.parent === item.node && item.kind === 'Cohort')
				.sort((a, b) => a.node < b.node ? -1 : 1))
				add(other, depth + 1);
		};
		for (const item of nodes.values())
			if (item.parent === '' || !nodes.has(`Cohort/${item.parent}`))
				add(item, 0);
		return list;
	}

	async function load(run, item) {
		const block = (id) => id === undefined ? null : page.data.block(id);
		const [nominal, quota, borrowed, used, lent] = await Promise.all([item.nominal, item.quota, item.borrowed, item.used, item.lent].map(block));
		return { time: await page.secondsOf(run, item.time), nominal, quota, borrowed, used, lent,
			lentTime: item.lent_time === undefined ? new Float64Array(0) : await page.secondsOf(run, item.lent_time) };
	}

	function evictionsTable(run, rows) {
		const shown = rows.slice(0, 200);
		return page.tableOf({
			caption: `Evictions${rows.length < run.cohorts.evicted || shown.length < rows.length ? `: the first ${shown.length} of ${run.cohorts.evicted}` : ''}`,
			test: 'evictions', head: ['at', 'job', 'for', 'reason', 'cause', 'queue', 'for a job of'],
			rows: shown.map(([at, job, by, reason, cause, queue, other]) => [page.text.time(at), page.name(job, 40), page.name(by, 40), reason, cause,
				page.name(queue, 40), page.name(other, 40)]),
		});
	}

	page.section({
		id: 'cohorts', link: 'Cohorts', order: 72, title: 'Quotas, lent and borrowed',
		when: () => there().length > 0,
		async build(body) {
			let run = there()[0];
			let node = null;
			let cell = null;
			let chart = null;
			let turn = 0;
			const tree = page.el('div', { class: 'controls' });
			const host = page.el('div');
			const table = page.el('div');
			const draw = async () => {
				const mine = ++turn;
				const item = run.cohorts.item.find((one) => keyOf(one) === node && cellOf(one) === cell);
				const data = item ? await load(run, item) : null;
				const rows = run.cohorts.evictions ? await page.data.block(run.cohorts.evictions) : [];
				if (mine !== turn)
					return; /* Another was chosen meanwhile. */
				if (chart)
					chart.remove();
				chart = null;
				if (data) {
					const end = page.data.seconds(run, run.last);
					const { x, held } = page.merge([data.time, data.lentTime, Float64Array.of(end)]);
					const line = (name, values, k, colour) => ({ name, colour: () => page.theme.run(colour), dash: page.theme.dash(colour),
						swatch: () => page.swatch(colour),
						values: Float64Array.from(x, (at, i) => at > end ? NaN : held[k][i] < 0 ? (k ? 0 : NaN) : values[held[k][i]]) });
					const series = [line(item.kind === 'Cohort' ? 'quota' : 'nominal', item.kind === 'Cohort' ? data.quota : data.nominal, 0, 3),
						line('used', data.used, 0, 0), line('borrowed', data.borrowed, 0, 1),
						...(data.lent ? [line('lent', data.lent, 1, 2)] : [])];
					const text = (v) => page.text.number(v);
					chart = page.chart(host, {
						name: 'cohort', title: page.text.clean(`${item.node}: ${cell}`, 80), unit: '', x, series, linked: true, height: 200,
						bottom: 0, named: true, text, xTicks: page.text.ticks, xText: page.text.time, yTicks: text,
						table: () => page.sampled(page.text.clean(`${item.node}: ${cell}`, 80), () => chart, series, text),
					});
				}
				table.replaceChildren(rows.length ? evictionsTable(run, rows) : page.el('p', { class: 'note', text: 'Nobody was evicted.' }));
			};
			const controls = () => {
				const nodes = treeOf(run);
				if (!nodes.some(({ key }) => key === node))
					node = nodes[0].key;
				const cells = Array.from(new Set(run.cohorts.item.filter((one) => keyOf(one) === node).map(cellOf)));
				if (!cells.includes(cell))
					cell = cells[0];
				tree.replaceChildren(...[
					there().length > 1 ? page.choice({ label: 'Run', value: String(run.index), test: 'cohort-run',
						options: there().map((one) => [String(one.index), page.text.clean(one.label, 60)]), change: (value) => {
							run = there().find((one) => String(one.index) === value);
							controls();
							draw();
						} }) : null,
					page.choice({ label: 'Node', value: node, test: 'cohort-node',
						options: nodes.map(({ key, item, depth }) => [key, '\u2003'.repeat(depth) + page.text.clean(item.node, 60)]),
						change: (value) => {
							node = value;
							controls();
							draw();
						} }),
					cells.length > 1 ? page.choice({ label: 'Of', value: cell, test: 'cohort-cell', options: cells.map((one) => [one, page.text.clean(one, 60)]),
						change: (value) => {
							cell = value;
							draw();
						} }) : null,
				].flat().filter(Boolean));
			};
			controls();
			page.fill(body, page.el('p', { class: 'note', text: 'What the quota of a queue or cohort was, what was used of it, and what of that ' +
				'was borrowed. Lent: what others used of its quota, by the rule of lent.csv: Kueue itself does not say whose quota is borrowed.' }),
			tree, host, table);
			await draw();
		},
	});
})();
