/* SPDX-License-Identifier: MIT */
/*
 * text.js - numbers, times and names as people read them. No locale is asked: a page looks the same everywhere.
 *
 *   page.text.clean(name)           control and direction-changing characters made visible, length bounded
 *   page.text.number(x), .signed    four significant figures, thousands apart
 *   page.text.duration(seconds)     "12.5 s", "1:02:03", "3d 04:05:06"
 *   page.text.time(seconds)         of the run's clock: a date where the epoch is known, else a duration
 *   page.text.zone(seconds)         of that clock: "US/Pacific, PDT (UTC−07:00)", "UTC+01:00"; '': no date is known
 *   page.text.fromClock(seconds)    from the clock, without daylight saving, to the page's seconds
 *   page.text.value(x, unit)        a metric in its unit; .difference(x, unit) with its sign
 *   page.text.step(seconds), .span  the next round length of time, and its name: "12 h"
 *   page.text.ticks(from, to, n)    {at, label}: round times for an axis of about n of them
 */
page.text = (function () {
	const MINUS = '\u2212';
	const THIN = '\u202f'; /* Narrow, and no line is broken at it. */
	const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
	const day = 86400;
	const zero = page.meta.epoch ? page.meta.epoch + (page.meta.utc_offset || 0) : null;

	/* How far a named zone's clock is ahead, by its daylight saving, of what the log says of the whole; 0 where it names none,
	 * or none that this browser knows. Kept by quarters of an hour: no zone changes in between. */
	const clockOfZone = (function () {
		if (zero === null || !page.meta.time_zone)
			return null;
		try {
			return new Intl.DateTimeFormat('en-US', { timeZone: page.meta.time_zone, hourCycle: 'h23', year: 'numeric', month: 'numeric',
				day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', timeZoneName: 'short' });
		} catch {
			return null;
		}
	})();
	const ahead = new Map();
	function partsAt(seconds) {
		return Object.fromEntries(clockOfZone.formatToParts(new Date((page.meta.epoch + seconds) * 1000)).map((part) => [part.type, part.value]));
	}
	function shiftAt(seconds) {
		if (!clockOfZone || !Number.isFinite(seconds))
			return 0;
		const quarter = Math.floor((page.meta.epoch + seconds) / 900);
		if (!ahead.has(quarter)) {
			const start = quarter * 900;
			const is = partsAt(start - page.meta.epoch);
			const clock = Date.UTC(is.year, is.month - 1, is.day, is.hour, is.minute, is.second) / 1000;
			ahead.set(quarter, clock - start - (page.meta.utc_offset || 0));
		}
		return ahead.get(quarter);
	}

	function zone(seconds) {
		if (zero === null)
			return '';
		const offset = (page.meta.utc_offset || 0) + shiftAt(seconds);
		const size = Math.abs(offset);
		const from = 'UTC' + (offset ? (offset < 0 ? MINUS : '+') + pad(Math.floor(size / 3600)) + ':' + pad(Math.floor(size / 60) % 60) : '');
		if (!clockOfZone)
			return from;
		const name = partsAt(seconds).timeZoneName;
		return `${clean(page.meta.time_zone, 60)}, ${/^(GMT|UTC)/.test(name) ? from : `${name} (${from})`}`;
	}

	/* eslint-disable-next-line no-control-regex */
	const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
	function clean(text, most = 300) {
		const whole = String(text);
		const cut = whole.length > most ? whole.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '') + '\u2026' : whole;
		return cut.replace(unseen, (c) => {
			const code = c.charCodeAt(0);
			return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? '\u2421' : '\ufffd';
		});
	}

	function pad(value) {
		return value < 10 ? '0' + value : String(value);
	}

	function grouped(digits) {
		return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
	}

	/* A whole part with its thousands apart, and that many decimals without trailing zeros. */
	function fixed(value, decimals) {
		if (!Number.isFinite(value))
			return '\u2013';
		const [whole, part] = Math.abs(value).toFixed(decimals).split('.');
		const rest = part ? part.replace(/0+$/, '') : '';
		const body = grouped(whole) + (rest ? '.' + rest : '');
		return value < 0 && /[1-9]/.test(body) ? MINUS + body : body;
	}

	function number(value, figures = 4) {
		if (!Number.isFinite(value))
			return '\u2013';
		const size = Math.abs(value);
		if (size !== 0 && size < 1e-4)
			return (value < 0 ? MINUS : '') + size.toExponential(figures - 2).replace('-', MINUS);
		const whole = size >= 1 ? Math.floor(Math.log10(size)) + 1 : size === 0 ? 1 : Math.ceil(Math.log10(size));
		return fixed(value, Math.max(0, figures - whole));
	}

	function signed(value, write) {
		const text = write(value);
		return value > 0 && /[1-9]/.test(text) ? '+' + text : text;
	}

	/* The parts are of the rounded whole, so that no second is ever 60. brief: no seconds beside days. */
	function duration(seconds, brief) {
		if (!Number.isFinite(seconds))
			return '\u2013';
		const size = Math.abs(seconds);
		const sign = seconds < 0 ? MINUS : '';
		if (size < 59.95)
			return sign + fixed(size, size < 10 ? 2 : 1) + THIN + 's';
		const whole = Math.round(size);
		const days = Math.floor(whole / day);
		const clock = pad(Math.floor(whole / 60) % 60) + ':' + pad(whole % 60);
		const hours = Math.floor(whole / 3600) % 24;
		if (days && brief)
			return `${sign}${grouped(String(days))}d ${pad(hours)}:${pad(Math.floor(whole / 60) % 60)}`;
		return sign + (days ? `${grouped(String(days))}d ${pad(hours)}:` : `${hours}:`) + clock;
	}

	function dated(seconds) {
		return new Date(Math.round((zero + seconds + shiftAt(seconds)) * 1000));
	}

	function date(when) {
		return `${when.getUTCFullYear()}-${pad(when.getUTCMonth() + 1)}-${pad(when.getUTCDate())}`;
	}

	function clock(when, withSeconds) {
		return pad(when.getUTCHours()) + ':' + pad(when.getUTCMinutes()) +
			(withSeconds ? ':' + pad(when.getUTCSeconds()) : '');
	}

	function time(seconds) {
		if (!Number.isFinite(seconds))
			return '\u2013';
		if (zero === null)
			return clockOf(seconds, true);
		const when = dated(seconds);
		return `${date(when)} ${clock(when, true)}`;
	}

	/* Without an epoch: "3d 04:05:06", a place on the run's own clock. */
	function clockOf(seconds, withSeconds) {
		const whole = Math.round(Math.abs(seconds));
		const days = Math.floor(whole / day);
		return (seconds < 0 ? MINUS : '') + (days ? days + 'd ' : '') + pad(Math.floor(whole / 3600) % 24) + ':' +
			pad(Math.floor(whole / 60) % 60) + (withSeconds ? ':' + pad(whole % 60) : '');
	}

	function percent(share, figures = 3) {
		return Number.isFinite(share) ? number(share * 100, figures) + THIN + '%' : '\u2013';
	}

	function value(x, unit) {
		if (x === undefined || x === null)
			return '\u2013';
		switch (unit) {
		case 's': return duration(x);
		case 'share': return percent(x);
		case 'count': return fixed(x, 0);
		case 'per hour': return number(x) + '/h';
		default: return number(x);
		}
	}

	/* Of shares in points of a hundred: a percentage of a percentage misleads. */
	function difference(x, unit) {
		return signed(x, (d) => unit === 'share' ? number(d * 100, 3) + THIN + 'pp' : value(d, unit));
	}

	const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, day,
		2 * day, 5 * day, 10 * day, 20 * day, 50 * day, 100 * day, 200 * day, 500 * day, 1000 * day];

	/* The least round length of time that is at least so long, and what it is called. */
	function step(least) {
		return steps.find((one) => one >= least) || Math.ceil(least / (1000 * day)) * 1000 * day;
	}
	function span(seconds) {
		for (const [size, unit] of [[day, 'd'], [3600, 'h'], [60, 'min']])
			if (seconds >= size && seconds % size === 0)
				return fixed(seconds / size, 0) + THIN + unit;
		return duration(seconds);
	}

	/* Where the hour is there twice, its first; where it is not there, as if the clock had not been put forward. */
	function fromClock(seconds) {
		const guess = seconds - shiftAt(seconds);
		return seconds - shiftAt(guess);
	}

	/* Months and years have no one length. */
	function monthTicks(from, to, count) {
		const spans = [1, 3, 6, 12, 24, 60, 120];
		const ideal = (to - from) / (30.4 * day) / count;
		const span = spans.find((s) => s >= ideal) || spans[spans.length - 1];
		const first = dated(from);
		const found = { at: [], label: [] };
		let month = first.getUTCFullYear() * 12 + first.getUTCMonth();
		for (month -= month % span; ; month += span) {
			const when = fromClock(Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000 - zero);
			if (when > to)
				return found;
			if (when >= from) {
				found.at.push(when);
				found.label.push(span < 12 && month % 12 ? months[month % 12] :
					String(Math.floor(month / 12)));
			}
		}
	}

	function tickLabel(at, step) {
		if (zero === null)
			return step >= day ? `${Math.round(at / day)}d` : clockOf(at, step < 60);
		const when = dated(at);
		return step >= day || (when.getUTCHours() === 0 && when.getUTCMinutes() === 0 && step >= 60)
			? `${months[when.getUTCMonth()]} ${when.getUTCDate()}` : clock(when, step < 60);
	}

	function ticks(from, to, count) {
		if (!(to > from))
			return { at: [from], label: [time(from)] };
		const ideal = (to - from) / Math.max(1, count);
		if (zero !== null && ideal > 14 * day)
			return monthTicks(from, to, count);
		const fine = ideal < 1; /* Below a second: plain numbers. */
		const apart = fine ? Math.pow(10, Math.ceil(Math.log10(ideal))) : step(ideal);
		const shift = zero === null ? 0 : ((zero % day) + day) % day; /* Days begin at midnight. */
		const found = { at: [], label: [] };
		for (let n = Math.ceil((from + shift) / apart); n * apart - shift <= to; n++) {
			const at = apart >= 3600 ? fromClock(n * apart - shift) : n * apart - shift;
			found.at.push(at);
			found.label.push(fine ? number(at, 9) : tickLabel(at, apart));
		}
		return found;
	}

	/* "1.2k": for axes alone. */
	function axis(x) {
		const size = Math.abs(x);
		for (const [limit, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']])
			if (size >= limit)
				return number(x / (letter === 'k' ? 1e3 : limit), 4) + letter;
		return number(x, 4);
	}

	function plural(count, one, many) {
		return `${fixed(count, 0)} ${count === 1 ? one : many || one + 's'}`;
	}

	return {
		MINUS, THIN, clean, number, fixed, signed, duration, time, percent, value, difference, ticks, step, span, axis, plural, zone, fromClock,
		dated: zero !== null,
	};
})();
