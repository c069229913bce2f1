//go:build cuda

package device

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The emulated driver shows the devices that CUDA_VISIBLE_DEVICES lists, as a real one does.
func TestVisibleDevices(t *testing.T) {
	if !slices.Contains(os.Environ(), testProcess) && !strings.Contains(strings.ToLower(testPeers(t, 1)[0].properties.Name), "emulated") {
		t.Skip("the tests do not know the GPUs")
	}
	for list, want := range map[string]string{
		"": "", "-1": "", "3": "", "x": "", "GPU-0": "", ",1": "", "1": "01", "2,0": "02 00", "0,1,2": "00 01 02",
		"1,-1,2": "01", "0,7,1": "00", "2,1x": "02", "0,,1": "00", "1,0,1": "01 00", "99999999999999999999,0": "", "1,": "01",
	} {
		t.Run(strings.NewReplacer(",", "_", "-", "minus").Replace("list"+list), func(t *testing.T) {
			if !inProcess(t, "CUDA_VISIBLE_DEVICES="+list, "EMULATION_DEVICES=3") {
				return
			}
			var got []string
			count, err := Count()
			if (err != nil) != (want == "") {
				t.Fatalf("%d devices, %v", count, err)
			}
			for ordinal := range count {
				d, err := Open(ordinal, Options{Separate: true})
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				got = append(got, strings.Split(d.Properties().BusID, ":")[1])
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q, not %s", got, want)
			}
			if _, err := Open(count, Options{Separate: true}); err == nil {
				t.Error("opened a device that is not visible")
			}
		})
	}
}
