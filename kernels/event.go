//go:build cuda

package kernels

import (
	"time"

	"gorgonia.org/cu"
)

// Event is a place in the stream whose time the device keeps.
type Event struct {
	device *Device
	event  cu.Event
}

// NewEvent returns an event that is at no place yet.
func (d *Device) NewEvent() (*Event, error) {
	e, err := cu.MakeEvent(cu.DefaultEvent)
	if err != nil {
		return nil, failed("cuEventCreate", err)
	}
	return &Event{d, e}, nil
}

// Record puts the event behind everything launched so far.
func (e *Event) Record() error {
	return failed("cuEventRecord", e.event.Record(e.device.stream))
}

// Since waits for the event and returns the time from start to it, in steps of
// about half a microsecond. Both must have been recorded, start first.
func (e *Event) Since(start *Event) (time.Duration, error) {
	if err := e.event.Synchronize(); err != nil {
		return 0, failed("cuEventSynchronize", err)
	}
	ms, err := start.event.Elapsed(e.event)
	return time.Duration(ms * float64(time.Millisecond)), failed("cuEventElapsedTime", err)
}

// Close gives the event back. A nil one stays as it is.
func (e *Event) Close() error {
	if e == nil || e.event == (cu.Event{}) {
		return nil
	}
	return failed("cuEventDestroy", cu.DestroyEvent(&e.event))
}
