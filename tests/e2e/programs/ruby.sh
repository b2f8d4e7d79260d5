# SPDX-License-Identifier: MIT
needs='ruby'
cmd() {
	R ruby -e 'require "json"; require "digest"; require "socket"
		puts Digest::SHA1.hexdigest(JSON.generate((1..20000).map { |i| {i => i.to_s * 3} }))
		q = Queue.new; ts = 4.times.map { |i| Thread.new { 1000.times { |j| q << i * j } } }; ts.each(&:join); puts q.size
		r, w = IO.pipe; pid = fork { w.puts "child #{1 + 1}"; exit! 5 }; Process.wait pid; puts r.gets, $?.exitstatus
		s = TCPServer.new("127.0.0.1", 0); Thread.new { c = s.accept; c.puts c.gets.upcase; c.close }
		c = TCPSocket.new("127.0.0.1", s.addr[1]); c.puts "tcp"; puts c.gets
		f = Fiber.new { Fiber.yield 1; 2 }; p f.resume, f.resume; trap("USR2") { puts "usr2" }; Process.kill "USR2", $$; sleep 0.05
		puts `echo sub`; GC.start; exit 21'
}
