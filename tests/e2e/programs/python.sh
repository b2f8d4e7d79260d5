# SPDX-License-Identifier: MIT
# Debian's python3 is not position independent: it lies at 0x400000.
needs='/usr/bin/python3'
setup() {
	cat >script.py <<'END'
import ctypes, hashlib, json, os, re, signal, sqlite3, subprocess, sys, threading, zlib
print(hashlib.sha256(json.dumps({str(i): i * i for i in range(20000)}).encode()).hexdigest())
print(len(zlib.compress(b"abc" * 100000)), zlib.crc32(b"x" * 1000))
total = []
def work(n):
    total.append(sum(i * i for i in range(n)))
ts = [threading.Thread(target=work, args=(20000 + i,)) for i in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print(sorted(total))
db = sqlite3.connect("x.db"); db.execute("create table t(a,b)")
db.executemany("insert into t values(?,?)", [(i, str(i)) for i in range(5000)]); db.commit()
print(db.execute("select sum(a), count(b) from t where b like '%7%'").fetchone())
print(subprocess.run(["sh", "-c", "echo out; exit 3"], capture_output=True))
r, w = os.pipe(); pid = os.fork()
if pid == 0:
    os.write(w, b"from the child"); os._exit(6)
print(os.read(r, 100), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
libc = ctypes.CDLL(None); libc.abs.restype = ctypes.c_int; print(libc.abs(-5))
signal.signal(signal.SIGUSR1, lambda *a: print("got USR1")); os.kill(os.getpid(), signal.SIGUSR1)
print(sys.executable, sys.argv, re.findall(r"\d+", "a1b22c333"))
print(os.path.realpath("/proc/self/exe"))
sys.exit(41)
END
}
cmd() {
	R /usr/bin/python3 script.py a 'b c'
}
