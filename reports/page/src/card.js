/* SPDX-License-Identifier: MIT */
/*
 * card.js - one job: what it asked, when it ran, why it waited, who ran ahead of it, and how it fared in the other runs.
 *
 * Opened by page.pick(job, run), and by #job=ID or #job=ID&run=K (K from 1) in the page's address.
 *
 * Hooks for tests: aside[data-test=card][data-job]; [data-test=card-reasons] (its rows), [data-test=card-sum] with data-value =
 * seconds of all reasons together and data-whole = seconds waited; [data-test=card-ahead], [data-test=card-runs], [data-test=card-command],
 * [data-test=card-close], [data-test=card-show] (goes to its bar).
 */
(function () {
	const NEVER = page.data.NEVER;
	const hues = ['#4477aa', '#ee6677', '#ccbb44', '#228833', '#66ccee', '#aa3377', '#ee8833', '#9aa0a8'];
	const columns = ['id', 'user', 'account', 'partition', 'qos', 'cpus', 'gpus', 'nodes', 'state', 'limit',
		'run', 'attempts', 'eligible', 'wait_total'];
	let opener = null;
	let shown = 0;

	const title = page.el('h2', { id: 'card-title', tabindex: -1 });
	const body = page.el('div', { class: 'card-body' });
	const card = page.el('aside', { class: 'card', id: 'card', role: 'dialog', 'aria-labelledby': 'card-title',
		'data-test': 'card', hidden: true },
		page.el('div', { class: 'card-head' }, title,
			page.el('button', { type: 'button', class: 'quiet', 'data-test': 'card-close',
				'aria-label': 'Close the card', text: '\u00d7', on: { click: () => close() } })),
				body);
	document.body.append(card);

	function close() {
		if (card.hidden)
			return;
		card.hidden = true;
		delete document.documentElement.dataset.card;
		shown++;
		page.picked.now = null;
		page.picked.tell({ job: -1, run: null });
		if (/^#job=/.test(location.hash))
			history.replaceState(null, '', location.pathname + location.search);
		if (opener && opener.isConnected)
			opener.focus({ preventScroll: true });
	}
	card.addEventListener('keydown', (event) => {
		if (event.key === 'Escape') {
			event.preventDefault();
			close();
		}
	});
	page.key('Escape', 'closes a job\u2019s card', close);

	/* ---- Words ---- */

	function time(run, ticks) {
		return Number.isNaN(ticks) ? '\u2013' : page.text.time(page.data.seconds(run, ticks));
	}

	function length(run, ticks) {
		return Number.isNaN(ticks) ? '\u2013' : page.text.duration(page.data.length(run, ticks));
	}

	function definitions(pairs, className) {
		return page.el('dl', { class: className },
			pairs.filter(([, value]) => value !== null && value !== '').map(([term, value]) =>
			page.el('div', {}, page.el('dt', { text: term }),
				page.el('dd', {}, value instanceof Node ? value : String(value)))));
	}

	/* As a shell takes it, whatever is in it. */
	function quoted(word) {
		const text = page.text.clean(word, 200);
		return /^[\w@%+=:,.\/-]+$/.test(text) ? text : `'${text.replace(/'/g, '\'\\\'\'')}'`;
	}

	/* ---- Parts of the card ---- */

	async function asked(jobs, j) {
		const { run } = jobs;
		const amount = (name) => {
			const value = jobs.number(name, j);
			return value > 0 ? page.text.number(value) : null;
		};
		const name = (key) => jobs.word(key, j) ? page.name(jobs.word(key, j), 80) : null;
		const eligible = jobs.column('eligible');
		return definitions([
			['User', name('user')], ['Account', name('account')], ['Partition', name('partition')],
				['QOS', name('qos')],
			['CPUs', amount('cpus')], ['GPUs', amount('gpus')], ['Nodes', amount('nodes')],
			['Time limit', jobs.column('limit') ? Number.isNaN(jobs.number('limit', j)) ? 'none'
				: length(run, jobs.number('limit', j)) : null],
			['Submitted', time(run, jobs.submit[j])],
			['Eligible', eligible && eligible[j] ? eligible[j] === NEVER ? 'never'
				: time(run, jobs.submit[j] + eligible[j]) : null],
			['Started', time(run, jobs.start(j))], ['Ended', time(run, jobs.end(j))],
			['On', await places(jobs, j)], ['Ran', ran(jobs, j)],
			['State', jobs.state(j)],
			['Attempts', jobs.column('attempts') && jobs.number('attempts', j) > 1
				? String(jobs.number('attempts', j)) : null],
		], 'facts');
	}

	/* The nodes that its bars stand on. */
	async function places(jobs, j) {
		const { run } = jobs;
		if (!run.rects || !run.rows || run.rows.unit === 'cpu')
			return null;
		const [bars, kind] = await Promise.all([page.bars.of(run), page.rowsOf(run)]);
		const found = new Set();
		for (const i of bars.ofJob(j))
			for (let row = bars.row[i]; row < bars.row[i] + bars.tall(i) && found.size < 1000; row++)
				found.add(kind.bands ? kind.bandWord(kind.nodeOf(row)) : kind.word ? kind.word(row)
					: String(row));
		const names = [...found];
		const more = names.length - 12;
		const shown = names.slice(0, 12).map((name, k) => [k ? ', ' : '', page.name(name, 40)]);
		return names.length ? page.el('span', { class: 'places' }, shown, more > 0 ? ` and ${more} more` : '') : null;
	}

	function ran(jobs, j) {
		const held = jobs.column('run') ? jobs.number('run', j) : jobs.span[j] === NEVER ? NaN : jobs.span[j];
		return Number.isNaN(jobs.start(j)) ? null : length(jobs.run, held);
	}

	/* Like it: in the same partition, and of the same size but for a factor of two. */
	function rank(jobs, j) {
		if (Number.isNaN(jobs.start(j)))
			return null;
		const name = jobs.column('gpus') && jobs.number('gpus', j) > 0 ? 'gpus' : 'cpus';
		const sizes = jobs.column(name);
		const partitions = jobs.column('partition');
		const parts = jobs.parts(name);
		const level = sizes ? Math.ceil(Math.log2(Math.max(1, sizes[j] / parts))) : 0;
		const [low, high] = [level === 0 ? 0 : 2 ** (level - 1), 2 ** level];
		let [like, less] = [0, 0];
		for (let i = 0; i < jobs.count; i++) {
			const size = sizes ? sizes[i] / parts : 1;
			if (jobs.wait[i] === NEVER || (partitions && partitions[i] !== partitions[j]) ||
				(sizes && (size > high || size <= low)) || i === j)
				continue;
			like++;
			if (jobs.wait[i] < jobs.wait[j])
				less++;
		}
		const unit = name === 'gpus' ? 'GPU' : 'cpu';
		const range = low + 1 === high ? String(high) : `${low + 1} to ${high}`;
		const size = !sizes ? '' : level === 0 ? `one ${unit}` : `${range} ${unit}s`;
		const place = partitions && jobs.word('partition', j) ? `partition ${page.text.clean(jobs.word('partition', j), 40)}` : '';
		const kind = [size, place].filter(Boolean).join(', ');
		return like === 0 ? `No other job of its kind (${kind || 'all jobs'}) started.`
			: `Longer than ${page.text.percent(less / like)} of the ${page.text.plural(like, 'job')} of its kind (${kind || 'all jobs'}).`;
	}

	async function reasons(jobs, j) {
		const { run } = jobs;
		const waited = await jobs.waited(j);
		const charges = await jobs.charges(j);
		if (charges === null)
			return page.el('p', { class: 'small', text: 'The reasons of this run were not recorded.' });
		if (!charges.length)
			return page.el('p', { text: waited > 0 ? 'No reason is recorded for its wait.'
				: 'It did not wait.' });
		const sums = new Map();
		for (const { word, from, until } of charges)
			sums.set(word, (sums.get(word) || 0) + until - from);
		const words = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a) || (a < b ? -1 : 1));
		const whole = [...sums.values()].reduce((a, b) => a + b, 0);
		const hue = (word) => hues[Math.min(hues.length - 1, words.indexOf(word))];
		const seconds = page.data.length(run, whole);
		const cell = (tag, text, className, scope) => page.el(tag, { class: className, scope, text });
		const rowOf = (word) => {
			const patch = page.el('span', { class: 'patch' });
			patch.style.background = hue(word);
			const words = page.text.clean((page.meta.reasons || {})[word] || word, 200);
			return page.el('tr', { 'data-reason': word },
				page.el('th', { scope: 'row' }, patch,
					page.el('span', {}, words, cell('span', ' ' + page.text.clean(word, 120), 'small word'))),
				cell('td', length(run, sums.get(word)), 'figure'),
				cell('td', whole ? page.text.percent(sums.get(word) / whole) : '\u2013', 'figure'));
		};
		const all = Math.abs(seconds - waited) <= page.data.length(run, 1);
		const table = page.el('table', { 'data-test': 'card-reasons' },
			page.el('thead', {}, page.el('tr', {}, cell('th', 'It waited because', null, 'col'),
				cell('th', 'for', 'figure', 'col'), cell('th', 'share', 'figure', 'col'))),
			page.el('tbody', {}, words.map(rowOf)),
			page.el('tfoot', {}, page.el('tr', { 'data-test': 'card-sum', 'data-value': seconds, 'data-whole': waited },
				cell('th', 'together', null, 'row'), cell('td', page.text.duration(seconds), 'figure'),
				cell('td', all ? 'all of its wait' : `of ${page.text.duration(waited)}`, 'figure'))));
		return [bar(jobs, j, charges, hue), table];
	}

	/* In time: from the submission to the last start. */
	function bar(jobs, j, charges, hue) {
		const { run } = jobs;
		const end = Math.max(...charges.map(({ until }) => until), 1);
		const pieces = charges.map(({ word, from, until }) => {
			const piece = page.el('span',
				{ title: `${word}: ${length(run, until - from)}, from ${time(run, jobs.submit[j] + from)}` });
			piece.style.left = from / end * 100 + '%';
			piece.style.width = (until - from) / end * 100 + '%';
			piece.style.background = hue(word);
			return piece;
		});
		const told = charges.slice(0, 20).map(({ word, from, until }) => `${word} for ${length(run, until - from)}`).join(', then ');
		return page.el('div', { class: 'reason-time' },
			page.el('div', { class: 'reason-bar', role: 'img', 'aria-label': 'Reasons in time: ' + told }, pieces),
			page.el('div', { class: 'ends small' }, page.el('span', { text: time(run, jobs.submit[j]) }),
				page.el('span', { text: time(run, jobs.submit[j] + end) })));
	}

	/* Who came later and started while it waited; who was there before it. */
	function others(jobs, j) {
		const { submit, wait, span, run, count } = jobs;
		const start = Number.isNaN(jobs.start(j)) ? run.last : submit[j] + wait[j];
		const cpus = jobs.column('cpus');
		const gpus = jobs.column('gpus');
		const amount = gpus && jobs.number('gpus', j) > 0 ? gpus : cpus;
		const held = (i) => span[i] === NEVER ? run.last - submit[i] - wait[i] : span[i];
		const weight = (i) => held(i) * (amount ? amount[i] : 0);
		const ahead = [];
		for (let i = j + 1; i < count && submit[i] < start; i++)
			if (wait[i] !== NEVER && submit[i] + wait[i] < start)
				ahead.push(i);
		let [waiting, running] = [0, 0];
		for (let i = 0; i < j; i++) {
			const from = wait[i] === NEVER ? Infinity : submit[i] + wait[i];
			if (from > submit[j])
				waiting++;
			else if (span[i] === NEVER || from + span[i] > submit[j])
				running++;
		}
		ahead.sort((a, b) => weight(b) - weight(a) || a - b);
		return { ahead, waiting, running, weight };
	}

	function aheadOf(jobs, j) {
		const { run } = jobs;
		const { ahead, waiting, running, weight } = others(jobs, j);
		const kept = run.jobs.kept < run.jobs.total ? ' Of the jobs kept in this page.' : '';
		const queue = `When it came, ${page.text.plural(waiting, 'job was', 'jobs were')} waiting before it and ${page.text.plural(running, 'job was', 'jobs were')} running.${kept}`;
		const later = ahead.length === 0 ? 'No job that was submitted later'
			: page.text.plural(ahead.length, 'job that was submitted later', 'jobs that were submitted later');
		const sentence = `${later} started while it waited.`;
		const unit = jobs.column('gpus') && jobs.number('gpus', j) > 0 ? 'GPU' : 'cpu';
		const of = unit === 'GPU' ? 'gpus' : 'cpus';
		const table = ahead.length ? page.tableOf({
			caption: ahead.length > 10 ? `The ten of them with the most ${unit} time` : 'By how much',
				test: 'card-ahead',
			head: ['job', 'user', 'submitted later by', 'started earlier by', unit + ' hours'],
			numeric: [false, false, true, true, true],
			rows: ahead.slice(0, 10).map((i) =>
				[link(jobs, i), page.name(jobs.word('user', i), 30),
				length(run, jobs.submit[i] - jobs.submit[j]),
				Number.isNaN(jobs.start(j)) ? 'it never started'
					: length(run, jobs.start(j) - jobs.start(i)),
					page.text.number(page.data.length(run, weight(i) / jobs.parts(of)) / 3600)]),
		}) : [];
		return [page.el('p', { 'data-test': 'card-before', text: queue }),
			page.el('p', { 'data-test': 'card-ahead-count', 'data-count': ahead.length, text: sentence }),
			table];
	}

	function link(jobs, i, content) {
		return page.el('a', { href: address(jobs, i), on: { click: (event) => {
			event.preventDefault();
			page.pick(i, jobs.run);
		} } }, content || page.name(jobs.id(i), 40));
	}

	function address(jobs, j) {
		return `#job=${encodeURIComponent(jobs.id(j))}` + (page.runs.length > 1 ? `&run=${jobs.run.index + 1}`
			: '');
	}

	async function otherRuns(jobs, j) {
		if (page.runs.length < 2)
			return null;
		const rows = [];
		const here = Number.isNaN(jobs.start(j)) ? NaN : page.data.length(jobs.run, jobs.wait[j]);
		for (const run of page.runs.filter((one) => one.jobs.kept > 0)) {
			const there = await page.jobs.of(run);
			await there.need('id', 'state');
			const i = page.jobs.same(there, j, jobs.run);
			const waited = i < 0 || Number.isNaN(there.start(i)) ? NaN
				: page.data.length(run, there.wait[i]);
			const mine = run === jobs.run;
			const name = page.name(run.label, 40);
			const title = mine ? page.el('strong', {}, name) : i < 0 ? name : link(there, i, name);
			const word = i < 0 ? 'not kept' : Number.isNaN(waited) ? 'never started' : page.text.duration(waited);
			const change = mine ? '' : page.text.signed(waited - here, page.text.duration);
			rows.push([title, word, change, i < 0 ? null : time(run, there.start(i)), i < 0 ? null : there.state(i)]);
		}
		return page.tableOf({ caption: 'The same job in each run', test: 'card-runs',
			head: ['run', 'waited', 'difference', 'started', 'state'],
			numeric: [false, true, true, true, false], rows });
	}

	function command(jobs, j) {
		const where = jobs.run.folder ? quoted(jobs.run.folder) : 'DIR';
		const text = `schedlab explain ${where} ${quoted(jobs.id(j))}`;
		const words = jobs.run.folder
			? 'Run beside this file, it says who ran ahead by which rule, which promises were held, and when it ' +
				'would have started otherwise: re-simulated, not guessed.'
			: 'DIR: a folder that holds this run (schedlab run -o DIR). It says who ran ahead by which rule, and when ' +
				'it would have started otherwise.';
		return page.el('div', {}, page.el('p', {}, page.el('code', { 'data-test': 'card-command', text })),
			page.el('p', { class: 'small', text: words }));
	}

	/* ---- The whole ---- */

	async function open(j, run) {
		const mine = ++shown;
		const jobs = await page.jobs.of(run);
		await jobs.need(...columns);
		if (mine !== shown || j < 0 || j >= jobs.count)
			return;
		const [why, elsewhere, what] = [await reasons(jobs, j), await otherRuns(jobs, j),
			await asked(jobs, j)];
		if (mine !== shown)
			return;
		const id = jobs.id(j);
		card.dataset.job = page.text.clean(id, 100);
		card.dataset.run = run.index;
		title.replaceChildren('Job ', page.name(id, 60));
		const waited = jobs.start(j);
		const part = (text, ...children) =>
			page.el('div', { class: 'part' }, page.el('h3', { text }), children);
		body.replaceChildren(
			page.el('p', { class: 'headline' }, Number.isNaN(waited) ? 'Never started'
				: ['Waited ', page.el('strong', { text: length(run, jobs.wait[j]) })],
				page.runs.length > 1 ? [' under ', page.name(run.label, 40)] : [], '.'),
			page.el('p', { class: 'small', 'data-test': 'card-rank', text: rank(jobs, j) || '' }),
			page.el('div', { class: 'controls' }, run.rects && document.getElementById('gantt')
				? page.button('Show its bar', () => show(jobs, j), 'card-show') : [],
				page.el('a', { class: 'small', href: address(jobs, j), 'data-test': 'card-link',
					text: 'Link to this card' })),
			part('Why it waited', why),
			part('Who ran meanwhile', aheadOf(jobs, j)),
			elsewhere ? part('In the other runs', elsewhere) : '',
			part('What it asked, and got', what),
			part('More', command(jobs, j)));
		body.scrollTop = 0;
		if (card.hidden)
			opener = document.activeElement;
		card.hidden = false;
		document.documentElement.dataset.card = ''; /* On wide screens the page makes room. */
		title.focus({ preventScroll: true });
		if (location.hash !== address(jobs, j))
			history.replaceState(null, '', address(jobs, j));
	}

	/* Its wait and its run in the middle of all charts. */
	function show(jobs, j) {
		const seconds = (ticks) => page.data.seconds(jobs.run, ticks);
		const from = seconds(jobs.submit[j]);
		const to = seconds(Number.isNaN(jobs.end(j)) ? jobs.run.last : jobs.end(j));
		const air = Math.max((to - from) * 0.4, 30);
		page.time.set(from - air, to + air, 'card');
		document.getElementById('gantt').scrollIntoView();
	}

	/* #job=ID&run=K */
	async function follow() {
		const found = /^#job=([^&]*)(?:&run=(\d+))?$/.exec(location.hash);
		if (!found)
			return;
		let id = found[1];
		try {
			id = decodeURIComponent(id);
		} catch { /* Then as it stands. */ }
		const run = page.runs[Number(found[2] || 1) - 1] || page.runs[0];
		const jobs = await page.jobs.of(run);
		await jobs.need('id');
		const j = jobs.find(id);
		if (j >= 0)
			page.pick(j, run);
		else
			page.warn(`No job of this page is called ${page.text.clean(id, 80)}` + (run.jobs.kept < run.jobs.total ? '; not all jobs are kept in it' : ''));
	}

	page.picked.subscribe(({ job, run }) => {
		if (run)
			open(job, run).catch((why) => page.warn('The card cannot be shown: ' + why.message));
	});
	addEventListener('hashchange', follow);
	follow().catch((why) => page.warn(why.message));
})();
