/* SPDX-License-Identifier: MIT */
/*
 * plane.js - rows against time on a canvas: what the Gantt and the heat map share.
 *
 * A plane draws its frame (rows and their groups, time, grid) and asks its layer for the picture between:
 *
 *   layer.paint(plane, g, box)   draw into box {x, y, w, h} (CSS pixels) what plane.view {from, to, top, bottom} shows
 *   layer.point(plane, at, row)  what is there, in lines of text: [{term, value}], or null
 *   layer.over(plane, g, box)    marks above the picture: drawn alone, when nothing below has changed
 *   layer.choose(plane, at, row), layer.step(plane, dx, dy), layer.enter(plane)   click; Shift + arrows; Enter
 *
 * Time is page.time's, in ticks here; rows are shared by all planes that have as many of the same unit. Pictures are
 * drawn once a frame at most, from what the view is then: an older request is never drawn late. What a drawing
 * cost is in page.timing.draws: {what, ms, bars, way}, the last 200.
 */
page.timing.draws = [];

page.plane = (function () {
	const views = new Map(); /* Which rows are seen, by what the rows are. */
	const axisHeight = 24;
	const steps = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 512, 1000, 1024, 2000, 5000,
		10000];

	function viewOf({ unit, count }) {
		const key = unit + ':' + count;
		if (!views.has(key))
			views.set(key, { top: 0, bottom: count, count, changed: page.signal() });
		return views.get(key);
	}

	function setRows(rows, top, bottom) {
		const span = Math.min(Math.max(bottom - top, Math.min(4, rows.count)), rows.count);
		const start = Math.min(Math.max(top, 0), rows.count - span);
		if (start === rows.top && start + span === rows.bottom)
			return;
		rows.top = start;
		rows.bottom = start + span;
		rows.changed.tell();
	}

	function colours() {
		const [ink, faint, line, grid, paper, accent] = ['ink', 'muted', 'rule', 'grid', 'sheet',
			'focus'].map(page.theme.colour);
		return { ink, faint, line, grid, paper, accent };
	}

	/* "rgb(1, 2, 3)", as a browser tells a colour. */
	function channels(colour) {
		const found = /(\d+)[ ,]+(\d+)[ ,]+(\d+)/.exec(colour);
		return found ? [+found[1], +found[2], +found[3]] : [128, 128, 128];
	}

	/* The longest beginning of a text that fits. */
	function fitted(g, text, width) {
		if (g.measureText(text).width <= width)
			return text;
		let low = 0;
		let high = text.length;
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (g.measureText(text.slice(0, middle) + '\u2026').width <= width)
				low = middle;
			else
				high = middle - 1;
		}
		return low > 1 ? text.slice(0, low) + '\u2026' : '';
	}

	class Plane {
		/*
		 * kind: {unit, count, groups: [{name, first, count}], word(row), bands: rows at which a node begins, or null,
		 * bandWord(k)} of the rows; height(plane) in pixels.
		 */
		constructor({ run, kind, layer, name, height, label, help }) {
			Object.assign(this, { run, kind, layer, name, wanted: height });
			this.rows = viewOf(kind);
			this.hover = null;
			this.base = page.el('canvas',
				{ class: 'plane-base', tabindex: 0, role: 'application',
				'aria-roledescription': 'chart',
				'aria-label': label, 'aria-describedby': help, 'data-test': name,
					'data-run': run.index });
			this.over = page.el('canvas', { class: 'plane-over', 'aria-hidden': 'true' });
			this.tip = page.el('div', { class: 'plane-tip', 'data-test': 'plane-tip', hidden: true });
			this.hint = page.el('div',
				{ class: 'plane-hint',
				text: 'Ctrl + wheel zooms here; after a click, the wheel alone', hidden: true });
			this.element = page.el('div', { class: 'plane' }, this.base, this.over, this.tip, this.hint);
			this.left = [];
			this.pointers = new Map();
			this.listen();
		}

		/* Takes its place in time again after it was taken off the page. */
		attach() {
			const again = () => this.redraw();
			this.left.push(page.time.subscribe(again), this.rows.changed.subscribe(again),
				page.theme.subscribe(() => {
				this.layer.themed?.(this);
				if (page.theme.printing()) /* It does not wait for a frame. */
					this.drawNow();
				else
					this.redraw();
			}), page.cursor.subscribe(() => this.redrawOver()));
			this.watch = new ResizeObserver(again);
			this.watch.observe(this.element);
			this.near = new IntersectionObserver(([entry]) => {
				this.seen = entry.isIntersecting;
				if (this.seen && this.stale)
					this.redraw();
			}, { rootMargin: '200px' });
			this.near.observe(this.element);
			this.seen = true;
			this.redraw();
		}

		detach() {
			this.left.splice(0).forEach((leave) => leave());
			this.watch?.disconnect();
			this.near?.disconnect();
			cancelAnimationFrame(this.frame);
			clearTimeout(this.truth);
			this.frame = 0;
		}

		get view() {
			const now = page.time.get();
			return { from: page.data.ticks(this.run, now.from), to: page.data.ticks(this.run, now.to),
				top: this.rows.top, bottom: this.rows.bottom };
		}

		setTime(from, to) {
			page.time.set(page.data.seconds(this.run, from), page.data.seconds(this.run, to), this);
		}

		setRows(top, bottom) {
			setRows(this.rows, top, bottom);
		}

		/* In the next frame; far from what is seen, when it comes near. */
		redraw() {
			this.stale = true;
			if (!this.frame)
				this.frame = requestAnimationFrame(() => {
					this.frame = 0;
					if (this.seen)
						this.drawNow();
				});
		}

		redrawOver() {
			if (!this.frame && !this.overFrame)
				this.overFrame = requestAnimationFrame(() => {
					this.overFrame = 0;
					this.drawOver();
				});
		}

		/* ---- Places ---- */

		size() {
			const width = Math.max(240, this.element.clientWidth);
			const height = this.wanted(this);
			const scale = page.theme.printing() ? 2 : Math.min(3, devicePixelRatio || 1);
			for (const canvas of [this.base, this.over]) {
				const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
				if (canvas.width !== w || canvas.height !== h) {
					canvas.width = w;
					canvas.height = h;
				}
				canvas.style.height = height + 'px';
			}
			return { width, height, scale };
		}

		gutter(g) {
			const groups = this.kind.groups;
			g.font = '11px system-ui, sans-serif';
			const widest = (texts) => Math.ceil(Math.max(0,
				...texts.map((text) => g.measureText(text).width)));
			this.groupWidth = groups.length
				? Math.min(90, widest(groups.slice(0,
				200).map((group) => page.text.clean(group.name, 30)))) + 8 : 0;
			const labels = this.labels();
			this.rowWidth = labels.length
				? Math.min(110, Math.max(24, widest(labels.map(([, text]) => text)))) + 8 : 6;
			return this.groupWidth + this.rowWidth;
		}

		/* What is named at the side, at which row: all where there is room, else some numbers, or nothing. */
		labels() {
			const { top, bottom } = this.rows;
			const room = Math.max(1, Math.floor(this.plotHeight / 13));
			const { word, bands, bandWord, groups } = this.kind;
			if (bands)
				return this.bandsSeen().filter(([, a, b]) =>
					(b - a) / (bottom - top) * this.plotHeight >= 11)
					.map(([k, a, b]) =>
						[(Math.max(a, top) + Math.min(b, bottom)) / 2, bandWord(k)]);
			const step = steps.find((s) => s >= (bottom - top) / room) || 1e9;
			const found = [];
			if (!word || step === 1 || !groups.length)
				for (let row = Math.ceil(top / step) * step; row < bottom; row += step)
					found.push([row + (step === 1 ? 0.5 : 0), word ? word(row) : String(row)]);
			return found;
		}

		/* Nodes that have rows in the view: [number, first row, end]. */
		bandsSeen() {
			const { top, bottom } = this.rows;
			const { bands, count } = this.kind;
			const found = [];
			for (let k = 0; k < bands.length && bands[k] < bottom; k++) {
				const end = k + 1 < bands.length ? bands[k + 1] : count;
				if (end > top && end > bands[k])
					found.push([k, bands[k], end]);
			}
			return found;
		}

		x(at) {
			const { from, to } = this.view;
			return this.box.x + (at - from) / (to - from) * this.box.w;
		}

		y(row) {
			return this.box.y + (row - this.rows.top) / (this.rows.bottom - this.rows.top) * this.box.h;
		}

		/* Where on the plane a pointer is. */
		place(event) {
			const rect = this.base.getBoundingClientRect();
			const [px, py] = [event.clientX - rect.left, event.clientY - rect.top];
			const { from, to, top, bottom } = this.view;
			return {
				px, py,
				at: from + (px - this.box.x) / this.box.w * (to - from),
				row: top + (py - this.box.y) / this.box.h * (bottom - top),
				inside: px >= this.box.x && px <= this.box.x + this.box.w && py >= this.box.y &&
					py <= this.box.y + this.box.h,
			};
		}

		/* ---- Drawing ---- */

		drawNow() {
			if (!this.element.isConnected)
				return;
			const begun = performance.now();
			this.stale = false;
			const { width, height, scale } = this.size();
			const g = this.base.getContext('2d', { alpha: false });
			g.setTransform(scale, 0, 0, scale, 0, 0);
			this.scale = scale;
			this.plotHeight = height - axisHeight - 1;
			const left = this.gutter(g);
			this.box = { x: left, y: 1, w: Math.max(50, width - left - 1), h: this.plotHeight };
			this.colours = colours();
			g.fillStyle = this.colours.paper;
			g.fillRect(0, 0, width, height);
			this.drawGrid(g);
			g.save();
			g.beginPath();
			g.rect(this.box.x, this.box.y, this.box.w, this.box.h);
			g.clip();
			const told = this.layer.paint(this, g, this.box) || {};
			g.restore();
			this.drawRows(g);
			this.drawOver();
			this.note({ what: this.name, ms: performance.now() - begun, ...told });
		}

		note(cost) {
			page.timing.draws.push(cost);
			if (page.timing.draws.length > 200)
				page.timing.draws.shift();
		}

		drawGrid(g) {
			const { x, y, w, h } = this.box;
			const now = page.time.get();
			const marks = page.text.ticks(now.from, now.to, Math.max(2, Math.floor(w / 110)));
			g.font = '11px system-ui, sans-serif';
			g.textAlign = 'center';
			g.textBaseline = 'top';
			this.firstLabel = Infinity;
			marks.at.forEach((at, i) => {
				const px = Math.round(this.x(page.data.ticks(this.run, at)));
				g.fillStyle = this.colours.grid;
				g.fillRect(px, y, 1, h);
				g.fillStyle = this.colours.faint;
				g.fillRect(px, y + h, 1, 4);
				const half = g.measureText(marks.label[i]).width / 2;
				const middle = Math.min(Math.max(px, half), x + w - half);
				this.firstLabel = Math.min(this.firstLabel, middle - half);
				g.fillText(marks.label[i], middle, y + h + 7);
			});
		}

		drawRows(g) {
			const { x, y, w, h } = this.box;
			g.font = '11px system-ui, sans-serif';
			g.textBaseline = 'middle';
			g.textAlign = 'right';
			g.fillStyle = this.colours.faint;
			if (this.rowWidth > 6)
				for (const [row, text] of this.labels()) {
					const at = this.y(row);
					if (at >= y + 4 && at <= y + h - 4)
						g.fillText(fitted(g, text, this.rowWidth - 8), x - 5, at);
				}
			this.drawBands(g);
			this.drawGroups(g);
			g.textAlign = 'left';
			g.fillStyle = this.colours.faint;
			const unit = this.kind.title || this.kind.unit;
			if (g.measureText(unit).width + 4 < this.firstLabel)
				g.fillText(unit, 0, y + h + 12);
			g.fillStyle = this.colours.line;
			g.fillRect(x - 1, y, 1, h);
			g.fillRect(x - 1, y + h, w + 1, 1);
			this.drawPart(g);
		}

		/* Which part of all rows and of all time is seen. */
		drawPart(g) {
			const { x, y, w, h } = this.box;
			g.fillStyle = this.colours.accent;
			if (this.rows.bottom - this.rows.top < this.rows.count)
				g.fillRect(x + w - 3, y + this.rows.top / this.rows.count * h, 3,
					Math.max(4, (this.rows.bottom - this.rows.top) / this.rows.count * h));
			const { full } = page.time;
			const now = page.time.get();
			if (!page.time.whole())
				g.fillRect(x + (now.from - full.from) / (full.to - full.from) * w, y + h - 1,
					Math.max(4, (now.to - now.from) / (full.to - full.from) * w), 3);
		}

		/* A fine line where a node ends, as long as there is room between. */
		drawBands(g) {
			const { x, w, h } = this.box;
			if (!this.kind.bands)
				return;
			const pitch = h / (this.rows.bottom - this.rows.top);
			let above = Infinity;
			g.fillStyle = this.colours.faint;
			for (const [, first, end] of this.bandsSeen()) {
				const room = Math.min(above, (end - first) * pitch);
				above = (end - first) * pitch;
				g.globalAlpha = room < 3 ? 0 : room < 11 ? 0.15 : 0.35;
				g.fillRect(x - this.rowWidth, Math.round(this.y(first)), w + this.rowWidth, 1);
			}
			g.globalAlpha = 1;
		}

		drawGroups(g) {
			const { x, y, w, h } = this.box;
			g.textAlign = 'left';
			for (const group of this.kind.groups) {
				const [from, to] = [this.y(group.first), this.y(group.first + group.count)];
				if (to <= y || from >= y + h)
					continue;
				const [a, b] = [Math.max(from, y), Math.min(to, y + h)];
				if (from > y) {
					g.fillStyle = this.colours.faint;
					g.globalAlpha = b - a > 3 ? 0.5 : 0.2;
					g.fillRect(0, Math.round(from), x + w, 1);
					g.globalAlpha = 1;
				}
				if (b - a >= 11) {
					g.fillStyle = this.colours.ink;
					g.fillText(fitted(g, page.text.clean(group.name, 60), this.groupWidth - 4), 0,
						(a + b) / 2);
				}
			}
		}

		drawOver() {
			const g = this.over.getContext('2d');
			g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
			g.clearRect(0, 0, this.over.width, this.over.height);
			if (!this.box)
				return;
			const { x, y, w, h } = this.box;
			g.save();
			g.beginPath();
			g.rect(x, y, w, h);
			g.clip();
			this.layer.over?.(this, g, this.box);
			const at = page.cursor.get();
			if (at !== null && !page.theme.printing()) {
				g.fillStyle = this.colours.ink;
				g.globalAlpha = 0.55;
				g.fillRect(Math.round(this.x(page.data.ticks(this.run, at))), y, 1, h);
				g.globalAlpha = 1;
			}
			if (this.lasso) {
				const { x0, y0, x1, y1 } = this.lasso;
				g.strokeStyle = this.colours.accent;
				g.setLineDash([4, 3]);
				g.strokeRect(x0, y0, x1 - x0, y1 - y0);
			}
			g.restore();
		}

		/* ---- Moving ---- */

		zoom(factor, at) {
			const { from, to } = this.view;
			const middle = at === undefined ? (from + to) / 2 : at;
			this.setTime(middle - (middle - from) * factor, middle + (to - middle) * factor);
		}

		zoomRows(factor, row) {
			const { top, bottom } = this.rows;
			const middle = row === undefined ? (top + bottom) / 2 : row;
			this.setRows(middle - (middle - top) * factor, middle + (bottom - middle) * factor);
		}

		/* By shares of what is seen. */
		pan(dx, dy) {
			const { from, to, top, bottom } = this.view;
			if (dx)
				this.setTime(from + dx * (to - from), to + dx * (to - from));
			if (dy)
				this.setRows(top + dy * (bottom - top), bottom + dy * (bottom - top));
		}

		whole() {
			page.time.reset(this);
			this.setRows(0, this.rows.count);
		}

		/* ---- Hands ---- */

		listen() {
			const base = this.base;
			base.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
			base.addEventListener('keydown', (event) => this.keyed(event));
			base.addEventListener('pointerdown', (event) => this.down(event));
			base.addEventListener('pointermove', (event) => this.move(event));
			base.addEventListener('pointerup', (event) => this.up(event, true));
			base.addEventListener('pointercancel', (event) => this.up(event, false));
			base.addEventListener('pointerleave', () => this.leave());
			base.addEventListener('dblclick', () => this.whole());
			base.addEventListener('blur', () => this.redrawOver());
			base.addEventListener('focus', () => this.redrawOver());
		}

		/* A wheel that only passes by scrolls the page. */
		wheel(event) {
			if (!this.box)
				return;
			if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey &&
				document.activeElement !== this.base &&
				Math.abs(event.deltaY) >= Math.abs(event.deltaX)) {
				this.hint.hidden = false;
				clearTimeout(this.hinted);
				this.hinted = setTimeout(() => {
					this.hint.hidden = true;
				}, 1200);
				return;
			}
			event.preventDefault();
			this.hint.hidden = true;
			const place = this.place(event);
			const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
			const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
			if (event.altKey)
				this.zoomRows(Math.exp(Math.max(-300, Math.min(300, dy)) * 0.002), place.row);
			else if (event.shiftKey) /* Some systems turn the wheel sideways for Shift. */
				this.pan(0, (dy || dx) / this.box.h);
			else if (Math.abs(dx) > Math.abs(dy))
				this.pan(dx / this.box.w, 0);
			else
				this.zoom(Math.exp(Math.max(-300, Math.min(300, dy)) * (event.ctrlKey ? 0.006
					: 0.002)), place.at);
		}

		keyed(event) {
			if (event.ctrlKey || event.metaKey)
				return;
			const sideways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
				ArrowDown: [0, 1] }[event.key];
			if (sideways && event.shiftKey)
				this.layer.step?.(this, ...sideways);
			else if (sideways)
				this.pan(sideways[0] * 0.1, sideways[1] * 0.1);
			else if (event.key === '+' || event.key === '=')
				(event.altKey ? this.zoomRows(0.5) : this.zoom(0.5));
			else if (event.key === '-' || event.key === '_')
				(event.altKey ? this.zoomRows(2) : this.zoom(2));
			else if (event.key === ']')
				this.zoomRows(0.5);
			else if (event.key === '[')
				this.zoomRows(2);
			else if (event.key === 'PageUp' || event.key === 'PageDown')
				this.pan(0, event.key === 'PageUp' ? -0.9 : 0.9);
			else if (event.key === 'Home' || event.key === 'End')
				this.pan(event.key === 'Home' ? -1e9 : 1e9, 0);
			else if (event.key === '0')
				this.whole();
			else if (event.key === 'Enter' || event.key === ' ')
				this.layer.enter?.(this);
			else if (event.key === 'Escape')
				this.leave();
			else
				return;
			event.preventDefault();
		}

		down(event) {
			if (event.button || !this.box)
				return;
			const place = this.place(event);
			this.base.setPointerCapture(event.pointerId);
			this.base.focus({ preventScroll: true });
			this.pointers.set(event.pointerId, place);
			this.moved = this.pointers.size > 1;
			this.grip = { ...place, view: this.view };
			this.lasso = event.shiftKey && this.pointers.size === 1
				? { x0: place.px, y0: place.py, x1: place.px, y1: place.py } : null;
		}

		move(event) {
			if (!this.box)
				return;
			const place = this.place(event);
			if (!this.pointers.has(event.pointerId)) {
				this.point(place);
				return;
			}
			if (this.pointers.size === 2)
				this.pinch(event, place);
			else if (this.lasso)
				Object.assign(this.lasso, { x1: place.px, y1: place.py });
			else
				this.drag(place);
			this.pointers.set(event.pointerId, place);
			this.redrawOver();
		}

		drag(place) {
			const [dx, dy] = [place.px - this.grip.px, place.py - this.grip.py];
			if (!this.moved && Math.hypot(dx, dy) < 4)
				return;
			this.moved = true;
			this.tip.hidden = true;
			const { from, to, top, bottom } = this.grip.view;
			const [t, r] = [dx / this.box.w * (to - from), dy / this.box.h * (bottom - top)];
			this.setTime(from - t, to - t);
			this.setRows(top - r, bottom - r);
		}

		pinch(event, place) {
			const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, where]) =>
				where);
			const before = this.pointers.get(event.pointerId);
			const spread = (one) => Math.max(20, Math.hypot(one.px - other.px, one.py - other.py));
			const { from, to } = this.view;
			const middle = (other.px + place.px) / 2;
			this.zoom(spread(before) / spread(place),
				from + (middle - this.box.x) / this.box.w * (to - from));
		}

		up(event, meant) {
			if (!this.pointers.delete(event.pointerId))
				return;
			const place = this.place(event);
			const lasso = this.lasso;
			this.lasso = null;
			if (lasso && Math.abs(lasso.x1 - lasso.x0) > 6)
				this.zoomTo(lasso);
			else if (meant && !this.moved && place.inside)
				this.layer.choose?.(this, place.at, place.row);
			this.redrawOver();
		}

		zoomTo({ x0, y0, x1, y1 }) {
			const { from, to, top, bottom } = this.view;
			const at = (px) => from + (px - this.box.x) / this.box.w * (to - from);
			const row = (py) => top + (py - this.box.y) / this.box.h * (bottom - top);
			const [a, b, c, d] = [at(Math.min(x0, x1)), at(Math.max(x0, x1)), row(Math.min(y0, y1)),
				row(Math.max(y0, y1))];
			this.setTime(a, b);
			if (Math.abs(y1 - y0) > 12)
				this.setRows(c, d);
		}

		/* The pointer is there: looked up once a frame. */
		point(place) {
			this.pointed = place;
			if (this.pointFrame)
				return;
			this.pointFrame = requestAnimationFrame(() => {
				this.pointFrame = 0;
				if (!this.pointed)
					return;
				const { inside, at, row } = this.pointed;
				page.cursor.set(inside ? page.data.seconds(this.run, at) : null, this);
				this.tell(inside ? this.layer.point(this, at, row) : null, this.pointed);
				this.redrawOver();
			});
		}

		tell(lines, place) {
			this.tip.hidden = !lines;
			if (!lines)
				return;
			this.tip.replaceChildren(page.el('dl', {}, lines.map(({ term, value }) =>
				[page.el('dt', { text: term }),
					page.el('dd', {}, value instanceof Node ? value : page.name(value, 60))])));
			const [w, h] = [this.tip.offsetWidth, this.tip.offsetHeight];
			const right = place.px + 14 + w <= this.element.clientWidth;
			this.tip.style.left = Math.max(0, right ? place.px + 14 : place.px - 14 - w) + 'px';
			this.tip.style.top = Math.min(place.py + 14,
				Math.max(0, this.element.clientHeight - h)) + 'px';
		}

		leave() {
			this.pointed = null;
			this.tip.hidden = true;
			this.layer.left?.(this);
			page.cursor.set(null, this);
			this.redrawOver();
		}
	}

	/* Which run is drawn, and which below it: now.first, now.second. */
	function runs(name, all, now, show) {
		if (all.length < 2)
			return [];
		const options = all.map((run, k) => [String(k), run.label]);
		return [
			page.choice({ label: 'Run', test: name + '-run', value: String(all.indexOf(now.first)),
				options, change: (k) => {
				now.first = all[k];
				show();
			} }),
			page.choice({ label: 'and below it', test: name + '-second', value: now.second
				? String(all.indexOf(now.second)) : '', options: [['', 'none'], ...options],
				change: (k) => {
				now.second = k === '' ? null : all[k];
				show();
			} }),
		];
	}

	/* What is seen now, as a file. */
	function picture(plane) {
		plane.base.toBlob((blob) => {
			if (blob)
				page.save(`${plane.name}-${plane.run.index + 1}.png`, blob, 'image/png');
		}, 'image/png');
	}

	/* What each plane shows, as a table that is made again, while it is open, whenever the window has moved. */
	function tables(planes, title, make) {
		return planes.map((plane) => {
			const details = page.alternative(title(plane), () => make(plane));
			let timer = 0;
			const moved = () => {
				clearTimeout(timer);
				timer = setTimeout(() => details.open && details.dispatchEvent(new Event('toggle')), 300);
			};
			plane.left.push(page.time.subscribe(moved), plane.rows.changed.subscribe(moved));
			return details;
		});
	}

	/* One plane under the other, each under its run's name. */
	function stack(panels, planes, before) {
		before.forEach((plane) => plane.detach());
		panels.replaceChildren(...planes.map((plane) => page.el('figure', {},
			page.runs.length > 1 ? page.el('figcaption', {}, page.swatch(plane.run.index),
				page.name(plane.run.label, 60)) : [], plane.element,
			page.el('div', { class: 'foot-line' },
				page.el('button', { type: 'button', class: 'quiet', text: 'PNG',
				'data-test': 'plane-png',
				'aria-label': `${plane.name} of ${plane.run.name} as a PNG picture`,
					on: { click: () => picture(plane) } })))));
		planes.forEach((plane) => plane.attach());
	}

	return { Plane, channels, fitted, runs, stack, tables };
})();
