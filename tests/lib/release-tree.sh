# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# To be sourced: the programs and libraries of another Debian release, unpacked below a folder, for
# `tprun --root`. Fetched by this machine's own apt, from the mirror it uses, into folders apart from
# its own state; nothing is installed. Where the release cannot be had, the caller skips.

# What is unpacked; in all releases the same names.
tp_tree_packages=(bash dash perl-base mawk xz-utils liblzma5 libc6 libc-bin libtinfo6 libcrypt1)

tp_tree_apt() {
	local dir=$1
	shift
	timeout 120 apt-get -qq -o Dir::State="$dir/state" -o Dir::Cache="$dir/cache" -o Dir::State::status="$dir/status" \
		-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User= \
		-o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

# tp_release_tree RELEASE DIR: DIR/root is the tree, made unless it is there already
tp_release_tree() {
	local release=$1 dir=$2 site keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e "$dir/ok" ] && return
	command -v dpkg-deb apt-get >/dev/null && [ -e $keyring ] || return
	site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -1)
	[ -n "$site" ] || return
	rm -rf "$dir"
	mkdir -p "$dir"/state/lists/partial "$dir"/cache/archives/partial "$dir"/root/{etc,tmp,dev,proc}
	: >"$dir/status"
	echo "deb [signed-by=$keyring] $site $release main" >"$dir/sources.list"
	tp_tree_apt "$dir" update || return
	(cd "$dir" && tp_tree_apt "$dir" download "${tp_tree_packages[@]}") || return
	# Releases that have merged /usr keep everything there and reach it through links.
	if ! dpkg-deb -c "$dir"/bash_*.deb | grep ' ./bin/bash$' >/dev/null; then
		(cd "$dir/root" && mkdir -p usr/{bin,sbin,lib,lib64} && ln -s usr/bin usr/sbin usr/lib usr/lib64 .)
	fi
	for deb in "$dir"/*.deb; do
		dpkg-deb -x "$deb" "$dir/root" || return
	done
	mknod -m 666 "$dir/root/dev/null" c 1 3 || return
	echo 'root:x:0:0:root:/root:/bin/sh' >"$dir/root/etc/passwd"
	echo "$release" >"$dir/root/etc/release-name"
	ln -sf mawk "$dir/root/usr/bin/awk"
	ln -sf bash "$dir/root/bin/sh"
	rm -rf "$dir"/*.deb "$dir/state" "$dir/cache"
	touch "$dir/ok"
}
