# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Set-up shared by tests/run and demos/run: install what is missing, build. To be sourced by bash.
# Debian and Ubuntu; as root or through sudo. Nothing is installed without being named first, and
# nothing is touched where everything is there already.
#
#	tp_need_packages PKG...          install these or fail
#	tp_want_packages PKG...          install those that this release has, name the others
#	tp_package_list FILE...          print the package names of list files (# starts a comment)
#	tp_build DIR [MESON OPTION...]   configure DIR (again) and compile
#
# TPRUN_INSTALL=no: install nothing, only say what is missing.

tp_source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Without these nothing can be built.
# shellcheck disable=SC2034 # used by tests/run and demos/run
tp_build_packages=(gcc g++ libc6-dev meson ninja-build pkg-config libelf-dev)
# With these the tests are built, too.
# shellcheck disable=SC2034 # used by tests/run
tp_test_packages=(libcmocka-dev)

# For another processor: its compilers, and a machine with it.
# shellcheck disable=SC2034 # used by tests/run
tp_cross_packages=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-system-arm cpio)

tp_say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

tp_package_list() {
	sed -e 's/#.*//' -- "$@" | tr -s ' \t' '\n' | sed '/^$/d'
}

# Prints those of PKG... that are not installed.
tp_missing_packages() {
	local pkg
	for pkg; do
		dpkg-query -W -f '${db:Status-Status}\n' "$pkg" 2>/dev/null | grep -qx installed ||
			printf '%s\n' "$pkg"
	done
}

# Runs a command as root. The environment is passed through env, since sudo clears it.
tp_as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		env "$@"
	elif command -v sudo >/dev/null; then
		sudo env "$@"
	else
		tp_say "this needs root and there is no sudo: run as root: $*"
		return 1
	fi
}

tp_apt() {
	tp_as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 \
		-o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# Servers come as test subjects only: where the machine has no say of its own about it, they are
# kept from being started by their installation. In a subshell, for the clean-up on an interrupt.
tp_apt_install() (
	policy=/usr/sbin/policy-rc.d
	log=$(mktemp) || exit 1
	trap 'rm -f "$log"' EXIT
	if [ ! -e "$policy" ]; then
		trap 'rm -f "$log"; tp_as_root rm -f "$policy"' EXIT
		# shellcheck disable=SC2016 # expanded by the inner shell
		tp_as_root sh -c 'printf "#!/bin/sh\nexit 101\n" >"$1" && chmod 755 "$1"' sh "$policy"
	fi
	tp_apt install -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || {
		tail -n 8 "$log" >&2
		exit 1
	}
)

# Prints those of PKG... that the package sources offer.
tp_offered_packages() {
	local pkg
	for pkg; do
		apt-cache policy "$pkg" 2>/dev/null | grep -q 'Candidate: [^(]' && printf '%s\n' "$pkg"
	done
	return 0
}

# Common part: sets `missing`; true if there is something to do and it may be done.
tp_begin_install() {
	mapfile -t missing < <(tp_missing_packages "$@")
	[ "${#missing[@]}" -gt 0 ] || return 1
	if [ "${TPRUN_INSTALL:-yes}" = no ]; then
		tp_say "not installed, and TPRUN_INSTALL=no: ${missing[*]}"
		return 1
	fi
	if [ -z "${tp_apt_updated:-}" ]; then
		tp_say 'fetching the package lists (apt-get update)'
		tp_apt update || tp_say 'apt-get update failed, trying with the lists that are there'
		tp_apt_updated=yes
	fi
}

tp_need_packages() {
	local missing
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		tp_say "this is neither Debian nor Ubuntu: make sure that you have the like of: $*"
		return 0
	fi
	tp_begin_install "$@" || return 0
	tp_say "installing: ${missing[*]}"
	tp_apt_install "${missing[@]}" && return 0
	tp_say "could not install: $(tp_missing_packages "${missing[@]}" | tr '\n' ' ')"
	return 1
}

# Two at once would be faster, but one that cannot be installed would take the others with it: so
# all together first, one after another only when that fails.
tp_want_packages() {
	local missing offered pkg left
	command -v apt-get >/dev/null || return 0
	tp_begin_install "$@" || return 0
	mapfile -t offered < <(tp_offered_packages "${missing[@]}")
	if [ "${#offered[@]}" -gt 0 ]; then
		tp_say "installing for the tests: ${offered[*]}"
		if ! tp_apt_install "${offered[@]}"; then
			for pkg in "${offered[@]}"; do
				tp_apt_install "$pkg" || true
			done
		fi
	fi
	mapfile -t left < <(tp_missing_packages "${missing[@]}")
	[ "${#left[@]}" -eq 0 ] || tp_say "not to be had here, tests of it are skipped: ${left[*]}"
}

# Configures DIR, again if it is there (from scratch where an old configuration is of no use any
# more), and compiles.
tp_build() {
	local dir=$1 log
	shift
	log=$(mktemp) || return 1
	if [ -e "$dir/build.ninja" ]; then
		meson setup --reconfigure "$@" "$dir" "$tp_source_root" >"$log" 2>&1 ||
			meson setup --wipe "$@" "$dir" "$tp_source_root" >"$log" 2>&1
	else
		meson setup "$@" "$dir" "$tp_source_root" >"$log" 2>&1
	fi || {
		tail -n 12 "$log" >&2
		rm -f "$log"
		tp_say "could not configure $dir (see above)"
		return 1
	}
	rm -f "$log"
	ninja -C "$dir" --quiet || {
		tp_say "could not compile in $dir (see above)"
		return 1
	}
}
