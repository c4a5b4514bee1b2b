/* SPDX-License-Identifier: MIT */
/*
 * chart.js - step lines over a common x, drawn by uPlot: what time charts, distributions and shares have in common.
 *
 *   page.chart(host, {
 *     name, title, unit, height,
 *     x, series: [{name, colour(), dash, values, peaks, run, width}]   values: steps, NaN where there is none; peaks: above means
 *     linked                  x is time: zoomed and pointed at together with all others that are
 *     from, to                of x, where it is not time
 *     top, bottom             y reaches at least there
 *     xTicks(from, to, n), xText(x), yTicks(v), text(v)            how values are written
 *     under(u), over(u)       drawn below and above the lines
 *     read(x) -> text         more words for the readout
 *     named, compact          a legend with names, though there be one line; one without, as others on the page have it
 *     table() -> {...}        of page.tableOf, behind the chart
 *   }) -> {plot, element, values(x), redraw()}
 */
page.merge = function (all) {
	/* Several ascending lists of x as one, and for each list which of its entries holds at each x of it (-1: none yet). */
	const total = all.reduce((sum, xs) => sum + xs.length, 0);
	const x = new Float64Array(total);
	const held = all.map(() => new Int32Array(total));
	const next = all.map(() => 0);
	let count = 0;
	for (;;) {
		let least = Infinity;
		for (let k = 0; k < all.length; k++)
			if (next[k] < all[k].length && all[k][next[k]] < least)
				least = all[k][next[k]];
		if (least === Infinity)
			break;
		for (let k = 0; k < all.length; k++) {
			while (next[k] < all[k].length && all[k][next[k]] <= least)
				next[k]++;
			held[k][count] = next[k] - 1;
		}
		x[count++] = least;
	}
	return { x: x.subarray(0, count), held: held.map((list) => list.subarray(0, count)) };
};

