package cpu

import (
	"context"

	"graph500/engine"
	"graph500/validate"
)

// checker validates the kept searches of an engine against its tuples.
type checker interface {
	Check(ctx context.Context, tuples engine.Tuples, searches []validate.Search) ([]engine.Tree, error)
	CountEdges(ctx context.Context, tuples engine.Tuples, searches []validate.Search) ([]engine.Tree, error)
	Close() error
}

// newChecker returns the checker of a kernel.
func (e *Engine) newChecker(k engine.Kernel) (checker, error) {
	if e.world.Size() == 1 {
		c, err := validate.New(e.team, e.ranges.Vertices(), k)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	c, err := validate.NewRankChecker(e.world, e.team, e.ranges, k)
	if err != nil {
		return nil, err
	}
	return rankChecker{c, e}, nil
}

// rankChecker is a validate.RankChecker, which takes one search at a time, as a checker.
type rankChecker struct {
	*validate.RankChecker
	engine *Engine
}

func (c rankChecker) Check(ctx context.Context, tuples engine.Tuples, searches []validate.Search) ([]engine.Tree, error) {
	return facts(c.RankChecker.Check(ctx, tuples, c.engine.first, searches[0]))
}

func (c rankChecker) CountEdges(ctx context.Context, tuples engine.Tuples, searches []validate.Search) ([]engine.Tree, error) {
	return facts(c.RankChecker.CountEdges(ctx, tuples, c.engine.first, searches[0].Parents))
}

// facts returns the tree of one search as a list.
func facts(tree engine.Tree, err error) ([]engine.Tree, error) {
	if err != nil {
		return nil, err
	}
	return []engine.Tree{tree}, nil
}
