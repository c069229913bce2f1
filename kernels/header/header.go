// Package header generates CUDA headers with the structs and constants that Go code
// and kernels share, so that they are declared only once, in Go. The headers include
// the comments of the structs and their fields. The tests of the packages with
// kernels call it.
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

// Struct is a struct to generate from a Go type.
type Struct struct {
	Name  string // in CUDA
	Align int    // alignas in bytes; 0: the default
	Value any    // a value of the Go type
}

// Constant is a constant to generate.
type Constant struct {
	Name  string
	Value uint64
	Doc   string
}

// Text returns the header of a Go file, from which it reads the comments of the
// structs. A struct must follow the structs of its fields.
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

// fields writes the fields of a struct. The fields of an embedded struct take its
// place.
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
		for _, line := range comments[t.Name()+"."+f.Name+trailing] {
			fmt.Fprintf(out, " // %s", line)
		}
		out.WriteString("\n")
	}
	return nil
}

// declare returns the C declaration of a field. A struct tag c overrides the C type
// of its elements.
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
	cType := f.Tag.Get("c")
	if cType == "" {
		var err error
		if cType, err = typeName(t, names); err != nil {
			return "", err
		}
	}
	return cType + " " + star + name + dimensions, nil
}

// elementOf returns the element type of a device or host array, a type with the
// method Element.
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
	case reflect.Float32:
		return "float", nil
	}
	return "", fmt.Errorf("no C type for %v", t)
}

// lowered returns a Go name with a lower-case first letter, the style of the kernels.
func lowered(name string) string {
	r := []rune(name)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

// trailing is the key suffix for the comment at the end of a field's line.
const trailing = "//"

// readComments returns the comment lines of the struct types of a file and of their
// fields. The keys are Type, Type.Field, and Type.Field// for a trailing comment.
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
					add(t.Name.Name+"."+name.Name+trailing, f.Comment)
				}
			}
		}
	}
	return comments, nil
}
