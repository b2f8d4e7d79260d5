# SPDX-License-Identifier: MIT
needs='lua5.4'
cmd() {
	R lua5.4 - one two <<'END'
local t = {} for i = 1, 200000 do t[#t + 1] = ("%x"):format(i * 7919) end
table.sort(t) print(#t, t[1], t[#t], #table.concat(t))
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(co(), co(), co())
print(pcall(error, {1})) print(string.pack("<i4", 77):byte(1, 4)) print(select("#", ...), ...)
local p = io.popen("echo popen; exit 4") print(p:read("a"), p:close())
collectgarbage() os.exit(19)
END
}
filter() {
	sed 's/0x[0-9a-f]*/ADDRESS/'
}
