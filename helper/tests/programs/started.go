// Allocates with a known answer, once a recording samples it: the probe is in its code, and Go has a distance between samples.
// STARTS=N: starts itself N times, instead. LIVES=S: prints Go's distance after S seconds. WAITS=S: once there is one, or after S seconds. ALWAYS: samples from
// the start and allocates for ever. It does not read Go's heap profile, so the linker turns sampling off.
package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"time"
	"unsafe"
)

type node struct {
	next *node
	pad  [15]uint64
}

var (
	kept  *node
	brief []byte
)

//go:noinline
func keep(n int) {
	for i := 0; i < n; i++ {
		kept = &node{next: kept} // the leak: in blocks of 128 B
	}
}

//go:noinline
func drop(n int) {
	for i := 0; i < n; i++ {
		brief = make([]byte, 1024) // the brief one
	}
	brief = nil
}

func symbol(symbols []elf.Symbol, name string) elf.Symbol {
	for _, one := range symbols {
		if one.Name == name {
			return one
		}
	}
	panic("no " + name)
}

// The function's code in memory, and as it is in the file.
func codeOf(name string) (memory, linked []byte) {
	file, err := elf.Open("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	symbols, err := file.Symbols()
	if err != nil {
		panic(err)
	}
	bias := uint64(reflect.ValueOf(keep).Pointer()) - symbol(symbols, "main.keep").Value
	function := symbol(symbols, name)
	text := file.Section(".text")
	linked = make([]byte, function.Size)
	if _, err := text.ReadAt(linked, int64(function.Value-text.Addr)); err != nil {
		panic(err)
	}
	start := uintptr(function.Value + bias)
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&start))), function.Size), linked
}

func waitUntilSampled() {
	memory, linked := codeOf("runtime.mProf_Malloc")
	for runtime.MemProfileRate == 0 || bytes.Equal(memory, linked) {
		time.Sleep(time.Millisecond)
	}
}

func seconds(name string) time.Duration {
	number, _ := strconv.Atoi(os.Getenv(name))
	return time.Duration(number) * time.Second
}

func main() {
	if starts, err := strconv.Atoi(os.Getenv("STARTS")); err == nil {
		for i := 0; i < starts; i++ {
			child := exec.Command("/proc/self/exe")
			child.Env = []string{}
			child.Stdout = os.Stdout
			if err := child.Run(); err != nil {
				panic(err)
			}
		}
		return
	}
	if waits, lives := seconds("WAITS"), seconds("LIVES"); waits+lives > 0 {
		for since := time.Now(); time.Since(since) < waits+lives; time.Sleep(time.Millisecond) {
			if waits > 0 && runtime.MemProfileRate != 0 {
				break
			}
		}
		fmt.Println(runtime.MemProfileRate)
		return
	}
	for os.Getenv("ALWAYS") != "" {
		runtime.MemProfileRate = 512 << 10
		drop(1000)
	}
	waitUntilSampled()
	keep(500000)
	drop(300000)
	fmt.Println(os.Getpid())
}
