package energy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"graph500/decimal"
)

// PowerLog is the log of a power meter.
type PowerLog struct {
	samples []sample // at least two, in the order of time
	spacing time.Duration
}

// sample is one line of a log.
type sample struct {
	at    time.Time
	watts float64
}

// ReadPowerLog reads a log in CSV: the header time,watts and a line for each sample. Times
// are in RFC 3339 or in seconds since 1970. An error contains the number of the line.
func ReadPowerLog(r io.Reader) (*PowerLog, error) {
	l := &PowerLog{}
	lines := csv.NewReader(r)
	lines.FieldsPerRecord, lines.TrimLeadingSpace, lines.ReuseRecord = -1, true, true
	for isHeader := true; ; isHeader = false {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err // contains the line
		}
		line, _ := lines.FieldPos(0)
		if isHeader {
			header := strings.TrimPrefix(strings.Join(cells, ","), "\ufeff") // a byte order mark
			if !slices.Contains([]string{"time,watts", "time,W"}, header) {
				return nil, fmt.Errorf("line %d: %.60q is not the header time,watts (the power must be in watts)", line, header)
			}
			continue
		}
		s, err := parseSample(cells)
		if err == nil && len(l.samples) > 0 && !s.at.After(l.samples[len(l.samples)-1].at) {
			err = fmt.Errorf("its time %s is not after that of the line before", cells[0])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		l.samples = append(l.samples, s)
	}
	if len(l.samples) < 2 {
		return nil, fmt.Errorf("it has %d samples", len(l.samples))
	}
	l.spacing = medianSpacing(l.samples)
	return l, nil
}

func parseSample(cells []string) (s sample, err error) {
	if len(cells) != 2 {
		return s, fmt.Errorf("%.60q is not a time and watts separated by a comma", strings.Join(cells, ","))
	}
	if s.at, err = parseTime(cells[0]); err != nil {
		return s, err
	}
	s.watts, err = decimal.Parse(strings.TrimSpace(cells[1]))
	if err != nil || !(s.watts >= 0 && s.watts <= math.MaxFloat32) {
		return s, fmt.Errorf("%q is not a power in watts", cells[1])
	}
	return s, nil
}

// year3000 is the beginning of that year in seconds since 1970.
const year3000 = 32503680000

func parseTime(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if seconds, err := decimal.Parse(text); err == nil {
		if !(seconds >= 0 && seconds < year3000) {
			return time.Time{}, fmt.Errorf("the time %s is not in seconds since 1970", text)
		}
		whole, fraction := math.Modf(seconds)
		return time.Unix(int64(whole), int64(fraction*1e9)), nil
	}
	iso := strings.Replace(text, " ", "T", 1)
	t, err := time.Parse(time.RFC3339, iso)
	if err == nil {
		return t, nil
	}
	if _, err := time.Parse("2006-01-02T15:04:05", iso); err == nil {
		return t, fmt.Errorf("the time %s has no time zone: write %[1]sZ for UTC, or for instance %[1]s+01:00", iso)
	}
	return t, fmt.Errorf("%q is no time: it must look like 2026-01-31T23:59:00.5+01:00, or be in seconds since 1970", text)
}

func medianSpacing(samples []sample) time.Duration {
	var spacings []time.Duration
	for i, s := range samples[1:] {
		spacings = append(spacings, s.at.Sub(samples[i].at))
	}
	slices.Sort(spacings)
	return spacings[len(spacings)/2]
}

// Describe describes the log as a counter.
func (l *PowerLog) Describe(name string) Description {
	return Description{System, name, l.spacing.Seconds()}
}

const (
	// maxSpacings is the longest gap in a log, in median times between two samples.
	maxSpacings = 5

	// A host takes more than minWatts and less than maxWatts.
	minWatts, maxWatts = 1, 100000
)

// Between returns the energy of the whole system from begin to end, with the power linear
// between two samples. A log that does not cover this time, has a gap or a power that no
// host takes is an error.
func (l *PowerLog) Between(begin, end time.Time) (Amount, error) {
	a := Amount{Part: System, Seconds: end.Sub(begin).Seconds()}
	first, last := l.samples[0].at, l.samples[len(l.samples)-1].at
	if !l.covers(begin, end) {
		return a, fmt.Errorf("it goes from %s to %s and does not cover the searches, from %s to %s%s",
			stamp(first), stamp(last), stamp(begin), stamp(end), l.shiftHint(begin, end))
	}
	longest := min(maxSpacings*l.spacing, end.Sub(begin)/minUpdates)
	for i, next := range l.samples[1:] {
		s := l.samples[i]
		if next.at.Before(begin) || s.at.After(end) {
			continue
		}
		if gap := next.at.Sub(s.at); gap > longest {
			return a, fmt.Errorf("it has no sample for %v after %s, and in the %v of the searches at most %v may be between two",
				gap, stamp(s.at), end.Sub(begin), longest)
		}
		a.Joules += energyWithin(s, next, begin, end)
	}
	switch watts := a.Watts(); {
	case watts < minWatts:
		return a, fmt.Errorf("its mean power during the searches is %.3g W, less than any host takes: is it in kilowatts?", watts)
	case watts > maxWatts:
		return a, fmt.Errorf("its mean power during the searches is %.3g W, more than any host takes: is it in milliwatts?", watts)
	}
	return a, nil
}

func (l *PowerLog) covers(begin, end time.Time) bool {
	return !begin.Before(l.samples[0].at) && !end.After(l.samples[len(l.samples)-1].at)
}

// shiftHint names the smallest difference between two time zones with which the log would
// cover the time from begin to end, if there is one.
func (l *PowerLog) shiftHint(begin, end time.Time) string {
	const quarter, farthest = 15 * time.Minute, 26 * time.Hour
	for shift := quarter; shift <= farthest; shift += quarter {
		for _, shift := range []time.Duration{shift, -shift} {
			if l.covers(begin.Add(-shift), end.Add(-shift)) {
				return fmt.Sprintf("; with its times %v later it would: is its time zone right?", shift)
			}
		}
	}
	return ""
}

// energyWithin returns the joules between two samples, as far as they are between begin
// and end.
func energyWithin(a, b sample, begin, end time.Time) float64 {
	at := func(t time.Time) float64 {
		return a.watts + (b.watts-a.watts)*t.Sub(a.at).Seconds()/b.at.Sub(a.at).Seconds()
	}
	from, to := a.at, b.at
	if from.Before(begin) {
		from = begin
	}
	if to.After(end) {
		to = end
	}
	return (at(from) + at(to)) / 2 * to.Sub(from).Seconds()
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
