# SPDX-License-Identifier: MIT
# Prints ENTRY(entry, version, flavour, symbol) for each function of the driver: the versions from
# cuda*Typedefs.h, the symbols from nm -D of the toolkit's stub libcuda. An entry's symbols and its
# versions ascend together; flavour is 1 for the per-thread default stream's forms.
#
# usage: awk -f versions.awk SYMBOLS TYPEDEFS…

function generation(symbol)
{
	return match(symbol, /_v[0-9]+/) ? substr(symbol, RSTART + 2, RLENGTH - 2) + 0 : 1
}

# Inserts value into the list at key, kept in order of rank.
function insert(key, value, rank,    i)
{
	for (i = count[key]++; i > 0 && ranks[key, i - 1] > rank; i--) {
		ranks[key, i] = ranks[key, i - 1]
		values[key, i] = values[key, i - 1]
	}
	ranks[key, i] = rank
	values[key, i] = value
}

FILENAME == ARGV[1] {
	entry = $1
	flavour = sub(/_pt[sd][sz]$/, "", entry)
	sub(/_v[0-9]+$/, "", entry)
	insert("symbol " entry " " flavour, $1, generation($1))
	next
}

/typedef/ && match($0, /PFN_cu[A-Za-z0-9_]*_v[0-9]+(_pt[sd][sz])?\)/) {
	entry = substr($0, RSTART + 4, RLENGTH - 5)
	flavour = sub(/_pt[sd][sz]$/, "", entry)
	version = entry
	sub(/.*_v/, "", version)
	sub(/_v[0-9]+$/, "", entry)
	key = entry " " flavour
	insert("version " key, version, version + 0)
	keys[key] = 1
}

END {
	for (key in keys) {
		split(key, part, " ")
		for (i = 0; i < count["version " key] && i < count["symbol " key]; i++)
			printf "ENTRY(%s, %d, %d, %s)\n", part[1], values["version " key, i],
			       part[2], values["symbol " key, i]
	}
}
