// SPDX-License-Identifier: Apache-2.0

// Writes real profiles of this very process into a folder: CPU, heap, allocs, mutex, block,
// goroutine and threadcreate, some of them several times. Standard library only.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"time"
)

var sink interface{}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func encode(rounds int) {
	for i := 0; i < rounds; i++ {
		values := map[string]interface{}{}
		for j := 0; j < 200; j++ {
			values[fmt.Sprintf("key%d", j)] = strings.Repeat("x", j)
		}
		text, _ := json.Marshal(values)
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(text)
		w.Close()
		var back map[string]interface{}
		json.Unmarshal(text, &back)
		sink = back
	}
}

func match(rounds int) {
	re := regexp.MustCompile(`(\w+)@(\w+)\.(com|org)`)
	text := strings.Repeat("someone@example.org nobody at all ", 50)
	for i := 0; i < rounds; i++ {
		found := re.FindAllString(text, -1)
		sort.Strings(found)
		sink = found
	}
}

func contend() {
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 20; j++ {
				mu.Lock()
				time.Sleep(200 * time.Microsecond)
				mu.Unlock()
			}
		}()
	}
	group.Wait()
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	folder := os.Args[1]
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	runtime.MemProfileRate = 4096
	block := make(chan bool)
	for i := 0; i < 5; i++ {
		go func() { <-block }()
	}
	for round := 0; round < 4; round++ {
		file, err := os.Create(filepath.Join(folder, fmt.Sprintf("go-cpu-%d.pb.gz", round)))
		check(err)
		check(pprof.StartCPUProfile(file))
		labels := pprof.Labels("round", fmt.Sprint(round), "kind", "work")
		pprof.Do(context.Background(), labels, func(context.Context) {
			end := time.Now().Add(400 * time.Millisecond)
			for time.Now().Before(end) {
				encode(5)
				match(20)
				fib(22)
			}
		})
		pprof.StopCPUProfile()
		check(file.Close())
		contend()
		for _, name := range []string{"heap", "allocs", "mutex", "block", "goroutine", "threadcreate"} {
			file, err := os.Create(filepath.Join(folder, fmt.Sprintf("go-%s-%d.pb.gz", name, round)))
			check(err)
			check(pprof.Lookup(name).WriteTo(file, 0))
			check(file.Close())
		}
	}
	close(block)
}
