//go:build cuda

package device

import (
	"time"

	"gorgonia.org/cu"
)

// Event is a CUDA event: a position in the stream with a timestamp of the device.
type Event struct {
	device *Device
	event  cu.Event
}

// NewEvent returns an event that is not yet recorded.
func (d *Device) NewEvent() (*Event, error) {
	e := &Event{device: d}
	err := d.do(func() (err error) {
		e.event, err = cu.MakeEvent(cu.DefaultEvent)
		return failed("cuEventCreate", err)
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Record places the event after all work launched so far.
func (e *Event) Record() error {
	return e.device.do(func() error { return failed("cuEventRecord", e.event.Record(e.device.stream)) })
}

// Since waits for the event and returns the time from start to the event, with a
// resolution of about half a microsecond. start must have been recorded first.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms float64
	err := e.device.do(func() (err error) {
		if err := e.event.Synchronize(); err != nil {
			return failed("cuEventSynchronize", err)
		}
		ms, err = start.event.Elapsed(e.event)
		return failed("cuEventElapsedTime", err)
	})
	return time.Duration(ms * float64(time.Millisecond)), err
}

// Close destroys the event. Close of a nil or closed event does nothing.
func (e *Event) Close() error {
	if e == nil || e.event == (cu.Event{}) {
		return nil
	}
	return e.device.do(func() error { return failed("cuEventDestroy", cu.DestroyEvent(&e.event)) })
}
