# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced with address|thread and a folder: sanitizer_flags is what is built with, and what runs
# writes into the folder what it is told of.

# Faults are what some tests are about. What ktime holds until the process ends is no leak.
sanitizer_options="log_path=$2/report:handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0"
export SANITIZE=$1
export ASAN_OPTIONS=$sanitizer_options:detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1
export UBSAN_OPTIONS=$sanitizer_options:print_stacktrace=1
# A program may leave its threads, and ktime its own, to the end of the process; nothing is waited for
# there, which would be a second for each of the programs.
export TSAN_OPTIONS=$sanitizer_options:atexit_sleep_ms=0:die_after_fork=0:report_thread_leaks=0

sanitizer_flags="-O1 -g1 -fno-omit-frame-pointer"
case $1 in
address) sanitizer_flags+=" -fsanitize=address,undefined -fno-sanitize-recover=undefined" ;;
thread) sanitizer_flags+=" -fsanitize=thread" ;;
esac
