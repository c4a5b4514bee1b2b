/* SPDX-License-Identifier: MIT */
/*
 * search.js - find a job: by its id, its array's id, who sent it, or what it waited for and asked.
 *
 *   words            "1234", "1234_7", "1234_" (an array), or part of a user's, account's, partition's or QOS's name
 *   key OP value     user=anna  state=timeout  wait>1h  cpus>=8  limit<30m  submit>2024-05-01; OP: = != < <= > >=
 *
 * All of them have to be true. Times and lengths are seconds, or with units (90s, 15m, 2h, 3d, 1:30:00).
 *
 * Hooks for tests: input[data-test=search]; [data-test=search-run|search-order]; [data-test=search-count];
 * [data-test=search-results] with li[data-job]; page.search.parse(text, jobs) -> {test(j), unknown: [text]}, page.search.seconds(text).
 */
page.search = (function () {
	const units = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };
	const named = ['user', 'account', 'partition', 'qos'];
	const amounts = ['cpus', 'gpus', 'nodes', 'attempts'];
	const lengths = ['wait', 'run', 'limit', 'span'];
	const other = { size: 'cpus', queue: 'partition', project: 'account', elapsed: 'run', job: 'id' };
	const most = 50;

	/* "90", "15m", "1h30m", "1:30:00", "2-12:00:00" as seconds, or NaN. */
	function seconds(text) {
		if (/^\d+(\.\d+)?$/.test(text))
			return Number(text);
		const clock = /^(?:(\d+)-)?(\d+):(\d\d)(?::(\d\d))?$/.exec(text);
		if (clock)
			return Number(clock[1] ||
				0) * 86400 + Number(clock[2]) * 3600 + Number(clock[3]) * 60 + Number(clock[4] || 0);
		let sum = 0;
		const rest = text.replace(/(\d+(?:\.\d+)?)([smhdw])/g, (_, number, unit) => {
			sum += Number(number) * units[unit];
			return '';
		});
		return rest === '' && text !== '' ? sum : NaN;
	}

	/* A date of the log's clock, or a place on the run's own, in the page's seconds. */
	function moment(text) {
		const dated = /^(\d{4})-(\d\d)-(\d\d)(?:[t_ ](\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
		if (!dated || !page.meta.epoch)
			return seconds(text);
		const [, y, mo, d, h, mi, s] = dated.map((part) => Number(part || 0));
		return page.text.fromClock(Date.UTC(y, mo - 1, d, h, mi, s) / 1000 - page.meta.epoch - (page.meta.utc_offset || 0));
	}

	const compare = {
		'=': (a, b) => a === b, '!=': (a, b) => a !== b, '<': (a, b) => a < b, '<=': (a, b) => a <= b,
			'>': (a, b) => a > b, '>=': (a, b) => a >= b,
	};

	/* Of names, each is asked once, not once a job. */
	function byWord(jobs, key, holds) {
		const values = jobs.column(key);
		const fits = Uint8Array.from(jobs.words(key), (word) => holds(String(word).toLowerCase()) ? 1 : 0);
		return values ? (j) => fits[values[j]] === 1 : () => false;
	}

	function byId(jobs, text) {
		const ids = jobs.column('id');
		if (!ids)
			return (j) => String(j + 1) === text;
		if (typeof ids[0] === 'number') {
			const id = /^\d+$/.test(text) ? Number(text) : NaN;
			return (j) => ids[j] === id;
		}
		return (j) => {
			const id = String(ids[j]).toLowerCase();
			return id === text || id.startsWith(text.endsWith('_') ? text : text + '_') ||
				id.startsWith(text + '.');
		};
	}

	function ofKey(jobs, key, op, value) {
		const holds = compare[op];
		if (key === 'id')
			return op === '=' ? byId(jobs, value) : op === '!=' ? not(byId(jobs, value)) : null;
		if (named.includes(key)) {
			const equal = byWord(jobs, key, (word) => word === value);
			return op === '=' ? equal : op === '!=' ? not(equal) : null;
		}
		if (key === 'state') {
			const fits = Uint8Array.from(page.meta.states, (word) => word.toLowerCase().startsWith(value)
				? 1 : 0);
			const states = jobs.column('state');
			const equal = (j) => states !== null && fits[states[j]] === 1;
			return op === '=' ? equal : op === '!=' ? not(equal) : null;
		}
		return ofAmount(jobs, key, holds, value);
	}

	function ofAmount(jobs, key, holds, value) {
		const { run } = jobs;
		if (key === 'submit' || key === 'start' || key === 'end') {
			const limit = page.data.ticks(run, moment(value));
			const at = { submit: (j) => jobs.submit[j], start: (j) => jobs.start(j),
				end: (j) => jobs.end(j) }[key];
			return Number.isNaN(limit) ? null : (j) => holds(at(j), limit);
		}
		if (lengths.includes(key)) {
			const limit = seconds(value);
			return Number.isNaN(limit) ? null : (j) => holds(jobs.length(key, j), limit);
		}
		if (amounts.includes(key) && /^\d+(\.\d+)?$/.test(value)) {
			const without = key === 'attempts' ? 1 : 0;
			const values = jobs.column(key);
			return (j) => holds(values ? jobs.number(key, j) : without, Number(value));
		}
		return null;
	}

	function not(test) {
		return (j) => !test(j);
	}

	function ofWord(jobs, word) {
		const id = byId(jobs, word);
		const names = named.map((key) => byWord(jobs, key, (name) => name.includes(word)));
		return (j) => id(j) || names.some((fits) => fits(j));
	}

	function parse(text, jobs) {
		const tests = [];
		const unknown = [];
		for (const part of text.toLowerCase().match(/"[^"]*"|\S+/g) || []) {
			const word = part.replace(/^"|"$/g, '');
			const found = /^([a-z_]+)(!=|<=|>=|=|:|<|>)(.+)$/.exec(word);
			const key = found ? other[found[1]] || found[1] : '';
			const known = found && ['id', 'state', 'submit', 'start', 'end', ...named, ...amounts,
				...lengths].includes(key);
			const test = known ? ofKey(jobs, key, found[2] === ':' ? '=' : found[2],
				found[3].replace(/^"|"$/g, '')) : ofWord(jobs, word);
			if (test)
				tests.push(test);
			else
				unknown.push(part);
		}
		return { test: (j) => tests.every((one) => one(j)), unknown };
	}

	/* The first of all that fit, in that order; ties by row. */
	const orders = {
		wait: ['longest wait', (jobs, j) => jobs.wait[j] === page.data.NEVER ? jobs.run.last - jobs.submit[j]
			: jobs.wait[j]],
		size: ['most cpus', (jobs, j) => jobs.number('cpus', j) || 0],
		first: ['first submitted', (jobs, j) => -j],
		last: ['last submitted', (jobs, j) => j],
	};

	function find(jobs, test, order) {
		const measure = orders[order][1];
		let best = [];
		let count = 0;
		let least = -Infinity;
		for (let j = 0; j < jobs.count; j++) {
			if (!test(j))
				continue;
			count++;
			const value = measure(jobs, j);
			if (best.length >= most && value <= least)
				continue;
			best.push([value, j]);
			if (best.length >= 4 * most) {
				best = first(best);
				least = best[most - 1][0];
			}
		}
		return { count, jobs: first(best).map(([, j]) => j) };
	}

	function first(found) {
		return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, most);
	}

	return { parse, seconds, find, orders, most };
})();

