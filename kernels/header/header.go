// Package header writes a CUDA header of what Go and kernels share, so that it
// is declared once, in Go: structs, with the comments of their fields, and
// constants. The package knows nothing of what they mean; tests of the packages
// with kernels call it.
package header

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"unicode"
)

// Struct is a type to write, under a name and with an alignment of its own
// unless that is 0.
type Struct struct {
	Name  string
	Align int
	Value any // of the Go type
}

// Constant is a number to write.
type Constant struct {
	Name  string
	Value uint64
	Doc   string
}

// Text returns the header. The comments of the structs come from the Go file.
// Types that stand in others come first.
func Text(file string, constants []Constant, structs []Struct) (string, error) {
	comments, err := readComments(file)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "// Code generated from %s by its test with -update; DO NOT EDIT.\n#pragma once\n#include \"../types.cuh\"\n", file)
	if len(constants) > 0 {
		out.WriteString("\n")
	}
	for _, c := range constants {
		fmt.Fprintf(&out, "constexpr u32 %s = %d; // %s\n", c.Name, c.Value, c.Doc)
	}
	names := make(map[reflect.Type]string)
	for _, s := range structs {
		t := reflect.TypeOf(s.Value)
		names[t] = s.Name
		align := ""
		if s.Align > 0 {
			align = fmt.Sprintf("alignas(%d) ", s.Align)
		}
		for _, line := range comments[t.Name()] {
			fmt.Fprintf(&out, "\n// %s", strings.Replace(line, t.Name(), s.Name, 1))
		}
		fmt.Fprintf(&out, "\nstruct %s%s {\n", align, s.Name)
		if err := fields(&out, t, names, comments); err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "};\n")
	}
	return out.String(), nil
}

// fields writes those of a struct, in the place of an embedded one its own.
func fields(out *strings.Builder, t reflect.Type, names map[reflect.Type]string, comments map[string][]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if err := fields(out, f.Type, names, comments); err != nil {
				return err
			}
			continue
		}
		declared, err := declare(f, names)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t.Name(), f.Name, err)
		}
		for _, line := range comments[t.Name()+"."+f.Name] {
			fmt.Fprintf(out, "\t// %s\n", line)
		}
		fmt.Fprintf(out, "\t%s;", declared)
		for _, line := range comments[t.Name()+"."+f.Name+behind] {
			fmt.Fprintf(out, " // %s", line)
		}
		out.WriteString("\n")
	}
	return nil
}

// declare returns a field in C. A tag c names the type of an element where it is
// not that of the same name, or has a qualifier.
func declare(f reflect.StructField, names map[reflect.Type]string) (string, error) {
	t, name, dimensions := f.Type, lowered(f.Name), ""
	for t.Kind() == reflect.Array {
		dimensions += fmt.Sprintf("[%d]", t.Len())
		t = t.Elem()
	}
	star := ""
	if element, ok := elementOf(t); ok {
		t, star = element, "*"
	}
	of := f.Tag.Get("c")
	if of == "" {
		var err error
		if of, err = typeName(t, names); err != nil {
			return "", err
		}
	}
	return of + " " + star + name + dimensions, nil
}

// elementOf returns the type of the elements of an array on the device: a type
// with the methods Address and Element.
func elementOf(t reflect.Type) (reflect.Type, bool) {
	m, ok := t.MethodByName("Element")
	if !ok || m.Type.NumOut() != 1 {
		return nil, false
	}
	return m.Type.Out(0), true
}

func typeName(t reflect.Type, names map[reflect.Type]string) (string, error) {
	if name, ok := names[t]; ok {
		return name, nil
	}
	switch t.Kind() {
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("u%d", t.Bits()), nil
	}
	return "", fmt.Errorf("no type of C for %v", t)
}

// lowered is a Go name as C has it.
func lowered(name string) string {
	r := []rune(name)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// behind is what the name of a comment that stands behind a field ends with.
const behind = "//"

// readComments returns the lines of comments of a file's types and of their
// fields, by name: Type, Type.Field, and Type.Field// for what stands behind it.
func readComments(file string) (map[string][]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	comments := make(map[string][]string)
	add := func(name string, g *ast.CommentGroup) {
		if g != nil {
			comments[name] = strings.Split(strings.TrimSpace(g.Text()), "\n")
		}
	}
	for _, d := range parsed.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			add(t.Name.Name, general.Doc)
			s, ok := t.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					add(t.Name.Name+"."+name.Name, f.Doc)
					add(t.Name.Name+"."+name.Name+behind, f.Comment)
				}
			}
		}
	}
	return comments, nil
}
