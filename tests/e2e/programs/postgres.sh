# SPDX-License-Identifier: MIT
# The server and its client; a program of PostgreSQL does not run as root.
needs='psql runuser'
limit=120
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
needs="$needs ${bin:-/usr/lib/postgresql/missing}/postgres"
as() {
	local start=$1
	shift
	if [ "$(id -u)" -eq 0 ]; then $start runuser -u postgres -- "$@"; else $start "$@"; fi
}
setup() {
	if [ "$(id -u)" -eq 0 ]; then chown postgres .; fi
}
cmd() {
	local server
	as R "$bin/initdb" -D data -U pg -N --no-locale -E UTF8 -A trust >log 2>&1 || tail -3 log
	mkdir -p sock && if [ "$(id -u)" -eq 0 ]; then chown postgres sock; fi
	as S "$bin/postgres" -D data -k "$PWD/sock" -c listen_addresses= -c fsync=off -c shared_buffers=16MB >>log 2>&1 &
	server=$!
	until_true psql -h "$PWD/sock" -U pg -d postgres -c 'select 1'
	R psql -X -q -h "$PWD/sock" -U pg -d postgres <<'END'
create table t as select i, md5(i::text) m from generate_series(1, 20000) i;
create index on t(m);
select count(*), min(m), max(m) from t;
set max_parallel_workers_per_gather = 2; set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0;
select sum(i) from t where m like '%7%';
do $$ begin raise notice 'plpgsql says %', 6 * 7; end $$;
select nosuch;
END
	kill -INT "$(head -1 data/postmaster.pid)"
	wait $server
}
