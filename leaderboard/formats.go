package leaderboard

import "io"

// Format is one way to write a board.
type Format struct {
	File  string // name in the directory of -out
	Write func(io.Writer, *Board) error
}

// Formats lists the formats, the page first.
func Formats() []Format {
	return []Format{
		{"index.html", HTML},
		{"leaderboard.md", Markdown},
		{"leaderboard.csv", CSV},
	}
}
