# SPDX-License-Identifier: MIT
# A program of the user's that uses one SQLite database from several threads.
needs='gcc'
setup() {
	cat >prog.c <<'END'
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
static void run(sqlite3 *db, const char *sql)
{
	char *why = NULL;
	if (sqlite3_exec(db, sql, NULL, NULL, &why)) { fprintf(stderr, "%s: %s\n", sql, why); exit(1); }
}
static void *work(void *id)
{
	sqlite3 *db;
	char sql[100];
	if (sqlite3_open("threads.db", &db)) exit(2);
	sqlite3_busy_timeout(db, 30000);
	for (int i = 0; i < 50; i++) {
		snprintf(sql, sizeof sql, "insert into t values(%ld, %d)", (long)id, i);
		run(db, sql);
	}
	sqlite3_close(db);
	return NULL;
}
static int show(void *a, int n, char **v, char **names)
{
	printf("%s rows, sum %s\n", v[0], v[1]);
	return 0;
}
int main(void)
{
	pthread_t t[4];
	sqlite3 *db;
	sqlite3_open("threads.db", &db);
	run(db, "pragma journal_mode=wal; pragma synchronous=off; create table t(a,b)");
	for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i);
	for (long i = 0; i < 4; i++) pthread_join(t[i], NULL);
	return sqlite3_exec(db, "select count(*), sum(a*1000+b) from t", show, NULL, NULL);
}
END
	echo '#include <sqlite3.h>' | gcc -E - >/dev/null && gcc -O1 -pthread -o prog prog.c -lsqlite3
}
cmd() {
	R ./prog
}
