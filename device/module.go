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

// machineCode is the compute capability that scripts/kernels.sh makes .cubin
// files for; PTX is compiled by the driver for any from 8.0 on, which takes it a
// tenth of a second and more for a module, once on a machine.
var machineCode = [2]int{9, 0}

// Folder is where the compiled forms of a package's kernels are, in the file
// system that it embeds.
const Folder = "compiled"

// Module is a compiled .cu file that was loaded.
type Module struct {
	device *Device
	name   string
	module cu.Module
}

// Load loads <name>.cubin or <name>.ptx of a package's compiled forms, whichever
// the device takes; once: later calls return the same. A module stays until the
// device is closed.
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
	if d.properties.Compute == machineCode && !d.options.OnlyPTX {
		// Machine code that the driver refuses is no loss: PTX follows.
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
		return m, fmt.Errorf("out of GPU memory while %s was loaded: other processes may hold it", file)
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

// source is the module's name without what says that it counts.
func (m *Module) source() string { return strings.TrimSuffix(m.name, countedSuffix) }

// SetConstant fills the __constant__ variable of that name with the image of a
// value, as a type declared by Header has it.
func (m *Module) SetConstant(name string, value any) error {
	image, err := Image(value)
	if err != nil {
		return err
	}
	return m.write(name, image)
}

// write fills a variable, which must have as many bytes.
func (m *Module) write(name string, image []byte) error {
	return m.device.do(func() error {
		at, err := m.variable(name, len(image))
		if err != nil {
			return err
		}
		return failed("cuMemcpyHtoD to "+name, cu.MemcpyHtoD(at, unsafe.Pointer(unsafe.SliceData(image)), int64(len(image))))
	})
}

// Read fills image with the variable of that name, which must have as many bytes,
// when everything launched so far is done.
func (m *Module) Read(name string, image []byte) error {
	return m.device.do(func() error {
		at, err := m.variable(name, len(image))
		if err != nil {
			return err
		}
		return failed("cuMemcpyDtoH of "+name, cu.MemcpyDtoH(unsafe.Pointer(unsafe.SliceData(image)), at, int64(len(image))))
	})
}

// variable returns the address of a variable that must have that many bytes.
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
