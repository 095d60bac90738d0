# SPDX-License-Identifier: MIT
# Prints RUNTIME(number, name) and DRIVER(number, name) for each callback id in CUPTI's headers.
match($0, /CUPTI_(DRIVER|RUNTIME)_TRACE_CBID_[A-Za-z0-9_]+ *= *[0-9]+/) {
	split(substr($0, RSTART, RLENGTH), part, /[ =]+/)
	domain = part[1] ~ /^CUPTI_DRIVER/ ? "DRIVER" : "RUNTIME"
	name = substr(part[1], length("CUPTI_" domain "_TRACE_CBID_") + 1)
	if (name !~ /^(INVALID|SIZE|FORCE_INT|reserved[0-9]+)$/)
		printf "%s(%d, %s)\n", domain, part[2], name
}
