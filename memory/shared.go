package memory

// sharedFiles is the most files that shared memory lies in.
const sharedFiles = 8

// Shared names memory to the processes of this machine: open files of a process, or less than 0.
type Shared struct {
	Process int64
	Files   [sharedFiles]int64
}
