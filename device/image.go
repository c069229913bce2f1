//go:build cuda

package device

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// addressed is an Array or HostArray of any element type. Its image is its device
// address.
type addressed interface{ Address() uint64 }

// Image returns the bytes of a struct in the memory layout of C: uint32 and uint64
// fields by value, each Array or HostArray as its device address.
func Image(value any) ([]byte, error) {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the image of a %v, which is no struct", v.Type())
	}
	image, align, err := appendStruct(nil, v)
	return pad(image, align), err
}

// appendStruct appends the fields and returns their largest alignment in bytes.
func appendStruct(image []byte, v reflect.Value) (_ []byte, align int, err error) {
	for i := range v.NumField() {
		var fieldAlign int
		if image, fieldAlign, err = appendValue(image, v.Field(i)); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", v.Type().Field(i).Name, err)
		}
		align = max(align, fieldAlign)
	}
	return image, align, nil
}

// addressOf returns the device address of an Array or HostArray, 0 for a nil
// *HostArray. ok is false for any other value.
func addressOf(v reflect.Value) (address uint64, ok bool) {
	if !v.Type().Implements(reflect.TypeFor[addressed]()) {
		return 0, false
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return 0, true
	}
	return v.Interface().(addressed).Address(), true
}

func appendValue(image []byte, v reflect.Value) (_ []byte, align int, err error) {
	if a, ok := addressOf(v); ok {
		return binary.NativeEndian.AppendUint64(pad(image, 8), a), 8, nil
	}
	switch v.Kind() {
	case reflect.Struct: // an embedded struct: its fields belong to the outer struct
		return appendStruct(image, v)
	case reflect.Uint32:
		return binary.NativeEndian.AppendUint32(pad(image, 4), uint32(v.Uint())), 4, nil
	case reflect.Uint64:
		return binary.NativeEndian.AppendUint64(pad(image, 8), v.Uint()), 8, nil
	case reflect.Float32:
		return binary.NativeEndian.AppendUint32(pad(image, 4), math.Float32bits(float32(v.Float()))), 4, nil
	case reflect.Array:
		for i := range v.Len() {
			if image, align, err = appendValue(image, v.Index(i)); err != nil {
				return nil, 0, err
			}
		}
		return image, align, nil
	}
	return nil, 0, fmt.Errorf("no image of a %v", v.Type())
}

// pad appends zeros up to a length that is a multiple of align.
func pad(image []byte, align int) []byte {
	for align > 0 && len(image)%align != 0 {
		image = append(image, 0)
	}
	return image
}