/* The last entry at or before that x; -1: none. */
page.holds = function (x, at) {
	let low = 0;
	let high = x.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (x[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
};

(function () {
	const bucket = 5; /* CSS pixels that a mean is over, at least, where steps are denser than pixels. */

	/* How long a mean is; 0: there are few steps in the window, and each is drawn. */
	function meanLength(x, from, to, wide) {
		const count = page.holds(x, to) - page.holds(x, from);
		return count > wide / 2 ? page.text.step((to - from) * bucket / wide) : 0;
	}

	/* Means over equal spans of time, each step by its length, and the least and largest of each. Spans lie on
	 * multiples of their length, so that they stay when the window moves. */
	function meansOf(xs, ys, from, to, length, peaks) {
		const spans = [];
		const last = xs[xs.length - 1];
		let i = Math.max(0, page.holds(xs, Math.floor(from / length) * length));
		for (let n = Math.floor(from / length); n * length < to; n++) {
			const start = Math.max(n * length, xs[0]);
			const end = Math.min((n + 1) * length, last);
			let sum = 0;
			let weight = 0;
			let low = Infinity;
			let high = -Infinity;
			for (; i < xs.length && xs[i] < end; i++) {
				const part = Math.min(end, i + 1 < xs.length ? xs[i + 1] : end) - Math.max(start, xs[i]);
				if (part > 0 && !Number.isNaN(ys[i])) {
					sum += ys[i] * part;
					weight += part;
					low = Math.min(low, ys[i]);
					high = Math.max(high, peaks ? peaks[i] : ys[i]);
				}
				if (i + 1 >= xs.length || xs[i + 1] > end)
					break; /* It holds in the next span too. */
			}
			spans.push({ start, end, low, high, mean: weight > 0 ? sum / weight : NaN });
		}
		return spans;
	}
	page.means = meansOf;

	function meanPaths(u, spans) {
		const stroke = new Path2D();
		const fill = new Path2D();
		let drawn = false;
		for (const { start, end, low, high, mean } of spans) {
			if (Number.isNaN(mean)) {
				drawn = false;
				continue;
			}
			const left = u.valToPos(start, 'x', true);
			const right = u.valToPos(end, 'x', true);
			const top = u.valToPos(high, 'y', true);
			if (drawn)
				stroke.lineTo((left + right) / 2, u.valToPos(mean, 'y', true));
			else
				stroke.moveTo((left + right) / 2, u.valToPos(mean, 'y', true));
			drawn = true;
			fill.rect(left, top, right - left, u.valToPos(low, 'y', true) - top);
		}
		return { stroke, fill, clip: null, band: null, gaps: null, flags: 0 };
	}

	/* One vertical stroke a pixel column, from the least to the largest value in it: a million points cost what a
	 * thousand do. */
	function stepPaths(u, which) {
		const xs = u.data[0];
		const ys = u.data[which];
		const { left, top, width, height } = u.bbox;
		const scale = u.scales.x;
		const scaleY = u.scales.y;
		const perX = width / (scale.max - scale.min);
		const perY = height / (scaleY.max - scaleY.min);
		const yOf = (v) => top + height - (v - scaleY.min) * perY;
		const stroke = new Path2D();
		const first = Math.max(0, page.holds(xs, scale.min));
		let column = NaN;
		let low = 0;
		let high = 0;
		let last = NaN;
		const flush = () => {
			if (Number.isNaN(column) || Number.isNaN(last))
				return;
			if (low < high) {
				stroke.lineTo(column, yOf(low));
				stroke.lineTo(column, yOf(high));
			}
			stroke.lineTo(column, yOf(last));
		};
		for (let i = first; i < xs.length; i++) {
			const at = Math.min(Math.max(left - 2, Math.round(left + (xs[i] - scale.min) * perX)), left + width + 2);
			const y = ys[i];
			if (at !== column) {
				flush();
				if (!Number.isNaN(last))
					stroke.lineTo(at, yOf(last));
				column = at;
				low = Infinity;
				high = -Infinity;
			}
			if (Number.isNaN(y)) {
				flush();
				last = NaN;
				continue;
			}
			if (Number.isNaN(last))
				stroke.moveTo(at, yOf(y));
			low = Math.min(low, y);
			high = Math.max(high, y);
			last = y;
			if (at > left + width)
				break;
		}
		flush();
		if (!Number.isNaN(last))
			stroke.lineTo(left + width + 2, yOf(last));
		return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 0 };
	}

	/* The area between least and largest is drawn of one run alone: of several, they cover each other. */
	function alone(options) {
		return options.series.filter((one) => !one.visible || one.visible()).length === 1;
	}

	/* Of what is drawn in the window; uPlot asks before its own x scale is settled. */
	function extent(u, chart, options) {
		const { from, to } = options.linked ? page.time.get() : chart.range;
		const x = options.x;
		let low = options.bottom || 0;
		let high = options.top || 0;
		const first = Math.max(0, page.holds(x, from));
		const end = page.holds(x, to);
		chart.length = options.linked ? meanLength(x, from, to, Math.max(100, u.width - 84)) : 0;
		chart.spans = options.series.map((series) => chart.length && !(series.visible && !series.visible()) ?
			meansOf(x, series.values, from, to, chart.length, series.peaks) : []);
		options.series.forEach((series, k) => {
			if (series.visible && !series.visible())
				return;
			for (const span of chart.spans[k]) {
				high = Math.max(high, (alone(options) ? span.high : span.mean) || 0);
				low = Math.min(low, (alone(options) ? span.low : span.mean) || 0);
			}
			for (let i = first; i <= end && !chart.length; i++) {
				if (series.values[i] > high)
					high = series.values[i];
				if (series.values[i] < low)
					low = series.values[i];
			}
		});
		return [low, high > low ? high + (high - low) * 0.06 : low + 1];
	}

	function axes(options) {
		const font = '12px system-ui, sans-serif';
		const line = { stroke: () => page.theme.colour('grid'), width: 1 };
		const tick = { stroke: () => page.theme.colour('rule'), width: 1, size: 4 };
		let labels = [];
		return [{
			scale: 'x', font, size: 30, gap: 3, grid: line, ticks: tick, stroke: () => page.theme.colour('muted'),
			splits: (u, axis, min, max) => {
				const found = options.xTicks(min, max, Math.max(2, u.bbox.width / devicePixelRatio / 85));
				labels = found.label;
				return found.at;
			},
			values: () => labels,
		}, {
			scale: 'y', font, size: 62, gap: 4, space: 28, grid: line, ticks: { show: false },
			stroke: () => page.theme.colour('muted'),
			values: (u, splits) => splits.map((v) => options.yTicks ? options.yTicks(v) : page.text.axis(v)),
		}];
	}

	function paths(chart) {
		return (u, which) => {
			chart.mean.textContent = chart.length ? `\u00b7 mean over ${page.text.span(chart.length)}` : '';
			return chart.length ? meanPaths(u, chart.spans[which - 1]) : stepPaths(u, which);
		};
	}

	function shade(chart, options, series) {
		return () => chart.length && alone(options) ? series.colour().replace('rgb(', 'rgba(').replace(')', ', 0.16)') : null;
	}

	function readout(chart, options) {
		const items = options.series.map((series) => {
			const value = page.el('b');
			const element = page.el('span', { class: 'item' }, series.swatch ? series.swatch() : [],
				options.compact ? page.el('span', { class: 'unseen', text: page.text.clean(series.name, 60) }) :
					page.name(series.name, 60), value);
			return { series, value, element };
		});
		const where = page.el('b');
		const more = page.el('span');
		const line = page.el('p', { class: 'readout', 'data-test': 'readout' }, where,
			items.length > 1 || options.named ? items.map((item) => item.element) : [items.map((item) => item.value)], more);
		chart.readout = (at) => {
			const values = at === null ? null : chart.values(at);
			where.textContent = at === null ? '' : options.xText(at);
			items.forEach((item, k) => {
				item.value.textContent = values ? options.text(values[k]) : '';
				item.element.hidden = (options.compact && !values) || Boolean(item.series.visible && !item.series.visible());
			});
			more.textContent = at !== null && options.read ? options.read(at) : '';
		};
		return line;
	}

	function words(chart, options, at) {
		const values = chart.values(at);
		return options.xText(at) + ': ' + options.series.map((series, k) => [series, k])
			.filter(([series]) => !series.visible || series.visible())
			.map(([series, k]) => `${page.text.clean(series.name, 60)} ${options.text(values[k])}`).join(', ') +
			(options.read ? '. ' + options.read(at) : '');
	}

	function keys(chart, options) {
		return (event) => {
			const u = chart.plot;
			const { min, max } = u.scales.x;
			const span = max - min;
			const at = chart.at === null || chart.at === undefined ? (min + max) / 2 : chart.at;
			const index = page.holds(options.x, at);
			const zoom = (factor) => chart.zoom(at - (at - min) * factor, at + (max - at) * factor);
			const inside = (x) => Math.min(Math.max(x, min), max);
			let to = null;
			if (event.ctrlKey || event.metaKey || event.altKey)
				return;
			switch (event.key) {
			case 'ArrowRight': to = event.shiftKey ? at + span / 10 : options.x[index + 1]; break;
			case 'ArrowLeft': to = event.shiftKey ? at - span / 10 : options.x[index] < at ? options.x[index]
				: options.x[index - 1]; break;
			case 'Home': to = min; break;
			case 'End': to = max; break;
			case '+': case '=': zoom(0.5); break;
			case '-': zoom(2); break;
			case '0': chart.reset(); break;
			case 'Escape': chart.point(null); break;
			default: return;
			}
			event.preventDefault();
			if (to === null || to === undefined)
				return;
			chart.point(inside(to));
			page.say(words(chart, options, inside(to)));
		};
	}

	/* With its title and its legend, on the ground that it has on the page. */
	function picture(chart, options) {
		const source = chart.plot.ctx.canvas;
		const ratio = devicePixelRatio;
		const canvas = page.el('canvas', { width: source.width, height: source.height + 44 * ratio });
		const ink = canvas.getContext('2d');
		ink.fillStyle = page.theme.colour('sheet');
		ink.fillRect(0, 0, canvas.width, canvas.height);
		ink.drawImage(source, 0, 44 * ratio);
		ink.scale(ratio, ratio);
		ink.fillStyle = page.theme.colour('ink');
		ink.font = '600 14px system-ui, sans-serif';
		ink.fillText(options.title + (options.unit ? ` (${options.unit})` : ''), 8, 18);
		ink.font = '12px system-ui, sans-serif';
		let left = 8;
		for (const series of options.series) {
			if (series.visible && !series.visible())
				continue;
			ink.strokeStyle = series.colour();
			ink.lineWidth = 2;
			ink.setLineDash(series.dash || []);
			ink.beginPath();
			ink.moveTo(left, 34);
			ink.lineTo(left + 26, 34);
			ink.stroke();
			const text = page.text.clean(series.name, 60);
			ink.fillText(text, left + 32, 38);
			left += 32 + ink.measureText(text).width + 18;
		}
		canvas.toBlob((blob) => page.save(`${options.name}.png`, blob));
	}

	/* Charts out of sight are drawn when they come into sight, or when all of the page is needed. */
	const stale = new Set();
	const sight = new IntersectionObserver((entries) => {
		for (const entry of entries) {
			const chart = entry.target.chart;
			chart.seen = entry.isIntersecting;
			if (chart.seen && stale.delete(chart))
				chart.draw();
		}
	}, { rootMargin: '200px' });
	let asked = false;
	page.redraws = 0; /* How often, and how long it took: for measurements. */
	page.redrawTime = 0;
	function later(chart) {
		stale.add(chart);
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			const begun = performance.now();
			asked = false;
			for (const waiting of stale)
				if (waiting.seen && stale.delete(waiting))
					waiting.draw();
			page.redraws++;
			page.redrawTime = performance.now() - begun;
		});
	}

	const linked = new Set();
	const all = new Set();
	page.time.subscribe(() => linked.forEach(later));
	/* All at once: what is printed, or looked at as a whole, is not in sight. */
	page.theme.subscribe(() => all.forEach((chart) => {
		if (page.theme.printing() !== Boolean(chart.printed)) {
			chart.printed = page.theme.printing();
			chart.fit(!chart.printed ? 0 : chart.element.parentElement.classList.contains('grid') ? 315 : 660);
		}
		chart.draw();
	}));
	page.shown.subscribe(() => all.forEach(later));
	page.cursor.subscribe((at) => linked.forEach((chart) => chart.follow(at)));

	page.chart = function (host, options) {
		const chart = { seen: true, at: null, options };
		const box = page.el('div', { class: 'plot', tabindex: 0, role: 'application', 'aria-roledescription': 'chart',
			'aria-label': `${options.title}${options.unit ? ' in ' + options.unit : ''}. Arrow keys move the cursor.` });
		const height = options.height || 170;
		chart.mean = page.el('span', { class: 'unit mean', 'data-test': 'mean' });
		chart.box = box;
		chart.range = { from: options.from, to: options.to };
		chart.values = (at) => {
			const index = page.holds(options.x, at);
			return options.series.map((series) => index < 0 ? NaN : series.values[index]);
		};
		chart.point = options.linked ? (at) => page.cursor.set(at, chart) : (at) => chart.follow(at);
		chart.zoom = options.linked ? (from, to) => page.time.set(from, to, chart) : (from, to) => {
			if (!(to > from))
				return;
			chart.range = { from: Math.max(from, options.from), to: Math.min(to, options.to) };
			later(chart);
		};
		chart.reset = () => options.linked ? page.time.reset(chart) : chart.zoom(options.from, options.to);
		chart.follow = (at) => {
			const u = chart.plot;
			chart.at = at;
			chart.readout(at);
			if (!chart.pointed) {
				const left = at === null ? -10 : u.valToPos(at, 'x');
				u.setCursor({ left: left >= 0 && left <= u.over.clientWidth ? left : -10, top: 0 }, false);
			}
		};
		chart.draw = () => {
			const u = chart.plot;
			const now = options.linked ? page.time.get() : chart.range;
			stale.delete(chart);
			u.batch(() => {
				options.series.forEach((series, k) => {
					const show = !series.visible || series.visible();
					if (u.series[k + 1].show !== show)
						u.setSeries(k + 1, { show });
				});
				u.setScale('x', { min: now.from, max: now.to });
			});
			u.redraw(true, true);
			chart.follow(chart.at);
		};
		chart.fit = (width) => {
			const wide = Math.floor(width || box.clientWidth);
			if (wide <= 0 || wide === chart.plot.width)
				return;
			chart.plot.setSize({ width: wide, height });
			chart.draw(); /* Other means fit another width. */
		};
		chart.element = page.el('div', { class: 'chart', 'data-test': 'chart', 'data-chart': options.name },
			page.el('div', { class: 'head' }, page.el('h3', {}, page.name(options.title, 80), options.unit ?
				page.el('span', { class: 'unit', text: ' ' + options.unit }) : [], ' ', chart.mean),
			readout(chart, options)),
			box,
			page.el('div', { class: 'foot-line' },
				options.table ? page.alternative('As a table', options.table) : [],
				page.el('button', { type: 'button', class: 'quiet', text: 'PNG', 'aria-label':
					`Save the chart ${options.title} as PNG`, on: { click: () => picture(chart, options) } })));
		host.append(chart.element);

		const now = options.linked ? page.time.get() : chart.range;
		chart.plot = new uPlot({
			width: Math.max(120, Math.floor(box.clientWidth)), height,
			padding: [6, 22, 0, 0],
			legend: { show: false },
			scales: { x: { time: false, auto: false, min: now.from, max: now.to }, y: { range: (u) => extent(u, chart, options) } },
			cursor: {
				y: false, points: { show: false }, drag: { x: true, y: false, setScale: false },
				bind: { dblclick: () => () => {
					chart.reset();
					return null;
				} },
			},
			axes: axes(options),
			series: [{}].concat(options.series.map((series) => ({
				label: series.name, stroke: () => series.colour(), width: series.width || 1.5, dash: series.dash,
				fill: shade(chart, options, series), points: { show: false }, paths: paths(chart), show: !series.visible || series.visible(),
			}))),
			hooks: {
				setCursor: [(u) => {
					const left = u.cursor.left;
					if (!chart.inside)
						return; /* Told of a redraw, not of a pointer. */
					chart.pointed = true;
					chart.point(left >= 0 ? u.posToVal(left, 'x') : null);
					chart.pointed = false;
				}],
				setSelect: [(u) => {
					const { left, width } = u.select;
					if (width > 3)
						chart.zoom(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
					if (width > 0)
						u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
				}],
				drawAxes: options.under ? [options.under] : [],
				draw: options.over ? [options.over] : [],
			},
		}, [options.x].concat(options.series.map((series) => series.values)), box);
		box.addEventListener('keydown', keys(chart, options));
		box.addEventListener('pointerenter', () => {
			chart.inside = true;
		});
		box.addEventListener('pointerleave', () => {
			chart.inside = false;
			chart.point(null);
		});
		box.addEventListener('blur', () => chart.point(null));
		chart.element.chart = chart;
		sight.observe(chart.element);
		const sized = new ResizeObserver(() => page.theme.printing() || chart.fit(0));
		sized.observe(box);
		chart.readout(null);
		chart.redraw = () => later(chart);
		chart.remove = () => {
			sized.disconnect();
			sight.unobserve(chart.element);
			linked.delete(chart);
			all.delete(chart);
			stale.delete(chart);
			chart.plot.destroy();
			chart.element.remove();
			if (page.charts[options.name] === chart)
				delete page.charts[options.name];
		};
		all.add(chart);
		if (options.linked)
			linked.add(chart);
		page.charts[options.name] = chart;
		return chart;
	};
})();
