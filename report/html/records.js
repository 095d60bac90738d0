// SPDX-License-Identifier: MIT
// The records of a timeline: unpacks them (report/html/pack.h describes what is read) and answers
// questions about them. It knows of no page.
"use strict";
const traceRecords = (() => {
	const CHILDREN = 4, SHIFT = 2; // of a node, and as a power of two: below

	const unpack = async (base64) => {
		const text = atob(base64);
		const packed = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			packed[i] = text.charCodeAt(i);
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	};

	// Returns the next number with each call.
	const numberReader = (bytes, begin) => {
		let at = begin;
		return () => {
			let value = 0, scale = 1, byte = bytes[at++];
			for (; byte > 127; byte = bytes[at++], scale *= 128)
				value += (byte - 128) * scale;
			return value + byte * scale;
		};
	};

	/*
	 * Above the records of a track stand nodes, each of four records or nodes: their last end, how long
	 * they took together, and the longest record. What is narrower than a pixel is drawn from its node, so
	 * a picture costs as much as it has pixels, however many records there are.
	 */
	const addLevels = (track) => {
		const { count, starts, lengths } = track;
		let ends = new Float64Array(count), busy = lengths, longest = null;
		for (let i = 0; i < count; i++)
			ends[i] = starts[i] + lengths[i];
		track.levels = [{ ends, busy, longest, count }];
		while (track.levels.at(-1).count > 1) {
			const below = track.levels.at(-1), size = Math.ceil(below.count / CHILDREN);
			const level = { ends: new Float64Array(size), busy: new Float64Array(size), longest: new Uint32Array(size), count: size };
			for (let i = 0; i < size; i++) {
				let end = 0, sum = 0, best = below.longest ? below.longest[i * CHILDREN] : i * CHILDREN;
				for (let j = i * CHILDREN; j < Math.min((i + 1) * CHILDREN, below.count); j++) {
					const record = below.longest ? below.longest[j] : j;
					end = Math.max(end, below.ends[j]);
					sum += below.busy[j];
					if (lengths[record] > lengths[best])
						best = record;
				}
				level.ends[i] = end;
				level.busy[i] = sum;
				level.longest[i] = best;
			}
			track.levels.push(level);
		}
	};

	const readTrack = (track, number) => {
		const count = number();
		track.count = count;
		track.starts = new Float64Array(count); // exact: 2^53 ns are 104 days
		track.lengths = new Float64Array(count);
		track.names = new Uint32Array(count);
		track.details = new Uint32Array(count);
		track.correlations = new Uint32Array(count);
		for (let i = 0, at = 0; i < count; i++)
			track.starts[i] = at += number();
		for (const column of [track.lengths, track.names, track.details])
			for (let i = 0; i < count; i++)
				column[i] = number();
		for (let i = 0, at = 0; i < count; i++) {
			const value = number();
			track.correlations[i] = at += value % 2 ? -(value + 1) / 2 : value / 2;
		}
		addLevels(track);
	};

	const read = (bytes) => {
		const end = bytes.indexOf(0);
		const data = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
		const number = numberReader(bytes, end + 1);
		data.tracks.forEach((track, place) => readTrack(Object.assign(track, { place }), number));
		// Names that are causes of idle time.
		data.idle = data.nameClasses.map((each) => data.classes[each][0].startsWith("idle"));
		return data;
	};

	/*
	 * Goes through what of a track is in [from, to], in its order: `record` is called with each record
	 * that is at least `narrowest` long, `node` with what is narrower: its start, its end, its busy time,
	 * its longest record, its level and its place in it.
	 */
	const walk = (track, from, to, narrowest, record, node) => {
		const visit = (level, i) => {
			const start = track.starts[i * CHILDREN ** level];
			const { ends, busy, longest } = track.levels[level];
			if (start > to || ends[i] < from)
				return start <= to;
			if (ends[i] - start < narrowest)
				node(start, ends[i], busy[i], level ? longest[i] : i, level, i);
			else if (!level)
				record(i);
			else
				for (let j = i << SHIFT; j < Math.min((i + 1) << SHIFT, track.levels[level - 1].count); j++)
					if (!visit(level - 1, j))
						return false;
			return true;
		};
		if (track.count)
			visit(track.levels.length - 1, 0);
	};
	const recordsOf = (level, i, track) => Math.min((i + 1) * CHILDREN ** level, track.count) - i * CHILDREN ** level;

	// The record at a time, where a pixel is so long, and how many others are in the same pixel.
	const recordAt = (track, at, pixel) => {
		let wide = -1, longest = -1, others = 0, busy = 0;
		walk(track, at - pixel, at + pixel, pixel, (i) => {
			if (track.starts[i] <= at && at <= track.starts[i] + track.lengths[i])
				wide = i;
		}, (start, end, time, record, level, i) => {
			if (longest < 0 || track.lengths[record] > track.lengths[longest])
				longest = record;
			others += recordsOf(level, i, track);
			busy += time;
		});
		if (wide >= 0)
			return { i: wide, others: 0 };
		return { i: longest, others: Math.max(others - 1, 0), busy };
	};
	// The call that started an operation, or what a call started.
	const partnersOf = ({ tracks }, { track, i }) => {
		const id = track.correlations[i], partners = [];
		const wanted = track.kind === "calls" ? "stream" : track.kind === "stream" ? "calls" : null;
		if (!id || !wanted)
			return partners;
		for (const other of tracks)
			if (other.kind === wanted && other.process === track.process)
				for (let j = other.correlations.indexOf(id); j >= 0; j = other.correlations.indexOf(id, j + 1))
					partners.push({ track: other, i: j });
		return partners.sort((a, b) => a.track.starts[a.i] - b.track.starts[b.i]);
	};

	// Search: which names, then which nodes have them.
	const markFound = ({ tracks }, chosen) => {
		for (const track of tracks)
			track.levels.forEach((level, height) => {
				const below = track.levels[height - 1];
				level.found = chosen && new Uint8Array(level.count);
				for (let i = 0; chosen && i < level.count; i++)
					if (!height)
						level.found[i] = chosen[track.names[i]];
					else
						for (let j = i * CHILDREN; j < Math.min((i + 1) * CHILDREN, below.count); j++)
							level.found[i] |= below.found[j];
			});
	};
	// How many records of a track begin before a time.
	const countUntil = (track, time) => {
		let low = 0, high = track.count;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (track.starts[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	};
	// How many come before a record of any track: by their start, then by the track. Times are whole.
	const countBefore = (track, { track: other, i }) =>
		(track === other ? i : countUntil(track, other.starts[i] + (track.place < other.place ? 1 : 0)));
	// The nearest record that is looked for, after one or before it; null: there is none.
	const nearest = ({ tracks }, found, from, backwards) => {
		let best = null;
		for (const track of tracks) {
			const step = backwards ? -1 : 1;
			let i = !from ? (backwards ? track.count - 1 : 0) : countBefore(track, from) + (backwards ? -1 : track === from.track ? 1 : 0);
			while (i >= 0 && i < track.count && !found[track.names[i]])
				i += step;
			if (i >= 0 && i < track.count && (!best || (countBefore(track, best) > i) !== backwards))
				best = { track, i };
		}
		return best;
	};
	// How many of them there are, all or before one.
	const countFound = ({ tracks }, found, before) => {
		let count = 0;
		for (const track of found ? tracks : [])
			for (let i = 0, end = before ? countBefore(track, before) : track.count; i < end; i++)
				count += found[track.names[i]];
		return count;
	};
	// What runs in a part of the time, by class, then by name.
	const sumsOf = ({ tracks, names, nameClasses, classes }, { from, to }) => {
		const time = new Float64Array(names.length), count = new Uint32Array(names.length);
		for (const track of tracks)
			walk(track, from, to, 0, (i) => {
				const inside = Math.min(track.starts[i] + track.lengths[i], to) - Math.max(track.starts[i], from);
				time[track.names[i]] += inside;
				count[track.names[i]] += inside > 0 || !track.lengths[i];
			});
		const rows = names.map((name, id) => ({ id, name, class: nameClasses[id], time: time[id], count: count[id] })).filter((row) => row.count);
		const kinds = classes.map(([, text], i) => rows.filter((row) => row.class === i)
			.reduce((sum, row) => ({ ...sum, time: sum.time + row.time, count: sum.count + row.count }), { name: text, class: i, time: 0, count: 0 }));
		rows.sort((a, b) => b.time - a.time);
		return { kinds: kinds.filter((row) => row.count), rows };
	};

	return { load: async (base64) => read(await unpack(base64)), walk, recordAt, partnersOf, countUntil, markFound, nearest, countFound, sumsOf };
})();
