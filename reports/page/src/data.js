/* SPDX-License-Identifier: MIT */
'use strict';
/*
 * data.js - the page's data: meta, and blocks that are decoded when somebody first asks for them.
 *
 * All files of this folder are joined, in the order of ORDER, as one strict script. What they share hangs
 * off `page`, which is also a global, for consoles and tests; all else stays inside functions.
 *
 *   page.meta                 what FORMAT.md calls meta
 *   page.runs[k]              meta.runs[k] with .index, .name (its label, fit to be shown), .visible
 *   page.data.block(id)       a promise of the block's array (u8 u16 u32 i32 f32 f64) or of its JSON
 *   page.data.peek(id)        the same at once, or null if it has not been decoded
 *   page.data.column(run, n)  a promise of run.columns[n]; null where the run has no such column (wait, span: then zeros)
 *   page.data.names(run, n)   a promise of the JSON array run.names[n]; [] where there is none
 *   page.data.seconds(run, ticks)   a time of that run's blocks, as the page's seconds; .ticks(run, seconds) back
 *   page.data.length(run, ticks)    a length of time, as seconds
 *   page.data.amount(run, name, x)  cpus or gpus of that run's blocks, in wholes
 */
const page = {};
globalThis.page = page;

try {
	page.meta = JSON.parse(document.getElementById('meta').textContent);
} catch (why) {
	document.getElementById('main').textContent = 'This page cannot be shown: its data are not whole.';
	throw why;
}
page.runs = page.meta.runs || [];
for (const run of page.runs) /* Of runs over traces that begin at other times: one clock for all. */
	run.shift = run.epoch && page.meta.epoch ? run.epoch - page.meta.epoch : 0;

page.data = (function () {
	const NEVER = 0xFFFFFFFF; /* Of a u32 column: there is no such value. */
	const kinds = {
		u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array,
		f64: Float64Array,
	};
	const promised = new Map();
	const decoded = new Map();
	const slice = 1 << 20; /* Of base64: a multiple of 4, small enough that the page stays alive between two. */
	const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

	function bytesOfBase64(text) {
		if (typeof Uint8Array.fromBase64 === 'function')
			return Uint8Array.fromBase64(text);
		const raw = atob(text);
		const bytes = new Uint8Array(raw.length);
		for (let i = 0; i < raw.length; i++)
			bytes[i] = raw.charCodeAt(i);
		return bytes;
	}

	/* Lets the browser paint and answer between two pieces of work. */
	function breathe() {
		return new Promise((resolve) => setTimeout(resolve, 0));
	}

	async function feed(writer, text) {
		for (let at = 0; at < text.length; at += slice) {
			writer.write(bytesOfBase64(text.slice(at, at + slice))).catch(() => {});
			if (at + slice < text.length)
				await breathe();
		}
		await writer.close();
	}

	async function inflate(text) {
		const stream = new DecompressionStream('deflate-raw');
		const fed = feed(stream.writable.getWriter(), text.trim());
		fed.catch(() => {}); /* What fails there fails below too. */
		const chunks = [];
		let length = 0;
		const reader = stream.readable.getReader();
		for (;;) {
			const { done, value } = await reader.read();
			if (done)
				break;
			chunks.push(value);
			length += value.length;
		}
		await fed;
		const bytes = new Uint8Array(length);
		let at = 0;
		for (const chunk of chunks) {
			bytes.set(chunk, at);
			at += chunk.length;
		}
		return bytes;
	}

	/* Bytes that were stored plane by plane, the lowest first, as they were. */
	function unsplit(bytes, count, size) {
		const whole = new Uint8Array(bytes.length);
		for (let plane = 0; plane < size; plane++) {
			const from = plane * count;
			for (let i = 0, to = plane; i < count; i++, to += size)
				whole[to] = bytes[from + i];
		}
		return whole;
	}

	function swapped(bytes, size) {
		const whole = new Uint8Array(bytes.length);
		for (let i = 0; i < bytes.length; i++)
			whole[i - i % size + (size - 1 - i % size)] = bytes[i];
		return whole;
	}

	/* Of inflated bytes: what the block's type and coding say that they are. */
	function unpack(block, bytes) {
		if (block.type === 'json')
			return JSON.parse(new TextDecoder().decode(bytes));
		const kind = kinds[block.type];
		const codings = (block.coding || 'plain').split('+');
		const size = kind ? kind.BYTES_PER_ELEMENT : 0;
		if (!kind || codings.some((word) => !['plain', 'delta', 'split'].includes(word)))
			throw new Error(`${block.type} ${block.coding} is not known to this page`);
		if (bytes.length !== block.count * size)
			throw new Error(`${bytes.length} bytes where ${block.count * size} should be`);
		if (codings.includes('split'))
			bytes = unsplit(bytes, block.count, size);
		if (!littleEndian)
			bytes = swapped(bytes, size);
		const values = new kind(bytes.buffer, bytes.byteOffset, block.count);
		if (codings.includes('delta'))
			for (let i = 1; i < values.length; i++)
				values[i] += values[i - 1]; /* Stored modulo 2^bits, as the array is. */
		return values;
	}

	async function decode(id) {
		const block = page.meta.blocks[id];
		const element = document.getElementById(id);
		if (!block || !element)
			throw new Error(`block ${id} is not in this file`);
		const values = unpack(block, await inflate(element.textContent));
		element.textContent = ''; /* Its memory is worth more than its text. */
		decoded.set(id, values);
		return values;
	}

	function block(id) {
		if (id === null || id === undefined)
			return Promise.resolve(null);
		if (!promised.has(id))
			promised.set(id, decode(id).catch((why) => {
				throw new Error(`data block ${id}: ${why.message}: is the file whole?`);
			}));
		return promised.get(id);
	}

	function partsOf(run, name) {
		const of = name.startsWith('cpus') ? 'cpus' : name.startsWith('gpus') ? 'gpus' : '';
		return (run.parts && run.parts[of]) || 1;
	}

	/* Those of which all pages have something: what is 0 for every job is not written. */
	const always = ['wait', 'span'];
	async function column(run, name) {
		const values = await block(run.columns ? run.columns[name] : null);
		return values || !always.includes(name) || !run.columns ? values : new Uint32Array(run.jobs.kept);
	}

	return {
		NEVER,
		block,
		peek: (id) => decoded.has(id) ? decoded.get(id) : null,
		column,
		names: async (run, name) => (await block(run.names ? run.names[name] : null)) || [],
		seconds: (run, ticks) => ticks * (run.tick / 1e6) + run.shift,
		ticks: (run, seconds) => (seconds - run.shift) / (run.tick / 1e6),
		length: (run, ticks) => ticks * (run.tick / 1e6),
		amount: (run, name, x) => x / partsOf(run, name),
		breathe,
		unpack, /* For tests. */
	};
})();
