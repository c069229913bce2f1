package leaderboard

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// packer puts the JSON of many runs into few bytes. It stores records, such as searches
// and levels, by field, and each list of values of a field once, because runs of the same
// graph share many. page/unpack.js is the other direction. The packed forms are:
//
//	object           the same names with packed values
//	array            [0, packed values ...]
//	array of records [1, number of records, column]
//	column           of objects with the same names: an object of the columns of their fields;
//	                 of arrays: [list of their lengths, column of all their elements];
//	                 else the place of the list of values among those of the same name;
//	                 null: each is nedge / seconds of its record
//	list             the values, or {power, factor, values}: each is values[i] * factor / 10^power
type packer struct {
	lists  map[string][]json.RawMessage // by the name of the field
	places map[string]int               // of lists, by name and content
}

func newPacker() *packer {
	return &packer{lists: make(map[string][]json.RawMessage), places: make(map[string]int)}
}

// object is a JSON object in the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}

// readValue reads a JSON value: an object, a []any or a scalar with numbers as json.Number.
func readValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := readValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name.(string), value})
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// pack returns the packed form of a JSON text.
func (p *packer) pack(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := readValue(d)
	if err != nil {
		return nil, err
	}
	return p.value(value)
}

func (p *packer) value(v any) (any, error) {
	switch v := v.(type) {
	case object:
		packed := make(object, len(v))
		for i, m := range v {
			value, err := p.value(m.value)
			if err != nil {
				return nil, err
			}
			packed[i] = member{m.name, value}
		}
		return packed, nil
	case []any:
		if names := fields(v); len(v) > 1 && len(names) > 0 {
			column, err := p.column("", v)
			return []any{1, len(v), column}, err
		}
		packed := []any{0}
		for _, element := range v {
			value, err := p.value(element)
			if err != nil {
				return nil, err
			}
			packed = append(packed, value)
		}
		return packed, nil
	}
	return v, nil
}

// column packs the values of the field of that name of some records.
func (p *packer) column(name string, values []any) (any, error) {
	if names := fields(values); len(names) > 0 {
		return p.records(names, values)
	}
	lengths, elements := joined(values)
	if len(elements) == 0 {
		return p.list(name, values)
	}
	column, err := p.column(name, elements)
	if err != nil {
		return nil, err
	}
	place, err := p.list(name, lengths)
	return []any{place, column}, err
}

// records packs objects with the given names.
func (p *packer) records(names []string, values []any) (any, error) {
	columns := make(object, len(names))
	for i, name := range names {
		field := make([]any, len(values))
		for j, v := range values {
			field[j] = v.(object)[i].value
		}
		columns[i].name = name
		if name == "teps" && areRates(values) {
			continue
		}
		column, err := p.column(name, field)
		if err != nil {
			return nil, err
		}
		columns[i].value = column
	}
	return columns, nil
}

// fields returns the names of the members if all values are objects with the same ones
// in the same order, else nil.
func fields(values []any) (names []string) {
	for i, v := range values {
		o, ok := v.(object)
		if !ok || i > 0 && len(o) != len(names) {
			return nil
		}
		for j, m := range o {
			if i == 0 {
				names = append(names, m.name)
			} else if names[j] != m.name {
				return nil
			}
		}
	}
	return names
}

// joined returns the lengths and elements of arrays; nothing if a value is no array.
func joined(values []any) (lengths, elements []any) {
	for _, v := range values {
		array, ok := v.([]any)
		if !ok {
			return nil, nil
		}
		lengths, elements = append(lengths, len(array)), append(elements, array...)
	}
	return lengths, elements
}

// areRates reports whether the teps of each record are its nedge / seconds.
func areRates(values []any) bool {
	for _, v := range values {
		numbers := make(map[string]float64)
		for _, m := range v.(object) {
			numbers[m.name] = math.NaN()
			if n, ok := m.value.(json.Number); ok {
				numbers[m.name], _ = n.Float64() // what does not fit is infinite
			}
		}
		if numbers["teps"] != numbers["nedge"]/numbers["seconds"] {
			return false
		}
	}
	return true
}

// list stores a list of values of a field and returns its place.
func (p *packer) list(name string, values []any) (int, error) {
	text, err := json.Marshal(decimals(values))
	if err != nil {
		return 0, err
	}
	key := strconv.Quote(name) + string(text)
	place, ok := p.places[key]
	if !ok {
		place = len(p.lists[name])
		p.places[key], p.lists[name] = place, append(p.lists[name], text)
	}
	return place, nil
}

// scaled is a list of numbers: values[i] * factor / 10^power.
type scaled struct {
	Power  int     `json:"power"`
	Factor int64   `json:"factor"`
	Values []int64 `json:"values"`
}

// decimals returns decimal fractions as a scaled list, if the division gives exactly the
// same numbers. Other lists are returned as they are.
func decimals(values []any) any {
	numbers := make([]float64, len(values))
	for i, v := range values {
		n, ok := v.(json.Number)
		if !ok {
			return values
		}
		x, err := n.Float64()
		if err != nil || x == 0 && math.Signbit(x) {
			return values
		}
		numbers[i] = x
	}
	const mostDigits = 15 // with more, the scaled numbers are no shorter
	for power := range mostDigits + 1 {
		s, ok := scale(numbers, power)
		switch {
		case ok && power == 0:
			return values // integers are short
		case ok:
			return s
		}
	}
	return values
}

// scale returns numbers as multiples of 10^-power, or false if they are none.
func scale(numbers []float64, power int) (*scaled, bool) {
	s := &scaled{power, 0, make([]int64, len(numbers))}
	size, _ := strconv.ParseFloat(fmt.Sprint("1e", power), 64)
	for i, x := range numbers {
		n := math.Round(x * size)
		if math.Abs(n) >= 1<<53 || n/size != x {
			return nil, false
		}
		s.Values[i] = int64(n)
		s.Factor = divisor(s.Factor, s.Values[i])
	}
	s.Factor = max(s.Factor, 1)
	for i := range s.Values {
		s.Values[i] /= s.Factor
	}
	return s, true
}

// divisor returns the greatest common divisor, which is not negative.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// letters returns bytes compressed, in letters that need no escaping.
func letters(content []byte) (string, error) {
	var packed bytes.Buffer
	encoder := base64.NewEncoder(base64.RawURLEncoding, &packed)
	compressor, err := gzip.NewWriterLevel(encoder, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = compressor.Write(content)
	err = errors.Join(err, compressor.Close(), encoder.Close())
	return packed.String(), err
}
