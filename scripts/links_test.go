package scripts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// anchors returns the anchors that GitHub gives the headings of a Markdown text: in lower case,
// without punctuation, hyphens for blanks, and a number behind a repeated one.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		title := strings.TrimLeft(line, "#")
		if fenced || title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		name := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
		name = strings.ReplaceAll(name, " ", "-")
		unique := name
		for i := 1; found[unique]; i++ {
			unique = fmt.Sprintf("%s-%d", name, i)
		}
		found[unique] = true
	}
	return found
}

// brokenLinks returns the links of a Markdown file that lead to no file of the repository, or to
// no heading in it.
func brokenLinks(file string) (broken []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(link[1], "://") {
			continue
		}
		name, anchor, _ := strings.Cut(link[1], "#")
		target, there := file, text
		if name != "" {
			target = filepath.Join(filepath.Dir(file), name)
			if info, err := os.Stat(target); err != nil || info.IsDir() && anchor != "" {
				broken = append(broken, link[1])
				continue
			} else if info.IsDir() {
				continue
			}
			if there, err = os.ReadFile(target); err != nil {
				return nil, err
			}
		}
		if anchor != "" && !anchors(string(there))[anchor] {
			broken = append(broken, link[1])
		}
	}
	return broken, nil
}

func TestDocumentedLinks(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, "../README.md") {
		broken, err := brokenLinks(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range broken {
			t.Errorf("%s: %s leads nowhere", file, link)
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "a.md")
	text := "# A, b-c `d`\n## Two\n## Two\n```sh\n# no heading\n```\n" +
		"[1](#a-b-c-d) [2](#two-1) [3](a.md#two) [4](.) ![5](a.md) [6](https://a.example/#b)\n" +
		"[7](#two-2) [8](#no-heading) [9](b.md) [10](.#two)\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	broken, err := brokenLinks(file)
	if want := "#two-2 #no-heading b.md .#two"; err != nil || strings.Join(broken, " ") != want {
		t.Errorf("%v, %v, want %s", broken, err, want)
	}
}
