/* SPDX-License-Identifier: MIT */
/*
 * classes.js - what bars are coloured by: at most eight classes, of names or of amounts.
 *
 *   page.classes.kinds(runs)     [[key, title]]: by what these runs' jobs can be told apart
 *   page.classes.of(key, bars)   a promise of {of: class of each rectangle, labels: [text or null]}
 *   page.classes.waits()         seconds where a class of waits ends and the next begins
 *   page.classes.palette(key)    a colour [r, g, b] for each class, in the theme of now
 *
 * Names: the seven that used most in the first run that was asked for keep their colours in all runs. Colours are
 * told apart with any colour vision (Paul Tol's bright scheme); amounts go from pale to strong.
 */
page.classes = (function () {
	const count = 8;
	const titles = { user: 'user', account: 'account', partition: 'partition', qos: 'QOS',
		state: 'state at the end', wait: 'wait', cpus: 'cpus asked', gpus: 'GPUs asked' };
	const bright = {
		light: ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee8833', '#a9adb3'],
		dark: ['#5b93cf', '#ef7482', '#45a957', '#cfc05a', '#73cdea', '#c8609a', '#ef9a55', '#7d848c'],
	};
	const amounts = {
		light: ['#dbe4ea', '#f7dfb5', '#f6bd8b', '#ee8f75', '#dd6172', '#b93f7a', '#85257a', '#4b1464'],
		dark: ['#38424c', '#5a3a80', '#8b3f94', '#bd4f93', '#e26a83', '#f29474', '#f6c183', '#f8ecb8'],
	};
	const states = [['COMPLETED'], ['RUNNING', 'SUSPENDED'], ['TIMEOUT', 'DEADLINE'], ['FAILED', 'OUT_OF_MEMORY'],
		['CANCELLED'], ['PREEMPTED'], ['NODE_FAIL', 'BOOT_FAIL']];
	const stateHues = [0, 4, 3, 1, 7, 5, 6, 2]; /* Of bright. */
	const round = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800,
		345600, 604800, 1209600,
		2592000, 7776000, 31536000];
	const known = new Map(); /* key: the names that have colours of their own, by rank. */

	function kinds(runs) {
		const has = (name) => runs.some((run) => run.columns && run.columns[name] !== undefined &&
			run.columns[name] !== null);
		return Object.entries(titles).filter(([key]) => has(key)).map(([key, title]) => [key, title]);
	}

	function rgb(hex) {
		return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
	}

	function palette(key) {
		const theme = page.theme.dark() ? 'dark' : 'light';
		const colours = ['wait', 'cpus', 'gpus'].includes(key) ? amounts[theme]
			: key === 'state' ? stateHues.map((hue) => bright[theme][hue]) : bright[theme];
		return colours.map(rgb);
	}

	/* The names that used most, by area in the Gantt. */
	function rank(key, bars) {
		const words = bars.jobs.words(key);
		const used = new Float64Array(words.length);
		const values = bars.jobs.column(key);
		for (let i = 0; i < bars.count; i++) {
			const word = values[bars.job[i]];
			if (word < used.length)
				used[word] += (bars.end[i] - bars.from[i]) * bars.tall(i);
		}
		return [...used.keys()].sort((a, b) => used[b] - used[a] || a - b).slice(0,
			count - 1).map((word) => String(words[word]));
	}

	function byName(key, bars) {
		if (!known.has(key))
			known.set(key, rank(key, bars));
		const first = known.get(key);
		const words = bars.jobs.words(key);
		const classOf = Uint8Array.from(words, (word) => {
			const at = first.indexOf(String(word));
			return at < 0 ? count - 1 : at;
		});
		const values = bars.jobs.column(key);
		return {
			one: (j) => values[j] < classOf.length ? classOf[values[j]] : count - 1,
			labels: [...first.concat(Array(count - 1).fill(null)).slice(0, count - 1),
				words.length > first.length ? 'others' : null],
		};
	}

	function byState(bars) {
		const names = page.meta.states;
		const classOf = Uint8Array.from(names, (name) => {
			const at = states.findIndex((group) => group.includes(name));
			return at < 0 ? count - 1 : at;
		});
		const values = bars.jobs.column('state');
		return {
			one: (j) => classOf[values[j]],
			labels: ['completed', 'running, suspended', 'out of time', 'failed', 'cancelled', 'preempted',
				'node failed', 'others'],
		};
	}

	/*
	 * Round lengths, each three times the one below at least, up to the longest wait of all runs: the same for each, so
	 * that their colours compare.
	 */
	function waits() {
		const longest = Math.max(0, ...page.runs.map((run) => (run.metrics || {})['wait.max'] || 0)) || 86400;
		const edges = [];
		for (const edge of round.filter((one) => one <= longest * 0.6 || one === round[0]).reverse())
			if (edges.length < count - 1 && (!edges.length || edge * 3 <= edges[0]))
				edges.unshift(edge);
		return edges;
	}

	function span(seconds) {
		const [unit, size] = seconds < 60 ? ['s', 1] : seconds < 3600 ? ['min', 60] : seconds < 86400
			? ['h', 3600] : ['d', 86400];
		return `${seconds / size} ${unit}`;
	}

	function byWait(bars) {
		const { wait, run } = bars.jobs;
		const limits = waits();
		const edges = limits.map((edge) => edge / page.data.length(run, 1));
		const words = limits.map(span);
		const named = [`under ${words[0]}`,
			...words.map((word, k) => k + 1 < words.length ? `to ${words[k + 1]}` : `over ${word}`)];
		const shift = count - named.length; /* Few classes are the strong ones, but for the first. */
		return {
			one: (j) => {
				const k = below(edges, wait[j]);
				return k ? k + shift : 0;
			},
			labels: [named[0], ...Array(shift).fill(null), ...named.slice(1)],
		};
	}

	function below(edges, value) {
		let k = 0;
		while (k < edges.length && value >= edges[k])
			k++;
		return k;
	}

	/* Classes by a power of two, so that eight are enough. */
	function byAmount(key, bars) {
		const values = bars.jobs.column(key);
		const parts = bars.jobs.parts(key);
		let most = 1;
		for (const value of values)
			if (value > most * parts && value !== page.data.NEVER)
				most = value / parts;
		const base = 2 ** Math.max(1, Math.ceil(Math.log2(most) / (count - 1)));
		const edges = Array.from({ length: count - 1 },
			(_, k) => (base ** k + (key === 'gpus' && k === 0 ? -1 : 0)) * parts + 1e-9);
		const label = (k) => {
			const from = k === 0 ? 0 : Math.round(edges[k - 1] / parts) + 1;
			const to = k < edges.length ? Math.round(edges[k] / parts) : Infinity;
			if (from > most)
				return null;
			return to === Infinity ? `${from} and more` : from >= to || k === 0 ? String(to)
				: `${from} to ${to}`;
		};
		return { one: (j) => below(edges, values[j]),
			labels: Array.from({ length: count }, (_, k) => label(k)) };
	}

	async function of(key, bars) {
		await bars.jobs.need(key === 'wait' ? 'submit' : key);
		const { one, labels } = !bars.jobs.column(key === 'wait' ? 'submit' : key)
			? { one: () => count - 1, labels: [...Array(count - 1).fill(null), 'not known'] }
			: key === 'state' ? byState(bars) : key === 'wait' ? byWait(bars)
				: key === 'cpus' || key === 'gpus' ? byAmount(key, bars) : byName(key, bars);
		const ofJob = new Uint8Array(bars.jobs.count);
		for (let j = 0; j < ofJob.length; j++)
			ofJob[j] = one(j);
		const found = new Uint8Array(bars.count);
		const seen = Array(count).fill(false);
		for (let i = 0; i < found.length; i++) {
			found[i] = ofJob[bars.job[i]];
			seen[found[i]] = true;
		}
		return { of: found, labels, seen };
	}

	return { kinds, of, palette, rgb, waits };
})();
