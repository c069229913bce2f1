package report

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"

	"graph500/energy"
	"graph500/engine"
)

//go:generate go test . -run=^TestResultsPage$ -update

var update = flag.Bool("update", false, "write docs/results.md")

const (
	resultsPage     = "../docs/results.md"
	resultsTemplate = "testdata/results.tmpl"
)

// docs/results.md is what its template makes of the types and columns of this package.
func TestResultsPage(t *testing.T) {
	page, err := resultsText()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(resultsPage, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there, err := os.ReadFile(resultsPage)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(page), string(there)); d != "" {
		t.Errorf("run go generate ./report: -made +there\n%s", d)
	}
}

// The page has the fields of the JSON files, no others, and the names of benchmark lines.
// The columns of CSV files are those of the page by themselves.
func TestResultsAreDocumented(t *testing.T) {
	for file, c := range map[string]struct {
		text string
		root reflect.Type
	}{
		"result.json":     {written(t, fullRun()), reflect.TypeFor[runDocument]()},
		"strategies.json": {comparisonText(t, fullComparison()), reflect.TypeFor[comparisonDocument]()},
	} {
		documented, got := leaves(c.root, ""), jsonNames(t, c.text)
		slices.Sort(documented)
		slices.Sort(got)
		if d := cmp.Diff(documented, got); d != "" {
			t.Errorf("%s: -documented +written\n%s", file, d)
		}
	}
	everyPart := fullRun()
	everyPart.Kernels[0].Energy = append(everyPart.Kernels[0].Energy, Energy{Amount: energy.Amount{Part: energy.System}})
	text, err := os.ReadFile(resultsTemplate)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## result.bench\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var names []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "| `") {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				names = append(names, name[1])
			}
		}
	}
	slices.Sort(names)
	if d := cmp.Diff(names, benchNames(t, everyPart)); d != "" {
		t.Errorf("result.bench: -documented +written\n%s", d)
	}
}

// resultsText returns docs/results.md.
func resultsText() ([]byte, error) {
	text, err := os.ReadFile(resultsTemplate)
	if err != nil {
		return nil, err
	}
	comments, err := readComments(".", "../engine", "../energy")
	if err != nil {
		return nil, err
	}
	d := document{comments: comments, links: make(map[string]string)}
	heading := ""
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			heading = strings.TrimSpace(title)
		}
		if match := regexp.MustCompile(`{{` + `fields "(\w+)"}}`).FindStringSubmatch(line); match != nil {
			d.links[match[1]] = fmt.Sprintf("[%s](#%s)", heading, strings.ToLower(heading))
		}
	}
	parsed, err := template.New("").Funcs(template.FuncMap{"fields": d.fields, "columns": columnList, "version": func() int { return SchemaVersion }}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = parsed.Execute(&page, nil)
	return page.Bytes(), err
}

// document makes the lists of a page.
type document struct {
	comments
	links map[string]string // to the lists of types that have one of their own
}

// documentedTypes lists the types that a template can name.
func documentedTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[runDocument](), reflect.TypeFor[comparisonDocument](), reflect.TypeFor[Setup](), reflect.TypeFor[GPU](),
		reflect.TypeFor[Statistics](), reflect.TypeFor[Rates](), reflect.TypeFor[searchDocument](), reflect.TypeFor[Level]()}
}

// fields returns the list of the fields of a type.
func (d *document) fields(name string) (string, error) {
	i := slices.IndexFunc(documentedTypes(), func(t reflect.Type) bool { return t.Name() == name })
	if i < 0 {
		return "", fmt.Errorf("no type %s", name)
	}
	lines, err := d.lines(documentedTypes()[i], 0)
	if err != nil {
		return "", err
	}
	var list strings.Builder
	for i, l := range lines {
		text := fmt.Sprintf("%*s- `%s`", 2*l.depth, "", l.name)
		switch {
		case l.meaning == "":
		case i+1 < len(lines) && l.meaning == lines[i+1].meaning:
			text += fmt.Sprintf(", `%s`: %s", lines[i+1].name, l.meaning)
		case i > 0 && l.meaning == lines[i-1].meaning:
			continue
		default:
			text += ": " + l.meaning
		}
		list.WriteString(text + "\n")
	}
	return strings.TrimSuffix(list.String(), "\n"), nil
}

// line is a line of a list. Two that follow each other and have the same meaning become one.
type line struct {
	depth         int
	name, meaning string
}

