# SPDX-License-Identifier: MIT
needs='node'
cmd() {
	R node -e 'const c = require("crypto"), cp = require("child_process"), { Worker } = require("worker_threads"), http = require("http"), zlib = require("zlib");
		console.log(c.createHash("sha256").update(JSON.stringify([...Array(50000).keys()])).digest("hex"));
		const s = http.createServer((q, r) => r.end("url " + q.url)).listen(0, "127.0.0.1", () =>
			http.get({ port: s.address().port, path: "/x" }, r => r.on("data", d => console.log(String(d))).on("end", () => { s.close(); next(); })));
		function next() { new Worker("require(`worker_threads`).parentPort.postMessage([...Array(1000).keys()].reduce((a,b)=>a+b))", { eval: true })
			.on("message", m => { console.log("worker", m); console.log(cp.execSync("echo child").toString().trim());
			let o = {}; for (let i = 0; i < 3e5; i++) o["k" + i % 5000] = [i]; console.log(Object.keys(o).length);
			zlib.gzip(Buffer.alloc(1e6), (e, b) => { console.log(b.length); console.log(process.argv0, process.execPath); process.exitCode = 14; }); }); }'
}
