// A chain of inlined calls two deep, as in sums.c.
package main

import "fmt"

func add(left, right int) int {
	return left + right*3
}

func twice(value int) int {
	return add(value, value) ^ 5
}

//go:noinline
func sumTo(count int) int {
	sum := 0
	for at := 0; at < count; at++ {
		sum += twice(at)
	}
	return sum
}

func main() {
	fmt.Println(sumTo(1000))
}
