#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What libktime.so brings into a process.
load helper

@test "libktime.so exports the names that it interposes, and no others" {
	not_under_sanitizers "symbols"
	nm -D --defined-only "$built/libktime.so" | awk '{ print $3 }' >exported
	[ "$(wc -l <exported)" -gt 200 ]
	[ -z "$(grep -vE '^(cu[A-Z]|cuda|__cuda|cupti)|^(dlsym|dlvsym|_exit|_Exit|f?exec[a-z]*|sigaction|signal|bsd_signal|ssignal|(__)?sysv_signal|sigset|siginterrupt|prctl|InitializeInjectionNvtx2)$' exported)" ]
	# A name with a version would be passed over by the loader without a word.
	[ -z "$(grep '@' exported)" ]
}

@test "libktime.so exports every entry of its table" {
	not_under_sanitizers "symbols"
	entries | cut -d' ' -f1 >wanted
	sed -n 's/^HOST_CALL(\([^,]*\),.*/\1/p' "$root/preload/driver/host_calls.def" >>wanted
	sed -n 's/^RUNTIME(\([^,]*\),.*/\1/p' "$root/preload/driver/runtime.def" >>wanted
	nm -D --defined-only "$built/libktime.so" | awk '{ print $3 }' | sort >exported
	[ -z "$(sort -u wanted | comm -23 - exported)" ]
}

@test "libktime.so needs the C library and its loader alone" {
	not_under_sanitizers "symbols"
	# libdl and libpthread are parts of it, and empty since glibc 2.34.
	ldd "$built/libktime.so" | awk '{ print $1 }' |
		sed 's|.*/||; s/\.so.*//' | sort >needed
	[ -z "$(grep -vE '^(linux-vdso|libc|libdl|libpthread|ld-linux.*)$' needed)" ]
	grep -qx libc needed
}
