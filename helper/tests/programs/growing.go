// Goroutines whose stacks grow again and again, inside of the functions that are called.
package main

import (
	"fmt"
	"sync"
)

//go:noinline
func descend(depth int) int {
	var room [64]int
	room[depth%64] = depth
	if depth == 0 {
		return room[0]
	}
	return descend(depth-1) + room[depth%64]
}

func main() {
	var all sync.WaitGroup
	sums := make([]int, 200)
	for i := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			sums[i] = descend(500 + i)
		}()
	}
	all.Wait()
	total := 0
	for _, sum := range sums {
		total += sum
	}
	fmt.Println("sum", total)
}