page.section({
	id: 'search', title: 'A job, and why it waited', order: 80, link: 'Find a job',
	when: () => page.runs.some((run) => run.jobs.kept > 0),
	build: (body) => page.search.build(body),
});

page.search.build = async function (body) {
	const runs = page.runs.filter((run) => run.jobs.kept > 0);
	const now = { run: runs[0], order: 'wait', at: -1 };
	const input = page.el('input', { type: 'search', id: 'search-text', 'data-test': 'search',
		placeholder: 'job id, user, account \u2026 or wait>1h cpus>=8', autocomplete: 'off',
		spellcheck: 'false',
		role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'search-list',
			'aria-describedby': 'search-count search-words', maxlength: 300 });
	const count = page.el('p', { id: 'search-count', class: 'small', 'data-test': 'search-count',
		role: 'status' });
	const list = page.el('ul', { id: 'search-list', class: 'results', role: 'listbox', 'aria-label': 'Jobs',
		'data-test': 'search-results' });
	let asked = 0;
	let timer = 0;

	async function look() {
		const mine = ++asked;
		const jobs = await page.jobs.of(now.run);
		await jobs.need('id', 'user', 'account', 'partition', 'qos', 'cpus', 'gpus', 'nodes', 'state',
			'limit', 'run', 'attempts');
		if (mine !== asked)
			return;
		const { test, unknown } = page.search.parse(input.value, jobs);
		const begun = performance.now();
		const found = page.search.find(jobs, test, now.order);
		page.timing.search = performance.now() - begun;
		now.jobs = jobs;
		now.found = found.jobs;
		count.replaceChildren(words(found, unknown));
		list.replaceChildren(...found.jobs.map((j, k) => item(jobs, j, k)));
		move(-1);
	}

	function words(found, unknown) {
		const kept = now.run.jobs.kept < now.run.jobs.total
			? ` of the ${page.text.fixed(now.run.jobs.kept, 0)} kept` : '';
		const shown = found.count > found.jobs.length
			? `; the first ${found.jobs.length} by ${page.search.orders[now.order][0]}` : '';
		const not = unknown.length ? ` Not understood: ${page.text.clean(unknown.join(' '), 100)}.` : '';
		return `${page.text.plural(found.count, 'job')}${kept}${shown}.${not}`;
	}

	function item(jobs, j, k) {
		const { run } = jobs;
		const cell = (kind, content) => page.el('span', { class: kind }, content);
		const amount = jobs.number('gpus', j) > 0 ? page.text.plural(jobs.number('gpus', j), 'GPU')
			: page.text.plural(jobs.number('cpus', j), 'cpu');
		return page.el('li', { id: 'search-' + k, role: 'option', 'aria-selected': 'false',
			'data-job': jobs.id(j), on: { click: () => {
			move(k);
			page.pick(j, run);
		} } }, cell('id', page.name(jobs.id(j), 40)),
			cell('who', page.name(['user', 'account',
			'partition'].map((key) => jobs.word(key, j)).filter(Boolean).join(' \u00b7 '), 60)),
		cell('figure', Number.isNaN(jobs.number('cpus', j)) && !(jobs.number('gpus', j) > 0) ? '' : amount),
		cell('figure', Number.isNaN(jobs.start(j)) ? 'never started'
			: 'waited ' + page.text.duration(page.data.length(run, jobs.wait[j]))),
			cell('state', jobs.state(j)));
	}

	function move(k) {
		list.children[now.at]?.setAttribute('aria-selected', 'false');
		now.at = k;
		const chosen = list.children[k];
		if (!chosen) {
			input.removeAttribute('aria-activedescendant');
			return;
		}
		chosen.setAttribute('aria-selected', 'true');
		input.setAttribute('aria-activedescendant', chosen.id);
		chosen.scrollIntoView({ block: 'nearest' });
	}

	input.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(look, 120);
	});
	input.addEventListener('keydown', async (event) => {
		const last = list.childElementCount - 1;
		const to = { ArrowDown: Math.min(last, now.at + 1), ArrowUp: Math.max(0, now.at - 1),
			PageDown: Math.min(last, now.at + 10), PageUp: Math.max(0, now.at - 10) }[event.key];
		if (to !== undefined && last >= 0)
			move(to);
		else if (event.key === 'Enter') {
			clearTimeout(timer);
			const at = now.at;
			await look();
			if (now.found.length) {
				move(Math.max(0, Math.min(at, now.found.length - 1)));
				page.pick(now.found[now.at], now.run);
			}
		} else if (event.key === 'Escape' && input.value === '')
			input.blur();
		else
			return;
		event.preventDefault();
	});
	page.key('/', 'find a job', () => {
		document.getElementById('search').scrollIntoView();
		input.focus({ preventScroll: true });
		input.select();
	});

	body.append(page.el('div', { class: 'controls' },
		page.el('label', { class: 'choice search' }, page.el('span', { text: 'Find' }), input),
		runs.length > 1 ? page.choice({ label: 'in', test: 'search-run', value: '0',
			options: runs.map((run, k) => [String(k), run.label]), change: (k) => {
			now.run = runs[k];
			look();
		} }) : [],
		page.choice({ label: 'by', test: 'search-order', value: 'wait',
			options: Object.entries(page.search.orders).map(([key, [text]]) => [key, text]),
			change: (order) => {
			now.order = order;
			look();
		} })),
	page.el('p', { id: 'search-words', class: 'small keys',
		text: 'Also user= account= partition= qos= state= wait> run> limit> cpus>= gpus>= nodes>= submit> ' +
			'(= != < <= > >=; 90s 15m 2h 3d). Key / from anywhere; arrows and Enter.' }),
	count, page.el('div', { class: 'scroll' }, list));
	await look();
};
