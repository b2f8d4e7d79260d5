# SPDX-License-Identifier: MIT
# Go with cgo, position independent: libc below, goroutines above.
needs='go gcc'
limit=180
setup() {
	cat >main.go <<'END'
package main

import "C"

import ("bufio"; "crypto/sha256"; "fmt"; "net"; "os"; "os/exec"; "os/signal"; "runtime"; "sort"; "strings"; "sync"; "syscall"; "time")

func main() {
	var wg sync.WaitGroup
	sums := make([]int, 50)
	for i := range sums { wg.Add(1); go func(i int) { defer wg.Done(); for j := 0; j < 100000; j++ { sums[i] += j % (i + 1) } }(i) }
	wg.Wait(); sort.Ints(sums); fmt.Println(sums[:5], sums[49])
	m := map[string][]byte{}
	for i := 0; i < 20000; i++ { m[fmt.Sprint(i%3000)] = make([]byte, 1000) }
	runtime.GC(); fmt.Println(len(m)); fmt.Printf("%x\n", sha256.Sum256([]byte(strings.Repeat("x", 100000))))
	func() { defer func() { fmt.Println("recovered", recover()) }(); var p *int; *p = 1 }()
	l, err := net.Listen("tcp", "127.0.0.1:0"); if err != nil { panic(err) }
	go func() { c, _ := l.Accept(); s, _ := bufio.NewReader(c).ReadString('\n'); fmt.Fprint(c, strings.ToUpper(s)); c.Close() }()
	c, err := net.Dial("tcp", l.Addr().String()); if err != nil { panic(err) }
	fmt.Fprintln(c, "over tcp"); s, _ := bufio.NewReader(c).ReadString('\n'); fmt.Print(s)
	out, err := exec.Command("sh", "-c", "echo child; exit 3").CombinedOutput(); fmt.Print(string(out)); fmt.Println(err)
	sig := make(chan os.Signal, 1); signal.Notify(sig, syscall.SIGUSR1); syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	select { case x := <-sig: fmt.Println(x); case <-time.After(5 * time.Second): fmt.Println("no signal") }
	exe, _ := os.Executable(); fmt.Println(exe, os.Args[1:]); os.Exit(27)
}
END
	GOFLAGS=-mod=mod GO111MODULE=off GOCACHE=$PWD/../gocache CGO_ENABLED=1 go build -buildmode=pie -o prog main.go
}
cmd() {
	R ./prog one two
}
