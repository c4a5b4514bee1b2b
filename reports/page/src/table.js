/* SPDX-License-Identifier: MIT */
/*
 * table.js - the comparison: runs by metrics, with the difference to the first run, and how sure it is.
 */
/* As it is compared: over the jobs that ran in all runs, where others differ. */
page.metric = function (run, name) {
	const again = (page.meta.restated || []).find((one) => one.metric === name && one.run === run.index);
	return again ? again.value : run.metrics[name];
};

page.compare = function (shown, run) {
	/* null: one of the two does not have it. percent: null where the first run's is 0, and of shares. */
	const from = page.metric(page.runs[0], shown.name);
	const to = page.metric(run, shown.name);
	if (run.index === 0 || from === undefined || to === undefined)
		return null;
	const delta = to - from;
	const told = (page.meta.differences || []).find((one) => one.metric === shown.name && one.run === run.index);
	const interval = told && told.low <= told.high ? told : null;
	const ratio = told && told.ratio_covers && told.ratio_low <= told.ratio_high ? told : null;
	return {
		delta,
		percent: from === 0 || shown.unit === 'share' ? null : 100 * delta / Math.abs(from),
		told,
		interval,
		ratio,
		sure: interval !== null && Boolean(told.sure) && !page.meta.apart,
		good: delta === 0 || !shown.better ? null : (delta > 0) === (shown.better > 0),
	};
};

