/* SPDX-License-Identifier: MIT */
/*
 * cohorts.js - quotas of a tree of queues: who used, borrowed and lent how much, and who was evicted for whom. Of
 * Kueue's cohorts, and of Run:AI's departments and projects.
 *
 * In pages of runs that have either alone. Hooks for tests: [data-test=cohort-tree] with a button for each node
 * (data-node), [data-test=cohort-cell], chart "cohort", [data-test=evictions] with th[aria-sort]; of projects
 * likewise: project-tree, project-cell, chart "project", project-evictions.
 */
(function () {
	const mostShown = 500;

	/* above: the kind of what has others below it. measures: a member, and what it is called; also: stacked on it.
	 * told: members of evictions, their heads, is it
	 * a number, is it a sentence. */
	const forms = [{
		id: 'cohorts', title: 'Cohorts', order: 75, test: 'cohort', evictions: 'evictions', above: 'Cohort', key: 'Flavor and resource',
		tree: 'Cohorts and queues',
		measures: [{ name: 'quota', title: 'nominal quota', dash: [4, 3] }, { name: 'used', title: 'used' }, { name: 'borrowed', title: 'borrowed' },
			{ name: 'lent', title: 'lent' }],
		colours: ['ink', 'run-0', 'run-1', 'run-2'],
		told: [['job_id', 'who'], ['by', 'for whom'], ['queue', 'queue'], ['by_queue', 'queue of whom'], ['reason', 'reason'], ['cause', 'cause']],
		note: 'Quota, and what of it was used, borrowed from others of the tree, and lent to them: lent is told by a rule of ' +
			'accounting, the nearest idle quota first. ',
	}, {
		id: 'projects', title: 'Projects', order: 76, test: 'project', evictions: 'project-evictions', above: 'department', key: 'Pool and resource',
		tree: 'Departments and projects',
		measures: [{ name: 'quota', title: 'quota', dash: [4, 3] }, { name: 'entitled', title: 'entitled (fair share)', dash: [1, 2] },
			{ name: 'in_quota', title: 'in quota', area: true }, { name: 'over_quota', title: 'and over quota', area: true, on: 2 },
			{ name: 'lent', title: 'lent' }, { name: 'waiting', title: 'waiting' }],
		colours: ['ink', 'run-2', 'run-0', 'run-1', 'run-3', 'run-5'],
		told: [['job_id', 'who'], ['by', 'for whom'], ['project', 'project'], ['by_project', 'project of whom'], ['action', 'action'],
			['gpus', 'GPUs', true], ['ran_for', 'ran for', true], ['work', 'its work'], ['reason', 'reason', false, true]],
		note: 'What a project is entitled to is its fair share, which follows what it asks. What it has is drawn as a stack: in its quota, and ' +
			'over it. Lent is what others use of its idle quota, by a rule of accounting: of siblings in proportion to what each leaves idle, ' +
			'what a department lends as its projects\u2019. Waiting is what its jobs ask that wait. ',
	}];

	/* Parents before their children, each in the order of names; {name, kind, depth}. */
	function treeOf(form, cells) {
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
			if (node.kind !== form.above)
				return;
			for (const child of nodes.values())
				if (child.parent === node.name)
					walk(child, depth + 1);
		}
		for (const node of nodes.values())
			if (!node.parent || !nodes.has(`${form.above}/${node.parent}`))
				walk(node, 0);
		for (const node of nodes.values())
			walk(node, 0);
		return list;
	}

	const keyOf = (cell) => `${cell.flavor}, ${cell.resource}`;
	const amount = (v) => Number.isFinite(v) ? page.text.number(v, 6) : '\u2013';

	/* What of a cohort's nominal quota is its own is told too; of a queue quota is that. */
	const memberOf = (form, cell, name) => form.id === 'cohorts' && name === 'quota' && cell.kind !== form.above ? 'nominal' : name;

	async function load(run, form, cell) {
		const at = await page.secondsOf(run, cell.time);
		const from = page.data.seconds(run, run.first);
		const blocks = await Promise.all(form.measures.map(({ name }) => page.data.block(cell[memberOf(form, cell, name)])));
		/* Before its first change there was nothing; the last holds until the end. */
		const x = Array.from(at);
		const values = blocks.map((block) => Array.from(block));
		form.measures.forEach(({ on }, k) => {
			if (on !== undefined)
				values[k] = values[k].map((v, i) => v + values[on][i]);
		});
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

	function mark(form, k) {
		const line = page.el('line', { x1: 0, y1: 5, x2: 26, y2: 5, 'stroke-width': 2.5,
			'stroke-dasharray': form.measures[k].dash ? form.measures[k].dash.join(' ') : null });
		const paint = () => {
			line.style.stroke = page.theme.colour(form.colours[k]);
		};
		paint();
		page.theme.subscribe(paint);
		return page.el('svg', { class: 'swatch', width: 26, height: 10, viewBox: '0 0 26 10', 'aria-hidden': 'true' }, line);
	}

	/* Below the steps of one measure, down to those of the one that it stands on. */
	function area(u, form, k, { x, values }) {
		const { ctx, bbox } = u;
		const y = (v) => u.valToPos(v, 'y', true);
		const low = form.measures[k].on === undefined ? null : values[form.measures[k].on];
		ctx.save();
		ctx.beginPath();
		ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
		ctx.clip();
		ctx.fillStyle = page.theme.colour(form.colours[k]);
		ctx.globalAlpha = 0.25;
		for (let i = 0; i + 1 < x.length; i++) {
			const bottom = low ? low[i] : 0;
			if (!(values[k][i] > bottom) || x[i + 1] < u.scales.x.min || x[i] > u.scales.x.max)
				continue;
			const left = u.valToPos(x[i], 'x', true);
			ctx.fillRect(left, y(values[k][i]), u.valToPos(x[i + 1], 'x', true) - left, y(bottom) - y(values[k][i]));
		}
		ctx.restore();
	}

	function draw(host, form, cell, loaded) {
		let chart = null;
		const series = form.measures.map(({ title, dash }, k) => ({ name: title, values: loaded.values[k],
			colour: () => page.theme.colour(form.colours[k]), dash: dash || [], swatch: () => mark(form, k) }));
		chart = page.chart(host, {
			name: form.test, title: cell.node, unit: `${keyOf(cell)}${cell.kind === form.above ? ', with what is below' : ''}`,
			x: loaded.x, series, linked: true, named: true, text: amount, xTicks: page.text.ticks, xText: page.text.time,
			under: (u) => form.measures.forEach((one, k) => {
				if (one.area)
					area(u, form, k, loaded);
			}),
			table: () => page.sampled(page.text.clean(cell.node, 60), () => chart, series, amount),
		});
		return chart;
	}

	async function evictionsOf(run, form) {
		const told = run[form.id].evictions;
		const lists = await Promise.all(form.told.map(([name]) => page.data.block(told[name])));
		const time = await page.secondsOf(run, told.time);
		return Array.from(time, (at, index) => ({ index, at, word: lists.map((list, k) => form.told[k][2] ? Number(list[index]) : list[index]) }));
	}

	/* In full, in a column wide enough to be read. */
	function sentence(word) {
		const text = page.el('span', { text: page.text.clean(word, 1000) });
		text.style.display = 'inline-block';
		text.style.width = '30rem';
		return text;
	}

	const cellText = (form, word, k) => form.told[k][0] === 'ran_for' ? page.text.duration(word) : form.told[k][2] ? amount(word) :
		word === '' ? '\u2013' : form.told[k][3] ? sentence(word) : page.name(word, 60);

	function evictions(form, rows, told) {
		const heads = [['when', (row) => row.at]].concat(form.told.map(([, title], k) => [title, (row) => row.word[k]]));
		const body = page.el('tbody');
		const cells = [];
		function sort(k, down) {
			cells.forEach((cell, n) => cell.setAttribute('aria-sort', n !== k ? 'none' : down ? 'descending' : 'ascending'));
			body.replaceChildren(...page.sortRows(rows, heads[k][1], down).slice(0, mostShown).map((row) => page.el('tr', {},
				page.el('th', { scope: 'row', 'data-value': row.at, text: page.text.time(row.at) }),
				row.word.map((word, k) => page.el('td', form.told[k][2] ? { class: 'number' } : {}, cellText(form, word, k))))));
		}
		heads.forEach(([title], k) => cells.push(page.el('th', { scope: 'col', 'aria-sort': 'none' },
			page.el('button', { type: 'button', class: 'sort', text: title, on: { click: () => {
				const down = cells[k].getAttribute('aria-sort') === 'ascending';
				sort(k, down);
				page.say(`Sorted by ${title}, ${down ? 'descending' : 'ascending'}`);
			} } }))));
		sort(0, false);
		return [page.el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Evictions' },
			page.el('table', { 'data-test': form.evictions }, page.el('caption', { text: page.text.plural(told.total, 'eviction') }),
				page.el('thead', {}, page.el('tr', {}, cells)), body)),
		told.total > told.count ? page.el('p', { class: 'small', text: `The first ${page.text.fixed(told.count, 0)} are in this page; all are in evictions.csv.` }) : [],
		rows.length > mostShown ? page.el('p', { class: 'small', text: `${mostShown} are shown, in the order chosen.` }) : []];
	}

	const has = (run, form) => run[form.id] && run[form.id].cells.length > 0;

	forms.forEach((form) => page.section({
		id: form.id, title: form.title, order: form.order,
		when: () => page.runs.some((run) => has(run, form)),
		async build(body) {
			const runs = page.runs.filter((run) => has(run, form));
			const tree = page.el('div', { class: 'scroll', 'data-test': `${form.test}-tree`, role: 'group', 'aria-label': form.tree });
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
				const cells = run[form.id].cells.filter((cell) => `${cell.kind}/${cell.node}` === node.key);
				const cell = cells.find((one) => keyOf(one) === key) || cells[0];
				const loaded = await load(run, form, cell);
				if (mine !== turn)
					return; /* Another was chosen meanwhile. */
				if (chart)
					chart.remove();
				controls.replaceChildren(page.choice({ label: form.key, value: keyOf(cell), test: `${form.test}-cell`,
					options: cells.map((one) => [keyOf(one), keyOf(one)]), change: (value) => {
						key = value;
						show();
					} }));
				chart = draw(host, form, cell, loaded);
			}
			async function take(next) {
				run = next;
				const nodes = treeOf(form, run[form.id].cells);
				node = nodes.find((one) => one.kind !== form.above) || nodes[0];
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
				note.textContent = form.note + page.text.clean(run[form.id].rule, 500);
				await show();
				below.replaceChildren();
				if (run[form.id].evictions.count)
					page.fill(below, evictions(form, await evictionsOf(run, form), run[form.id].evictions));
			}
			page.fill(body, runs.length > 1 ? page.el('div', { class: 'controls' }, page.choice({ label: 'Run', value: '0', test: `${form.test}-run`,
				options: runs.map((one, k) => [String(k), one.name]), change: (value) => take(runs[Number(value)]) })) : [],
			note, split, below);
			await take(run);
		},
	}));
})();
