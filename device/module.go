//go:build cuda

package device

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// cubinCompute is the compute capability of the .cubin files that scripts/kernels.sh
// makes. For other capabilities from 8.0 up the driver compiles the PTX. This takes
// a tenth of a second or more per module, once per machine.
var cubinCompute = [2]int{9, 0}

// Folder is the folder of the compiled kernels in the file system that a package
// embeds.
const Folder = "compiled"

// Module is a loaded module: one compiled .cu file.
type Module struct {
	device *Device
	name   string
	module cu.Module
}

// Load loads the module <name>.cubin or, if the device does not accept it,
// <name>.ptx from images. owner names the package; owner and name identify the
// module, and later calls return the module that is already loaded. It stays loaded
// until the device is closed.
func (d *Device) Load(owner string, images fs.FS, name string) (*Module, error) {
	key := owner + "/" + name
	if m, ok := d.modules[key]; ok {
		return m, nil
	}
	m := &Module{device: d, name: name}
	err := d.do(func() (err error) {
		m.module, err = d.load(images, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.modules[key] = m
	return m, nil
}

func (d *Device) load(images fs.FS, name string) (cu.Module, error) {
	if d.properties.Compute == cubinCompute && !d.options.OnlyPTX {
		// If the driver rejects the machine code, the PTX is loaded instead.
		if m, err := loadImage(images, name+".cubin"); err == nil {
			return m, nil
		}
	}
	return loadImage(images, name+".ptx")
}

func loadImage(images fs.FS, file string) (cu.Module, error) {
	image, err := fs.ReadFile(images, path.Join(Folder, file))
	if err != nil {
		return cu.Module{}, err
	}
	m, err := cu.LoadData(string(image))
	if errors.Is(err, cu.OutOfMemory) {
		return m, fmt.Errorf("out of GPU memory while loading %s: other processes may hold the memory", file)
	}
	return m, failed("cuModuleLoadData of "+file, err)
}

// Kernel returns the kernel of that name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	k := &Kernel{device: m.device, name: name}
	err := m.device.do(func() (err error) {
		k.function, err = m.module.Function(name)
		return failed(fmt.Sprintf("cuModuleGetFunction %s of %s.cu", name, m.source()), err)
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// source returns the name of the module's .cu file, without extension.
func (m *Module) source() string { return strings.TrimSuffix(m.name, countedSuffix) }

// SetConstant sets the __constant__ variable of that name to the Image of a struct.
// Package kernels/header generates the variable's type from the same struct.
func (m *Module) SetConstant(name string, value any) error {
	image, err := Image(value)
	if err != nil {
		return err
	}
	return m.write(name, image)
}

// Zero clears the variable of that name, of that many bytes, after all work launched so far.
func (m *Module) Zero(name string, bytes int) error { return m.write(name, make([]byte, bytes)) }

// write sets a variable of len(image) bytes.
func (m *Module) write(name string, image []byte) error {
	return m.device.do(func() error {
		at, err := m.variable(name, len(image))
		if err != nil {
			return err
		}
		return failed("cuMemcpyHtoD to "+name, cu.MemcpyHtoD(at, unsafe.Pointer(unsafe.SliceData(image)), int64(len(image))))
	})
}

// Read copies the variable of that name, of len(image) bytes, to image, after all
// work launched so far.
func (m *Module) Read(name string, image []byte) error {
	return m.device.do(func() error {
		at, err := m.variable(name, len(image))
		if err != nil {
			return err
		}
		return failed("cuMemcpyDtoH of "+name, cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(image)), at, int64(len(image))))
	})
}

// variable returns the address of a variable. It is an error if its size is not
// want bytes.
func (m *Module) variable(name string, want int) (cu.DevicePtr, error) {
	at, bytes, err := m.module.Global(name)
	if err != nil {
		return 0, failed(fmt.Sprintf("cuModuleGetGlobal %s of %s.cu", name, m.source()), err)
	}
	if bytes != int64(want) {
		return 0, fmt.Errorf("%s of %s.cu has %d bytes, not %d", name, m.source(), bytes, want)
	}
	return at, nil
}
