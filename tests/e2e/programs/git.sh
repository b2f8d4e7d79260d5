# SPDX-License-Identifier: MIT
needs='git'
cmd() {
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000' GIT_CONFIG_NOSYSTEM=1
	R git init -q -b main repo && cd repo || return 1
	seq 1 3000 >numbers
	R git add numbers && R git commit -q -m first
	seq 1 3 3000 >numbers
	R git commit -q -a -m second
	R git log --stat --format='%H %s'
	R git checkout -q -b side HEAD~1 && echo x >x && R git add x && R git commit -q -m side
	R git merge -q main -m merged
	R git gc -q
	R git fsck --no-progress
	R git clone -q . ../copy && R git -C ../copy log --oneline
	R git grep -c 77 && R git diff --stat HEAD~1
	R git show nosuch
}
