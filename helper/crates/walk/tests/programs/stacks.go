// Goroutines, the scheduler's stack, the clock of the vDSO, a growing stack, a panic that is recovered. Between the two
// breakpoints every instruction is watched.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"time"
)

//go:noinline
func deep(n int) int {
	var pad [64]int
	if n == 0 {
		return pad[0]
	}
	pad[n%64] = deep(n-1) + n
	return pad[n%64]
}

//go:noinline
func recovered() (err any) {
	defer func() { err = recover() }()
	var none []int
	return none[deep(3)]
}

func work(done chan<- int) {
	numbers := []int{3, 1, 2}
	sort.Slice(numbers, func(a, b int) bool { return numbers[a] < numbers[b] })
	done <- deep(300) // grows the stack
}

func main() {
	runtime.GOMAXPROCS(1)
	runtime.LockOSThread()
	runtime.Breakpoint()
	started := time.Now()
	text := fmt.Sprint(deep(5), recovered(), started.IsZero())
	runtime.GC()
	done := make(chan int, 1)
	runtime.UnlockOSThread()
	work(done)
	runtime.Breakpoint()
	fmt.Fprintln(os.Stderr, text, <-done)
}
