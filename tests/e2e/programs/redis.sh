# SPDX-License-Identifier: MIT
# Threads, a fork that writes the snapshot, and its own allocator.
needs='redis-server redis-cli redis-benchmark'
cmd() {
	local server
	S redis-server --port 0 --unixsocket s --dir "$PWD" --daemonize no --save '' --io-threads 2 >log 2>&1 &
	server=$!
	until_true redis-cli -s s ping
	R redis-cli -s s set a 1
	R redis-cli -s s eval 'for i=1,20000 do redis.call("set","k"..i,string.rep("x",i%100)) end return redis.call("dbsize")' 0
	R redis-benchmark -s s -q -n 2000 -c 5 -t set,get,lpush | grep -c requests
	R redis-cli -s s bgsave
	until_true bash -c 'redis-cli -s s info persistence | tr -d "\r" | grep -qx rdb_bgsave_in_progress:0 && test -s dump.rdb'
	R redis-cli -s s info persistence | tr -d '\r' | grep rdb_last_bgsave_status
	R redis-check-rdb dump.rdb | grep -cE 'keys read|RDB looks OK'
	R redis-cli -s s bgrewriteaof
	until_true bash -c 'redis-cli -s s info persistence | tr -d "\r" | grep -qx aof_rewrite_in_progress:0'
	R redis-cli -s s config set maxmemory nosuch
	R redis-cli -s s shutdown nosave
	wait $server
}
