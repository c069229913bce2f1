//go:build cuda

package kernels

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unsafe"

	"gorgonia.org/cu"

	"graph500/kernels/driver"
)

// images holds each subject twice: .cubin is code for compute capability 9.0;
// .ptx is compiled by the driver for any from 8.0 on, which takes it a tenth of
// a second and more for a subject, once on a machine. What counts (.counted) is
// PTX alone.
//
//go:embed *.ptx *.cubin
var images embed.FS

// cubinCompute is the compute capability that scripts/kernels.sh makes .cubin
// files for.
var cubinCompute = [2]int{9, 0}

// imageChoice says which form of the modules is loaded.
type imageChoice bool

const (
	anyImage imageChoice = false // machine code where it fits, else PTX
	onlyPTX  imageChoice = true  // the driver compiles PTX on any device
)

// loadModules loads every subject of this package but those that count, one
// after the other: the driver compiles no faster if several threads ask it
// (H200, driver 580: 1.1 s for 9 modules). The context must be current.
func (d *Device) loadModules(choice imageChoice) error {
	if c := d.properties.Compute; c[0] < driver.MinCompute { // where another device has more
		return fmt.Errorf("%s has compute capability %d.%d, the kernels need %d.0 or later", d.properties.Name, c[0], c[1], driver.MinCompute)
	}
	files, err := fs.Glob(images, "*.ptx")
	if err != nil {
		return err
	}
	d.modules = make(map[string]cu.Module)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".ptx")
		if strings.HasSuffix(name, countedSuffix) {
			continue
		}
		if d.modules[name], err = d.loadModule(images, name, choice); err != nil {
			return err
		}
	}
	return nil
}

// Module is a compiled .cu file that was loaded beside those of this package.
type Module struct {
	device *Device
	name   string
	module cu.Module
}

// Load loads name.cubin or name.ptx of images, whichever the device takes.
func (d *Device) Load(images fs.FS, name string) (*Module, error) {
	m, err := d.loadModule(images, name, anyImage)
	if err != nil {
		return nil, err
	}
	return &Module{d, name, m}, nil
}

// Kernel returns the kernel of that name.
func (m *Module) Kernel(name string) (*Kernel, error) {
	return m.device.kernelOf(m.module, m.name, name)
}

// Close unloads the module; its kernels are gone with it. A nil one, and one
// that was closed, stay as they are.
func (m *Module) Close() error {
	if m == nil || m.module == (cu.Module{}) {
		return nil
	}
	module := m.module
	m.module = cu.Module{}
	return failed("cuModuleUnload of "+m.name, module.Unload())
}

func (d *Device) loadModule(images fs.FS, name string, choice imageChoice) (cu.Module, error) {
	if choice == anyImage && d.properties.Compute == cubinCompute {
		// Machine code that the driver refuses is no loss: PTX follows.
		if m, err := loadImage(images, name+".cubin"); err == nil {
			return m, nil
		}
	}
	return loadImage(images, name+".ptx")
}

func loadImage(images fs.FS, file string) (cu.Module, error) {
	image, err := fs.ReadFile(images, file)
	if err != nil {
		return cu.Module{}, err
	}
	m, err := cu.LoadData(string(image))
	if errors.Is(err, cu.OutOfMemory) {
		return m, fmt.Errorf("out of GPU memory while %s was loaded: other processes may hold it", file)
	}
	return m, failed("cuModuleLoadData of "+file, err)
}

// setConstant fills the __constant__ variable of that name of a module. T must
// have its layout.
func setConstant[T any](d *Device, module, name string, value T) error {
	m, ok := d.modules[module]
	if !ok {
		return fmt.Errorf("there is no module %s", module)
	}
	at, err := variable[T](m, module, name)
	if err != nil {
		return err
	}
	return failed("cuMemcpyHtoD to "+name, cu.MemcpyHtoD(at, unsafe.Pointer(&value), int64(unsafe.Sizeof(value))))
}

// variable returns the address of a variable of a module, which must have the
// size of T.
func variable[T any](m cu.Module, module, name string) (cu.DevicePtr, error) {
	at, bytes, err := m.Global(name)
	if err != nil {
		return 0, failed(fmt.Sprintf("cuModuleGetGlobal %s of %s.cu", name, module), err)
	}
	var value T
	if want := int64(unsafe.Sizeof(value)); bytes != want {
		return 0, fmt.Errorf("%s of %s.cu has %d bytes, not %d", name, module, bytes, want)
	}
	return at, nil
}
