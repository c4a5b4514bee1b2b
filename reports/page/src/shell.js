/* SPDX-License-Identifier: MIT */
/*
 * shell.js - what all parts of the page share: elements, sections, the time window, the cursor, themes, keys.
 *
 *   page.el(tag, {class, text, on: {click}, 'aria-x', ...}, ...children)   text and attributes only, never HTML
 *   page.name(text)              somebody's word (a user, a file): isolated, cut by CSS, whole in its title
 *   page.section({id, title, order, note, build(body), when()})   build may be async; called once, when it is its turn
 *   page.time                    {from, to} in seconds of the run: get(), set(from, to, source), reset(), full, subscribe(f)
 *   page.cursor                  the time under the pointer (null: none): get(), set(at, source), subscribe(f)
 *   page.pick(job, run)          a job (row of the run's columns) was chosen: page.picked.subscribe(({job, run}) => ...)
 *   page.shown                   which runs are shown in overlays: page.shown.subscribe(f); run.visible
 *   page.theme                   colour(name) of a custom property, run(k), dash(k), dark(), subscribe(f)
 *   page.key(key, words, f)      a key anywhere on the page, told by the help
 *   page.choice, page.toggle     a labelled select; a button that is pressed or not
 *   page.alternative(el, {...})  the table behind a picture, made when it is opened
 *   page.say(text), page.warn    to a screen reader, politely; to all, as a message that stays until closed
 *   page.save(name, parts, type) a download
 *
 * Orders: 10 summary, 20 comparison, 30 time, 40 distribution, 50 gantt, 60 heat, 70 shares, 80 search, 90 methods.
 *
 * Hooks for tests (beside ids of sections: #summary #comparison #time #distribution #gantt #heat #shares #search #methods):
 *   html[data-state]             "first": summary, comparison and time are drawn; "whole": every section is
 *   html[data-theme]             "auto" "dark" "light"; [data-printing] while it prints
 *   [data-test=verdict|facts|digest|warnings]               of #summary
 *   [data-test=comparison], [data-metric], [data-run], [data-value]   cells of the tables; th[aria-sort]
 *   [data-test=metrics], [data-test=metrics-filter]         all metrics
 *   [data-test=chart][data-chart=NAME]                      a chart; NAME: use-cpus, use-queued, cdf-all, ...
 *   [data-test=readout]                                     what the cursor shows, in words
 *   [data-test=theme|help|print|reset-time|run-toggle]      controls
 *   [data-test=alternative]                                 details with a chart's table
 *   [data-test=message]                                     messages
 *   page.charts[NAME]            the chart: .plot (uPlot), .values(at) = what the readout shows
 *   page.timing                  {first, whole} in ms since navigation began; page.errors: texts of all messages
 */
page.signal = function () {
	const told = [];
	return {
		subscribe(f) {
			told.push(f);
			return () => told.splice(told.indexOf(f), 1);
		},
		tell(...what) {
			for (const f of told.slice())
				f(...what);
		},
	};
};
page.timing = {};
page.charts = {};
page.errors = [];

/* As append, of arrays in arrays too; null, undefined and false are nothing. */
page.fill = function (element, ...children) {
	element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return element;
};

page.el = function (tag, attributes, ...children) {
	const element = tag === 'svg' || tag === 'path' || tag === 'line' || tag === 'rect'
		? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name === 'on')
			for (const [event, f] of Object.entries(value))
				element.addEventListener(event, f);
		else if (name === 'text')
			element.textContent = value;
		else
			element.setAttribute(name, value === true ? '' : value);
	}
	return page.fill(element, ...children);
};

page.name = function (text, most) {
	return page.el('bdi', { class: 'name', title: page.text.clean(text, 1000), text: page.text.clean(text, most) });
};

for (const [index, run] of page.runs.entries()) {
	run.index = index;
	run.visible = true;
	run.name = page.text.clean(run.label, 60);
}

/* ---- Messages ---------------------------------------------------------------------------- */

page.say = function (text) {
	document.getElementById('live').textContent = text;
};