(function () {
	/* What most intervals are made by needs no mark; others have one, and a note below the table. */
	const told = (page.meta.differences || []).filter((one) => one.method);
	const often = (method) => told.filter((one) => one.method === method && one.low <= one.high).length;
	const usual = told.map((one) => one.method).reduce((best, method) => often(method) > (best ? often(best) : 0) ? method : best, null);
	const methods = [];
	function mark(method) {
		if (method === usual)
			return [];
		if (!methods.includes(method))
			methods.push(method);
		return page.el('sup', { text: String.fromCharCode(97 + methods.indexOf(method) % 26) });
	}

	/* In percent of the first run's value; shares in points of a hundred; else, where that value is 0, in the metric's unit. */
	function written(x, shown, base, figures) {
		const points = shown.unit === 'share' ? 100 * x : base ? 100 * x / Math.abs(base) : null;
		return points === null ? [page.text.difference(x, shown.unit), ''] :
			[page.text.signed(points, (p) => page.text.number(p, figures)), page.text.THIN + (shown.unit === 'share' ? 'pp' : '%')];
	}

	function difference(shown, run) {
		const found = page.compare(shown, run);
		const base = page.metric(page.runs[0], shown.name);
		if (!found)
			return [];
		const word = found.good === null || !found.sure ? 'unsure' : found.good ? 'better' : 'worse';
		const lines = [page.el('span', { class: 'of ' + word }, found.delta === 0 ? 'the same' : written(found.delta, shown, base, 3).join(''),
			found.told && found.told.method && found.delta !== 0 ? mark(found.told.method) : [],
			word !== 'unsure' ? page.el('span', { class: 'unseen', text: `, ${word}` }) : [])];
		if (found.ratio || found.interval) {
			/* Of the change; where there is none, as the first run's is 0, of the difference. */
			const covers = found.ratio ? found.told.ratio_covers : found.told.covers;
			const [low, high] = found.ratio ?
				[found.told.ratio_low, found.told.ratio_high].map((x) => page.text.signed(100 * x, (p) => page.text.number(p, 2))) :
				[found.told.low, found.told.high].map((x) => page.text.difference(x, shown.unit));
			const whole = found.interval ? `; difference [${page.text.difference(found.told.low, shown.unit)}, ` +
				`${page.text.difference(found.told.high, shown.unit)}]${found.told.covers ? `, ${found.told.covers} %` : ''}` : '';
			const worth = found.told.blocks ? `; worth ${page.text.fixed(found.told.effective, 1)} of ${found.told.blocks} even differences` : '';
			lines.push(page.el('span', { class: 'of unsure', title: `${covers ? `${covers} % ` : ''}interval: ${page.text.clean(found.told.method)}${worth}${whole}` },
				page.el('span', { class: 'unseen', text: `${covers ? `${covers} % ` : ''}interval ` }),
				`[${low}, ${high}]`,
				found.sure ? [] : page.el('span', { class: 'unseen', text: ', no difference shown' })));
		}
		else if (found.told && found.told.method && found.delta !== 0)
			lines.push(page.el('span', { class: 'of unsure', title: page.text.clean(found.told.method) }, 'no interval'));
		return lines;
	}

	function cell(shown, run) {
		const value = page.metric(run, shown.name);
		const found = page.compare(shown, run);
		const exact = value === undefined ? 'not known' : `${shown.name} = ${value}` +
			(found && found.delta !== 0 ? `; ${page.text.difference(found.delta, shown.unit)}` : '');
		return page.el('td', { class: 'figure', 'data-metric': shown.name, 'data-run': run.index,
			'data-value': value === undefined ? null : value, title: exact },
		page.el('span', { class: 'value', text: shown.unit === 's' && value !== undefined ?
			page.text.duration(value, true) : page.text.value(value, shown.unit) }), difference(shown, run));
	}

	/* Rows by a column's values; ties by the run's number, runs without a value last either way. */
	page.sortRows = function (rows, valueOf, down) {
		return rows.slice().sort((a, b) => {
			const x = valueOf(a);
			const y = valueOf(b);
			const missing = (x === undefined || x === null) - (y === undefined || y === null);
			if (missing || x === undefined || x === null)
				return missing || a.index - b.index;
			const order = typeof x === 'string' ? (x < y ? -1 : x > y ? 1 : 0) : x - y;
			return (down ? -order : order) || a.index - b.index;
		});
	};

	/* A column that says the same of every run is a word below the table. */
	const known = page.meta.shown.filter((one) => page.runs.some((run) => page.metric(run, one.name) !== undefined));
	const alike = page.runs.length < 2 ? [] : known.filter((one) => page.runs.every((run) =>
		page.metric(run, one.name) === page.metric(page.runs[0], one.name)));
	const differing = known.filter((one) => !alike.includes(one));

	function comparison() {
		const shown = differing.length ? differing : known;
		const body = page.el('tbody');
		const rows = page.runs.map((run) => ({ index: run.index, run, element: page.el('tr', { 'data-run': run.index },
			page.el('th', { scope: 'row' }, page.swatch(run.index), ' ', page.name(run.label, 80),
				run.index === 0 && page.runs.length > 1 ? page.el('div', { class: 'of', text: 'baseline' }) : []),
			shown.map((one) => cell(one, run))) }));
		const heads = [];
		function sort(head, valueOf, down) {
			for (const other of heads)
				other.setAttribute('aria-sort', 'none');
			head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
			body.replaceChildren(...page.sortRows(rows, valueOf, down).map((row) => row.element));
		}
		function header(text, title, valueOf, name, figure) {
			const head = page.el('th', { scope: 'col', title, class: figure, 'aria-sort': 'none', 'data-metric': name },
				page.el('button', { type: 'button', class: 'sort', text, on: { click: () => {
					const down = head.getAttribute('aria-sort') === 'ascending';
					sort(head, valueOf, down);
					page.say(`Sorted by ${text}, ${down ? 'descending' : 'ascending'}`);
				} } }));
			heads.push(head);
			return head;
		}
		const line = page.el('tr', {},
			header('policy', 'in the order of the command', (row) => row.index, null, null),
			shown.map((one) => header(one.heading, `${one.title || one.name}${one.better < 0 ? '; less is better' :
				one.better > 0 ? '; more is better' : ''}`, (row) => page.metric(row.run, one.name), one.name, 'figure')));
		sort(heads[0], (row) => row.index, false);
		return page.el('div', { class: 'scroll whole comparison', tabindex: 0, role: 'group', 'aria-label': 'Comparison of policies' },
			page.el('table', { 'data-test': 'comparison' },
				page.el('caption', { class: 'unseen', text: 'Policies by metrics, with differences to the first' }),
				page.el('thead', {}, line), body));
	}

	/* The same on paper, where nothing scrolls: a row a metric. */
	function paper() {
		const shown = differing.length ? differing : known;
		return page.el('table', { class: 'paper comparison', 'aria-hidden': 'true' },
			page.el('thead', {}, page.el('tr', {}, page.el('th'), page.runs.map((run) => page.el('th', { class: 'figure' },
				page.swatch(run.index), ' ', page.name(run.label, 80), run.index === 0 ? page.el('div', { class: 'of', text: 'baseline' }) : [])))),
			page.el('tbody', {}, shown.map((one) => page.el('tr', {}, page.el('th', { text: one.heading }),
				page.runs.map((run) => page.el('td', { class: 'figure' },
					page.el('span', { class: 'value', text: page.text.value(page.metric(run, one.name), one.unit) }), difference(one, run)))))));
	}

	/* One run alone: its figures, each with what it is. */
	function figures() {
		const run = page.runs[0];
		return page.el('dl', { class: 'figures', 'data-test': 'figures' }, known.map((one) => page.el('div', { title: one.name },
			page.el('dt', { text: one.heading }),
			page.el('dd', { 'data-metric': one.name, 'data-run': 0, 'data-value': run.metrics[one.name] },
				page.text.value(run.metrics[one.name], one.unit),
				page.el('div', { class: 'small', text: page.text.clean(one.title || '', 200) })))));
	}

	/* Every metric of metrics.json; thousands of them where there are groups. */
	function everything() {
		const most = 400;
		const names = [];
		const seen = new Set();
		for (const run of page.runs)
			for (const name of Object.keys(run.metrics))
				if (!seen.has(name)) {
					seen.add(name);
					names.push(name);
				}
		const units = new Map(page.meta.shown.map((one) => [one.name, one.unit]));
		const filter = page.el('input', { type: 'search', 'data-test': 'metrics-filter', 'aria-label': 'Filter metrics by name',
			placeholder: 'part of a name', autocomplete: 'off', spellcheck: 'false' });
		const count = page.el('span', { class: 'small', role: 'status' });
		const holder = page.el('div');
		function fill() {
			const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
			const found = names.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
			count.textContent = `${page.text.fixed(found.length, 0)} of ${page.text.fixed(names.length, 0)}` +
				(found.length > most ? `, the first ${most} shown` : '');
			holder.replaceChildren(page.tableOf({
				caption: 'As in metrics.json, in seconds and shares of one', test: 'metrics',
				head: ['metric'].concat(page.runs.map((run) => page.name(run.label))),
				rows: found.slice(0, most).map((name) => [page.el('code', { text: page.text.clean(name) })].concat(
					page.runs.map((run) => run.metrics[name] === undefined ? null :
						page.el('span', { title: units.has(name) ? page.text.value(run.metrics[name], units.get(name)) : null,
							text: page.text.fixed(run.metrics[name], 6) })))),
			}));
		}
		filter.addEventListener('input', fill);
		const details = page.el('details', { on: { toggle: () => details.open && fill() } },
			page.el('summary', { text: `All ${page.text.fixed(names.length, 0)} metrics` }),
			page.el('div', { class: 'controls' }, page.el('label', { class: 'choice' }, page.el('span', { text: 'Filter' }), filter), count),
			holder);
		return details;
	}

	page.section({
		id: 'comparison', title: page.runs.length > 1 ? 'Comparison' : 'Figures', order: 20,
		when: () => page.runs.length > 0,
		build(body) {
			const table = page.runs.length > 1 ? comparison() : figures();
			page.fill(body, table, page.runs.length > 1 ? paper() : [],
				differing.length && alike.length ? page.el('p', { class: 'small' }, 'The same in all runs: ', alike.map((one, k) => [
					k ? ', ' : '', `${one.heading} ${page.text.value(page.metric(page.runs[0], one.name), one.unit)}`]), '.') : [],
				page.meta.apart ? page.el('p', { 'data-test': 'apart', text: `${page.text.clean(page.meta.apart, 300)}.` }) : [],
				page.runs.length > 1 ? page.el('p', { class: 'small' },
					'Differences are to the first run. In colour, with the words \u201cbetter\u201d or \u201cworse\u201d for screen readers, ' +
					'where a test at 5\u202f% tells them from none; grey where these data cannot tell. In brackets intervals of the change; ' +
					'in how many of a hundred logs they hold what many logs have stands in their titles.',
				usual || methods.length ? ' Intervals: ' : '', usual ? page.text.clean(usual, 400) : [],
				methods.map((method, k) => [k || usual ? '; ' : '', mark(method), ' ', page.text.clean(method, 400)]),
				usual || methods.length ? '.' : '') : [],
				everything());
		},
	});
})();
