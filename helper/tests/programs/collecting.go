// Builds trees and drops them: the runtime allocates and collects on its own stack, called from deep in the program.
package main

import "fmt"

type tree struct{ left, right *tree }

func build(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{build(depth - 1), build(depth - 1)}
}

func (t *tree) nodes() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.nodes() + t.right.nodes()
}

func main() {
	kept := build(18)
	nodes := 0
	for round := 0; round < 800; round++ {
		nodes += build(14).nodes()
	}
	fmt.Println(nodes, kept.nodes())
}
