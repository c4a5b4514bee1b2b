/* SPDX-License-Identifier: MIT */
/*
 * jobs.js - the kept jobs of a run as columns, decoded when they are needed.
 *
 *   page.jobs.of(run)         a promise of the run's jobs: .count, .submit, .wait, .span (typed arrays, ticks)
 *   jobs.need('user', ...)    a promise that those columns (and their names) are there
 *   jobs.column(name)         the array, or null where the run has none; jobs.words(name) its names
 *   jobs.start(j), .end(j)    ticks; NaN: never started, has not ended
 *   jobs.number(name, j)      a column's value, NaN where there is none; jobs.word(name, j) the name, '' if none
 *   jobs.id(j), .find(text)   how the job is called; the row of the job that is called so, or -1
 *   jobs.charges(j)           a promise of [{word, from, until, detail}] in ticks after the submit; null: not kept
 */
page.jobs = (function () {
	const NEVER = page.data.NEVER;
	const lists = { user: 'users', account: 'accounts', partition: 'partitions', qos: 'qos' };
	const loaded = new Map();
	const ready = new Map();

	class Jobs {
		constructor(run) {
			this.run = run;
			this.columns = new Map();
			this.names = new Map();
		}

		async load() {
			await this.need('submit', 'wait', 'span');
			[this.submit, this.wait, this.span] = ['submit', 'wait',
				'span'].map((name) => this.columns.get(name));
			this.count = this.submit ? this.submit.length : 0;
			ready.set(this.run, this);
			return this;
		}

		async need(...wanted) {
			await Promise.all(wanted.map(async (name) => {
				if (this.columns.has(name))
					return;
				const values = await (name === 'id' ? this.loadIds()
					: page.data.column(this.run, name));
				if (lists[name])
					this.names.set(name, await page.data.names(this.run, lists[name]));
				this.columns.set(name, values);
			}));
			return this;
		}

		/* Numbers where ids are numbers; else text, as in "12_3". */
		async loadIds() {
			const ids = await page.data.names(this.run, 'ids');
			return ids.length ? ids : page.data.column(this.run, 'id');
		}

		column(name) {
			return this.columns.get(name) || null;
		}

		words(name) {
			return this.names.get(name) || [];
		}

		start(j) {
			return this.wait[j] === NEVER ? NaN : this.submit[j] + this.wait[j];
		}

		end(j) {
			return this.wait[j] === NEVER || this.span[j] === NEVER ? NaN
				: this.submit[j] + this.wait[j] + this.span[j];
		}

		number(name, j) {
			const values = this.columns.get(name);
			if (!values || values[j] === NEVER)
				return NaN;
			return values[j] / this.parts(name);
		}

		/* Fractions of a GPU are stored as whole numbers of such parts. */
		parts(name) {
			return (this.run.parts && this.run.parts[name]) || 1;
		}

		word(name, j) {
			const values = this.columns.get(name);
			const words = this.names.get(name);
			return values && words && words[values[j]] !== undefined ? String(words[values[j]]) : '';
		}

		state(j) {
			const states = this.columns.get('state');
			return states ? page.meta.states[states[j]] || String(states[j]) : '';
		}

		id(j) {
			const ids = this.columns.get('id');
			return ids ? String(ids[j]) : String(j + 1);
		}

		/* The row in another run is most often the same. */
		find(text, near = -1) {
			const ids = this.columns.get('id');
			if (!ids)
				return -1;
			const key = typeof ids[0] === 'number' ? Number(text) : text;
			if (typeof key === 'number' && (String(text).trim() === '' || String(key) !== String(text)))
				return -1;
			return near >= 0 && near < ids.length && ids[near] === key ? near : ids.indexOf(key);
		}

		/* Seconds that a column of ticks says. */
		length(name, j) {
			return page.data.length(this.run, this.number(name, j));
		}

		/* Seconds over all of its waits. */
		async waited(j) {
			await this.need('wait_total');
			return this.column('wait_total') ? this.length('wait_total', j) : this.length('wait', j);
		}

		/* When the wait ended that no charge ends: at the first start, or with the run. */
		lastWait(j) {
			return this.wait[j] === NEVER ? Math.max(0, this.run.last - this.submit[j]) : this.wait[j];
		}

		async charges(j) {
			const kept = this.run.charges;
			if (!kept)
				return null;
			const [first, from, reason, detail] = await Promise.all(
				[kept.first, kept.from, kept.reason, kept.detail].map(page.data.block));
			const found = [];
			for (let i = first[j]; i < first[j + 1]; i++)
				if (reason[i] !== 255) /* It did not wait from then on. */
					found.push({
						word: (page.meta.reason_words || [])[reason[i]] || String(reason[i]),
						from: from[i], until: i + 1 < first[j + 1] ? from[i + 1]
							: this.lastWait(j),
						detail: detail ? detail[i] : 0,
					});
			return found;
		}
	}

	function of(run) {
		if (!loaded.has(run))
			loaded.set(run, new Jobs(run).load());
		return loaded.get(run);
	}

	/* The row of the run's job in others: its name's; -1: it is not kept there. Ids of both have been asked for. */
	function same(jobs, j, run) {
		const from = ready.get(run);
		return jobs.run === run ? j : from ? jobs.find(from.id(j), j) : -1;
	}

	return { of, same, Jobs /* For tests. */ };
})();
