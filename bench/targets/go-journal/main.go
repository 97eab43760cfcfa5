// journal FILE ENTRIES: writes so many entries, each of which is to be on the disk before the next one.
package main

import (
	"log"
	"os"
	"strconv"
)

func main() {
	entries, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for i := 0; i < entries; i++ {
		if _, err := file.WriteString("an entry of the journal\n"); err != nil {
			log.Fatal(err)
		}
		if err := file.Sync(); err != nil { // the disk
			log.Fatal(err)
		}
	}
}