page.warn = function (text) {
	const words = page.text.clean(text, 500);
	page.errors.push(words);
	const message = page.el('div', { class: 'message', role: 'alert', 'data-test': 'message' },
		page.el('span', { text: words }),
		page.el('button', { type: 'button', class: 'quiet', 'aria-label': 'Close this message', text: '\u00d7',
			on: { click: () => message.remove() } }));
	const box = document.getElementById('messages');
	if (box.childElementCount < 5)
		box.append(message);
};

addEventListener('error', (event) => page.warn('Something in this page failed: ' + event.message));
addEventListener('unhandledrejection', (event) =>
	page.warn('Something in this page failed: ' + ((event.reason && event.reason.message) || event.reason)));

/* ---- Time, cursor, choice of runs and of a job ---------------------------------------------- */

page.time = (function () {
	const full = { from: Infinity, to: -Infinity };
	for (const run of page.runs) {
		full.from = Math.min(full.from, page.data.seconds(run, run.first));
		full.to = Math.max(full.to, page.data.seconds(run, run.last));
	}
	if (!(full.to > full.from)) {
		full.from = Number.isFinite(full.from) ? full.from : 0;
		full.to = full.from + 1;
	}
	const least = Math.min(full.to - full.from, Math.max(1e-6, (full.to - full.from) * 1e-9));
	const changed = page.signal();
	let now = { from: full.from, to: full.to };
	function set(from, to, source) {
		if (!(to > from)) /* NaN too. */
			return;
		const span = Math.min(Math.max(to - from, least), full.to - full.from);
		const middle = to - from < least ? (from + to) / 2 - span / 2 : from;
		const start = Math.min(Math.max(middle, full.from), full.to - span);
		if (start === now.from && start + span === now.to)
			return;
		now = { from: start, to: start + span };
		changed.tell(now, source);
	}
	return {
		full,
		get: () => now,
		set,
		reset: (source) => set(full.from, full.to, source),
		whole: () => now.from <= full.from && now.to >= full.to,
		subscribe: changed.subscribe,
	};
})();

page.cursor = (function () {
	const changed = page.signal();
	let now = null;
	return {
		get: () => now,
		set(at, source) {
			if (at === now)
				return;
			now = at;
			changed.tell(at, source);
		},
		subscribe: changed.subscribe,
	};
})();

page.picked = page.signal();
page.pick = function (job, run) {
	page.picked.now = { job, run };
	page.picked.tell(page.picked.now);
};

page.shown = page.signal();
page.show = function (run, visible) {
	run.visible = visible;
	page.shown.tell(run);
};

/* ---- Themes -------------------------------------------------------------------------------- */

page.theme = (function () {
	const root = document.documentElement;
	const media = matchMedia('(prefers-color-scheme: dark)');
	const changed = page.signal();
	const runColours = 8;
	const dashes = [[], [9, 4], [2, 3], [12, 3, 2, 3], [6, 2, 2, 2, 2, 2], [16, 5], [1, 4], [5, 5]];
	let known = new Map();
	let mode = 'auto';
	let before = null;
	function dark() {
		return mode === 'auto' ? media.matches : mode === 'dark';
	}
	function apply() {
		root.dataset.theme = mode;
		known = new Map();
		changed.tell();
	}
	/* Custom properties hold both themes: what one is now is asked of an element that has it. */
	function colour(name) {
		if (!known.has(name)) {
			const probe = document.getElementById('probe');
			probe.style.color = `var(--${name})`;
			known.set(name, getComputedStyle(probe).color);
		}
		return known.get(name);
	}
	media.addEventListener('change', apply);
	/* Pictures are drawn in the colours of paper before it prints. */
	addEventListener('beforeprint', () => {
		before = mode;
		mode = 'light';
		root.dataset.printing = '';
		apply();
	});
	addEventListener('afterprint', () => {
		mode = before || mode;
		before = null;
		delete root.dataset.printing;
		apply();
	});
	root.dataset.theme = mode;
	return {
		dark,
		colour,
		run: (k) => colour('run-' + k % runColours),
		dash: (k) => dashes[(k + Math.floor(k / runColours)) % dashes.length],
		mode: () => mode,
		printing: () => before !== null,
		set(next) {
			mode = next;
			apply();
		},
		subscribe: changed.subscribe,
	};
})();

