/* SPDX-License-Identifier: MIT */
/*
 * methods.js - how each figure is defined, how sure differences are made, what the page leaves out; downloads.
 */
(function () {
	/* Said once, where a metric of that beginning is shown; what each is stands in its own title. */
	const notes = [
		['wait', 'Waits', 'From a job\u2019s submission to its first start. Jobs that never started are not in them.'],
		['', 'Quantiles', 'By nearest rank: the smallest value that at least that share of the jobs does not exceed.'],
		['bounded_slowdown', 'Bounded slowdown', 'max(1, (wait + run) / max(run, 10 s)): very short jobs do not dominate it.'],
		['utilization', 'Utilization', 'Busy resource-seconds over capacity, from the first submission to the last end. The steady one begins ' +
			'after the warm-up (MSER-5 over waits in submit order, unless one was set) and ends with the last submission.'],
	];

	function figures() {
		const sentence = (words) => words && !words.endsWith('.') ? words + '.' : words;
		return page.meta.shown.map((shown) => [page.text.clean(shown.heading), sentence(page.text.clean(shown.title || shown.name, 400))])
			.concat(notes.filter(([name]) => page.meta.shown.some((shown) => shown.name.split('.')[0] === name || name === ''))
				.map(([, term, words]) => [term, words]));
	}

	const quote = (value) => {
		const text = value === null || value === undefined ? '' : String(value);
		return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
	};
	const csv = (rows) => rows.map((row) => row.map(quote).join(',') + '\n').join('');
	page.csv = csv;

	function comparisonRows() {
		const rows = [['run', 'metric', 'value', 'difference', 'low', 'high', 'covers', 'ratio_low', 'ratio_high',
			'ratio_covers', 'samples', 'effective', 'method']];
		for (const run of page.runs)
			for (const name of Object.keys(run.metrics)) {
				const found = page.compare({ name }, run);
				const told = found && found.told;
				const of = (has, x) => found && has ? x : '';
				rows.push([run.label, name, page.metric(run, name), found ? found.delta : '',
					of(found && found.interval, told && told.low), of(found && found.interval, told && told.high),
					of(told && told.covers, told && told.covers / 100), of(found && found.ratio, told && told.ratio_low),
					of(found && found.ratio, told && told.ratio_high), of(found && found.ratio, told && told.ratio_covers / 100),
					told ? told.samples : '', of(told && told.blocks, told && told.effective), told ? told.method : '']);
			}
		return rows;
	}

	/* Seconds as the files write them: at most six decimals. */
	const seconds = (value) => Number.isFinite(value) ? String(Number(value.toFixed(6))) : '';

	/* As jobs.csv: its columns in its order, but for what a page does not keep. Of what never happened: nothing. */
	const heads = ['job_id', 'user', 'account', 'partition', 'submit', 'eligible', 'start', 'end', 'wait', 'run_time', 'time_limit', 'nodes',
		'cpus', 'gpus', 'state', 'bounded_slowdown', 'wait_total', 'attempts'];

	async function jobColumns(run) {
		const there = {};
		for (const name of ['id', 'user', 'account', 'partition', 'submit', 'eligible', 'wait', 'wait_total', 'run', 'span', 'limit', 'nodes',
			'cpus', 'gpus', 'state', 'attempts'])
			there[name] = await page.data.column(run, name);
		return { there, ids: await page.data.names(run, 'ids'), user: await page.data.names(run, 'users'),
			account: await page.data.names(run, 'accounts'), partition: await page.data.names(run, 'partitions') };
	}

	function jobRow(run, columns, i) {
		const { there } = columns;
		const never = page.data.NEVER;
		const of = (name, absent) => there[name] ? there[name][i] : absent;
		const word = (name) => of(name, never) === never ? '' : columns[name][of(name)];
		const length = (ticks) => ticks === never ? '' : seconds(page.data.length(run, ticks));
		const time = (...ticks) => ticks.includes(never) ? '' : seconds(page.data.seconds(run, ticks.reduce((sum, one) => sum + one, 0)));
		const amount = (name) => seconds(page.data.amount(run, name, of(name, 0)));
		const submit = of('submit', 0);
		const wait = of('wait');
		const span = wait === never ? never : of('span');
		const busy = span === never ? never : of('run', span);
		const ten = page.data.ticks(run, 10 + run.shift);
		return [columns.ids.length ? columns.ids[i] : of('id', ''), word('user'), word('account'), word('partition'), time(submit),
			time(submit, of('eligible', 0)), time(submit, wait), time(submit, wait, span), length(wait), length(busy), length(of('limit', never)),
			run.rows && run.rows.unit === 'cpu' && !there.nodes ? amount('cpus') : of('nodes', 0), amount('cpus'), amount('gpus'),
			page.meta.states[of('state', 0)], busy === never ? '' : seconds(Math.max(1, (wait + span) / Math.max(busy, ten))),
			length(of('wait_total', wait)), of('attempts', wait === never ? 0 : 1)];
	}

	/* Pieces of text; told(n): so many jobs are written. */
	page.jobRows = async function (run, told) {
		const columns = await jobColumns(run);
		const parts = [csv([heads])];
		const step = 20000;
		for (let from = 0; from < run.jobs.kept; from += step) {
			const until = Math.min(run.jobs.kept, from + step);
			parts.push(csv(Array.from({ length: until - from }, (unused, k) => jobRow(run, columns, from + k))));
			told(until);
			await page.data.breathe();
		}
		return parts;
	};

	async function usageRows(run) {
		const names = Object.keys(run.use).filter((name) => name !== 'time' && run.use[name] !== null);
		const time = await page.data.block(run.use.time);
		const blocks = await Promise.all(names.map((name) => page.data.block(run.use[name])));
		const rows = [['time'].concat(names)];
		for (let i = 0; i < time.length; i++)
			rows.push([seconds(page.data.seconds(run, time[i]))].concat(blocks.map((block, k) =>
				seconds(page.data.amount(run, names[k], block[i])))));
		return [csv(rows)];
	}

	const fileName = (run) => (run.label.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '').slice(0, 60) || 'run') +
		(page.runs.length > 1 ? `-${run.index + 1}` : '');

	function downloads() {
		const status = page.el('span', { class: 'small', role: 'status' });
		const saving = (text, f) => page.button(text, async (event) => {
			const button = event.currentTarget;
			button.disabled = true;
			try {
				await f();
			} finally {
				button.disabled = false;
				status.textContent = '';
			}
		}, 'download');
		return page.el('div', { class: 'downloads' },
			page.el('div', { class: 'controls' }, saving('Metrics and differences, CSV', async () =>
				page.save('comparison.csv', [csv(comparisonRows())])), status),
			page.runs.map((run) => page.el('div', { class: 'controls' }, page.name(run.label, 60),
				run.columns && run.jobs.kept ? saving(`Jobs, CSV (${page.text.fixed(run.jobs.kept, 0)})`, async () =>
					page.save(`jobs-${fileName(run)}.csv`, await page.jobRows(run, (done) => {
						status.textContent = `${page.text.fixed(done, 0)} jobs written`;
					}))) : [],
				run.use ? saving('Use over time, CSV', async () => page.save(`usage-${fileName(run)}.csv`, await usageRows(run))) : [])));
	}

	function list(pairs) {
		return page.el('dl', {}, pairs.map(([term, words]) => [page.el('dt', {}, term), page.el('dd', {}, words)]));
	}

	/* Sentences of runs: once, where all say the same. */
	function sentences(of) {
		const seen = new Map();
		for (const run of page.runs)
			for (const text of [].concat(of(run) || []))
				if (text)
					seen.set(text, (seen.get(text) || []).concat(run));
		return Array.from(seen, ([text, runs]) => page.el('div', {}, runs.length < page.runs.length ?
			[runs.map((run, k) => [k ? ', ' : '', page.name(run.label, 40)]), ': '] : [], page.text.clean(text, 600)));
	}

	page.section({
		id: 'methods', title: 'Methods and downloads', link: 'Methods', order: 90,
		build(body) {
			body.classList.add('methods');
			const statistics = Array.from(new Set((page.meta.differences || []).map((one) => one.method).filter(Boolean)));
			const pageRules = [
				['Jobs', sentences((run) => run.jobs.kept < run.jobs.total ? run.jobs.rule ||
					`${page.text.fixed(run.jobs.kept, 0)} of ${page.text.fixed(run.jobs.total, 0)} jobs are in this file one by one; all are in its sums.` : '')],
				['Use over time', sentences((run) => run.use_rule)],
				['Times', sentences((run) => run.tick_rule)],
				['Rows of the Gantt chart', sentences((run) => run.rows && run.rows.rule)],
				['Shares', sentences((run) => (run.shares || []).map((share) => share.rule))],
			].filter(([, words]) => words.length);
			const rules = page.runs.map((run) => {
				const summary = page.fact(run, 'policy_summary');
				const paper = page.fact(run, 'policy_paper');
				const settings = (run.facts || []).filter(([key]) => /^(policy|replay)\./.test(key));
				return [page.name(run.label, 60), [
					summary ? page.el('div', { text: page.text.clean(summary, 500) }) : [],
					paper ? page.el('div', { class: 'small', text: page.text.clean(paper, 500) }) : [],
					page.el('div', { class: 'small' }, settings.map(([key, value], k) => [k ? ', ' : '',
						page.el('code', { text: `${page.text.clean(key, 80)}=${page.text.clean(value, 120)}` })])),
				]];
			});
			const ties = sentences((run) => ['ties', 'node_ties'].map((key) => page.fact(run, key))
				.map((text, k) => text && `${k ? 'Nodes' : 'The queue'}: ${text}.`));
			page.fill(body,
				page.el('h3', { text: 'Figures' }),
				list(figures()),
				page.runs.length > 1 ? [page.el('h3', { text: 'Differences' }), list([
					['Estimate', 'The run\u2019s value less the first run\u2019s, over the same jobs.'],
					['Interval', ['All changes that a test at 5\u202f% does not tell from this one. Jobs of one trace wait for each other, so no test is made ' +
						'job by job, but over batches of jobs, weeks, seeds or logs, each with its own difference. Below six effective ' +
						'differences there is none.',
					statistics.map((method) => page.el('div', { text: page.text.clean(method, 400) }))]],
					['Better, worse', 'Said only where the same jobs ran in all runs, and that test tells the difference from none. Several ' +
						'metrics are looked at side by side: one in twenty is told by chance.'],
				])] : [],
				page.el('h3', { text: 'Rules of the runs' }),
				list([['Order', 'Events of one instant are in a fixed order, and every comparison ends in a row of the trace: the same input gives the ' +
					'same result on any machine.'], ...(ties.length ? [['Ties', ties]] : []), ...rules]),
				pageRules.length ? [page.el('h3', { text: 'This page' }), list(pageRules)] : [],
				page.el('h3', { text: 'Downloads' }),
				downloads());
		},
	});
})();
