package leaderboard

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"graph500/energy"
	"graph500/engine"
	"graph500/report"
)

// column is a column of the table, the same in all forms.
type column struct {
	Heading string
	About   string // one line
	Name    string // in CSV; with the kernel before it if ByKernel
	Width   string // on the page, as a track of a CSS grid; empty if not on the page
	Number  bool   // sorted by value, aligned to the right

	// ByKernel: the cells differ for the kernels. The page shows those of the chosen
	// kernel.
	ByKernel bool

	cell func(*Row, engine.Kernel) cell
}

// cell is the content of a cell; empty if unknown.
type cell struct {
	Text  string // for people
	Exact string // for programs: a number without unit, with full precision
}

// Names of columns that the page shows in a form of their own.
const (
	machineColumn    = "machine" // with the host
	conformingColumn = "conforming"
)

// columns lists the columns.
func columns() []column {
	return slices.Concat(
		[]column{
			{"Rank", "place by harmonic-mean TEPS of the kernel", "rank", "3rem", true, true, rankCell},
			{"Machine", "GPU, or processor with the number of threads", machineColumn, "minmax(9rem, 2fr)", false, false, text(func(r *Row) string { return r.Run.HardwareName() })},
			{"Host", "names of the hosts", "host", "", false, false, text((*Row).hosts)},
			{"GPUs", "GPUs of the run", "gpus", "3rem", true, false, integer(func(r *Row) int { return r.Run.GPUs() })},
			{"Cores", "logical processors available to the run", "cores", "3.4rem", true, false, integer(func(r *Row) int { return r.Run.Cores() })},
			{"Ranks", "processes of the run", "ranks", "3.3rem", true, false, integer(func(r *Row) int { return r.Run.Ranks() })},
			{"Scale", "log2 of the number of vertices", "scale", "3.2rem", true, false, integer(func(r *Row) int { return r.Run.Input.Scale })},
		},
		rateColumns(),
		[]column{
			{"GTEPS/GPU", "harmonic-mean GTEPS divided by the number of GPUs", "gteps_per_gpu", "5.8rem", true, true, perGPUCell},
			{"GTEPS/W", "GTEPS per watt of what was measured: the whole system, else GPU boards, else processor packages", "gteps_per_watt", "5.6rem", true, true, perWattCell},
			{"Watts of", "what the watts are of", "watts_of", "", false, true, wattsOfCell},
			{"Construction", "seconds of kernel 1", "construction_seconds", "6.6rem", true, false, seconds(func(r *Row) float64 { return r.Run.Construction })},
			{"Validated", "every search was validated", "validated", "", false, false, text(func(r *Row) string { return yesNo(r.Run.Validated()) })},
			{"Conforming", "conforms to the rules of the Graph500 list, or why not", conformingColumn, "minmax(7rem, 2fr)", false, false, text((*Row).conformity)},
			{"Commit", "revision of the program", "commit", "minmax(4.2rem, 1fr)", false, false, text(func(r *Row) string { return r.Run.Program.Commit })},
			{"Date", "start of the run, UTC", "date", "5.6rem", false, false, dateCell},
		})
}

// rateColumns returns a column for each kernel.
func rateColumns() (list []column) {
	for _, k := range engine.Kernels() {
		list = append(list, column{k.Title() + " GTEPS", "harmonic mean of the searches, 10^9 traversed edges per second", string(k) + "_gteps", "4.4rem", true, false,
			func(r *Row, _ engine.Kernel) cell { return rate(r.rate(k) / 1e9) }})
	}
	return list
}

// hosts names the host, or the first of several and the number of the others.
func (r *Row) hosts() string {
	hosts := r.Run.Hosts()
	if len(hosts) == 1 {
		return hosts[0]
	}
	return fmt.Sprintf("%s and %d more", hosts[0], len(hosts)-1)
}

func rankCell(r *Row, k engine.Kernel) cell {
	if r.ranks[k] == 0 {
		return cell{}
	}
	return numeral(r.ranks[k])
}

func perGPUCell(r *Row, k engine.Kernel) cell {
	if r.Run.GPUs() == 0 {
		return cell{}
	}
	return rate(r.rate(k) / 1e9 / float64(r.Run.GPUs()))
}

// perWattCell names what was measured, because figures of different parts do not compare.
func perWattCell(r *Row, k engine.Kernel) cell {
	e, ok := r.energy(k)
	if !ok {
		return cell{}
	}
	c := rate(e.MTEPSPerWatt() / 1e3)
	c.Text += " " + string(e.Part)
	return c
}

func wattsOfCell(r *Row, k engine.Kernel) cell {
	e, _ := r.energy(k)
	return cell{string(e.Part), string(e.Part)}
}

// energy returns the energy of a kernel's searches that covers most of the machine.
func (r *Row) energy(k engine.Kernel) (report.Energy, bool) {
	run := r.Run.Kernel(k)
	if run == nil {
		return report.Energy{}, false
	}
	for _, part := range []energy.Part{energy.System, energy.Boards, energy.Packages} {
		i := slices.IndexFunc(run.Energy, func(e report.Energy) bool { return e.Part == part && e.MTEPSPerWatt() > 0 })
		if i >= 0 {
			return run.Energy[i], true
		}
	}
	return report.Energy{}, false
}

func dateCell(r *Row, _ engine.Kernel) cell {
	if r.Run.Started.IsZero() {
		return cell{}
	}
	at := r.Run.Started.UTC()
	return cell{at.Format(time.DateOnly), at.Format(time.RFC3339)}
}

func text(of func(*Row) string) func(*Row, engine.Kernel) cell {
	return func(r *Row, _ engine.Kernel) cell { return cell{of(r), of(r)} }
}

func integer(of func(*Row) int) func(*Row, engine.Kernel) cell {
	return func(r *Row, _ engine.Kernel) cell { return numeral(of(r)) }
}

func seconds(of func(*Row) float64) func(*Row, engine.Kernel) cell {
	return func(r *Row, _ engine.Kernel) cell {
		c := rate(of(r))
		if c.Text != "" {
			c.Text += " s"
		}
		return c
	}
}

func numeral(n int) cell { return cell{whole(int64(n)), strconv.Itoa(n)} }

// rate returns the cell of a positive number, with four digits.
func rate(x float64) cell {
	if x <= 0 {
		return cell{}
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(x))))
	return cell{english().Sprint(number.Decimal(x, number.Scale(decimals))), strconv.FormatFloat(x, 'g', -1, 64)}
}

// whole formats an integer with separators.
func whole(n int64) string { return english().Sprint(number.Decimal(n)) }

func english() *message.Printer { return message.NewPrinter(language.English) }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