// lines returns a line for each field of a type, and below an object those of its fields. Fields of
// embedded types with a list of their own are left out.
func (d *document) lines(t reflect.Type, depth int) (lines []line, err error) {
	for _, f := range jsonFields(t) {
		if d.links[f.embedded] != "" {
			continue
		}
		comment := ""
		for _, declaration := range f.declarations { // the outermost with a comment
			if comment == "" {
				comment = d.of(declaration)
			}
		}
		name := f.name
		if f.list {
			name += "[]"
		}
		inline := ours(f.of)
		if link := d.links[f.of.Name()]; inline && link != "" {
			comment, inline = strings.TrimPrefix(comment+": "+link, ": "), false
		}
		for _, inner := range jsonFields(f.of) {
			if link := d.links[inner.embedded]; inline && link != "" && !strings.Contains(comment, link) {
				comment += "; also the fields of " + link
			}
		}
		if comment == "" && !inline {
			return nil, fmt.Errorf("%s of %s has no comment", f.name, t)
		}
		flags := regexp.MustCompile(`(^|[\s(])(-[a-z][a-z-]*(?:=\w+)?)`)
		if f.optional {
			comment = "optional; " + comment
		}
		lines = append(lines, line{depth, name, flags.ReplaceAllString(comment, "$1`$2`")})
		if inline {
			inner, err := d.lines(f.of, depth+1)
			if err != nil {
				return nil, err
			}
			lines = append(lines, inner...)
		}
	}
	return lines, nil
}

// ours reports whether a type is an object whose fields are documented.
func ours(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.PkgPath(), "graph500/")
}

// jsonField is a field of an object in JSON.
type jsonField struct {
	name         string
	of           reflect.Type // of the value, or of an element
	list         bool
	optional     bool
	declarations []string // package path, type and name of the field and of those that it hides
	embedded     string   // name of the embedded type that has it, if any
}

// jsonFields lists the fields of an object in their order. A field hides one of an embedded
// type with the same name.
func jsonFields(t reflect.Type) (fields []jsonField) {
	if t == reflect.TypeFor[Graph]() {
		t = reflect.TypeFor[graphDocument]()
	}
	if !ours(t) {
		return nil
	}
	place := make(map[string]int)
	for pass := range 2 { // own fields, then those of embedded types
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.Anonymous && pass == 0 {
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				of, list := valueType(f.Type)
				place[name] = len(fields)
				fields = append(fields, jsonField{name: name, of: of, list: list, optional: options == "omitempty", declarations: []string{t.PkgPath() + "." + t.Name() + "." + f.Name}})
			}
			if !f.Anonymous || pass == 0 {
				continue
			}
			of, _ := valueType(f.Type)
			for _, inner := range jsonFields(of) {
				if at, hidden := place[inner.name]; hidden {
					fields[at].declarations = append(fields[at].declarations, inner.declarations...)
					continue
				}
				if inner.embedded == "" {
					inner.embedded = of.Name()
				}
				fields = append(fields, inner)
			}
		}
	}
	return fields
}

// valueType returns the type behind a pointer, or that of the elements of a list.
func valueType(t reflect.Type) (of reflect.Type, list bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		list = list || t.Kind() == reflect.Slice
		t = t.Elem()
	}
	return t, list
}

// leaves lists the paths of all values of an object that are not objects.
func leaves(t reflect.Type, prefix string) (paths []string) {
	for _, f := range jsonFields(t) {
		name := prefix + f.name
		if f.list {
			name += "[]"
		}
		if ours(f.of) {
			paths = append(paths, leaves(f.of, name+".")...)
		} else {
			paths = append(paths, name)
		}
	}
	return paths
}

// comments are those of the fields of types, by package path, type and name.
type comments struct {
	fields map[string]string
	same   map[string]string // by type, the type that documents its fields if it does not
}

// of returns the comment of a field.
func (c comments) of(field string) string {
	end := strings.LastIndex(field, ".")
	if other, ok := c.same[field[:end]]; ok && c.fields[field] == "" {
		return c.of(other + field[end:])
	}
	return c.fields[field]
}

// readComments reads the types of packages.
func readComments(directories ...string) (comments, error) {
	c := comments{make(map[string]string), make(map[string]string)}
	for _, directory := range directories {
		files, err := filepath.Glob(filepath.Join(directory, "*.go"))
		if err != nil {
			return c, err
		}
		absolute, err := filepath.Abs(directory)
		if err != nil {
			return c, err
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return c, err
			}
			for _, declaration := range file.Decls {
				if g, ok := declaration.(*ast.GenDecl); ok && g.Tok == token.TYPE {
					c.read(g, "graph500/"+filepath.Base(absolute))
				}
			}
		}
	}
	return c, nil
}

