# SPDX-License-Identifier: MIT
# Sums a callgrind profile's own cost by object file: "INSTRUCTIONS OBJECT" lines.
#
# A cost line is "POSITION COST"; the line after calls= is the callee's inclusive cost, which is
# counted where the callee's own lines are. ob= names an object, by number alone once it is known.

/^ob=/ {
	name = substr($0, 4)
	if (match(name, /^\([0-9]+\)/)) {
		number = substr(name, 1, RLENGTH)
		if (length(name) > RLENGTH)
			names[number] = substr(name, RLENGTH + 2)
		object = names[number]
	} else {
		object = name
	}
	next
}
/^cob=/ {
	name = substr($0, 5)
	if (match(name, /^\([0-9]+\) /))
		names[substr(name, 1, RLENGTH - 1)] = substr(name, RLENGTH + 1)
	next
}
/^calls=/ {
	getline
	next
}
/^[0-9+*-]/ {
	own[object] += $2
}
END {
	for (object in own)
		printf "%d %s\n", own[object], object
}
