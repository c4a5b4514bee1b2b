/* SPDX-License-Identifier: MIT */
/*
 * strip.js - the summary: what ran on what, the verdict in plain words, and what to be warned of.
 *
 * The verdict says no more than the table: a difference is told where its interval leaves zero out.
 */
(function () {
	const fact = (run, key) => {
		const found = (run.facts || []).find(([name]) => name === key);
		return found ? found[1] : null;
	};
	page.fact = fact;

	/* A file by its own name: its folders are in the title, and in the settings below. */
	function file(path) {
		return page.el('bdi', { class: 'name', title: page.text.clean(path, 1000),
			text: page.text.clean(path.replace(/\/+$/, '').replace(/^.*\//, '') || path, 200) });
	}

	/* A fact of all runs once; else each run's own. */
	function ofAll(key, show = page.name) {
		const values = page.runs.map((run) => fact(run, key));
		const known = values.filter((value) => value !== null && value !== '');
		if (known.length === 0)
			return null;
		if (known.every((value) => value === values[0]))
			return show(values[0]);
		return page.runs.map((run, k) => page.el('div', {}, page.name(run.label, 40), ': ',
			values[k] === null ? '\u2013' : show(values[k])));
	}

	function entry(term, value, test) {
		return value === null ? [] : page.el('div', { 'data-test': test }, page.el('dt', { text: term }), page.el('dd', {}, value));
	}

	/* Twelve characters tell two apart; all of them are a click away. */
	function digest(text, what) {
		if (!text)
			return '\u2013';
		const rest = page.el('span', { class: 'rest', text: page.text.clean(text.slice(12)) });
		const code = page.el('code', { title: page.text.clean(text) }, page.text.clean(text.slice(0, 12)), rest);
		if (text.length <= 12)
			return code;
		const more = page.el('button', { type: 'button', class: 'quiet', text: '\u2026', 'aria-expanded': 'false',
			'aria-label': `Show all of ${what}`, on: { click: () => {
				const whole = more.getAttribute('aria-expanded') !== 'true';
				more.setAttribute('aria-expanded', String(whole));
				rest.classList.toggle('rest', !whole);
				more.textContent = whole ? '\u2039' : '\u2026';
			} } });
		return page.el('span', { class: 'digest' }, code, more);
	}

	function digests(key, what) {
		const values = page.runs.map((run) => fact(run, key));
		if (values.every((value) => !value))
			return null;
		if (page.runs.length === 1 || values.every((value) => value === values[0]))
			return digest(values[0], what);
		return page.runs.map((run, k) => page.el('div', { 'data-run': k }, page.name(run.label, 30), ' ',
			digest(values[k], `${what} of ${page.text.clean(run.label, 40)}`)));
	}

	/* Said as people say it; other metrics by their heading. */
	const phrases = {
		'wait.mean': ['jobs wait', 'less', 'longer', 'on average'],
		'turnaround.mean': ['jobs are over', 'sooner', 'later', 'on average'],
	};

	function clause(shown, found) {
		const how = (found.percent === null ? page.text.value(Math.abs(found.delta) * 100, 'number') + ' points' :
			`${page.text.number(Math.abs(found.percent), 3)}${page.text.THIN}%`);
		const less = found.delta < 0;
		const phrase = phrases[shown.name];
		return phrase ? `${phrase[0]} ${how} ${less ? phrase[1] : phrase[2]} ${phrase[3]}` :
			`${shown.heading} is ${how} ${less ? 'lower' : 'higher'}`;
	}

	/* A few of a kind: the table has them all. */
	const most = page.runs.length > 5 ? 1 : 3;
	function sentence(run) {
		const base = page.runs[0];
		const sure = { better: [], worse: [] };
		let unsure = 0;
		let same = 0;
		for (const shown of page.meta.shown) {
			const found = page.compare(shown, run);
			if (!found || !shown.better)
				continue;
			if (found.delta === 0)
				same++;
			else if (!found.sure)
				unsure++;
			else
				sure[found.good ? 'better' : 'worse'].push(clause(shown, found));
		}
		const named = (k) => page.el('b', {}, page.name(k.label, 60));
		const say = (kind) => {
			const rest = sure[kind].length - most;
			return page.el('span', { class: kind, text: sure[kind].slice(0, most).join(', ') +
				(rest > 0 ? `, and ${rest} more ${kind}` : '') });
		};
		const none = sure.better.length + sure.worse.length === 0;
		return page.el('p', {}, named(run), ' against ', named(base), ': ',
			none ? unsure === 0 && same > 0 ? 'no difference at all in what the table shows' :
				'no difference that these data can show' : [],
			sure.better.length ? say('better') : [],
			sure.better.length && sure.worse.length ? '; but ' : '',
			sure.worse.length ? say('worse') : [], '.');
	}

	function verdict() {
		if (page.runs.length > 1)
			return page.runs.slice(1).map(sentence);
		const run = page.runs[0];
		if (!run)
			return page.el('p', { text: 'There is no run in this file.' });
		return page.el('p', {}, page.el('b', {}, page.name(run.label, 60)), ': ', page.meta.shown
			.filter((shown) => run.metrics[shown.name] !== undefined)
			.slice(0, 4)
			.map((shown) => `${shown.heading} ${page.text.value(run.metrics[shown.name], shown.unit)}`).join(', '), '.');
	}

	function warnings() {
		const seen = new Map(); /* Most are of all runs. */
		for (const run of page.runs)
			for (const text of run.warnings || [])
				seen.set(text, (seen.get(text) || []).concat(run));
		if (seen.size === 0)
			return page.el('p', { class: 'small', 'data-test': 'warnings', text:
				'No warnings: nothing was repaired, dropped or left out.' });
		const list = page.el('details', { class: 'warnings', 'data-test': 'warnings' },
			page.el('summary', { text: page.text.plural(seen.size, 'warning') }),
			page.el('ul', {}, Array.from(seen, ([text, runs]) => page.el('li', {}, page.text.clean(text, 600),
				runs.length < page.runs.length ? [' (', runs.map((run, k) => [k ? ', ' : '', page.name(run.label, 40)]), ')'] : []))));
		addEventListener('beforeprint', () => {
			list.open = true; /* Paper cannot be opened. */
		});
		return list;
	}

	function settings() {
		const keys = [];
		for (const run of page.runs)
			for (const [key] of run.facts || [])
				if (!keys.includes(key))
					keys.push(key);
		return page.alternative('All inputs and settings', () => ({
			caption: 'What each run was made from', test: 'settings', numeric: [],
			head: ['key'].concat(page.runs.map((run) => page.name(run.label))),
			rows: keys.map((key) => [page.name(key, 80)].concat(page.runs.map((run) => {
				const value = fact(run, key);
				return value === null ? '\u2013' : page.el('span', { class: 'name', title: page.text.clean(value, 1000),
					text: page.text.clean(value, 200) });
			}))),
		}));
	}

	/* Of the beginning, and of the end where that is another. */
	function zones() {
		const both = [page.text.zone(page.time.full.from), page.text.zone(page.time.full.to)];
		return both[0] === both[1] ? both[0] : both.join(' \u2013 ');
	}

	page.section({
		id: 'summary', title: 'Summary', order: 10,
		build(body, section) {
			section.element.querySelector('h2').classList.add('unseen');
			const run = page.runs[0] || { facts: [] };
			const jobs = page.runs.map((r) => r.jobs.total);
			const same = jobs.every((count) => count === jobs[0]);
			const count = page.runs.length === 0 ? null : same ? page.text.fixed(jobs[0], 0) :
				page.runs.map((r) => page.el('div', {}, page.name(r.label, 40), ': ', page.text.fixed(r.jobs.total, 0)));
			const partial = page.runs.filter((r) => r.partial);
			page.fill(body,
				page.el('h1', {}, page.el('span', { class: 'name wide', title: page.text.clean(page.meta.title, 1000),
					text: page.text.clean(page.meta.title, 200) })),
				partial.length ? page.el('p', { class: 'failed' }, 'Not over when it was stopped: ',
					partial.map((r, k) => [k ? ', ' : '', page.name(r.label, 60)]), '. All figures cover the part that was run.') : [],
				page.el('div', { class: 'verdict', 'data-test': 'verdict' }, verdict()),
				page.el('dl', { class: 'facts', 'data-test': 'facts' },
					entry('Trace', ofAll('trace', file)),
					entry('Cluster', ofAll('cluster', file) || 'as the trace says'),
					entry('Machine', ofAll('machine')),
					entry(page.runs.length > 1 ? 'Policies' : 'Policy', page.runs.map((r) =>
						page.el('div', { class: 'run' }, page.swatch(r.index), page.name(r.label, 80)))),
					entry('Jobs', count),
					entry('Time', page.runs.length ? [page.el('div', { text: page.text.time(page.time.full.from) }),
						page.el('div', { class: 'small', text: `to ${page.text.time(page.time.full.to)}` }),
						page.text.dated ? page.el('div', { class: 'small', 'data-test': 'zone', text: zones() }) : []] : null),
					entry('Seed', ofAll('seed')),
					entry('Trace, SHA-256', digests('trace_sha256', 'the trace\u2019s SHA-256')),
					entry('Cluster, SHA-256', digests('cluster_sha256', 'the cluster\u2019s SHA-256')),
					entry('Result digest', digests('digest', 'the result\u2019s digest'), 'digest'),
					entry('Written by', page.text.clean('schedlab ' + (page.meta.version || fact(run, 'version') || '')))),
				warnings(),
				settings());
		},
	});
})();