/* A run's line as it is drawn, beside its name. */
page.swatch = function (k) {
	const line = page.el('line', { x1: 0, y1: 5, x2: 26, y2: 5, 'stroke-width': 2.5,
		'stroke-dasharray': page.theme.dash(k).join(' ') || null, class: 'run-' + k % 8 });
	return page.el('svg', { class: 'swatch', width: 26, height: 10, viewBox: '0 0 26 10', 'aria-hidden': 'true' }, line);
};

/* ---- Controls ------------------------------------------------------------------------------ */

/* options: [[value, text]] */
page.choice = function ({ label, options, value, change, test }) {
	const select = page.el('select', { 'data-test': test, on: { change: () => change(select.value) } },
		options.map(([key, text]) => page.el('option', { value: key, text: page.text.clean(text, 60) })));
	select.value = value;
	return page.el('label', { class: 'choice' }, page.el('span', { text: label }), select);
};

page.toggle = function ({ text, pressed, change, test, children, title }) {
	const button = page.el('button', { type: 'button', class: 'toggle', 'aria-pressed': String(pressed), title,
		'data-test': test, on: { click: () => {
			const next = button.getAttribute('aria-pressed') !== 'true';
			button.setAttribute('aria-pressed', String(next));
			change(next);
		} } }, children || [], text ? page.el('span', { text }) : []);
	return button;
};

page.button = function (text, click, test) {
	return page.el('button', { type: 'button', 'data-test': test, text, on: { click } });
};

page.save = function (name, parts, type) {
	const url = URL.createObjectURL(parts instanceof Blob ? parts : new Blob(parts, { type: type || 'text/csv' }));
	const link = page.el('a', { href: url, download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
};

/* A cell is text, a number, an element, or null. */
page.tableOf = function ({ caption, head, rows, test, numeric }) {
	const cell = (tag, value, column, scope) => page.el(tag, {
		scope, class: (numeric ? numeric[column] : column > 0) ? 'figure' : null,
	}, value === null || value === undefined ? '\u2013' : value instanceof Node ? value : String(value));
	return page.el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption },
		page.el('table', { 'data-test': test },
			page.el('caption', { text: caption }),
			page.el('thead', {}, page.el('tr', {}, head.map((h, i) => cell('th', h, i, 'col')))),
			page.el('tbody', {}, rows.map((row) => page.el('tr', {}, row.map((value, i) =>
				i === 0 ? cell('th', value, i, 'row') : cell('td', value, i)))))));
};

/* make: () => what page.tableOf takes, or a promise of it; asked again whenever it is opened. */
page.alternative = function (title, make) {
	const body = page.el('div');
	const details = page.el('details', { class: 'alternative', 'data-test': 'alternative', on: {
		toggle: async () => {
			if (details.open)
				body.replaceChildren(page.tableOf(await make()));
			else
				body.replaceChildren();
		},
	} }, page.el('summary', { text: title }), body);
	return details;
};

/* ---- Keys ---------------------------------------------------------------------------------- */

page.keys = [];
page.key = function (key, words, act) {
	page.keys.push({ key, words, act });
};
addEventListener('keydown', (event) => {
	const at = event.target;
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey ||
		(at instanceof Element && at.closest('input, select, textarea, [contenteditable]')))
		return;
	const found = page.keys.find((known) => known.key === event.key && known.act);
	if (!found || (document.getElementById('help').open && event.key !== '?'))
		return;
	event.preventDefault();
	found.act();
});

/* ---- Sections ------------------------------------------------------------------------------ */

page.sections = [];
page.section = function (section) {
	page.sections.push(section);
};