// read takes the comments of types. A record of a type of package engine has those of that type.
func (c comments) read(g *ast.GenDecl, path string) {
	for _, spec := range g.Specs {
		s := spec.(*ast.TypeSpec)
		name := path + "." + s.Name.Name
		if match := regexp.MustCompile(`is the record of an (engine\.\w+)`).FindStringSubmatch(g.Doc.Text()); match != nil {
			c.same[name] = "graph500/" + match[1]
		}
		switch definition := s.Type.(type) {
		case *ast.Ident:
			c.same[name] = path + "." + definition.Name
		case *ast.StructType:
			for _, f := range definition.Fields.List {
				text := f.Doc.Text()
				if text == "" {
					text = f.Comment.Text()
				}
				for _, n := range f.Names {
					c.fields[name+"."+n.Name] = strings.Join(strings.Fields(text), " ")
				}
			}
		}
	}
}

// columnList returns the list of the columns of a CSV file. Columns with the same meaning share a
// line.
func columnList(of string) (string, error) {
	var columns [][2]string
	switch of {
	case "run":
		columns = meanings(runColumns())
	case "kernel":
		columns = meanings(kernelColumns(engine.SSSP))
	case "strategy":
		columns = meanings(strategyColumns())
	default:
		return "", fmt.Errorf("no columns %s", of)
	}
	names := make(map[string][]string) // by meaning
	var order []string
	for _, c := range columns {
		if names[c[1]] == nil {
			order = append(order, c[1])
		}
		names[c[1]] = append(names[c[1]], "`"+c[0]+"`")
	}
	var list strings.Builder
	for _, meaning := range order {
		fmt.Fprintf(&list, "- %s: %s\n", strings.Join(names[meaning], ", "), meaning)
	}
	return strings.TrimSuffix(list.String(), "\n"), nil
}

func meanings[T any](columns []column[T]) (list [][2]string) {
	for _, c := range columns {
		list = append(list, [2]string{c.name, c.meaning})
	}
	return list
}

func fullComparison() *Comparison {
	c := exampleComparison()
	c.Setup = fullSetup()
	c.Kernel = engine.SSSP
	c.Strategies[2].Delta = 0.1
	c.Strategies[2].Searches = slices.Concat(fullRun().Kernels[0].Searches, fullRun().Kernels[1].Searches)
	c.Strategies[2].Counts.SharedAtomics = 5
	c.Strategies[2].Counts.HostBytes, c.Strategies[2].Counts.HostRequests = 96, 2
	return c
}

// The examples of these tests have a value in every field of every type, so that the
// other tests cover new fields.
func TestExamplesAreFull(t *testing.T) {
	seen := make(map[string]bool) // by field: whether it has a value
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			if !strings.HasPrefix(v.Type().PkgPath(), "graph500/") {
				return
			}
			for i := range v.NumField() {
				field := v.Type().String() + "." + v.Type().Field(i).Name
				seen[field] = seen[field] || !v.Field(i).IsZero()
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(fullRun()))
	walk(reflect.ValueOf(fullComparison()))
	for field, has := range seen {
		if !has {
			t.Errorf("%s has no value", field)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d fields", len(seen))
	}
}

// jsonNames lists the paths of values that are not objects.
func jsonNames(t *testing.T, text string) []string {
	t.Helper()
	found := paths(t, text)
	return slices.DeleteFunc(slices.Collect(maps.Keys(found)), func(path string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(other string) bool { return strings.HasPrefix(other, path+".") })
	})
}

// benchNames lists comments, configuration keys, parts of the name and units.
func benchNames(t *testing.T, r *Run) (names []string) {
	t.Helper()
	results, text := benchmarks(t, r)
	for _, match := range regexp.MustCompile(`(?m)^(# [a-z-]+):`).FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	for _, c := range results[0].Config {
		names = append(names, c.Key)
	}
	last := results[len(results)-1]
	for _, match := range regexp.MustCompile(`(/[a-z]+)=`).FindAllStringSubmatch(string(last.Name), -1) {
		names = append(names, match[1])
	}
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 3 && strings.HasPrefix(line, "Benchmark") {
			for i := 3; i < len(fields); i += 2 { // after the name, the count and each value
				names = append(names, fields[i])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
