# SPDX-License-Identifier: MIT
# Sums a callgrind profile's instructions for one object file, given as -v object=PATTERN: its own,
# and what it spends in the C library and the loader. Prints one number.
#
# A cost line is "POSITION COST"; the line after calls= is the inclusive cost of a call, whose callee
# is in the object that cob= names, or else in the caller's. An object is named in full the first
# time, as "(NUMBER) NAME", and by its number from then on.

function name_of(text)
{
	if (match(text, /^\([0-9]+\) /))
		names[substr(text, 1, RLENGTH - 1)] = substr(text, RLENGTH + 1)
	sub(/ .*/, "", text)
	return names[text]
}

/^ob=/ {
	current = name_of(substr($0, 4))
	next
}
/^cob=/ {
	callee = name_of(substr($0, 5))
	next
}
/^calls=/ {
	getline
	if (current ~ object && callee ~ /\/(libc|ld-linux[^\/]*)\.so/)
		sum += $2
	callee = ""
	next
}
/^[0-9+*-]/ {
	if (current ~ object)
		sum += $2
}
END {
	print sum + 0
}
