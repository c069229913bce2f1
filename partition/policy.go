package partition

import (
	"slices"
	"strings"
)

// Load is the work that a rule has given to a part.
type Load struct{ Rows, Arcs uint64 }

func (l *Load) add(r Row) { *l = Load{l.Rows + 1, l.Arcs + r.Degree} }

// MasterRule chooses the part that has the master of a row.
type MasterRule struct {
	Name string

	// Streams tells that Master looks at neighbours or loads. Then each part goes through
	// the rows that it reads in the order of their numbers; it knows its own choices at
	// once, and those of other parts after each round. Else any row comes at any time.
	Streams bool

	// Master returns the part of a row. near returns the number of the row's neighbours
	// with a master in each part, as far as the stream knows. Master adds to loads what
	// counts for a load. near and loads are nil without Streams.
	Master func(p *Props, r Row, near func() []uint32, loads []Load) int
}

// End is an end of an arc.
type End struct {
	Row, Degree uint64
	Master      int
}

// OwnerRule chooses the part that gets an arc.
type OwnerRule struct {
	Name  string
	Extra bool // not one of CuSP

	// Ordered tells that the rule has a state. Then each part has one function, which gets
	// the arcs that the part reads in order: by source, and by destination. Else a function
	// returns the same for the same arc at any time.
	Ordered bool

	// Owner returns the function that returns the part of an arc.
	Owner func(p *Props) func(from, to End) int
}

// MasterRules lists the rules for masters.
func MasterRules() []MasterRule {
	return []MasterRule{
		{Name: "contiguous", Master: contiguous},
		{Name: "contiguous-eb", Master: contiguousEB},
		{Name: "fennel", Streams: true, Master: fennel},
		{Name: "fennel-eb", Streams: true, Master: fennelEB},
	}
}

// OwnerRules lists the rules for arcs.
func OwnerRules() []OwnerRule {
	return []OwnerRule{
		{Name: "source", Owner: source},
		{Name: "hybrid", Owner: hybrid},
		{Name: "cartesian", Owner: cartesian},
		{Name: "hdrf", Extra: true, Ordered: true, Owner: hdrf},
	}
}

// Policy is a rule for masters and one for arcs.
type Policy struct {
	Masters MasterRule
	Owner   OwnerRule
}

// Name returns the name of the policy, such as contiguous-eb-hybrid.
func (p Policy) Name() string { return p.Masters.Name + "-" + p.Owner.Name }

// Extra reports whether the policy is not one of CuSP.
func (p Policy) Extra() bool { return p.Owner.Extra }

// published returns the names of policies in the paper on CuSP.
func published() map[string]string {
	return map[string]string{
		"eec": "contiguous-eb-source", "hvc": "contiguous-eb-hybrid", "cvc": "contiguous-eb-cartesian",
		"fec": "fennel-eb-source", "gvc": "fennel-eb-hybrid", "svc": "fennel-eb-cartesian",
	}
}

// Policies lists all policies, the extra ones last.
func Policies() (all []Policy) {
	for _, extra := range []bool{false, true} {
		for _, m := range MasterRules() {
			for _, o := range OwnerRules() {
				if o.Extra == extra {
					all = append(all, Policy{m, o})
				}
			}
		}
	}
	return all
}

// Find returns the policy of a name: that of Policy.Name, or that of the paper on CuSP, in
// letters of any case.
func Find(name string) (Policy, bool) {
	name = strings.ToLower(name)
	if long, ok := published()[name]; ok {
		name = long
	}
	all := Policies()
	i := slices.IndexFunc(all, func(p Policy) bool { return p.Name() == name })
	if i < 0 {
		return Policy{}, false
	}
	return all[i], true
}

// Names lists the names that Find takes.
func Names() (names []string) {
	for _, p := range Policies() {
		names = append(names, p.Name())
	}
	for short := range published() {
		names = append(names, short)
	}
	slices.Sort(names[len(Policies()):])
	return names
}

// Given returns a rule that takes the masters from elsewhere, one for each row.
func Given(masters []uint8) MasterRule {
	return MasterRule{Name: "given", Master: func(_ *Props, r Row, _ func() []uint32, _ []Load) int {
		return int(masters[r.Number])
	}}
}
