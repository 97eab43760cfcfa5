// Allocates with a known answer. With HEAP_PROFILE it writes Go's own heap profile there; with HEAP_RATE it sets Go's distance between samples.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
)

type node struct {
	next *node
	pad  [14]uint64
}

var (
	kept  *node
	brief []byte
	large [20][]byte
	tiny  [1000]*byte
)

//go:noinline
func keep(n int) {
	for i := 0; i < n; i++ {
		kept = &node{next: kept} // the leak: 120 B in blocks of 128 B
	}
}

//go:noinline
func drop(n int) {
	for i := 0; i < n; i++ {
		brief = make([]byte, 1000) // the brief one: in blocks of 1,024 B
	}
	brief = nil
}

//go:noinline
func finalized(n int) {
	for i := 0; i < n; i++ {
		one := &node{} // with a finalizer
		runtime.SetFinalizer(one, func(*node) {})
	}
}

// Each goroutine begins with a small stack, which grows in the middle of an allocation.
func deep(depth int) byte {
	var frame [64]byte
	if depth == 0 {
		wide := make([]uint64, depth+250) // deep in a grown stack: in blocks of 2,048 B
		return byte(len(wide)) + frame[depth%64]
	}
	frame[depth%64] = deep(depth - 1)
	return frame[depth%64]
}

func scale() int {
	if rate, err := strconv.Atoi(os.Getenv("HEAP_RATE")); err == nil {
		runtime.MemProfileRate = rate
		return 1
	}
	return 100
}

var times = scale()

func main() {
	keep(5000 * times)
	drop(3000 * times)
	for i := range large {
		large[i] = make([]byte, 8<<20) // large ones
	}
	for i := range tiny {
		tiny[i] = new(byte) // tiny ones
	}
	finalized(100 * times)
	var all sync.WaitGroup
	for i := 0; i < 20*times; i++ {
		all.Add(1)
		go func(depth int) {
			defer all.Done()
			deep(depth)
		}(i % 200)
	}
	all.Wait()
	// What has a finalizer is freed by the collection after the one that finds it. A sweep is complete at the next one's start.
	for i := 0; i < 4; i++ {
		runtime.GC()
	}
	if path := os.Getenv("HEAP_PROFILE"); path != "" {
		file, err := os.Create(path)
		if err == nil {
			err = pprof.Lookup("heap").WriteTo(file, 0)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	runtime.KeepAlive(kept)
}
