/* SPDX-License-Identifier: MIT */
/*
 * bars.js - the Gantt's rectangles: which are in a window, and how they are drawn at any scale.
 *
 * Rectangles stand in order of their start; over every 1,024 of them stands the latest end, so that a window
 * looks only at blocks that reach into it. Few are drawn one by one. Where there are more than can be told apart,
 * each adds its area to its class in the pixels that it touches, as differences along a column of pixels: two
 * numbers for a rectangle and column however tall it is. A pixel is then the mixture of its classes' colours by area,
 * not the colour of whichever came last.
 *
 * Ways of page.timing.draws: "bars" one by one, "area" as above, "stretched" the last picture, until the true one is made.
 */
page.bars = (function () {
	const NEVER = page.data.NEVER;
	const blockBits = 10;
	const few = 15000; /* Rectangles that are drawn one by one. */
	const classes = 8;

	class Bars {
		constructor(run, jobs) {
			this.run = run;
			this.jobs = jobs;
		}

		async load() {
			const { rects } = this.run;
			const [told, pieces, row, heights, from, span] = await Promise.all(
				[rects.job, rects.pieces, rects.row, rects.height, rects.from,
					rects.span].map(page.data.block));
			const job = told || this.byStart(pieces, row.length);
			const height = heights && heights.slice();
			if (height)
				await this.jobs.need('cpus');
			const cpus = height && this.jobs.column('cpus');
			for (let i = 0; height && i < height.length; i++)
				if (!height[i])
					height[i] = cpus[job[i]];
			Object.assign(this, { job, row, height, count: job ? job.length : 0 });
			this.from = new Float64Array(this.count);
			this.end = new Float64Array(this.count);
			this.times(from, span);
			this.index();
			return this;
		}

		/* Which job each is of, where they stand in the order of the jobs' starts. */
		byStart(pieces, count) {
			const { jobs } = this;
			const total = pieces.length;
			const keys = new Float64Array(total);
			let kept = 0;
			for (let j = 0; j < total; j++)
				if (pieces[j])
					keys[kept++] = (jobs.submit[j] + jobs.wait[j] - this.run.first) * total + j;
			const job = new Uint32Array(count);
			let i = 0;
			for (const key of keys.subarray(0, kept).sort()) {
				const j = key % total;
				for (let k = 0; k < pieces[j]; k++)
					job[i++] = j;
			}
			return job;
		}

		/* No times of its own: from the job's start to its end. */
		times(from, span) {
			const { jobs, job, run } = this;
			for (let i = 0; i < this.count; i++) {
				const j = job[i];
				const start = from ? from[i] : jobs.submit[j] + jobs.wait[j];
				const length = span ? span[i] : jobs.span[j];
				this.from[i] = start;
				this.end[i] = length === NEVER ? Math.max(start, run.last) : start + length;
			}
		}

		index() {
			this.reach = new Float64Array((this.count >> blockBits) + 1);
			for (let i = 0; i < this.count; i++)
				if (this.end[i] > this.reach[i >> blockBits])
					this.reach[i >> blockBits] = this.end[i];
		}

		tall(i) {
			return this.height ? this.height[i] : 1;
		}

		/* Rows of rectangles that touch the view, at most that many; null: there are more. */
		within({ from, to, top, bottom }, most) {
			const found = [];
			const { reach, row, height, count } = this;
			for (let block = 0; block < reach.length; block++) {
				const first = block << blockBits;
				if (first >= count || this.from[first] >= to)
					break;
				if (reach[block] <= from)
					continue;
				const last = Math.min(count, first + (1 << blockBits));
				for (let i = first; i < last && this.from[i] < to; i++)
					if (this.end[i] > from && row[i] < bottom &&
						row[i] + (height ? height[i] : 1) > top) {
						if (found.length === most)
							return null;
						found.push(i);
					}
			}
			return found;
		}

		/* The rectangle there, else the nearest within that much of it, else -1. */
		nearest(at, where, reachTime, reachRows) {
			let best = -1;
			let least = Infinity;
			const near = this.within({ from: at - reachTime, to: at + reachTime + 1e-9,
				top: where - reachRows, bottom: where + reachRows }, 1e6);
			for (const i of near || []) {
				const dt = Math.max(this.from[i] - at, at - this.end[i], 0) / reachTime;
				const dr = Math.max(this.row[i] - where, where - this.row[i] - this.tall(i),
					0) / reachRows;
				const far = dt * dt + dr * dr;
				if (far < least) {
					least = far;
					best = i;
				}
			}
			return best;
		}

		/* All rectangles of a job. */
		ofJob(j) {
			const found = [];
			for (let i = this.job.indexOf(j); i >= 0; i = this.job.indexOf(j, i + 1))
				found.push(i);
			return found;
		}

		/* The job went on later: it was preempted, requeued, or ran on other nodes from then on. */
		interrupted(i) {
			const attempts = this.jobs.column('attempts');
			const j = this.job[i];
			return attempts !== null && attempts[j] > 1 &&
				this.end[i] < this.jobs.submit[j] + this.jobs.wait[j] + this.jobs.span[j];
		}
	}

	/* ---- Many: area by class and pixel --------------------------------------------------------- */

	let pool = new Float32Array(0); /* One buffer for all pictures: they are drawn one after the other. */

	function bufferOf(length) {
		if (pool.length < length)
			pool = new Float32Array(length);
		const buffer = pool.subarray(0, length);
		buffer.fill(0);
		return buffer;
	}

	/*
	 * bins: rows of the picture; the rows first..first + rows are spread over them. Where there are fewer rows than
	 * pixels a bin is a row, and edges fall between bins.
	 */
	function accumulate(bars, of, { from, to }, first, rows, columns, bins) {
		const stride = (bins + 2) * classes;
		const sums = bufferOf(columns * stride);
		const sx = columns / (to - from);
		const sy = bins / rows;
		const { row, height, reach, count } = bars;
		const starts = bars.from;
		const ends = bars.end;
		let told = 0;
		for (let block = 0; block < reach.length; block++) {
			const begin = block << blockBits;
			if (begin >= count || starts[begin] >= to)
				break;
			if (reach[block] <= from)
				continue;
			const last = Math.min(count, begin + (1 << blockBits));
			for (let i = begin; i < last; i++) {
				if (ends[i] <= from || starts[i] >= to)
					continue;
				let y0 = (row[i] - first) * sy;
				let y1 = y0 + (height === null ? 1 : height[i]) * sy;
				if (y0 >= bins || y1 <= 0)
					continue;
				y0 = y0 < 0 ? 0 : y0;
				y1 = y1 > bins ? bins : y1;
				told++;
				const a = starts[i] <= from ? 0 : (starts[i] - from) * sx;
				const z = ends[i] >= to ? columns : (ends[i] - from) * sx;
				const x0 = a | 0;
				const x1 = Math.min(z | 0, columns - 1);
				const b0 = y0 | 0;
				const b1 = y1 | 0;
				const low = y0 - b0;
				const high = y1 - b1;
				let at = x0 * stride + of[i];
				for (let x = x0; x <= x1; x++, at += stride) {
					const wide = (x === x1 ? z - x : 1) - (x === x0 ? a - x : 0);
					if (low === 0 && high === 0) {
						sums[at + b0 * classes] += wide;
						sums[at + b1 * classes] -= wide;
						continue;
					}
					sums[at + b0 * classes] += wide * (1 - low);
					sums[at + (b0 + 1) * classes] += wide * low;
					sums[at + b1 * classes] -= wide * (1 - high);
					sums[at + (b1 + 1) * classes] -= wide * high;
				}
			}
		}
		return { sums, stride, told };
	}

	/*
	 * A pixel has the colours of its classes by area, and as much of them as is used; what is not quite empty shows:
	 * it has a tenth at least. Colours of equal bins that follow are mixed once.
	 */
	function mix({ sums, stride }, columns, bins, palette) {
		const image = new ImageData(columns, bins);
		const pixels = new Uint32Array(image.data.buffer);
		const area = new Float32Array(classes);
		const bits = new Int32Array(sums.buffer, sums.byteOffset,
			sums.length); /* Zero where the number is. */
		for (let x = 0; x < columns; x++) {
			area.fill(0);
			let colour = 0;
			for (let y = 0, at = x * stride, to = x; y < bins; y++, at += classes, to += columns) {
				if (bits[at] | bits[at + 1] | bits[at + 2] | bits[at + 3] |
					bits[at + 4] | bits[at + 5] | bits[at + 6] | bits[at + 7]) {
					for (let k = 0; k < classes; k++)
						area[k] += sums[at + k];
					colour = blend(area, palette);
				}
				pixels[to] = colour;
			}
		}
		return image;
	}

	/* As a little-endian word: alpha, blue, green, red. */
	function blend(area, palette) {
		let r = 0;
		let g = 0;
		let b = 0;
		let sum = 0;
		for (let k = 0; k < classes; k++)
			if (area[k] > 1e-4) {
				const colour = palette[k];
				r += area[k] * colour[0];
				g += area[k] * colour[1];
				b += area[k] * colour[2];
				sum += area[k];
			}
		if (sum <= 1e-4)
			return 0;
		const share = Math.min(1, 0.1 + 0.9 * sum);
		return (share * 255 << 24 | b / sum + 0.5 << 16 | g / sum + 0.5 << 8 | r / sum + 0.5) >>> 0;
	}

	/*
	 * While a hand pans and zooms faster than the picture is made, the last one is moved and stretched, and the true one
	 * follows: one frame in four is true where each costs that much.
	 */
	const dear = 30; /* Milliseconds. */

	function stretch(plane, g, box, last) {
		const { view } = plane;
		const sx = box.w / (view.to - view.from);
		const sy = box.h / (view.bottom - view.top);
		g.imageSmoothingEnabled = false;
		g.drawImage(last.sheet, box.x + (last.from - view.from) * sx, box.y + (last.top - view.top) * sy,
			(last.to - last.from) * sx, last.seen * sy);
	}

	function hurried(plane, of, palette) {
		const { last } = plane;
		if (!last || last.of !== of || String(last.palette) !== String(palette) || last.cost < dear ||
			page.theme.printing())
			return false;
		const left = last.at + 3 * last.cost - performance.now();
		clearTimeout(plane.truth);
		if (left <= 0)
			return false;
		plane.truth = setTimeout(() => plane.redraw(), left + 1);
		return true;
	}

	function paintMany(bars, of, plane, g, box, palette) {
		if (hurried(plane, of, palette)) {
			stretch(plane, g, box, plane.last);
			return { bars: plane.last.told, way: 'stretched' };
		}
		const begun = performance.now();
		const view = plane.view;
		const first = Math.max(0, Math.floor(view.top));
		const rows = Math.min(plane.rows.count, Math.ceil(view.bottom)) - first;
		const columns = Math.round(box.w * Math.min(2, plane.scale));
		const deep = Math.round(box.h * Math.min(2, plane.scale));
		const exact = rows <= deep;
		const [top, seen] = exact ? [first, rows] : [view.top, view.bottom - view.top];
		const bins = exact ? rows : deep;
		const filled = accumulate(bars, of, view, top, seen, columns, bins);
		const sheet = plane.last ? plane.last.sheet : document.createElement('canvas');
		sheet.width = columns;
		sheet.height = bins;
		sheet.getContext('2d').putImageData(mix(filled, columns, bins, palette), 0, 0);
		const now = performance.now();
		plane.last = { sheet, of, palette, from: view.from, to: view.to, top, seen, told: filled.told,
			at: now, cost: now - begun };
		stretch(plane, g, box, plane.last);
		return { bars: filled.told, way: 'area' };
	}

	/* ---- Few: one by one ------------------------------------------------------------------------ */

	function paintFew(bars, found, of, plane, g, box, palette) {
		const view = plane.view;
		const sx = box.w / (view.to - view.from);
		const sy = box.h / (view.bottom - view.top);
		const gap = sy >= 5 ? 1 : 0;
		const least = 1 / plane.scale;
		const shapes = palette.map(() => []);
		for (const i of found) {
			const x0 = box.x + Math.max(-4, (bars.from[i] - view.from) * sx);
			const x1 = box.x + Math.min(box.w + 4, (bars.end[i] - view.from) * sx);
			const y0 = box.y + (bars.row[i] - view.top) * sy;
			const tall = bars.tall(i) * sy - gap;
			const wide = x1 - x0;
			shapes[of[i]].push(i, x0, y0, Math.max(least, wide > 4 ? wide - 1 : wide),
				Math.max(least, tall));
		}
		shapes.forEach((list, k) => {
			g.fillStyle = `rgb(${palette[k].join(',')})`;
			for (let n = 0; n < list.length; n += 5)
				g.fillRect(list[n + 1], list[n + 2], list[n + 3], list[n + 4]);
		});
		shapes.forEach((list, k) => details(bars, list, plane, g, palette[k]));
		return { bars: found.length, way: 'bars' };
	}

	/* Names where there is room for them, and the marks of attempts that were cut short. */
	function details(bars, list, plane, g, colour) {
		const light = colour[0] * 0.299 + colour[1] * 0.587 + colour[2] * 0.114 > 140;
		g.font = '11px system-ui, sans-serif';
		g.textAlign = 'left';
		g.textBaseline = 'middle';
		for (let n = 0; n < list.length; n += 5) {
			const [i, x, y, w, h] = list.slice(n, n + 5);
			const from = Math.max(x, plane.box.x);
			if (h >= 11 && x + w - from >= 28) {
				g.fillStyle = light ? '#000' : '#fff';
				const middle = Math.min(Math.max(y + h / 2, plane.box.y + 7),
					plane.box.y + plane.box.h - 7);
				g.fillText(page.plane.fitted(g, page.text.clean(bars.jobs.id(bars.job[i]), 40),
					x + w - from - 8), from + 4,
					Math.min(Math.max(middle, y + 6), y + h - 5));
			}
			if (bars.interrupted(i) && w >= 2)
				torn(g, x + w, y, h, plane.colours.ink);
		}
	}

	/* A torn end. */
	function torn(g, x, y, h, colour) {
		g.strokeStyle = colour;
		g.lineWidth = 1.5;
		g.beginPath();
		g.moveTo(x, y);
		for (let at = 0, side = 1; at < h; side = 1 - side) {
			at = Math.min(h, at + 3);
			g.lineTo(x - side * 3, y + at);
		}
		g.stroke();
		g.lineWidth = 1;
	}

	/* of: the class of each rectangle; palette: a colour [r, g, b] for each. */
	function paint(bars, of, plane, g, box, palette) {
		const found = bars.within(plane.view, few);
		return found ? paintFew(bars, found, of, plane, g, box, palette)
			: paintMany(bars, of, plane, g, box, palette);
	}

	const loaded = new Map();
	function load(run) {
		if (!loaded.has(run))
			loaded.set(run, page.jobs.of(run).then((jobs) => new Bars(run, jobs).load()));
		return loaded.get(run);
	}

	return { of: load, paint, accumulate, mix, torn, classes, Bars /* For tests. */ };
})();
