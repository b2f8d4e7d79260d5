# SPDX-License-Identifier: MIT
needs='ssh ssh-keygen ssh-agent ssh-add'
cmd() {
	R ssh -V
	R ssh-keygen -q -t ed25519 -N '' -C test -f key && R ssh-keygen -l -f key.pub | cut -d' ' -f1,3,4
	R ssh-keygen -q -t rsa -b 2048 -N pass -f rsa && R ssh-keygen -y -P wrong -f rsa
	seq 100 >doc && R ssh-keygen -q -Y sign -n file -f key doc && echo "me $(cut -d' ' -f1,2 key.pub)" >allowed
	R ssh-keygen -q -Y verify -n file -I me -f allowed -s doc.sig <doc && echo verified
	# The agent is setgid, which is refused in a group: it stays outside.
	eval "$(ssh-agent -s)" >/dev/null
	R ssh-add -q key && R ssh-add -l | cut -d' ' -f1,3,4
	ssh-agent -k >/dev/null
	R ssh -G -F /dev/null example | grep -c .
	R ssh -o BatchMode=yes -F /dev/null -p 1 127.0.0.1
}
