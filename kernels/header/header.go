// Package header generates CUDA headers with the structs, enums and constants that Go code
// and kernels share, so that they are declared only once, in Go. The headers include
// the comments of the structs and their fields, and of the enums and their constants. The
// tests of the packages with kernels call it.
package header

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Struct is a struct to generate from a Go type.
type Struct struct {
	Name  string // in CUDA
	Align int    // alignas in bytes; 0: the default
	Value any    // a value of the Go type
}

// Enum is an enum to generate from a Go type of 32 bits and its constants.
type Enum struct {
	Name  string // in CUDA
	Value any    // a value of the Go type
}

// Constant is a constant to generate.
type Constant struct {
	Name  string
	Value uint64
	Doc   string
}

// Text returns the header of a Go file, from which it reads the comments of the
// structs, and the constants of the enums. A struct must follow the structs of its fields.
func Text(file string, constants []Constant, enums []Enum, structs []Struct) (string, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.ParseComments)
	if err != nil {
		return "", err
	}
	comments := commentsOf(parsed)
	var out strings.Builder
	fmt.Fprintf(&out, "// Code generated from %s by its test with -update; DO NOT EDIT.\n#pragma once\n#include \"../types.cuh\"\n", file)
	if len(constants) > 0 {
		out.WriteString("\n")
	}
	for _, c := range constants {
		fmt.Fprintf(&out, "constexpr u32 %s = %d; // %s\n", c.Name, c.Value, c.Doc)
	}
	for _, e := range enums {
		t := reflect.TypeOf(e.Value)
		if t.Kind() != reflect.Uint32 {
			return "", fmt.Errorf("the enum %v has no 32 bits", t)
		}
		for _, line := range comments[t.Name()] {
			fmt.Fprintf(&out, "\n// %s", strings.Replace(line, t.Name(), e.Name, 1))
		}
		fmt.Fprintf(&out, "\nenum %s : u32 {\n", e.Name)
		for _, c := range constantsOf(files, parsed, t.Name()) {
			fmt.Fprintf(&out, "\t%s = %s,", c.Name(), c.Val().ExactString())
			for _, line := range comments[c.Name()+trailing] {
				fmt.Fprintf(&out, " // %s", line)
			}
			out.WriteString("\n")
		}
		out.WriteString("};\n")
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

// constantsOf returns the constants of a type of a file in their order. Nothing else of the
// file need be valid by itself.
func constantsOf(files *token.FileSet, file *ast.File, of string) (list []*types.Const) {
	config := types.Config{Error: func(error) {}} // errors of what other files declare
	pkg, _ := config.Check(file.Name.Name, files, []*ast.File{file}, nil)
	for _, name := range pkg.Scope().Names() {
		c, is := pkg.Scope().Lookup(name).(*types.Const)
		if is && types.TypeString(c.Type(), types.RelativeTo(pkg)) == of {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *types.Const) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return list
}

// commentsOf returns the comment lines of the types of a file, of the fields of its structs and
// of its constants. The keys are Type, Type.Field, and Type.Field// and Constant// for a trailing
// comment.
func commentsOf(parsed *ast.File) map[string][]string {
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
			if constants, is := spec.(*ast.ValueSpec); is {
				for _, name := range constants.Names {
					add(name.Name+trailing, constants.Comment)
				}
			}
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
	return comments
}
