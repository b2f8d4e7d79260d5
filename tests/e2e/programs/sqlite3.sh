# SPDX-License-Identifier: MIT
needs='sqlite3'
cmd() {
	R sqlite3 t.db <<'END'
pragma journal_mode=wal;
create table t(id integer primary key, v text);
with recursive n(i) as (select 1 union all select i+1 from n where i<50000) insert into t select i, hex(i*7919) from n;
create index v on t(v);
select count(*), min(v), max(v) from t;
select group_concat(id) from (select id from t where v like '%99%' order by v limit 7);
pragma mmap_size=268435456;
select sum(length(v)) from t;
pragma integrity_check;
select * from nosuch;
END
	s=$?
	R sqlite3 -json t.db 'select * from t limit 2'
	return $s
}
