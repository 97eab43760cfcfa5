// Counts words on several goroutines that pass pieces through channels, sorts them, and makes garbage on the way: Go's
// own stacks, its collector and its system stack are all in the samples.
//
//	words ROUNDS
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type count struct {
	word  string
	times int
}

// text makes a text of n words that occur unequally often.
func text(seed uint64, n int) string {
	var b strings.Builder
	for i := 0; i < n; i++ {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		b.WriteString("word")
		b.WriteString(strconv.FormatUint(seed%(seed%997+1), 10))
		b.WriteByte(' ')
	}
	return b.String()
}

func counted(piece string) map[string]int {
	counts := make(map[string]int)
	for _, word := range strings.Fields(piece) {
		counts[strings.ToUpper(word)]++
	}
	return counts
}

func sorted(counts map[string]int) []count {
	list := make([]count, 0, len(counts))
	for word, times := range counts {
		list = append(list, count{word, times})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].times != list[j].times {
			return list[i].times > list[j].times
		}
		return list[i].word < list[j].word
	})
	return list
}

func work(pieces <-chan string, results chan<- []count, done *sync.WaitGroup) {
	defer done.Done()
	for piece := range pieces {
		results <- sorted(counted(piece))
	}
}

func main() {
	rounds := 200
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	pieces, results := make(chan string), make(chan []count, 4)
	var done sync.WaitGroup
	for i := 0; i < 4; i++ {
		done.Add(1)
		go work(pieces, results, &done)
	}
	go func() {
		for i := 0; i < rounds; i++ {
			pieces <- text(uint64(i)+88172645463325252, 8000)
		}
		close(pieces)
		done.Wait()
		close(results)
	}()
	sum := 0
	for result := range results {
		sum += result[0].times
	}
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	cpu := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	fmt.Printf("{\"sum\":\"%x\",\"cpuNs\":%d,\"endedNs\":\"%d\"}\n", sum, cpu.Nanoseconds(), time.Now().UnixNano())
}
