#include "modules.h"

#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <link.h>
#include <map>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

namespace emulation {

namespace {

namespace fs = std::filesystem;

// folder returns the folder of the modules: modules, next to this library.
fs::path folder() {
	Dl_info here;
	dladdr(reinterpret_cast<void *>(&folder), &here);
	return fs::path(here.dli_fname).parent_path() / "modules";
}

// sources maps the PTX of each module to its library file.
const std::map<std::string, fs::path> &sources() {
	static const auto all = [] {
		std::map<std::string, fs::path> all;
		std::error_code none;
		for (const fs::directory_entry &entry : fs::directory_iterator(folder(), none)) {
			fs::path file = entry.path();
			if (file.extension() != ".ptx")
				continue;
			std::ifstream in(file, std::ios::binary);
			std::string text(std::istreambuf_iterator<char>(in), {});
			all[text] = file.replace_extension(".so");
		}
		return all;
	}();
	return all;
}

// copy returns an anonymous in-memory copy of a file, or -1.
int copy(const fs::path &file) {
	const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
	const int to = memfd_create("module", MFD_CLOEXEC);
	ssize_t n = from < 0 || to < 0 ? -1 : 1;
	while (n > 0)
		n = sendfile(to, from, nullptr, 1 << 30);
	close(from);
	if (n == 0)
		return to;
	close(to);
	return -1;
}

// Search looks for the thread_local variables of a library.
struct Search {
	uintptr_t image, imageEnd; // of the library
	SharedMemory found;
};

int findThreadLocal(dl_phdr_info *info, size_t, void *search) {
	Search &s = *static_cast<Search *>(search);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const auto &h = info->dlpi_phdr[i];
		if (h.p_type == PT_LOAD && (info->dlpi_addr + h.p_vaddr < s.image || info->dlpi_addr + h.p_vaddr >= s.imageEnd))
			return 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			s.found = {uintptr_t(info->dlpi_tls_data), 0, info->dlpi_phdr[i].p_memsz};
	return 1;
}

// Extent is the address range of the library that contains a given address.
struct Extent {
	uintptr_t contained, first, end;
};

int findExtent(dl_phdr_info *info, size_t, void *extent) {
	Extent &e = *static_cast<Extent *>(extent);
	e.first = ~uintptr_t(0), e.end = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const auto &h = info->dlpi_phdr[i];
		if (h.p_type != PT_LOAD)
			continue;
		e.first = std::min<uintptr_t>(e.first, info->dlpi_addr + h.p_vaddr);
		e.end = std::max<uintptr_t>(e.end, info->dlpi_addr + h.p_vaddr + h.p_memsz);
	}
	return e.first <= e.contained && e.contained < e.end;
}

} // namespace

std::unique_ptr<Module> Module::load(const char *ptx, std::string &error) {
	const auto found = sources().find(ptx);
	if (found == sources().end()) {
		error = "no module in " + folder().string() + " matches this PTX: run make emulation";
		return nullptr;
	}
	std::unique_ptr<Module> m(new Module);
	// Each context needs its own variables, but dlopen loads a file only once.
	m->path = found->second.string();
	m->file = copy(found->second);
	m->library = dlopen(("/proc/self/fd/" + std::to_string(m->file)).c_str(), RTLD_NOW | RTLD_LOCAL);
	if (!m->library) {
		error = found->second.string() + ": " + dlerror();
		return nullptr;
	}
	m->kernels = static_cast<const Kernel *>(dlsym(m->library, "emulation_kernels"));
	Extent e{uintptr_t(m->kernels), 0, 0};
	if (!m->kernels || !dl_iterate_phdr(findExtent, &e)) {
		error = found->second.string() + " is not a module";
		return nullptr;
	}
	m->image = e.first, m->imageEnd = e.end;
	return m;
}

Module::~Module() {
	if (library)
		dlclose(library);
	close(file);
}

const Kernel *Module::kernel(const char *name) const {
	for (const Kernel *k = kernels; k->name; k++)
		if (!strcmp(k->name, name))
			return k;
	return nullptr;
}

bool Module::global(const char *name, uintptr_t &at, size_t &bytes) const {
	void *variable = dlsym(library, name);
	Dl_info info;
	const ElfW(Sym) *symbol;
	if (!variable || !dladdr1(variable, &info, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)), RTLD_DL_SYMENT) || !symbol ||
		ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
		return false;
	at = uintptr_t(variable);
	bytes = symbol->st_size;
	return holds(at, bytes);
}

SharedMemory Module::shared() const {
	// Looking up one of the variables makes the loader allocate all of them.
	if (!dlsym(library, "emulation_shared"))
		return {};
	Search s{image, imageEnd, {}};
	dl_iterate_phdr(findThreadLocal, &s);
	const char *dynamic = static_cast<const char *>(dlsym(library, "emulation_dynamic"));
	if (*dynamic)
		s.found.dynamic = uintptr_t(dlsym(library, dynamic));
	return s.found;
}

std::string Module::line(uintptr_t at) const {
	char text[500];
	snprintf(text, sizeof text, "' %#zx 2>/dev/null", at - 1 - image);
	std::string found;
	if (FILE *out = popen(("addr2line -ie '" + path + text).c_str(), "r")) {
		// Inlined frames: functions of the emulation, such as an atomic, then the kernel.
		while (fgets(text, sizeof text, out))
			if (found.empty() && !strstr(text, "device/emulation/") && text[0] == '/')
				found = strrchr(text, '/') + 1;
		pclose(out);
	}
	if (size_t end = found.find_first_of("\n "); end != found.npos)
		found.erase(end);
	if (!found.empty())
		return found;
	snprintf(text, sizeof text, "%s+%#zx", path.c_str(), at - image);
	return text;
}

} // namespace emulation