(function () {
	const root = document.documentElement;

	async function build(section) {
		if (section.begun)
			return section.begun;
		section.begun = (async () => {
			try {
				await section.build(section.body, section);
			} catch (why) {
				const words = `${section.title}: cannot be shown: ${why.message || why}`;
				section.body.replaceChildren(page.el('p', { class: 'failed', text: page.text.clean(words, 500) }));
				page.warn(words);
			}
			section.element.removeAttribute('aria-busy');
		})();
		return section.begun;
	}
	page.build = build;

	function frame(section) {
		section.body = page.el('div', { class: 'body' });
		section.element = page.el('section', { id: section.id, 'aria-labelledby': section.id + '-title', 'aria-busy': 'true' },
			page.el('h2', { id: section.id + '-title', text: section.title }),
			section.note ? page.el('p', { class: 'note', text: section.note }) : [],
			section.body);
		document.getElementById('main').append(section.element);
		document.getElementById('sections').append(page.el('li', {},
			page.el('a', { href: '#' + section.id, text: section.link || section.title })));
	}

	function idle() {
		return new Promise((resolve) => typeof requestIdleCallback === 'function' ?
			requestIdleCallback(resolve, { timeout: 500 }) : setTimeout(resolve, 20));
	}

	function painted() {
		return new Promise((resolve) => {
			requestAnimationFrame(() => setTimeout(resolve, 0));
			setTimeout(resolve, 200); /* A page in the background paints nothing. */
		});
	}

	function header() {
		const mode = { auto: 'Theme: as the system', dark: 'Theme: dark', light: 'Theme: light' };
		const next = { auto: 'dark', dark: 'light', light: 'auto' };
		const theme = document.getElementById('theme');
		const name = () => {
			theme.textContent = mode[page.theme.mode()];
		};
		theme.addEventListener('click', () => page.theme.set(next[page.theme.mode()]));
		page.theme.subscribe(name);
		name();
		document.getElementById('print').addEventListener('click', () => window.print());
		const reset = document.getElementById('reset-time');
		reset.addEventListener('click', () => page.time.reset('button'));
		const span = document.getElementById('window');
		const tell = () => {
			const now = page.time.get();
			reset.disabled = page.time.whole();
			span.textContent = `${page.text.time(now.from)} \u2013 ${page.text.time(now.to)} (${page.text.duration(now.to - now.from)})`;
		};
		page.time.subscribe(tell);
		tell();
		const runs = document.getElementById('runs');
		if (page.runs.length > 1)
			for (const run of page.runs)
				runs.append(page.toggle({ pressed: true, test: 'run-toggle', change: (on) => page.show(run, on),
					title: 'Show this run in charts, or leave it out',
					children: [page.swatch(run.index), page.name(run.label, 60)] }));
	}

	function help() {
		const dialog = document.getElementById('help');
		const open = () => {
			const list = page.el('dl', {}, page.keys.map(({ key, words }) =>
				[page.el('dt', {}, page.el('kbd', { text: key })), page.el('dd', { text: words })]));
			document.getElementById('help-keys').replaceChildren(list);
			if (dialog.open)
				dialog.close();
			else
				dialog.showModal();
		};
		page.key('?', 'this help', open);
		document.getElementById('help-open').addEventListener('click', open);
		document.getElementById('help-close').addEventListener('click', () => dialog.close());
	}

	page.key('t', 'next theme', () => document.getElementById('theme').click());
	page.key('r', 'the whole time again', () => page.time.reset('key'));
	page.key('\u2190 \u2192', 'on a chart: the cursor to the next point; with Shift, by a tenth of the window', null);
	page.key('+ \u2212', 'on a chart: zoom in, zoom out', null);

	async function start() {
		page.sections = page.sections.filter((section) => !section.when || section.when())
			.sort((a, b) => a.order - b.order);
		header();
		help();
		page.sections.forEach(frame);
		const early = page.sections.filter((section) => section.order < 40);
		for (const section of early) {
			await build(section);
			if (section.order < 30)
				await painted();
		}
		root.dataset.state = 'first';
		page.timing.first = performance.now();
		await painted();
		const near = new IntersectionObserver((entries) => {
			for (const entry of entries)
				if (entry.isIntersecting)
					build(page.sections.find((section) => section.element === entry.target));
		}, { rootMargin: '400px' });
		page.sections.forEach((section) => near.observe(section.element));
		for (const section of page.sections) {
			if (!section.begun)
				await idle();
			await build(section);
		}
		near.disconnect();
		root.dataset.state = 'whole';
		page.timing.whole = performance.now();
	}
	/* After the other files of this page have named their sections. */
	Promise.resolve().then(start).catch((why) => page.warn('This page cannot be shown: ' + why.message));
})();
