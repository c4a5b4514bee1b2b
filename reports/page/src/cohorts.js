/* SPDX-License-Identifier: MIT */
/*
 * cohorts.js - quotas of a tree of queues: who used, borrowed and lent how much, and who was evicted for whom.
 *
 * In pages of runs that have cohorts alone. Hooks for tests: [data-test=cohort-tree] with a button for each node
 * (data-node), [data-test=cohort-cell], chart "cohort", [data-test=evictions] with th[aria-sort].
 */
(function () {
	const measures = [['quota', 'nominal quota'], ['used', 'used'], ['borrowed', 'borrowed'], ['lent', 'lent']];
	const mostShown = 500;

	/* Parents before their children, each in the order of names; {name, kind, depth}. */
	function treeOf(cells) {
		const nodes = new Map();
		for (const cell of cells)
			nodes.set(`${cell.kind}/${cell.node}`, { key: `${cell.kind}/${cell.node}`, name: cell.node, kind: cell.kind, parent: cell.parent });
		const list = [];
		const seen = new Set();
		function walk(node, depth) {
			if (seen.has(node.key))
				return;
			seen.add(node.key);
			list.push({ ...node, depth });
			if (node.kind !== 'Cohort')
				return;
			for (const child of nodes.values())
				if (child.parent === node.name)
					walk(child, depth + 1);
		}
		for (const node of nodes.values())
			if (!node.parent || !nodes.has(`Cohort/${node.parent}`))
				walk(node, 0);
		for (const node of nodes.values())
			walk(node, 0);
		return list;
	}

	const keyOf = (cell) => `${cell.flavor}, ${cell.resource}`;
	const amount = (v) => Number.isFinite(v) ? page.text.number(v, 6) : '\u2013';

	async function load(run, cell) {
		const at = await page.secondsOf(run, cell.time);
		const from = page.data.seconds(run, run.first);
		const blocks = await Promise.all(measures.map(([name]) =>
			page.data.block(cell[name === 'quota' && cell.kind !== 'Cohort' ? 'nominal' : name])));
		/* Before its first change there was nothing; the last holds until the end. */
		const x = Array.from(at);
		const values = blocks.map((block) => Array.from(block));
		if (x[0] > from) {
			x.unshift(from);
			values.forEach((list) => list.unshift(0));
		}
		const end = page.data.seconds(run, run.last);
		if (x[x.length - 1] < end) {
			x.push(end);
			values.forEach((list) => list.push(list[list.length - 1]));
		}
		return { x: Float64Array.from(x), values: values.map((list) => Float64Array.from(list)) };
	}

	const colours = [() => page.theme.colour('ink'), () => page.theme.run(0), () => page.theme.run(1), () => page.theme.run(2)];
	function mark(k) {
		const line = page.el('line', { x1: 0, y1: 5, x2: 26, y2: 5, 'stroke-width': 2.5,
			'stroke-dasharray': k === 0 ? '4 3' : null });
		const paint = () => {
			line.style.stroke = colours[k]();
		};
		paint();
		page.theme.subscribe(paint);
		return page.el('svg', { class: 'swatch', width: 26, height: 10, viewBox: '0 0 26 10', 'aria-hidden': 'true' }, line);
	}

	function draw(host, cell, { x, values }) {
		let chart = null;
		const series = measures.map(([name, title], k) => ({ name: title, values: values[k], colour: colours[k],
			dash: k === 0 ? [4, 3] : [], swatch: () => mark(k) }));
		chart = page.chart(host, {
			name: 'cohort', title: cell.node, unit: `${keyOf(cell)}${cell.kind === 'Cohort' ? ', with what is below' : ''}`,
			x, series, linked: true, named: true, text: amount, xTicks: page.text.ticks, xText: page.text.time,
			table: () => page.sampled(page.text.clean(cell.node, 60), () => chart, series, amount),
		});
		return chart;
	}

	async function evictionsOf(run) {
		const told = run.cohorts.evictions;
		const names = ['job_id', 'by', 'queue', 'by_queue', 'reason', 'cause'];
		const lists = await Promise.all(names.map((name) => page.data.block(told[name])));
		const time = await page.secondsOf(run, told.time);
		return Array.from(time, (at, index) => ({ index, at, word: lists.map((list) => list[index]) }));
	}

	function evictions(rows, told) {
		const heads = [['when', (row) => row.at]].concat(['who', 'for whom', 'queue', 'queue of whom', 'reason', 'cause']
			.map((title, k) => [title, (row) => row.word[k]]));
		const body = page.el('tbody');
		const cells = [];
		function sort(k, down) {
			cells.forEach((cell, n) => cell.setAttribute('aria-sort', n !== k ? 'none' : down ? 'descending' : 'ascending'));
			body.replaceChildren(...page.sortRows(rows, heads[k][1], down).slice(0, mostShown).map((row) => page.el('tr', {},
				page.el('th', { scope: 'row', 'data-value': row.at, text: page.text.time(row.at) }),
				row.word.map((word) => page.el('td', {}, word === '' ? '\u2013' : page.name(word, 60))))));
		}
		heads.forEach(([title], k) => cells.push(page.el('th', { scope: 'col', 'aria-sort': 'none' },
			page.el('button', { type: 'button', class: 'sort', text: title, on: { click: () => {
				const down = cells[k].getAttribute('aria-sort') === 'ascending';
				sort(k, down);
				page.say(`Sorted by ${title}, ${down ? 'descending' : 'ascending'}`);
			} } }))));
		sort(0, false);
		return [page.el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Evictions' },
			page.el('table', { 'data-test': 'evictions' }, page.el('caption', { text: page.text.plural(told.total, 'eviction') }),
				page.el('thead', {}, page.el('tr', {}, cells)), body)),
		told.total > told.count ? page.el('p', { class: 'small', text: `The first ${page.text.fixed(told.count, 0)} are in this page; all are in evictions.csv.` }) : [],
		rows.length > mostShown ? page.el('p', { class: 'small', text: `${mostShown} are shown, in the order chosen.` }) : []];
	}

	page.section({
		id: 'cohorts', title: 'Cohorts', order: 75,
		when: () => page.runs.some((run) => run.cohorts && run.cohorts.cells.length),
		async build(body) {
			const runs = page.runs.filter((run) => run.cohorts && run.cohorts.cells.length);
			const tree = page.el('div', { class: 'scroll', 'data-test': 'cohort-tree', role: 'group', 'aria-label': 'Cohorts and queues' });
			const controls = page.el('div', { class: 'controls' });
			const right = page.el('div');
			const host = page.el('div');
			const split = page.el('div', {}, tree, right);
			const note = page.el('p', { class: 'note' });
			const below = page.el('div');
			let run = runs[0];
			let node = null;
			let key = null;
			let chart = null;
			let turn = 0;
			split.style.display = 'flex';
			split.style.flexWrap = 'wrap';
			split.style.gap = '1rem';
			tree.style.flex = '0 1 14rem';
			tree.style.maxHeight = '24rem';
			right.style.flex = '1 1 26rem';
			right.style.minWidth = '0';
			page.fill(right, controls, host);

			async function show() {
				const mine = ++turn;
				for (const button of tree.querySelectorAll('button'))
					button.setAttribute('aria-pressed', String(button.dataset.node === node.key));
				const cells = run.cohorts.cells.filter((cell) => `${cell.kind}/${cell.node}` === node.key);
				const cell = cells.find((one) => keyOf(one) === key) || cells[0];
				const loaded = await load(run, cell);
				if (mine !== turn)
					return; /* Another was chosen meanwhile. */
				if (chart)
					chart.remove();
				controls.replaceChildren(page.choice({ label: 'Flavor and resource', value: keyOf(cell), test: 'cohort-cell',
					options: cells.map((one) => [keyOf(one), keyOf(one)]), change: (value) => {
						key = value;
						show();
					} }));
				chart = draw(host, cell, loaded);
			}
			async function take(next) {
				run = next;
				const nodes = treeOf(run.cohorts.cells);
				node = nodes.find((one) => one.kind !== 'Cohort') || nodes[0];
				tree.replaceChildren(...nodes.map((one) => {
					const button = page.toggle({ pressed: false, title: one.kind, children: [page.name(one.name, 40)], change: () => {
						node = one;
						show();
					} });
					button.dataset.node = one.key;
					const line = page.el('div', {}, button);
					line.style.paddingLeft = `${1.2 * Math.min(one.depth, 12)}rem`;
					return line;
				}));
				note.textContent = 'Quota, and what of it was used, borrowed from others of the tree, and lent to them: lent is told by a rule of ' +
					'accounting, the nearest idle quota first. ' + page.text.clean(run.cohorts.rule, 500);
				await show();
				below.replaceChildren();
				if (run.cohorts.evictions.count)
					page.fill(below, evictions(await evictionsOf(run), run.cohorts.evictions));
			}
			page.fill(body, runs.length > 1 ? page.el('div', { class: 'controls' }, page.choice({ label: 'Run', value: '0', test: 'cohort-run',
				options: runs.map((one, k) => [String(k), one.name]), change: (value) => take(runs[Number(value)]) })) : [],
			note, split, below);
			await take(run);
		},
	});
})();
