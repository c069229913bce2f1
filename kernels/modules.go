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
// a second and more for a subject, once on a machine.
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

// loadModules loads every subject, one after the other: the driver compiles no
// faster if several threads ask it (H200, driver 580: 1.1 s for 9 modules).
// The context must be current.
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
		if d.modules[name], err = d.loadModule(name, choice); err != nil {
			return err
		}
	}
	return nil
}

func (d *Device) loadModule(name string, choice imageChoice) (cu.Module, error) {
	if choice == anyImage && d.properties.Compute == cubinCompute {
		// Machine code that the driver refuses is no loss: PTX follows.
		if m, err := loadImage(name + ".cubin"); err == nil {
			return m, nil
		}
	}
	return loadImage(name + ".ptx")
}

func loadImage(file string) (cu.Module, error) {
	image, err := images.ReadFile(file)
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
	at, bytes, err := m.Global(name)
	if err != nil {
		return failed(fmt.Sprintf("cuModuleGetGlobal %s of %s.cu", name, module), err)
	}
	if want := int64(unsafe.Sizeof(value)); bytes != want {
		return fmt.Errorf("%s of %s.cu has %d bytes, not %d", name, module, bytes, want)
	}
	return failed("cuMemcpyHtoD to "+name, cu.MemcpyHtoD(at, unsafe.Pointer(&value), bytes))
}
