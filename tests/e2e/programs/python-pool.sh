# SPDX-License-Identifier: MIT
needs='/usr/bin/python3'
setup() {
	cat >pool.py <<'END'
import multiprocessing as mp, mmap, asyncio, socket
def square(x): return x * x
async def talk():
    async def serve(r, w):
        w.write((await r.readline()).upper()); await w.drain(); w.close()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    r, w = await asyncio.open_connection("127.0.0.1", port)
    w.write(b"hello over loopback\n"); await w.drain(); print(await r.readline()); w.close()
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with mp.get_context(method).Pool(3) as p:
            print(method, sum(p.map(square, range(1000))))
    m = mmap.mmap(-1, 1 << 20); m.write(b"shared"); m.resize(1 << 21); print(m[:6], len(m))
    asyncio.run(talk())
END
}
cmd() {
	R /usr/bin/python3 pool.py
}
