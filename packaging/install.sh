#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs ktime below DESTDIR/PREFIX, or removes it from there. As root, and without DESTDIR, the loader
# is told of the library, so that LD_PRELOAD=libktime.so finds it; where it does not, says what to use.
# Usage: install.sh install|uninstall BUILD PREFIX [DESTDIR]
set -euo pipefail
action=$1 build=$2 prefix=$3 destination=${4-}
PATH=$PATH:/usr/sbin:/sbin

# Each line: permissions, the file, where it goes.
files="
	755 $build/ktime                     bin/ktime
	755 $build/libktime.so               lib/libktime.so
	644 report/command/ktime.1           share/man/man1/ktime.1
	644 report/command/completion.bash   share/bash-completion/completions/ktime
	644 report/command/completion.zsh    share/zsh/site-functions/_ktime
	644 report/command/completion.fish   share/fish/vendor_completions.d/ktime.fish"

while read -r mode file place; do
	[ -n "$mode" ] || continue
	target=$destination$prefix/$place
	case $action in
	install) install -D -m "$mode" "$file" "$target" && echo "INSTALL $target" ;;
	uninstall) [ ! -e "$target" ] || { rm "$target" && echo "REMOVE $target"; } ;;
	*) echo "usage: $0 install|uninstall BUILD PREFIX [DESTDIR]" >&2; exit 2 ;;
	esac
done <<<"$files"

[ -z "$destination" ] || exit 0
[ "$(id -u)" -ne 0 ] || ldconfig || true
if [ "$action" = install ] && ! ldconfig -p 2>/dev/null | grep -qF "=> $prefix/lib/libktime.so"; then
	echo "ktime: the loader does not look into $prefix/lib: use LD_PRELOAD=$prefix/lib/libktime.so ./app" >&2
fi
