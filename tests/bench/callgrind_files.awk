# SPDX-License-Identifier: MIT
# Sums a callgrind profile's own instructions in the source files whose paths match -v folder=REGEX.
# Prints one number.
#
# A cost line is "POSITION COST"; the line after calls= is the inclusive cost of a call. A file is
# named in full the first time, whoever names it, as "(NUMBER) NAME", and by its number from then on.

function name_of(text)
{
	if (match(text, /^\([0-9]+\) /))
		names[substr(text, 1, RLENGTH - 1)] = substr(text, RLENGTH + 1)
	sub(/ .*/, "", text)
	return names[text]
}

/^(fl|fi|fe)=/ {
	current = name_of(substr($0, 4))
	next
}
/^(cfl|cfi)=/ {
	name_of(substr($0, 5))
	next
}
/^calls=/ {
	getline
	next
}
/^[0-9+*-]/ {
	if (current ~ folder)
		sum += $2
}
END {
	print sum + 0
}
