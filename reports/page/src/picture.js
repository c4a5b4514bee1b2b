/* SPDX-License-Identifier: MIT */
/*
 * picture.js - what the page opens with: use and queue of each run over time, a small chart each, on the same scales; and
 * who waits longest, all runs over each other on two logarithms.
 *
 * Lines that lie over each other hide each other; side by side, what one policy does otherwise is seen at once.
 */
(function () {
	const most = 8; /* Runs; as many as there are colours. */
	const wanted = [
		{ name: 'gpus', of: 'gpus', title: 'GPUs in use' },
		{ name: 'cpus', of: 'cpus', title: 'CPUs in use' },
		{ name: 'queued', title: 'Jobs waiting', unit: 'jobs' },
	];

	/* Of the GPUs where there are any, else of the cpus. */
	function measures() {
		const there = wanted.filter((measure) => page.useOf(measure).some(Boolean));
		const gpus = there.some((measure) => measure.name === 'gpus') && page.runs.some((run) => run.total && run.total.gpus);
		return there.filter((measure) => measure.name === 'queued' || measure.name === (gpus ? 'gpus' : 'cpus'));
	}

	function highest(series) {
		let high = 0;
		for (const one of series)
			for (const value of one.peaks || one.values)
				if (value > high)
					high = value;
		return high;
	}

	page.section({
		id: 'picture', title: 'At a glance', order: 15,
		when: () => page.runs.length > 1 && measures().length > 0,
		async build(body) {
			const grid = page.el('div', { class: 'multiples', 'data-test': 'multiples' });
			const shown = page.runs.slice(0, most);
			for (const measure of measures()) {
				const { x, series } = await page.useSeries(measure);
				const top = Math.max(highest(series), ...page.runs.map((run) => page.capacityOf(run, measure)));
				const row = page.el('div', { class: 'grid', 'data-test': 'multiples-row' });
				grid.append(row);
				for (const one of series.filter((each) => shown.includes(each.run))) {
					const text = (v) => Number.isFinite(v) ? page.text.number(v, 4) : '\u2013';
					page.chart(row, {
						name: `glance-${measure.name}-${one.run.index}`, title: one.name, unit: measure.title, x, series: [one],
						linked: true, compact: true, height: 96, top, text, xTicks: page.text.ticks, xText: page.text.time,
					});
				}
			}
			page.fill(body, page.runs.length > most ? page.el('p', { class: 'note', text: `The first ${most} of ${page.runs.length} runs.` }) : [],
				grid);
			await page.survival(body);
		},
	});
})();
