// graph500_driver_bind finds libcuda.so.1 and its entry points. It returns
// NULL, or what the system says is missing.
const char *graph500_driver_bind(void);

// graph500_driver_init is the driver's own cuInit(0).
int graph500_driver_init(void);
