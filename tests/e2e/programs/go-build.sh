# SPDX-License-Identifier: MIT
# The go tool itself, which starts its compiler and linker.
needs='go'
limit=180
setup() {
	printf 'package main\n\nfunc main() { println("built"); }\n' >a.go
	printf 'package main\n\nfunc main() { x }\n' >bad.go
	GO111MODULE=off GOCACHE=$PWD/../gocache CGO_ENABLED=0 go build -o /dev/null a.go
}
cmd() {
	export GO111MODULE=off GOCACHE=$PWD/../gocache CGO_ENABLED=0 GOTELEMETRY=off
	R go version && R go env GOOS GOARCH && R go vet a.go && R go build -o a.out a.go && ./a.out
	R gofmt a.go
	R go build -o b.out bad.go
}
