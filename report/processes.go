package report

import (
	"fmt"
	"slices"

	"graph500/processors"
)

// Rank is one process of the run. Values that an earlier program did not record are empty.
type Rank struct {
	Host       string `json:"host"`              // name of its host
	Threads    int    `json:"threads"`           // worker threads
	GPUs       int    `json:"gpus"`              // number of its GPUs
	Processors string `json:"processors"`        // logical processors that it may use, such as 0-15,32; empty if unknown
	Memory     uint64 `json:"host_memory_bytes"` // memory of its host
	Peak       uint64 `json:"peak_memory_bytes"` // maximum resident memory; 0 if unknown, and in a comparison
}

// GPUs returns the number of GPUs of the run.
func (s *Setup) GPUs() int { return len(s.Devices) }

// Ranks returns the number of processes of the run.
func (s *Setup) Ranks() int { return max(1, len(s.Processes)) }

// Hosts lists the hosts of the run, that of rank 0 first.
func (s *Setup) Hosts() []string {
	hosts := []string{s.Machine.Host}
	if len(s.Processes) > 0 {
		hosts[0] = s.Processes[0].Host
	}
	for _, p := range s.Processes {
		if !slices.Contains(hosts, p.Host) {
			hosts = append(hosts, p.Host)
		}
	}
	return hosts
}

// Threads returns the number of worker threads of all processes.
func (s *Setup) Threads() (n int) {
	if len(s.Processes) == 0 {
		return s.Engine.Threads
	}
	for _, p := range s.Processes {
		n += p.Threads
	}
	return n
}

// Cores returns the number of logical processors that the processes of the run could use,
// each counted once. Where they are not recorded, it is the number of those of rank 0 or of
// the threads, whichever is larger, for each host.
func (s *Setup) Cores() (n int) {
	if len(s.Processes) == 0 {
		return s.Machine.Cores
	}
	for _, host := range s.Hosts() {
		n += s.coresOf(host)
	}
	return n
}

func (s *Setup) coresOf(host string) int {
	seen := make(map[int]bool)
	known, threads := true, 0
	for _, p := range s.Processes {
		if p.Host != host {
			continue
		}
		threads += p.Threads
		numbers, err := processors.Parse(p.Processors)
		known = known && err == nil
		for _, number := range numbers {
			seen[number] = true
		}
	}
	switch {
	case known:
		return len(seen)
	case len(s.Processes) == 1:
		return s.Machine.Cores
	}
	return max(s.Machine.Cores, threads)
}

// Memory returns the bytes of memory of all hosts; 0 if that of one is unknown.
func (s *Setup) Memory() (n uint64) {
	hosts := s.Hosts()
	if len(hosts) == 1 {
		return s.Machine.Memory
	}
	for _, host := range hosts {
		i := slices.IndexFunc(s.Processes, func(p Rank) bool { return p.Host == host })
		if s.Processes[i].Memory == 0 {
			return 0
		}
		n += s.Processes[i].Memory
	}
	return n
}

// HardwareName returns what searched: the devices, or the processor with the number of
// threads, and the number of hosts if there are several.
func (s *Setup) HardwareName() string {
	threads := fmt.Sprintf("%d threads", s.Threads())
	if s.Threads() == 1 {
		threads = "1 thread"
	}
	name := s.Machine.Processor + ", " + threads
	switch n := s.GPUs(); {
	case n > 1:
		name = fmt.Sprintf("%d x %s", n, s.Device.Name)
	case s.Device != nil:
		name = s.Device.Name
	}
	if n := len(s.Hosts()); n > 1 {
		name += fmt.Sprintf(", %d hosts", n)
	}
	return name
}
