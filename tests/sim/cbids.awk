# SPDX-License-Identifier: MIT
# Prints CBID(domain, name, number) for each callback id in CUPTI's headers.
match($0, /CUPTI_(DRIVER|RUNTIME)_TRACE_CBID_[A-Za-z0-9_]+ *= *[0-9]+/) {
	split(substr($0, RSTART, RLENGTH), part, /[ =]+/)
	name = part[1]
	domain = name ~ /^CUPTI_DRIVER/ ? "DRIVER" : "RUNTIME"
	sub(/^CUPTI_(DRIVER|RUNTIME)_TRACE_CBID_/, "", name)
	if (name != "INVALID" && name != "SIZE")
		printf "CBID(%s, %s, %d)\n", domain, name, part[2]
}
