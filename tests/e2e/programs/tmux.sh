# SPDX-License-Identifier: MIT
# The client starts a server that leaves its session; it must stay alive and answer.
needs='tmux'
cmd() {
	export TERM=xterm
	R tmux -f /dev/null -S "$PWD/s" new-session -d -x 80 -y 24 'echo in the pane; cat'
	until_true bash -c 'tmux -S s capture-pane -p | grep -q pane'
	R tmux -S "$PWD/s" send-keys 'typed' Enter
	until_true bash -c 'test $(tmux -S s capture-pane -p | grep -c typed) = 2'
	R tmux -S "$PWD/s" capture-pane -p | grep .
	R tmux -S "$PWD/s" split-window -d cat
	until_true bash -c 'test "$(tmux -S s list-panes -F "#{pane_current_command}" | sort -u)" = cat'
	R tmux -S "$PWD/s" list-panes -F '#{pane_width}x#{pane_height} #{pane_current_command}'
	R tmux -S "$PWD/s" kill-server
	R tmux -S "$PWD/nosuch" ls
}
